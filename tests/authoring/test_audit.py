"""The audit finds what it looks for, and finds nothing in a sample of every exercise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mlcore.authoring import recorded
from mlcore.authoring.audit import __main__ as audit
from mlcore.course import catalogue
from mlcore.engine.exercises import Alternative, Checks, Function, Mistake
from tests import toys

SEEDS = range(40)


def _warns(x):
    warnings.warn("too near to 0", RuntimeWarning, stacklevel=1)
    return x


def _singular(rng):
    """A column and its double, in whole numbers: nothing is rounded in the input."""
    column = rng.integers(1, 5, size=3).astype(float)
    return [(np.column_stack([column, 2 * column]),)]


def _normals(rng):
    return [(rng.normal(),), (rng.normal(),)]


def _positive(rng):
    return [(rng.uniform(1, 2, size=3),)]


sound = Function(
    "sound",
    asks="2x",
    points=1,
    reference=lambda x: 2 * x,
    cases=lambda rng: [(-rng.uniform(1, 2),), (rng.uniform(1, 2),)],
    mistakes=[Mistake("This is x.", lambda x: x)],
    alternatives=[Alternative(lambda x: x + x)],
)
warned = Function("warned", asks="x", points=1, reference=_warns, cases=_positive)
hopeless = Function("hopeless", asks="x", points=1, reference=lambda x: 1 / 0, cases=_positive)
unlucky = Function("unlucky", asks="3x", points=1, reference=lambda x: 3 * x, cases=lambda rng: [(rng.normal(),)])
blind = Function("blind", asks="3x", points=1, reference=lambda x: 3 * x, cases=_positive)
refused = Function(
    "refused",
    asks="√x²",
    points=1,
    reference=abs,
    cases=_normals,
    alternatives=[Alternative(lambda x: x if x > -1 else 0.0)],
)
twins = Function(
    "twins",
    asks="|x|",
    points=1,
    reference=abs,
    cases=_normals,
    mistakes=[Mistake("Seven.", lambda x: 7.0), Mistake("More than six.", lambda x: 7.0 + 0 * x)],
)
forgiving = Function(
    "forgiving", asks="|x|", points=1, reference=abs, cases=_normals, mistakes=[Mistake("This is x.", lambda x: x)]
)
unsteady = Function(
    "unsteady",
    asks="(XᵀX + I)⁻¹",
    points=1,
    reference=lambda X: np.linalg.inv(X.T @ X + np.eye(2)),
    cases=_singular,
    mistakes=[Mistake("Without I there is no inverse.", lambda X: np.linalg.inv(X.T @ X))],
)
check = Checks(
    toys.topic(sound, warned, hopeless, unlucky, blind, refused, twins, forgiving, unsteady, number=96, slug="planted")
)


def faults(exercise, solution, seeds=40):
    return audit.examine("planted", exercise, (solution,), range(seeds))


class TestFinds:
    def test_nothing_where_nothing_is(self):
        tally = faults(sound, lambda x: 2 * x)
        assert not tally.faults and not tally.lucky and tally.seeds == 40

    def test_a_warning(self):
        assert list(faults(warned, lambda x: x).faults) == ["the reference warns: too near to 0"]

    def test_a_reference_that_never_works(self):
        ((says, seeds),) = faults(hopeless, lambda x: x, 3).faults.items()
        assert says == "not judged: the reference raised ZeroDivisionError: division by zero" and seeds == [0, 1, 2]

    def test_a_right_answer_that_is_refused_on_some_seeds(self):
        tally = faults(refused, abs)
        assert any(says.startswith("alternative 1 is refused") for says in tally.faults)

    def test_a_wrong_answer_that_is_accepted_on_some_seeds(self):
        """No draw of six positive numbers shows it."""
        told = {says: seeds for says, seeds in faults(forgiving, abs, 400).faults.items() if "accepted" in says}
        ((says, seeds),) = told.items()
        assert says == "mistake 1 is accepted: This is x." and 0 < len(seeds) < 40

    def test_two_mistakes_that_agree(self):
        assert any("mistake 1 is told" in says for says in faults(twins, abs).faults)

    def test_rounding_that_decides(self):
        assert "rounding decides: mistake 1" in faults(unsteady, unsteady.reference).faults

    def test_luck(self):
        tally = faults(unlucky, lambda x: 3 * x, 400)
        passed, tried = tally.lucky["|x|"]
        assert 0 < passed < tried == 400 // audit.LUCK

    def test_a_kind_of_input_that_no_draw_has(self):
        tally = faults(blind, lambda x: 3 * x)
        assert not tally.lucky
        assert "planted blind: never shown: |x|" in list(audit.findings([tally], everything=True))


class TestCommand:
    @pytest.fixture(autouse=True)
    def _own_folder(self, monkeypatch, tmp_path):
        monkeypatch.setattr(audit, "folder", lambda: tmp_path)

    def test_what_is_done_is_known(self, capsys, tmp_path):
        words = ["--exercise", "ridge_freedom", "--seeds", "60", "--workers", "1"]
        assert audit.main(words) == 0
        (kept,) = tmp_path.iterdir()
        first, second = kept.read_text(encoding="utf-8").splitlines()
        kept.write_text(first + "\n" + second[:40], encoding="utf-8")  # as a kill would leave it
        capsys.readouterr()
        assert audit.main(words) == 0
        told = capsys.readouterr()
        assert "1 of 2 pieces are known" in told.err
        assert "Nothing found." in told.out

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--exercise", "magic"], "there is no exercise 'magic'"),
            (["--topic", "magic"], "no topic 'magic'"),
            (["--seeds", "0"], "--seeds must be at least 1, got 0"),
        ],
    )
    def test_one_clear_line(self, words, says, capsys):
        with pytest.raises(SystemExit):
            audit.main(words)
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("topic", list(catalogue.topics()), ids=lambda topic: topic.slug)
def test_a_sample_of_every_exercise_is_clean(topic):
    solutions = recorded.solutions(topic)
    tallies = [
        audit.examine(topic.slug, exercise, solutions[exercise.name], SEEDS)
        for exercise in topic.exercises
        if exercise.parts
    ]
    found = list(audit.findings(tallies))
    assert not found, "\n".join(found)
