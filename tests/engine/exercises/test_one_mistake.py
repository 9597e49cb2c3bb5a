"""One mistake costs one point, however the lines after it take it up; and what was read is what answered."""

import numpy as np
import pytest

from mlcore.engine.asking.answers import collect
from mlcore.engine.exercises import Chain, Line, Mistake, but
from mlcore.engine.exercises.assess import assess, drawing, judged
from mlcore.engine.reading import source
from tests import toys
from tests.engine.exercises.test_chains import RIGHT, alone, five, four, line, marks, three, two


def _cases(rng):
    return [(rng.uniform(1, 2), rng.normal(size=n) + 1) for n in (2, 3, 5)]


# The derivative of w² Σx, once more, and its logarithm: lines whose parts are factors, and that look back.
factors = Chain(
    "factors",
    asks="a product",
    first=lambda w, x: w**2 * np.sum(x) + np.exp(w),
    lines=[
        Line(
            does="take out w",
            parts=("scale", "sum"),
            reference=lambda w, x: (w**2, np.sum(x)),
            whole=lambda here, w, x: here[0] * here[1],
            mistakes=[
                Mistake("The square is lost.", but(lambda w, x: (w**2, np.sum(x)), 0, lambda w, x: 2 * w)),
                Mistake("w may not stay with the sum.", lambda w, x: (w, w * np.sum(x))),
            ],
        ),
        Line(
            does="differentiate the scale",
            reference=lambda w, x: 2 * w,
            follows=[lambda before, w, x: 2 * before[0] / w, lambda before, w, x: before[0] / w],
        ),
        Line(
            does="the slope, and the sum with it",
            parts=("slope", "sum"),
            reference=lambda w, x: (2 * w, np.sum(x)),
            since=lambda earlier, w, x: (earlier[1], earlier[0][1]),
        ),
        Line(
            does="its logarithm", reference=lambda w, x: np.log(2 * w), follows=lambda before, w, x: np.log(before[0])
        ),
    ],
    cases=_cases,
)
toys.topic(factors, number=96, slug="factors")


def scale(w, x):
    return w**2, np.sum(x)


def slope(w, x):
    return 2 * w


def both(w, x):
    return 2 * w, np.sum(x)


def logarithm(w, x):
    return np.log(2 * w)


class TestTooEarly:
    """A line that says what is asked for one later earns nothing; there it may be said again."""

    def test_costs_one_point(self):
        verdict = assess(line, (two, four, lambda w, x, y: four(w, x, y), five))
        assert marks(verdict) == "✓✗✓✓"


class TestDividedUp:
    def test_right_together_is_told_so(self):
        verdict = assess(factors, (lambda w, x: (2 * w**2, np.sum(x) / 2), ..., ..., ...))
        assert verdict.finding.says.startswith("Line 2: all together it is right, but it is not divided up")

    def test_a_mistake_of_the_catalogue_goes_first_if_it_is_the_same_in_all_parts(self):
        verdict = assess(factors, (lambda w, x: (w, w * np.sum(x)), ..., ..., ...))
        assert "w may not stay with the sum." in verdict.finding.says

    def test_and_is_not_told_where_only_one_part_is_its_own(self):
        verdict = assess(factors, (lambda w, x: (2 * w, w * np.sum(x) / 2), ..., ..., ...))
        assert "The square is lost." not in verdict.finding.says
        assert "The square is lost." in assess(factors, (lambda w, x: (2 * w, np.sum(x)), ..., ..., ...)).finding.says


class TestSeveralWays:
    @pytest.mark.parametrize("taken", [lambda w, x: 6 * w, lambda w, x: 3 * w])
    def test_any_of_them_follows(self, taken):
        tripled = (lambda w, x: (3 * w**2, np.sum(x)), taken, ..., ...)
        assert marks(assess(factors, tripled)) == "✗↳○○"

    def test_no_other_does(self):
        tripled = (lambda w, x: (3 * w**2, np.sum(x)), lambda w, x: 4 * w, ..., ...)
        assert marks(assess(factors, tripled)) == "✗✗○○"


class TestSince:
    def test_a_mistake_that_shows_two_lines_later(self):
        mean = (lambda w, x: (w**2, np.mean(x) * 7), slope, lambda w, x: (2 * w, np.mean(x) * 7), logarithm)
        verdict = assess(factors, mean)
        assert marks(verdict) == "✗✓↳✓"
        assert verdict.steps[2].says.endswith("it follows from your lines before")

    def test_another_one_does_not_follow(self):
        mean = (lambda w, x: (w**2, np.mean(x) * 7), slope, lambda w, x: (2 * w, np.mean(x) * 5), logarithm)
        assert marks(assess(factors, mean)) == "✗✓✗✓"

    def test_nothing_follows_where_all_was_right(self):
        assert marks(assess(factors, (scale, slope, lambda w, x: (2 * w, np.mean(x)), logarithm))) == "✓✓✗✓"


def test_what_is_no_number_follows_from_a_line_that_makes_it_so():
    def negative(w, x):
        return -2 * w, np.sum(x)

    with np.errstate(invalid="ignore"):
        verdict = assess(factors, (scale, slope, negative, lambda w, x: np.log(negative(w, x)[0])))
    assert marks(verdict) == "✓✓✗↳"
    assert "nan" in assess(factors, (scale, slope, both, lambda w, x: np.log(-2 * w))).finding.says


def test_what_stands_in_the_line_before_may_come_along():
    """The square is still there in line 2, where its derivative is asked for: that is one mistake."""
    from mlcore.checks.backprop import hidden_chain
    from mlcore.numerics import sigmoid

    def line_2(W, b, a, x, y):
        return 2 * (a @ sigmoid(W @ x + b) - y) ** 2

    def line_3(W, b, a, x, y):
        return line_2(W, b, a, x, y) * a

    def line_4(W, b, a, x, y):
        h = sigmoid(W @ x + b)
        return line_3(W, b, a, x, y), h * (1 - h)

    assert marks(assess(hidden_chain, (line_2, line_3, line_4, ..., ...))) == "✗↳↳○○"


def test_nothing_follows_once_nothing_is_left():
    """One point in the place of a sum is a mistake; a line that holds nothing any more is no derivation."""
    bare = (lambda w, x, y: (w * x[0], x[0], y[0]), lambda w, x, y: (0, 0, 0), lambda w, x, y: (0, 0), ...)
    assert marks(assess(line, bare)) == "✗✗✗○"


class TestLeftOver:
    """A given line in a part, in whatever spelling."""

    @pytest.mark.parametrize(
        "whole",
        [
            "np.sum((w * x - y) ** 2)",
            "np.linalg.norm(y - w * x) ** 2",
            "float(np.median(np.sum((w * x - y) ** 2)))",
            "sorted([(w * x - y) @ (w * x - y)])[0]",
            "abs(np.sum((w * x - y) ** 2))",
            "len(x) * (np.var(w * x - y) + np.mean(w * x - y) ** 2)",
        ],
    )
    def test_is_seen(self, whole):
        text = f"def line_2(w, x, y):\n    q, c = w**2 * x @ x, y @ y\n    return q, {whole} - q - c, c\n"
        step = steps(text)[0]
        assert not step.right and "has line 1 in it" in step.says

    @pytest.mark.parametrize(
        "points",
        [
            "V = np.array([-1.0, 0.0, 1.0]) * w\n    F = np.sum((V[:, None] * x - y) ** 2, axis=1)",
            "V = w * np.arange(-1, 2)\n    F = np.sum((V[:, None] * x - y) ** 2, axis=1)",
            "F = {}\n    for k in (-1, 0, 1):\n        F[k + 1] = np.sum(np.append(k * w * x - y, []) ** 2)",
        ],
    )
    def test_a_list_of_points_is_one_too(self, points):
        text = f"def line_2(w, x, y):\n    {points}\n    return (F[0] + F[2]) / 2 - F[1], (F[2] - F[0]) / 2, F[1]\n"
        assert "with symbols, not with numbers" in steps(text)[0].says


class TestWhatWasReadIsWhatAnswered:
    """When graded, only the text is read; a name may stand for something else by then."""

    attack = "def line_2(w, x, y):\n    f = lambda w: np.sum((w * x - y) ** 2)\n    return PARTS\n"
    parts = "(f(w) + f(-w)) / 2 - f(0 * w), (f(w) - f(-w)) / 2, f(0 * w)"

    @pytest.mark.parametrize(
        "before",
        [
            "def line_2(w, x, y):\n    raise NotImplementedError\n",
            "def line_2(w, x, y):\n    return w, x @ y, y @ y\n",
            "def line_2(w, x, y):\n    while True:\n        return w**2 * x @ x, -2 * w * x @ y, y @ y\n",
        ],
    )
    def test_code_made_out_of_text_is_not_taken_for_what_stands_there(self, before):
        hidden = self.attack.replace("PARTS", self.parts)
        step = steps(f"{before}exec({hidden!r})\n")[0]
        assert not step.right and "Its source cannot be found" in step.says

    def test_nor_is_a_decoy(self):
        text = self.attack.replace("PARTS", self.parts)
        namespace = {"np": np}
        exec(text, namespace)
        answer = namespace["line_2"]
        answer.__wrapped__ = two_less
        assert not alone(answer).right

    def test_a_coroutine_is_read(self):
        text = (
            "async def f(w, x, y):\n    return np.sum((w * x - y) ** 2)\n\n"
            "def run(c):\n    try:\n        c.send(None)\n    except StopIteration as e:\n        return e.value\n\n"
            "def line_2(w, x, y):\n    a, b, c = (run(f(v, x, y)) for v in (w, -w, 0 * w))\n"
            "    return (a + b) / 2 - c, (a - b) / 2, c\n"
        )
        assert "It evaluates line 1 at several points" in steps(text)[0].says

    def test_what_yields_is_not(self):
        text = self.attack.replace("    return PARTS", "    g = (lambda: (yield f(w)))\n    return PARTS")
        assert not steps(text.replace("PARTS", self.parts))[0].right


def two_less(w, x, y):
    return w, x @ y, y @ y


def steps(text):
    """The lines of a cell that defines line 2, judged from its text; they agree with those of the live function."""
    setting = "import numpy as np\n"
    namespace = {}
    exec(setting + text, namespace)
    plan = line.plan(drawing(line))
    replies = collect((namespace["line_2"], ..., ..., ...), plan, line.watch())
    names = ["line_2", "line_3", "line_4", "line_5"]
    return judged(line, plan, replies, source.of_cells([setting + text], names)).steps


def test_parts_that_are_off_are_marked():
    def off(w, x, y):
        return 3 * w**2 * x @ x, w * x @ y, y @ y

    written = alone(off).written
    assert [formula.off for formula in written] == [True, True, False]
    assert str(written[0]).endswith(" ✗")


def test_all_is_right_that_is_right():
    assert assess(line, RIGHT).right and assess(factors, (scale, slope, both, logarithm)).right
    assert alone(three, 1).right and alone(two).right
