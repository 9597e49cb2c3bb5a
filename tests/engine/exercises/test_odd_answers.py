"""What a check makes of odd answers: each decided on purpose."""

import os
import signal
import threading
import warnings

import numpy as np
import pytest

from mlcore.course import catalogue
from mlcore.engine.asking.answers import Call, Reply, collect, public, untouched
from mlcore.engine.exercises import Alternative, Checks, Function, Mistake, Property, Slip, Value
from mlcore.engine.exercises import Law as law
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.verdict import Outcome
from tests import toys


def double(x):
    return 2 * x


def mean_of(x):
    return np.mean(x)


doubled = Function(
    "doubled",
    asks="2x",
    points=2,
    reference=double,
    cases=lambda rng: [(np.array([1.0, 2.0]),), (rng.normal(size=5),)],
    mistakes=[Mistake("This is x² in place of 2x.", lambda x: x**2)],
    alternatives=[Alternative(lambda x: x + x)],
)
averaged = Function("averaged", asks="the mean", points=1, reference=mean_of, cases=lambda rng: [(rng.normal(size=7),)])
paired = Function(
    "paired",
    asks="a line",
    points=1,
    reference=lambda x: (x, 1.0),
    returns=("w", "b"),
    cases=lambda rng: [(np.array([1.0, 2.0]),)],
)
counted = Value("counted", asks="how many", points=1, reference=30730, digits=None)
check = Checks(toys.topic(doubled, averaged, paired, counted, number=99, slug="odd"))


def judge(answer, exercise=doubled):
    return assess(exercise, (answer,))


class TestAccepted:
    def test_list_for_an_array(self):
        assert judge(lambda x: [2 * v for v in x]).right

    def test_zero_dimensional_array_for_a_number(self):
        assert judge(lambda x: np.array(np.mean(x)), averaged).right

    def test_python_number_for_a_number(self):
        assert judge(lambda x: float(sum(x) / len(x)), averaged).right

    def test_integers_for_floats(self):
        whole = Function("whole", asks="2x", points=1, reference=double, cases=lambda rng: [(np.array([1.0, 5.0]),)])
        assert judge(lambda x: (2 * x).astype(int), whole).right

    def test_three_digits_are_not_enough(self):
        assert not judge(lambda x: (2 * x.astype(np.float16)).astype(float)).right

    def test_subclass_of_array(self):
        class Named(np.ndarray):
            pass

        assert judge(lambda x: (2 * x).view(Named)).right

    def test_same_expression_as_the_reference(self):
        """Whoever derives it writes what the reference says; only calling it is refused."""
        assert judge(lambda x: 2 * x).right


class TestUnusable:
    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda x: np.array([object(), object()]), "holds a value of type object"),
            (lambda x: "2x", "the text '2x'"),
            (lambda x: 2 * x + 1j, "imaginary part"),
            (lambda x: (2 * x)[:, None], "An axis of length 1 is left over"),
            (lambda x: 2 * x[0], "shape ()"),
            (lambda x: (2 * x, 1), "a tuple of 2 whose items differ in shape"),
            (lambda x: [[1.0], [1.0, 2.0]], "a list of 2 whose items differ in shape"),
            (lambda x: (v for v in x), "generator"),
            (lambda x: double, "is a function"),
            (lambda x: print(end="") or None, "`return` missing"),
        ],
    )
    def test_is_named(self, answer, says):
        verdict = judge(answer)
        assert verdict.outcome is Outcome.UNUSABLE
        assert says in verdict.finding.says
        assert verdict.points == 0

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_non_finite_numbers_are_pointed_at(self, bad):
        verdict = judge(lambda x: np.where(np.arange(len(x)) == 1, bad, 2 * x))
        assert verdict.outcome is Outcome.UNUSABLE
        assert f"Entry (1,) of your answer is {bad}" in verdict.finding.says

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda x: (x[:, None], 1.0), "w has shape (2, 1); shape (2,) is asked for. An axis of length 1"),
            (lambda x: (x, None), "b is None; numbers are asked for."),
            (lambda x: (x * np.nan, 1.0), "Entry (0,) of w is nan"),
            (lambda x: (x, 1.0, 2.0), "A tuple of 3 came back; a tuple (w, b) is asked for."),
            (lambda x: np.float64(3), "A number came back; a tuple (w, b) is asked for."),
        ],
    )
    def test_components_keep_their_names(self, answer, says):
        """w is not W."""
        assert judge(answer, paired).finding.says.startswith(says)

    def test_one_number_in_an_array(self):
        assert "`.item()` takes it out" in judge(lambda x: [np.mean(x)], averaged).finding.says

    def test_not_a_function(self):
        verdict = judge(3.0)
        assert verdict.outcome is Outcome.UNUSABLE
        assert verdict.finding.says == "A function is asked for, got a value of type float."


class TestRaised:
    def test_own_line_is_shown(self):
        def answer(x):
            y = x.reshape(7, 7)
            return 2 * y

        verdict = judge(answer)
        assert verdict.outcome is Outcome.RAISED
        assert "ValueError" in verdict.finding.says
        assert any("x.reshape(7, 7)" in text for _, text in verdict.finding.evidence)

    def test_exit_is_an_error_like_any_other(self):
        assert judge(lambda x: exit()).outcome is Outcome.RAISED
        assert judge(lambda x: (_ for _ in ()).throw(SystemExit)).outcome is Outcome.RAISED

    def test_wrong_number_of_parameters(self):
        verdict = judge(lambda x, y: x)
        assert "missing 1 required positional argument" in verdict.finding.says

    def test_not_implemented_is_not_attempted(self):
        def answer(x):
            raise NotImplementedError

        assert judge(answer).outcome is Outcome.NOT_ATTEMPTED


class TestNotAttempted:
    def test_stubs(self):
        def documented(x):
            """Only words."""

        def dots(x): ...

        def none(x):
            return None

        for stub in (documented, dots, none, ..., None):
            assert untouched(stub)
            assert judge(stub).outcome is Outcome.NOT_ATTEMPTED

    def test_forgotten_return_is_an_attempt(self):
        def answer(x):
            y = 2 * x  # noqa: F841

        assert not untouched(answer)
        assert judge(answer).outcome is Outcome.UNUSABLE

    def test_constant_is_an_attempt(self):
        assert not untouched(lambda x: 0)


class TestBehaviour:
    def test_changed_arguments_are_noted_and_cost_nothing(self):
        def answer(x):
            x *= 2
            return x

        verdict = judge(answer)
        assert verdict.right
        assert any("changes its arguments in place" in note for note in verdict.notes)

    def test_printing_is_noted_and_kept_from_the_page(self, capsys):
        def answer(x):
            print("shape", x.shape)
            return 2 * x

        verdict = judge(answer)
        assert verdict.right
        assert any("shape (2,)" in note for note in verdict.notes)
        assert capsys.readouterr().out == ""

    def test_warnings_are_noted_and_kept_from_stderr(self, capsys):
        def answer(x):
            warnings.warn("careful", RuntimeWarning, stacklevel=1)
            np.log(np.zeros(1))
            return 2 * x

        verdict = judge(answer)
        assert verdict.right
        assert any("careful" in note for note in verdict.notes)
        assert any("divide by zero" in note for note in verdict.notes)
        assert capsys.readouterr().err == ""

    def test_random_answers_are_told_so(self):
        rng = np.random.default_rng(0)
        verdict = judge(lambda x: 2 * x + rng.normal(size=x.shape))
        assert "two different answers" in verdict.finding.says

    def test_calling_the_reference_is_refused_by_any_name(self):
        alias = double
        for answer in (double, lambda x: alias(x), lambda x: next(map(alias, [x]))):
            verdict = judge(answer)
            assert verdict.outcome is Outcome.BORROWED
            assert verdict.finding.says == "This calls tests.engine.exercises.test_odd_answers.double: derive it."
            assert verdict.points == 0

    def test_arguments_are_fresh_in_every_call(self):
        seen = []
        judge(lambda x: seen.append(x) or 2 * x)
        assert len({id(x) for x in seen}) == len(seen)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
class TestNeverReturning:
    def test_time_limit(self):
        def answer(x):
            while True:
                pass

        (reply,) = collect([answer], [Call(0, (1.0,))], limit=0.2)
        assert reply.trouble.message == "it was still running after 0.2 s"

    def test_swallowed_interrupts_come_back(self):
        def stubborn(x):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    continue

        (reply,) = collect([stubborn], [Call(0, (1.0,))], limit=0.2)
        assert "still running" in reply.trouble.message

    def test_stop_button(self):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

        def answer(x):
            while True:
                pass

        replies = collect([answer], [Call(0, (1.0,))] * 3, limit=10)
        assert [r.trouble.message for r in replies] == ["you interrupted it"] * 3

    def test_verdict_asks_for_the_loop(self):
        doubled_slowly = Function("doubled_slowly", asks="2x", points=1, reference=double, cases=doubled.cases)

        def answer(x):
            while True:
                pass

        plan = doubled_slowly.plan(np.random.default_rng(0))
        verdict = doubled_slowly.judge(plan, collect([answer], plan, limit=0.2))
        assert verdict.outcome is Outcome.RAISED
        assert "Is there a loop that never ends?" in verdict.finding.says

    def test_handlers_are_restored(self):
        before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
        judge(lambda x: 2 * x)
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before


class TestValues:
    def test_integers_are_compared_exactly(self):
        assert assess(counted, (30730,)).right
        assert not assess(counted, (30720,)).right

    def test_wrong_value_is_not_told_the_right_one(self):
        verdict = assess(counted, (30720,))
        assert "30730" not in str(verdict)

    def test_stub(self):
        assert assess(counted, (...,)).outcome is Outcome.NOT_ATTEMPTED


class TestProperties:
    positive = Property(
        "positive",
        asks="an increasing function",
        points=1,
        cases=lambda rng: [(rng.normal(),)],
        laws=[law("It is not positive.", lambda x, value: value > 0), law("It is too large.", lambda x, v: v < 1e6)],
    )

    def test_any_lawful_answer_passes(self):
        for answer in (np.exp, lambda x: 1.0, lambda x: x**2 + 1):
            assert assess(self.positive, (answer,)).right

    def test_the_broken_law_is_told(self):
        assert assess(self.positive, (lambda x: -1.0,)).finding.says == "It is not positive."
        assert assess(self.positive, (lambda x: 1e7,)).finding.says == "It is too large."

    def test_not_numbers(self):
        assert assess(self.positive, (lambda x: "one",)).outcome is Outcome.UNUSABLE
        assert assess(self.positive, (lambda x: np.nan,)).outcome is Outcome.UNUSABLE


@pytest.mark.parametrize("size", [1e300, 1e-200])
def test_counter_example_that_overflows_is_none(size):
    """Where numbers overflow any two formulas differ: that shows nothing."""
    for exercise in (e for t in catalogue.topics() for e in t.exercises if isinstance(e, Slip)):
        calls = exercise.plan(np.random.default_rng(1))
        far = tuple(np.asarray(a, dtype=float) * size for a in calls[0].args)
        replies = [Reply(untouched=True)] * (len(calls) - 1) + [Reply(far)]
        with np.errstate(all="ignore"):
            assert exercise.judge(calls, replies).points == 0, exercise.name


def test_errors_have_the_names_that_students_know():
    assert [public(name) for name in ("_IncompleteInputError", "KeyError")] == ["SyntaxError", "KeyError"]
