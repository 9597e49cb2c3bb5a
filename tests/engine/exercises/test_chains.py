"""Three questions to each line of a derivation: its value, whether it follows, whether the step was done."""

import numpy as np
import pytest

from mlcore.checks import ridge as ridge_checks
from mlcore.engine.asking.answers import collect
from mlcore.engine.exercises import Chain, Line, Mistake, but, expanded
from mlcore.engine.exercises.assess import assess, drawing, judged
from mlcore.engine.exercises.card import card
from mlcore.engine.exercises.verdict import Outcome
from mlcore.engine.reading import source
from tests import toys


def _line_1(w, x, y):
    return np.sum((w * x - y) ** 2)


def _line_2(w, x, y):
    return w**2 * x @ x, -2 * w * x @ y, y @ y


def _line_3(w, x, y):
    return x @ x, x @ y, y @ y


def _line_4(w, x, y):
    return 2 * x @ x, 2 * x @ y


def _line_5(w, x, y):
    return x @ y / (x @ x)


def _cases(rng):
    return [(rng.uniform(1, 2), rng.normal(size=n) + 1, rng.normal(size=n) + 3) for n in (2, 3, 5)]


line = Chain(
    "line",
    asks="a line through 0",
    first=_line_1,
    lines=[
        Line(does="multiply out", parts=("quadratic", "linear", "constant"), reference=_line_2),
        Line(
            does="collect",
            parts=("a", "c", "constant"),
            reference=_line_3,
            undo=lambda here, w, x, y: (here[0] * w**2, -2 * w * here[1], here[2]),
            mistakes=[Mistake("The −2 is in the formula already.", but(_line_3, 1, lambda w, x, y: -2 * x @ y))],
        ),
        Line(
            does="differentiate",
            parts=("h", "b"),
            reference=_line_4,
            follows=lambda before, w, x, y: (2 * before[0], 2 * before[1]),
        ),
        Line(does="solve", reference=_line_5, follows=lambda before, w, x, y: before[1] / before[0]),
    ],
    cases=_cases,
)
# One whose lines rest on their source alone.
scalar = Chain(
    "scalar",
    asks="a square, multiplied out",
    first=_line_1,
    lines=[
        Line(
            does="multiply out",
            reference=lambda w, x, y: w**2 * x @ x - 2 * w * x @ y + y @ y,
            forms=[expanded("w", "A bracket with w in it is left.")],
        )
    ],
    last=lambda w, x, y: x @ x * (w - x @ y / (x @ x)) ** 2 + y @ y - (x @ y) ** 2 / (x @ x),
    cases=_cases,
)
toys.topic(line, scalar, number=97, slug="chains")


def two(w, x, y):
    return w**2 * x @ x, -2 * w * x @ y, y @ y


def three(w, x, y):
    return x @ x, x @ y, y @ y


def four(w, x, y):
    a, c, _ = three(w, x, y)
    return 2 * a, 2 * c


def five(w, x, y):
    h, b = four(w, x, y)
    return b / h


RIGHT = (two, three, four, five)


def marks(verdict):
    return "".join(step.shown for step in verdict.steps)


def alone(answer, part=0, exercise=line):
    """The step of one line, where all others are open."""
    answers = tuple(answer if i == part else ... for i in range(len(exercise.lines)))
    return assess(exercise, answers).steps[part]


class TestValues:
    def test_right(self):
        verdict = assess(line, RIGHT)
        assert verdict.right and verdict.points == 4 and marks(verdict) == "✓✓✓✓"

    def test_an_open_line_is_told_by_what_it_does(self):
        verdict = assess(line, (two, ..., ..., ...))
        assert verdict.points == 1 and marks(verdict) == "✓○○○"
        assert verdict.finding.says == "Line 3 is still open: collect."

    def test_untouched_is_not_attempted(self):
        assert assess(line, (..., ..., ..., ...)).outcome is Outcome.NOT_ATTEMPTED

    def test_nothing_right_is_not_partly_right(self):
        verdict = assess(line, (lambda w, x, y: (w, 2.0, 3.0), ..., ..., lambda w, x, y: 0.5))
        assert verdict.outcome is Outcome.WRONG and verdict.points == 0

    def test_a_catalogued_mistake_in_one_part_is_told_where_another_part_is_wrong_too(self):
        step = alone(lambda w, x, y: (x @ x, -2 * x @ y, 7.0), 1)
        assert step.says.startswith("c and constant are off. Begin with c. The −2 is in the formula already.")

    def test_a_number_where_parts_are_asked_for(self):
        assert "a tuple (a, c, constant) is asked for" in alone(lambda w, x, y: x @ x, 1).says


class TestFollowing:
    """One mistake costs one point."""

    @staticmethod
    def lost_two(w, x, y):
        return w**2 * x @ x, -w * x @ y, y @ y

    @staticmethod
    def half_c(w, x, y):
        return x @ x, x @ y / 2, y @ y

    def test_lines_that_follow_from_a_wrong_one_earn_their_points(self):
        def then(w, x, y):
            return 2 * x @ x, x @ y

        verdict = assess(line, (self.lost_two, self.half_c, then, lambda w, x, y: x @ y / (2 * x @ x)))
        assert marks(verdict) == "✗↳↳↳" and verdict.points == 3
        assert verdict.outcome is Outcome.PARTLY
        assert verdict.finding.says.startswith("Line 2 is the first that does not follow from the one before.")
        assert verdict.finding.says.endswith("Lines 3, 4 and 5 follow from what you had.")
        assert verdict.steps[1].says == "collect: it follows from your line 2"

    def test_a_right_line_after_a_wrong_one_earns_its_point(self):
        assert marks(assess(line, (self.lost_two, *RIGHT[1:]))) == "✗✓✓✓"

    def test_a_second_mistake_costs_a_second_point(self):
        verdict = assess(line, (self.lost_two, self.half_c, lambda w, x, y: (x @ x, x @ y), ...))
        assert marks(verdict) == "✗↳✗○"

    def test_nothing_follows_from_a_line_that_was_made_up(self):
        """Zeros lead to zeros: no step was done."""
        nothing = (lambda w, x, y: (0.0, 0.0, 0.0), lambda w, x, y: (0.0, 0.0, 0.0), lambda w, x, y: (0.0, 0.0), ...)
        assert marks(assess(line, nothing)) == "✗✗✗○"

    def test_nor_from_constants(self):
        ones = (lambda w, x, y: (w**2, -2 * w, 1.0), lambda w, x, y: (1.0, 1.0, 1.0), lambda w, x, y: (2.0, 2.0), ...)
        assert assess(line, ones).points == 0

    def test_nothing_follows_from_a_line_that_raises(self):
        assert marks(assess(line, (lambda w, x, y: 1 / 0, self.half_c, ..., ...))) == "✗✗○○"


class TestTerms:
    """The wrong term is found by evaluating the terms one by one."""

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda w, x, y: w**2 * x @ x - w * x @ y + y @ y, "The second term is −wxᵀy: twice that is needed."),
            (lambda w, x, y: w**2 * x @ x + 2 * w * x @ y + y @ y, "its sign is wrong."),
            (lambda w, x, y: w**2 * x @ x - 2 * w * x @ y + w * y @ y, "it needs the factor 1/w."),
            (lambda w, x, y: w**2 * x @ x - 2 * w * x @ y + 3 * y @ y, "it needs the factor 1/3."),
            (lambda w, x, y: w**2 * x @ x + y @ y, "is missing."),
            (lambda w, x, y: w**2 * x @ x - 2 * w * x @ y + y @ y + x @ x, "The fourth term is xᵀx: it does not"),
        ],
    )
    def test_is_told(self, answer, says):
        assert says in alone(answer, 0, scalar).says

    def test_in_the_part_that_is_off(self):
        both = Chain(
            "both", asks="two sums", first=_line_1, cases=_cases,
            lines=[Line(does="it", parts=("p", "q"), reference=lambda w, x, y: (x @ x + w, x @ y - y @ y))],
        )  # fmt: skip
        toys.topic(both, number=96, slug="both")
        verdict = assess(both, (lambda w, x, y: (x @ x + w, x @ y - y @ y / 2),))
        assert "In q, the second term is" in verdict.finding.says
        assert "twice that is needed" in verdict.finding.says
        first, second = verdict.steps[0].written
        assert "underline" not in first.tex and "underline" in second.tex
        assert (first.part, second.part) == ("p", "q")
        assert "⟦" not in first.plain and second.plain == "xᵀy − ⟦yᵀy/2⟧"


class TestForms:
    def test_multiplied_out_is_done(self):
        assert alone(lambda w, x, y: w * w * x @ x - 2 * w * y @ x + y @ y, 0, scalar).right
        assert alone(lambda w, x, y: np.sum(w**2 * x**2 - 2 * w * x * y + y**2), 0, scalar).right

    @pytest.mark.parametrize(
        "answer",
        [
            lambda w, x, y: np.sum((w * x - y) ** 2),
            lambda w, x, y: 1.0 * np.sum((w * x - y) ** 2) + 0,
            lambda w, x, y: (y - w * x) @ (y - w * x),
            lambda w, x, y: np.dot(w * x - y, w * x - y),
            lambda w, x, y: np.einsum("i,i", x * w - y, w * x - y),
            lambda w, x, y: np.linalg.norm(w * x - y) ** 2,
        ],
    )
    def test_line_1_in_disguise_is_not(self, answer):
        step = alone(answer, 0, scalar)
        assert not step.right and step.says == "It says what line 1 says: a derivation has to move on."

    def test_nor_is_the_last_line(self):
        step = alone(lambda w, x, y: y @ y + x @ x * (w - x @ y / (x @ x)) ** 2 - (x @ y) ** 2 / (x @ x), 0, scalar)
        assert step.says == "It says what line 3 says: a derivation has to move on."

    def test_nor_is_half_the_way(self):
        step = alone(lambda w, x, y: w * (w * x @ x - 2 * x @ y) + y @ y, 0, scalar)
        assert step.says == "A bracket with w in it is left."

    def test_what_cannot_be_read_is_judged_by_its_value(self):
        def line_2(w, x, y):
            total = 0.0
            i = 0
            while i < len(x):
                total += (w * x[i]) ** 2 - 2 * w * x[i] * y[i] + y[i] ** 2
                i += 1
            return total

        assert alone(line_2, 0, scalar).right


class TestTakenApart:
    """A line evaluated at several points is no derivation, whatever comes out."""

    def test_even_and_odd_parts(self):
        def line_2(w, x, y):
            def f(v):
                return np.sum((v * x - y) ** 2)

            return (f(w) + f(-w)) / 2 - f(0 * w), (f(w) - f(-w)) / 2, f(0 * w)

        assert alone(line_2).says.startswith("It evaluates line 1 at several points")

    def test_differences_in_a_loop(self):
        def line_4(w, x, y):
            def slope(v):
                return (np.sum(((v + 1) * x - y) ** 2) - np.sum(((v - 1) * x - y) ** 2)) / 2

            b = -slope(0.0)
            return slope(1.0) + b, b

        assert alone(line_4, 2).says.startswith("It evaluates line 1 at several points")

    def test_one_own_line_in_another_is_honest(self):
        assert assess(line, RIGHT).right


class TestGivenLines:
    cell = "import numpy as np\ndef line_1(w, x, y):\n    return np.sum((w * x - y) ** 2)\n"

    def told(self, text):
        namespace = {}
        exec(self.cell + text, namespace)
        answers = (namespace["line_2"], ..., ..., ...)
        plan = line.plan(drawing(line))
        return judged(line, plan, collect(answers, plan, line.watch())).steps[0].says

    @pytest.mark.parametrize(
        "text",
        [
            "def line_2(w, x, y):\n    return line_1(w, x, y), 0, 0",
            "other = line_1\nline_2 = lambda *args: (other(*args), 0, 0)",
            "def line_2(w, x, y):\n    return globals()['line_1'](w, x, y), 0, 0",
            "def line_2(w, x, y):\n    return eval('line_1(w, x, y)'), 0, 0",
        ],
    )
    def test_are_not_called(self, text):
        assert self.told(text) == "It calls line 1, which is given: write down what it says."


class TestWhatAnswers:
    def test_counts_as_read_only_if_it_is_what_was_read(self):
        """A cell's text that says one thing while its function answers another."""
        plan = scalar.plan(drawing(scalar))
        replies = collect((lambda w, x, y: np.sum((w * x - y) ** 2),), plan)
        text = "def line_2(w, x, y):\n    return w**2 * x @ x - w * x @ y + y @ y"
        (definition,) = source.of_cells([text], ["line_2"])
        assert judged(scalar, plan, replies, [definition]).steps[0].written == ()


class TestCard:
    def test_lines_are_typeset_under_each_other(self):
        verdict = assess(line, RIGHT)
        shown = card(verdict)
        assert verdict.given[0].label == "line 1" and verdict.given[0].written
        assert shown.index("line 1") < shown.index("line 2") < shown.index("line 5")
        assert shown.count("mlc-tex") >= 5

    def test_plain_text_says_the_same(self):
        text = str(assess(line, (TestFollowing.lost_two, TestFollowing.half_c, ..., ...)))
        assert "✗ line 2" in text and "↳ line 3" in text and "○ line 4" in text and "xᵀx" in text

    def test_nothing_of_the_student_is_markup(self):
        def line_2(w, x, y):
            a_less_b = w < 3
            return a_less_b * w**2 * x @ x, -2 * w * x @ y, y @ y

        assert "<3" not in card(assess(line, (line_2, ..., ..., ...))).replace(" ", "")


def test_ridge_gives_its_lines_to_nobody():
    """Line 1 and its differences, for every line."""

    def again(w, X, y, lam, w0):
        return (X @ w - y) @ (X @ w - y) + lam * (w - w0) @ (w - w0)

    verdict = assess(ridge_checks.normal_equations, (again, again, again))
    assert verdict.points == 0


class TestOtherOrders:
    """The right parts in another order are one slip."""

    def test_is_told_and_costs_its_own_line_only(self):
        def three_turned(w, x, y):
            return y @ y, x @ y, x @ x

        verdict = assess(line, (two, three_turned, four, five))
        assert verdict.steps[1].says == "a and constant have changed places: (a, c, constant) is asked for."
        assert marks(verdict) == "✓✗✓✓"

    def test_a_catalogued_sentence_comes_first(self):
        turned = Chain(
            "turned", asks="two parts", first=_line_1, cases=_cases,
            lines=[
                Line(
                    does="it",
                    parts=("p", "q"),
                    reference=lambda w, x, y: (x @ x, x @ y),
                    mistakes=[Mistake("p is the square of x.", lambda w, x, y: (x @ y, x @ x))],
                )
            ],
        )  # fmt: skip
        toys.topic(turned, number=95, slug="turned")
        assert assess(turned, (lambda w, x, y: (x @ y, x @ x),)).steps[0].says == "p is the square of x."

    def test_one_array_is_not_its_parts(self):
        says = alone(lambda w, x, y: np.array([x @ x * w, x @ y, y @ y]), 1).says
        assert "a is off" in says or "In a, " in says  # three numbers in an array are three parts
        pairs = Chain(
            "pairs", asks="two vectors", first=_line_1, cases=lambda rng: [(1.5, *rng.normal(size=(2, 2)))],
            lines=[Line(does="it", parts=("p", "q"), reference=lambda w, x, y: (w * x, w * y))],
        )  # fmt: skip
        toys.topic(pairs, number=94, slug="pairs")
        told = assess(pairs, (lambda w, x, y: w * x + w * y,)).steps[0].says
        assert told == "An array of shape (2,) came back; a tuple (p, q) is asked for."


class TestForgottenTerms:
    """The commonest mistake takes whole variables with it; what is derived from it follows all the same."""

    @pytest.mark.parametrize("lost", [0, 1, 2])
    def test_ridge_without_a_term(self, lost):
        def line_2(w, X, y, lam, w0):
            quadratic = w @ X.T @ X @ w + (lost != 0) * lam * w @ w
            linear = -2 * w @ X.T @ y - 2 * (lost != 1) * lam * w @ w0
            return quadratic, linear, y @ y + (lost != 2) * lam * w0 @ w0

        def line_3(w, X, y, lam, w0):
            A = X.T @ X + (lost != 0) * lam * np.eye(len(w))
            return A, X.T @ y + (lost != 1) * lam * w0, y @ y + (lost != 2) * lam * w0 @ w0

        def line_4(w, X, y, lam, w0):
            A, c, _ = line_3(w, X, y, lam, w0)
            return 2 * A, 2 * c

        assert marks(assess(ridge_checks.normal_equations, (line_2, line_3, line_4))).startswith("✗↳")

    def test_a_part_with_a_variable_that_it_must_not_hold_does_not_follow(self):
        """Read off the numbers of line 2, not derived from it."""

        def line_2(w, X, y, lam, w0):
            rest = lam + X.sum() + y.sum() + w0.sum()
            return w @ w * rest, w.sum() * rest, rest

        def line_3(w, X, y, lam, w0):
            quadratic, linear, constant = line_2(w, X, y, lam, w0)
            return quadratic / (w @ w) * np.eye(len(w)), -linear / (2 * w @ w) * w, constant

        verdict = assess(ridge_checks.normal_equations, (line_2, line_3, ...))
        assert marks(verdict) == "✗✗○"

    def test_parts_that_follow_are_not_blamed(self):
        def four_wrong(w, x, y):
            a, c, _ = TestFollowing.half_c(w, x, y)
            return 3 * a, 2 * c

        says = assess(line, (TestFollowing.lost_two, TestFollowing.half_c, four_wrong, ...)).steps[2].says
        assert says.startswith("h is off. The rest follows from what you had.")


class TestByNumbers:
    """Whatever finds the parts without a step earns nothing, however it is hidden."""

    setting = "import numpy as np\ndef f(v, x, y):\n    return np.sum((v * x - y) ** 2)\n"
    parts = "(f(w, x, y) + f(-w, x, y)) / 2 - f(0 * w, x, y), (f(w, x, y) - f(-w, x, y)) / 2, f(0 * w, x, y)"

    right = "w**2 * x @ x, -2 * w * x @ y, y @ y"

    def step(self, text):
        """The line 2 of a cell, judged from its text and as it runs: they agree."""
        namespace = {}
        exec(self.setting + text, namespace)
        plan = line.plan(drawing(line))
        replies = collect((namespace["line_2"], ..., ..., ...), plan, line.watch())
        written = source.of_cells([self.setting + text], ["line_2", "line_3", "line_4", "line_5"])
        return judged(line, plan, replies, written).steps[0]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("def line_2(w, x, y):\n    return PARTS", "several points"),
            ("class Line:\n    def __call__(self, w, x, y):\n        return PARTS\nline_2 = Line()", "cannot be found"),
            ("def line_2(w, x, y):\n    class A:\n        g = f\n    return PARTS", "several points"),
            ("def line_2(w, x, y):\n    g = eval('f')\n    return PARTS", "It uses `eval`"),
            ("def line_2(w, x, y):\n    f = globals()['f']\n    return PARTS", "It uses `globals`"),
            ("def line_2(w, x, y):\n    while True:\n        return PARTS", "several points"),
            (
                "def line_2(w, x, y):\n    t = np.array([-1.0, 0, 1])\n"
                "    q = np.polyfit(t, [np.sum((s * w * x - y) ** 2) for s in t], 2)\n    return tuple(q)",
                "a fit find them",
            ),
            (
                "def line_2(w, x, y):\n    q, c = w**2 * x @ x, y @ y\n"
                "    return q, np.sum((w * x - y) ** 2) - q - c, c",
                "linear has line 1 in it",
            ),
            ("def line_2(w, x, y):\n    q = w**2 * x @ x\n    return q, -2 * w * x @ y, f(0.0, x, y)", "another point"),
        ],
    )
    def test_is_refused(self, text, says):
        step = self.step(text.replace("PARTS", self.parts))
        assert not step.right and says in step.says

    @pytest.mark.parametrize(
        "text",
        [
            "if True:\n    def line_2(w, x, y):\n        return RIGHT",
            "def grad(a):\n    return 1.0 * a\ndef line_2(w, x, y):\n    a, b, c = RIGHT\n    return a, grad(b), c",
            "def line_2(w, x, y):\n    x = np.asarray(x, float)\n    a, b, c = RIGHT\n    return a, 3 * b - 2 * b, c",
            "def line_2(*args):\n    w, x, y = args\n    return RIGHT",
            "def line_2(w, x, y):\n    line_1 = lambda a: a\n    a, b, c = RIGHT\n    return line_1(a), b, c",
        ],
    )
    def test_what_is_only_unusual_is_right(self, text):
        assert self.step(text.replace("RIGHT", self.right)).right


class TestNeverInTheWay:
    """What only helps costs nobody a verdict."""

    def test_numbers_of_python_in_wrong_parts(self):
        assert alone(lambda w, x, y: (1, 2.0, 0), 1).shown == "✗"

    def test_a_helper_with_more_arguments_than_there_are_variables(self):
        def square(a, b, c, d, e):
            return a @ b + 0 * (c + d + e)

        def line_2(w, x, y):
            return w**2 * square(x, x, 1, 2, 3), -2 * w * square(x, y, 1, 2, 3), square(y, y, 3, 2, 1)

        assert alone(line_2).right

    def test_a_wrong_line_that_takes_long_to_evaluate(self):
        def line_2(w, x, y):
            noise = sum(w * i * 0 for i in range(3000)) + sum(w * i * 0 for i in range(3000))
            return w**2 * x @ x + noise, -w * x @ y + noise, y @ y + noise

        assert alone(line_2).shown == "✗"


def test_an_own_line_may_be_used_on_itself():
    """One step of a recursion more: a composition, not an evaluation at several points."""
    from mlcore.checks.hidden_markov import forward_chain

    def line_2(pi, A, b1, b2, b3):
        return pi * b1

    def line_3(pi, A, b1, b2, b3):
        return line_2(pi, A, b1, b2, b3)[:, None] * A * b2

    def line_4(pi, A, b1, b2, b3):
        return line_3(pi, A, b1, b2, b3).sum(axis=0)

    def line_5(pi, A, b1, b2, b3):
        return line_4(line_4(pi, A, b1, b2, b3), A, np.ones_like(b1), b3, b3)

    assert assess(forward_chain, (line_2, line_3, line_4, line_5)).right
