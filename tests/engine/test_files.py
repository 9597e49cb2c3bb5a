"""Files that are all there, or not at all."""

from pathlib import Path

import pytest

from mlcore.engine import files


def there(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_creates_files_and_their_folders(tmp_path):
    files.create({tmp_path / "a" / "b" / "one.py": "1\n", tmp_path / "a" / "two.py": "ß\n"})
    assert there(tmp_path) == ["a", "a/b", "a/b/one.py", "a/two.py"]
    assert (tmp_path / "a" / "two.py").read_bytes() == "ß\n".encode()


def test_one_in_the_way_stays_and_the_others_are_not_made(tmp_path):
    last = tmp_path / "last.py"
    last.write_text("mine")
    with pytest.raises(FileExistsError, match=r"last\.py"):
        files.create({tmp_path / "a" / "first.py": "1\n", last: "2\n"})
    assert there(tmp_path) == ["last.py"]
    assert last.read_text() == "mine"


def test_what_cannot_be_written_takes_the_others_with_it(tmp_path):
    (tmp_path / "kept").mkdir()
    with pytest.raises(UnicodeEncodeError):
        files.create({tmp_path / "kept" / "first.py": "1\n", tmp_path / "a" / "second.py": "\ud800"})
    assert there(tmp_path) == ["kept"]
