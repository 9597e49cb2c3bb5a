"""The sweep finds what is wrong: an explorer with one fault for each sentence that it may say."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from mlcore.engine.explorers import LogSlider, Pick, Slider, invariant, sweep
from tests.engine.explorers.figures import Small, Sound


class Lawless(Sound):
    _far = _farther = None


class Unlawful(Sound):
    @invariant("the slope is below 1.9")
    def _gentle(self, state):
        return state.slope < 1.9


class Falling(Sound):
    @invariant("the end rises", along="slope")
    def _rises(self, before, after):
        return after.y > before.y


class Astray(Sound):
    @invariant("the end rises", along="tilt")
    def _rises(self, before, after):
        return True


class Unmade(Sound):
    def prepare(self):
        raise OSError("no such\nfile")


class Raising(Sound):
    def compute(self, slope, sign):
        return SimpleNamespace(slope=slope, sign=sign, y=1 / slope)


class WarnsAsItComputes(Sound):
    def compute(self, slope, sign):
        return SimpleNamespace(slope=slope, sign=sign, y=np.float64(slope) ** 2 / np.float64(slope))


class DoubtfulLaw(Sound):
    @invariant("the end is a key")
    def _key(self, state):
        return {}[state.slope]


class DoubtfulNeighbours(Sound):
    @invariant("the ends are keys", along="slope")
    def _key(self, before, after):
        return {}[after.slope]


class Undrawn(Sound):
    def draw(self, figure):
        raise ValueError("nothing to draw on")


class WarnsAsItIsDrawn(Sound):
    def update(self, state):
        super().update(state)
        warnings.warn("the line is thin", stacklevel=2)


class Large(Sound):
    def draw(self, figure):
        super().draw(figure)
        figure.set_size_inches(3, 3)


class Growing(Sound):
    def update(self, state):
        super().update(state)
        self.axes.set_ylim(-2.2, 2.2 + state.slope)


class Terse(Sound):
    def describe(self, state):
        return f"It ends at {state.y:.2f}."


class NotANumber(Sound):
    def describe(self, state):
        return f"{super().describe(state)} Its logarithm is {np.log(state.y) if state.y > 0 else np.nan:.1f}."


class Mute(Sound):
    def describe(self, state):
        return "The line starts at 0, and where it ends is to be seen in the picture."


class Many(Sound):
    third = Slider("c", "", 0.0, 1.0, 0.0)
    fourth = Slider("d", "", 0.0, 1.0, 0.0)

    def compute(self, slope, sign, third, fourth):
        return super().compute(slope, sign)


class Unlabelled(Sound):
    sign = Pick("", "", ("up", "down"))


class Outside(Sound):
    slope = Slider("a", "slope", 0.0, 2.0, 3.0)


class Between(Sound):
    slope = Slider("a", "slope", 0.0, 2.0, 0.5, step=0.4)


class BetweenScales(Sound):
    slope = LogSlider("a", "slope", 0.1, 10.0, 0.15)


class Scaleless(Sound):
    slope = LogSlider("a", "slope", 0.0, 2.0, 1.0)


class Still(Sound):
    def update(self, state):
        pass


class Unable(Sound):
    """It fails at the end of its first control."""

    def describe(self, state):
        if state.slope == 0:
            raise KeyError("flat")
        return super().describe(state)


LAWS, NEIGHBOURS, DRAWN, CONTROLS, LIVE = sweep.CHECKS
PLANTED = [
    (Lawless, LAWS, "it declares no law"),
    (Unlawful, LAWS, r"the slope is below 1\.9: not at \{'slope': 2\.0, 'sign': 'up'\} \(the law of line \d+\)"),
    (Falling, NEIGHBOURS, r"the end rises: not from slope = .+ to .+, at \{'sign': 'down'\} \(the law of line \d+\)"),
    (Astray, NEIGHBOURS, "the end rises: along tilt, which is no control"),
    (Unmade, LAWS, r"OSError as it is made, line \d+: no such file"),
    (Raising, LAWS, r"ZeroDivisionError at \{'slope': 0\.0, .*\}, line \d+: float division.*"),
    (WarnsAsItComputes, LAWS, r"RuntimeWarning at \{'slope': 0\.0, .*\}, line \d+: invalid value .*"),
    (DoubtfulLaw, LAWS, r"KeyError at \{'slope': 1\.0, 'sign': 'up'\}, line \d+: 1\.0"),
    (DoubtfulNeighbours, NEIGHBOURS, r"KeyError along slope from \{.*\}, line \d+: 0\.0.*"),
    (Undrawn, DRAWN, r"ValueError at \{.*\}, line \d+: nothing to draw on"),
    (WarnsAsItIsDrawn, DRAWN, r"UserWarning at \{.*\}, line \d+: the line is thin"),
    (Large, DRAWN, r"the picture has not the size of the others: at \{'slope': 1\.0, .*\}"),
    (Growing, DRAWN, r"the axes moved: at \{'slope': 0\.0, .*\}"),
    (Terse, DRAWN, r"no more than 40 characters are told: at \{'slope': 1\.0, .*\}"),
    (NotANumber, DRAWN, r"a number is told as nan: at \{'slope': 0\.0, .*\}"),
    (Mute, DRAWN, "the words are the same at every position"),
    (Many, CONTROLS, "it has 4 controls, and 3 are the most"),
    (Unlabelled, CONTROLS, "the control sign has neither a symbol nor a word"),
    (Outside, CONTROLS, r"the control slope starts at 3\.0, outside 0\.0 to 2\.0"),
    (Between, CONTROLS, r"the control slope starts at 0\.5, between two .*: 0\.4 .*"),
    (BetweenScales, CONTROLS, r"the control slope starts at 0\.15, between .*"),
    (Scaleless, CONTROLS, r"RuntimeWarning at the start of slope: divide by zero.*"),
    (Still, LIVE, "the control a slope does not change the picture"),
    (Mute, LIVE, "the control a slope does not change the words"),
    (Unable, LIVE, r"KeyError in a notebook, line \d+: 'flat'"),
]


@pytest.mark.parametrize(("kind", "check", "says"), PLANTED)
def test_a_planted_fault_is_found_once_and_told_in_one_line(kind, check, says):
    (finding,) = check(kind)
    assert finding.explorer is kind
    assert re.fullmatch(f"{kind.__name__}: {says}", str(finding))
    assert "\n" not in str(finding)


@pytest.mark.parametrize("kind", [Sound, Small])
def test_a_sound_explorer_has_no_finding(kind):
    assert list(sweep.findings([kind])) == []


def test_a_fault_of_one_kind_is_not_taken_for_another():
    """Faults of the words or of a law leave the other checks in peace."""
    others = {Unlawful: 1, Falling: 1, Astray: 1, Terse: 1, NotANumber: 1, Growing: 1, Many: 1, Unlabelled: 1, Mute: 2}
    assert {kind: len(list(sweep.findings([kind]))) for kind in others} == others


def test_faults_of_several_kinds_are_all_found():
    class Worst(Terse, Growing, Unlawful):
        pass

    assert len({str(finding) for finding in sweep.findings([Worst])}) == 3


def test_a_picture_without_controls_may_say_one_thing_and_needs_no_widgets():
    class Fixed(Mute):
        slope = sign = _farther = None

        def compute(self):
            return super().compute(1.0, "up")

    assert list(sweep.findings([Fixed])) == []


def test_progress_says_what_comes_next_and_how_far_it_is():
    heard = []
    assert list(sweep.findings([Sound, Small], progress=lambda *words: heard.append(words))) == []
    steps = 2 * len(sweep.CHECKS)
    assert [(done, of) for _, done, of in heard] == [(done, steps) for done in range(steps + 1)]
    assert heard[0][0] == "Sound: laws hold everywhere"
    assert heard[-1][0] == ""


def test_a_warning_of_the_caller_stays_a_warning():
    """While a check is half way, the filters are those of its caller."""
    found = sweep.laws_hold_everywhere(Lawless)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        next(found)
        assert warnings.filters == before
    found.close()


def test_the_places_are_the_start_the_ends_the_corners_and_others():
    explorer = Sound()
    places = list(sweep.positions(explorer, np.random.default_rng(0), count=5))
    assert places[0] == explorer.start
    assert len(places) == 1 + 5 + 2 + 4 + 5
    assert {(place["slope"], place["sign"]) for place in places} >= {(s, d) for s in (0.0, 2.0) for d in ("up", "down")}
    assert places == list(sweep.positions(explorer, np.random.default_rng(0), count=5))
