"""Numbers in a sentence."""

from mlcore.engine.explorers import tell, tell_error


def test_a_number_has_a_real_minus_sign_and_zero_has_none():
    assert [tell(x, 1) for x in (-1.25, -0.04, 0.0, 3)] == ["−1.2", "0.0", "0.0", "3.0"]
    assert tell(-7.6) == "−8"


def test_an_error_is_told_in_as_many_digits_as_are_no_rounding():
    assert [tell_error(e) for e in (0.254, 0.000254, 2.54e-8, 2.54e-13)] == ["0.25", "0.00025", "2.5e−08", "3e−13"]
    assert {tell_error(e) for e in (0.0, 2e-17, 9e-14)} == {"less than 1e−13"}
    assert tell_error(3e-12, floor=1e-11) == "less than 1e−11"
