"""The kinds of exercise. Each is data; `plan` says what to ask, `judge` says what the replies are worth.

`judge` never runs the student's code: it sees numbers only. So the same exercise is judged
in the notebook's kernel for the student and in a clean process for the mark.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.checks import _diagnosis
from mlcore.checks._answers import Call, Reply, Stopped, Watch, name_of, words_of
from mlcore.checks._diagnosis import Mistake
from mlcore.checks._draws import Cases, drawn, loosened, steady, truth
from mlcore.checks._values import (
    Compare,
    Unusable,
    aside,
    close,
    components,
    count,
    exactly,
    finite,
    number,
    numbers,
    parts,
    show,
    size,
    tidy,
    to_digits,
    too_coarse,
)
from mlcore.checks._verdict import Finding, Outcome, Step, Verdict

SAME_THERE = (
    "At your counter-example the printed formula gives the right value, to six digits: "
    "find an input at which the two differ."
)
COUNTEREXAMPLE_NUMBERS = 2_000  # what our own formulas are evaluated at is small
_BEYOND = "The counter-example has a number beyond 10⁵⁰, or nearer to 0 than 10⁻⁵⁰: choose numbers nearer to 1."
_ROUNDING = "There the right formula gives no finite number, or rounding decides: choose numbers nearer to 1."


@dataclass(frozen=True)
class Hint:
    """A fold in the notebook: what the student might say, and what to answer."""

    title: str
    text: str


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another right answer: another algorithm, another algebraic form."""

    answer: Any
    part: int = 0


@dataclass(eq=False, kw_only=True)
class Exercise:
    asks: str
    points: int
    hints: tuple[Hint, ...] = ()
    see: str = ""  # where the text derives it
    mistakes: Sequence[Mistake] = ()
    alternatives: Sequence[Alternative] = ()
    forbids: tuple[Callable, ...] = ()  # functions of mlcore that would give the answer away
    clear: Callable[..., bool] | None = None  # is the answer clear at these inputs? If not, they are drawn again

    name: str = field(default="", init=False)  # set by the topic
    number: str = field(default="", init=False)
    kind: ClassVar[str]

    @property
    def parts(self) -> int:
        """How many things the student hands in."""
        return 1

    def plan(self, rng: np.random.Generator) -> list[Call]:
        raise NotImplementedError

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        raise NotImplementedError

    def watch(self) -> Watch:
        """What an answer must not lean on."""
        return Watch(tuple(filter(None, map(name_of, self.forbids))))

    def task(self) -> str:
        """What the build adds to the notebook's text of the exercise."""
        return ""

    def not_judged(self, why: str) -> Verdict:
        """The verdict where the exercise itself failed: no mark at all, and a person has to look."""
        says = f"This exercise could not be judged, which is not the answer's fault: {why}."
        return self.verdict(Finding(Outcome.NOT_JUDGED, says), ())

    def _clear(self, *args: Any) -> bool:
        return self.clear is None or bool(self.clear(*args))

    def verdict(
        self, finding: Finding, replies: Sequence[Reply], points: float | None = None, steps: tuple[Step, ...] = ()
    ) -> Verdict:
        if points is None:
            points = self.points if finding.outcome is Outcome.RIGHT else 0
        return Verdict(self.number, self.name, self.asks, finding, points, self.points, steps, _notes(replies))


@dataclass(eq=False, kw_only=True)
class Function(Exercise):
    """A function that must equal the reference on every draw."""

    reference: Callable
    cases: Cases
    compare: Compare = field(default_factory=close)
    returns: tuple[str, ...] = ()  # names of the components, where it returns a tuple
    kind: ClassVar[str] = "function"

    def __post_init__(self) -> None:
        self.forbids = (self.reference, *self.forbids)

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return drawn(self.cases, rng, self._clear, self.reference)

    def _clear(self, *args: Any) -> bool:
        return super()._clear(*args) and steady(self.reference, args, self.compare)

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        return self.verdict(examine(self.reference, calls, replies, self.compare, self.mistakes, self.returns), replies)


@dataclass(eq=False, kw_only=True)
class Value(Exercise):
    """A number or an array worked out by hand, to so many significant digits; None: exactly."""

    reference: Any
    digits: int | None = 3
    kind: ClassVar[str] = "value"

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [Call(0)]

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        compare = to_digits(self.digits) if self.digits else exactly
        finding = examine(lambda: self.reference, calls, replies, compare, self.mistakes)
        if finding.outcome is Outcome.WRONG and (says := too_coarse(replies[0].value, self.reference, self.digits)):
            finding = replace(finding, says=says)
        return self.verdict(finding, replies)

    def task(self) -> str:
        return _asked_digits(self.digits) if self.digits else ""


def _asked_digits(digits: int) -> str:
    return f"\n\n*Give {count(digits)} significant digits or more.*"


@dataclass(frozen=True)
class Option:
    """An option of a choice; a wrong one carries the sentence that says why it is wrong."""

    text: str
    wrong: str = ""


@dataclass(eq=False, kw_only=True)
class Choice(Exercise):
    """An option and the reason for it: both must be right."""

    options: Mapping[str, Option]
    reasons: Mapping[str, Option]
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        self.mistakes = [
            Mistake(option.wrong, key, part)
            for part, options in enumerate((self.options, self.reasons))
            for key, option in options.items()
            if option.wrong
        ]

    @property
    def parts(self) -> int:
        return 2

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [Call(0), Call(1)]

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        for reply, options, label in zip(replies, (self.options, self.reasons), ("choice", "reason"), strict=True):
            if reply.untouched:
                return self.verdict(
                    Finding(
                        Outcome.NOT_ATTEMPTED, f"Set {label} in the cell above, run it, then run this check again."
                    ),
                    replies,
                )
            if not isinstance(reply.value, str) or reply.value not in options:
                says = f"{label} must be one of {', '.join(map(repr, options))}; got {show(reply.value)}."
                return self.verdict(Finding(Outcome.UNUSABLE, says), replies)
            if says := options[reply.value].wrong:
                return self.verdict(Finding(Outcome.MISTAKE, says, mistake=says), replies)
        return self.verdict(Finding(Outcome.RIGHT, "Right, and for the right reason."), replies)

    def task(self) -> str:
        def listed(options: Mapping[str, Option]) -> str:
            return "\n".join(f"- `{key!r}`: {option.text}" for key, option in options.items())

        return f"\n\n{listed(self.options)}\n\nbecause\n\n{listed(self.reasons)}"


@dataclass(frozen=True, eq=False)
class Law:
    """Something that a right answer satisfies, and what to say where it does not."""

    says: str
    holds: Callable[..., bool]


@dataclass(eq=False, kw_only=True)
class Property(Exercise):
    """An answer judged by the laws that it must satisfy: any answer that does is right.

    Without `cases` the answer is a value; with them it is a function.
    """

    laws: Sequence[Law]
    between: Sequence[Law] = ()  # laws about two calls: holds(args, value, other args, other value)
    cases: Cases | None = None
    digits: int | None = None  # significant digits that suffice, where the answer is a number worked out
    reference: Any = None  # with `digits`: such a number, to tell one that is rounded too far
    kind: ClassVar[str] = "property"

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return drawn(self.cases, rng, self._clear) if self.cases else [Call(0)]

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        finding = _early(replies) or self._raised(calls, replies) or self._lawful(calls, replies)
        return self.verdict(finding, replies)

    def task(self) -> str:
        return _asked_digits(self.digits) if self.digits else ""

    def _raised(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding | None:
        finding = _raised(calls, replies)
        says = _diagnosis.named(self.mistakes, calls, replies, close(atol=0.0)) if finding else ""
        return Finding(Outcome.MISTAKE, says, says) if says else finding

    def _lawful(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding:
        try:
            values = [finite(numbers(reply.value)).astype(float) for reply in replies]
        except Unusable as complaint:
            return Finding(Outcome.UNUSABLE, str(complaint))
        for law in self.laws:
            for call, reply, value in zip(calls, replies, values, strict=True):
                if not law.holds(*(call.args or ()), value):
                    return self._broken(law, calls, replies, reply)
        told = list(zip(calls, values, replies, strict=True))
        for law in self.between:
            for (one, first, _), (two, second, shown) in itertools.combinations(told, 2):
                if not law.holds(one.args, first, two.args, second):
                    return self._broken(law, calls, replies, shown)
        return Finding(Outcome.RIGHT, "It satisfies all that is asked of it.")

    def _broken(self, law: Law, calls: Sequence[Call], replies: Sequence[Reply], shown: Reply) -> Finding:
        """The sentence of the catalogued mistake that it is, or else that of the law."""
        says = (
            _diagnosis.named(self.mistakes, calls, replies, close(atol=0.0))
            or too_coarse(shown.value, self.reference, self.digits)
            or law.says + aside(shown.value)
        )
        known = any(says == m.says for m in self.mistakes)
        outcome = Outcome.MISTAKE if known else Outcome.WRONG
        return Finding(outcome, says, says if known else "", (("yours", show(shown.value)),))


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """One line of a derivation, as a function of the chain's variables.

    `reference` is what the line must equal: usually the line before it, or its `gradient_of`.
    `terms` are its summands by name, to say which one was lost. A line that is a stationary
    point or a minimiser is given `holds(*variables, value)` instead, and any right answer passes.
    """

    does: str
    reference: Callable
    terms: Mapping[str, Callable] = field(default_factory=dict)
    holds: Callable[..., bool] | None = None
    compare: Compare = field(default_factory=close)
    mistakes: Sequence[Mistake] = ()


@dataclass(eq=False, kw_only=True)
class Chain(Exercise):
    """A derivation, line by line: the first and the last are given, one point for each line between.

    The verdict names the first line that does not follow from the one before it.
    """

    first: Callable
    lines: Sequence[Line]
    last: Callable
    cases: Cases
    points: int = field(init=False)
    kind: ClassVar[str] = "derivation"

    def __post_init__(self) -> None:
        self.points = len(self.lines)
        self.mistakes = [Mistake(m.says, m.answer, i) for i, line in enumerate(self.lines) for m in line.mistakes]

    @property
    def parts(self) -> int:
        return len(self.lines)

    def plan(self, rng: np.random.Generator) -> list[Call]:
        calls = drawn(self.cases, rng, self._clear, self.first)
        return [Call(part, call.args) for part in range(len(self.lines)) for call in calls]

    def _clear(self, *args: Any) -> bool:
        if not super()._clear(*args) or not all(steady(line, args, close()) for line in (self.first, self.last)):
            return False
        try:
            return all(np.isfinite(line.reference(*args)).all() for line in self.lines)
        except (ArithmeticError, ValueError):
            return False

    def watch(self) -> Watch:
        given = (("line 1", self.first), (f"line {len(self.lines) + 2}", self.last))
        return replace(super().watch(), lines=tuple((label, words_of(line.__code__)) for label, line in given))

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        findings = []
        for part, line in enumerate(self.lines):
            own = [i for i, call in enumerate(calls) if call.part == part]
            findings.append(_examine_line(line, [calls[i] for i in own], [replies[i] for i in own]))
        right = sum(f.outcome is Outcome.RIGHT for f in findings)
        steps = tuple(_step(i, line, f) for i, (line, f) in enumerate(zip(self.lines, findings, strict=True)))
        if right == len(findings):
            return self.verdict(Finding(Outcome.RIGHT, "Every line follows from the one before."), replies, steps=steps)
        if all(f.outcome is Outcome.NOT_ATTEMPTED for f in findings):
            return self.verdict(findings[0], replies)
        k, broken = next((i, f) for i, f in enumerate(findings) if f.outcome is not Outcome.RIGHT)
        says = f"Line {k + 2} is the first that does not follow from the one before. {broken.says}"
        if broken.outcome is Outcome.NOT_ATTEMPTED:
            says = f"Line {k + 2} is still open: {self.lines[k].does}."
        outcome = Outcome.PARTLY if right else broken.outcome
        return self.verdict(Finding(outcome, says, broken.mistake, broken.evidence), replies, right, steps)

    def task(self) -> str:
        steps = "\n".join(f"- line {i}: {line.does}" for i, line in enumerate(self.lines, start=2))
        return f"\n\n- line 1: given\n{steps}\n- line {len(self.lines) + 2}: given"


def _step(i: int, line: Line, finding: Finding) -> Step:
    right = finding.outcome is Outcome.RIGHT
    says = f"still open: {line.does}." if finding.outcome is Outcome.NOT_ATTEMPTED else finding.says
    return Step(f"line {i + 2}", right, line.does if right else says)


@dataclass(eq=False, kw_only=True)
class Slip(Exercise):
    """A formula as printed, wrong in one place: the right one, and an input at which the printed one fails."""

    printed: Callable
    reference: Callable
    cases: Cases
    admits: Callable[..., bool] = lambda *args: True
    domain: str = ""  # what `admits` asks, in words
    compare: Compare = field(default_factory=close)
    fails_by: float = 1e-6  # how far off the printed formula has to be, as a share of the right value
    kind: ClassVar[str] = "slip"

    def __post_init__(self) -> None:
        if self.points % 2:
            raise ValueError(f"a slip has two halves: points must be even, got {self.points}")
        self.forbids = (self.reference, *self.forbids)

    @property
    def parts(self) -> int:
        return 2

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [*drawn(self.cases, rng, self._clear, self.reference), Call(1)]

    def _clear(self, *args: Any) -> bool:
        return super()._clear(*args) and steady(self.reference, args, self.compare)

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        corrected = [m for m in self.mistakes if m.part == 0]
        findings = (
            examine(self.reference, calls[:-1], replies[:-1], self.compare, corrected),
            self._examine_counterexample(calls[:-1], replies[-1]),
        )
        if all(f.outcome is Outcome.NOT_ATTEMPTED for f in findings):
            return self.verdict(findings[0], replies)
        right = [f.outcome is Outcome.RIGHT for f in findings]
        steps = tuple(
            Step(label, ok, f.says)
            for label, ok, f in zip(("corrected formula", "counter-example"), right, findings, strict=True)
        )
        if all(right):
            finding = Finding(Outcome.RIGHT, "The formula is mended, and your numbers show that it had to be.")
        else:
            finding = findings[right.index(False)]
            if any(right):
                finding = Finding(Outcome.PARTLY, finding.says, finding.mistake, finding.evidence)
        return self.verdict(finding, replies, self.points * sum(right) / 2, steps)

    def _examine_counterexample(self, calls: Sequence[Call], reply: Reply) -> Finding:
        names = list(inspect.signature(self.reference).parameters)
        wanted = _tuple_of(names).strip("`")
        if reply.untouched:
            return Finding(Outcome.NOT_ATTEMPTED, f"A counter-example {wanted} is still to be found.")
        if (given := parts(reply.value, len(names))) is None:
            return Finding(Outcome.UNUSABLE, f"The counter-example must be a tuple {wanted}.")
        if size(given) > COUNTEREXAMPLE_NUMBERS:
            return Finding(
                Outcome.UNUSABLE, "The counter-example has too many numbers: a smaller one shows it as well."
            )
        try:
            args = [finite(numbers(v, name), name).astype(float)[()] for v, name in zip(given, names, strict=True)]
            for i, (arg, name) in enumerate(zip(args, names, strict=True)):
                if all(call.args is not None and np.ndim(call.args[i]) == 0 for call in calls):
                    number(arg, name)
            if not self.admits(*args):
                return Finding(Outcome.WRONG, f"The counter-example must have {self.domain}.")
            printed, right = self.printed(*args), self.reference(*args)
        except Unusable as complaint:
            return Finding(Outcome.UNUSABLE, str(complaint))
        except (TypeError, ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return Finding(Outcome.UNUSABLE, f"The formula cannot be evaluated at the counter-example: {error}")
        sizes = np.abs(np.concatenate([np.ravel(a) for a in args]))
        largest = np.max(sizes, initial=0.0)
        if np.any((sizes > 1e50) | ((sizes > 0) & (sizes < 1e-50))):  # far out any two formulas differ, by overflow
            return Finding(Outcome.WRONG, _BEYOND)
        if not np.isfinite(np.asarray(right, float)).all():
            return Finding(Outcome.WRONG, _ROUNDING)
        there, asked = show(printed), show(right)
        off, scale = _gap(printed, right)
        if scale < 1e-9 * largest and not steady(self.reference, tuple(args), _same_to_three_digits):
            return Finding(Outcome.WRONG, _ROUNDING)  # the right value is 0 there, but for rounding
        if off <= self.fails_by * scale:
            return Finding(Outcome.MISTAKE, SAME_THERE, SAME_THERE, (("printed formula", there), ("right", asked)))
        if off < 1e-12 * largest and not steady(self.printed, loosened(tuple(args)), _same_to_three_digits):
            return Finding(Outcome.WRONG, _ROUNDING)  # the printed formula gives 0 there, but for rounding
        return Finding(Outcome.RIGHT, f"There the printed formula gives {there}, and {asked} is right.")

    def task(self) -> str:
        names = list(inspect.signature(self.reference).parameters)
        within = f", with {self.domain}" if self.domain else ""
        return (
            f"\n\nThe counter-example is a tuple {_tuple_of(names)}{within}. The printed formula fails there if it is "
            f"off by more than {_share(self.fails_by)} of the right value. Sizes beyond $10^{{\\pm50}}$ do not count."
        )


def _same_to_three_digits(a: np.ndarray, b: np.ndarray) -> bool:
    """Relative and no more: what is left of 0 by rounding has no digits."""
    return bool(np.abs(a - b).max(initial=0.0) <= 1e-3 * np.abs(b).max(initial=0.0))


def _gap(printed: Any, right: Any) -> tuple[float, float]:
    """How far the printed formula is off, and the size of what is right."""
    there, asked = np.asarray(printed, float), np.asarray(right, float)
    if there.shape != asked.shape or not np.isfinite(there).all():
        return np.inf, 1.0
    return float(np.max(np.abs(there - asked), initial=0.0)), float(np.max(np.abs(asked), initial=0.0))


def _tuple_of(names: Sequence[str]) -> str:
    return f"`({names[0]},)`" if len(names) == 1 else f"`({', '.join(names)})`"


def _share(of_one: float) -> str:
    return {1e-6: "a millionth", 1e-3: "a thousandth", 1e-2: "a hundredth"}[of_one]


@dataclass(eq=False, kw_only=True)
class Explanation(Exercise):
    """A free text, marked by a person after the rubric."""

    rubric: str
    kind: ClassVar[str] = "explanation"

    @property
    def parts(self) -> int:
        return 0


def gradient_of(f: Callable, wrt: int = 0, step: float = 2e-3) -> Callable:
    """∇f with respect to argument `wrt`: what a derivative must satisfy.

    Central differences D(h) and D(h/2), extrapolated: (4D(h/2) − D(h))/3 errs by h⁴ where each of them errs by h².
    """

    @functools.wraps(f)
    def gradient(*args: Any) -> np.ndarray:
        at = np.asarray(args[wrt], dtype=float)
        wide, narrow = np.empty(at.shape), np.empty(at.shape)
        for index in np.ndindex(at.shape):
            for slope, share in ((wide, 1.0), (narrow, 0.5)):
                shift = np.zeros(at.shape)
                shift[index] = share * step * (1 + abs(at[index]))
                up, down = ((*args[:wrt], at + sign * shift, *args[wrt + 1 :]) for sign in (1, -1))
                slope[index] = (f(*up) - f(*down)) / (2 * shift[index])
        if np.max(np.abs(wide - narrow), initial=0.0) > 0.01 * np.max(np.abs(narrow), initial=1.0):
            raise ArithmeticError("the function bends too sharply here to be differentiated by differences")
        return (4 * narrow - wide) / 3

    gradient.differences = True  # type: ignore[attr-defined]
    return gradient


def examine(
    reference: Callable,
    calls: Sequence[Call],
    replies: Sequence[Reply],
    compare: Compare,
    mistakes: Sequence[Mistake] = (),
    names: tuple[str, ...] = (),
) -> Finding:
    """Compare what came back with what the reference gives, and say what is wrong."""
    if finding := _early(replies):
        return finding
    asked = [truth(reference, call.args or ()) for call in calls]
    wrong: list[int] = []
    unusable = ""
    for i, (reply, right) in enumerate(zip(replies, asked, strict=True)):
        try:
            if reply.trouble:
                raise Unusable
            if not _all_same(tidy(reply.value, right, names), right, compare):
                wrong.append(i)
        except Unusable as complaint:
            wrong.append(i)
            unusable = unusable or str(complaint)
    if not wrong:
        drawn = calls[0].args is not None
        return Finding(Outcome.RIGHT, "It agrees with the reference on every draw." if drawn else "That is it.")
    if says := _diagnosis.named(mistakes, calls, replies, compare):
        return Finding(Outcome.MISTAKE, says, says, _evidence(reference, calls, replies, asked, wrong, compare, names))
    if finding := _raised(calls, replies):
        return finding
    if unusable:
        return Finding(Outcome.UNUSABLE, unusable)
    if _wavers(calls, replies, asked, compare, names):
        return Finding(Outcome.WRONG, "Two calls with the same input gave two different answers: is it random?")
    evidence = _evidence(reference, calls, replies, asked, wrong, compare, names)
    if says := _diagnosis.generic(reference, names, calls, replies, compare):
        says = says if says.startswith(tuple(f"{name}: " for name in names)) else says[0].upper() + says[1:]
        return Finding(Outcome.MISTAKE, says, "", evidence)
    return Finding(Outcome.WRONG, _how_far(calls, replies, asked, wrong, names), "", evidence)


def _examine_line(line: Line, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding:
    if line.holds is None:
        found = examine(line.reference, calls, replies, line.compare, line.mistakes)
        if found.outcome not in (Outcome.WRONG, Outcome.MISTAKE) or found.mistake:
            return found
        says = _diagnosis.missing_term(line.terms, line.reference, calls, replies, line.compare)
        return Finding(Outcome.MISTAKE, says, "", found.evidence) if says else found
    if finding := _early(replies) or _raised(calls, replies):
        return finding
    try:
        values = [tidy(r.value, truth(line.reference, c.args or ())) for c, r in zip(calls, replies, strict=True)]
    except Unusable as complaint:
        return Finding(Outcome.UNUSABLE, str(complaint))
    if all(
        line.holds(*(c.args or ()), *(v.astype(float) for v in value)) for c, value in zip(calls, values, strict=True)
    ):
        return Finding(Outcome.RIGHT, "It satisfies the line before.")
    if says := _diagnosis.named(line.mistakes, calls, replies, line.compare):
        return Finding(Outcome.MISTAKE, says, says)
    return Finding(Outcome.WRONG, "The line before does not hold at this value." + aside(replies[0].value))


def _early(replies: Sequence[Reply]) -> Finding | None:
    """What is decided before any number is looked at."""
    if all(reply.untouched for reply in replies):
        return Finding(Outcome.NOT_ATTEMPTED, "Write your answer in the cell above, run it, then run this check again.")
    for reply in replies:
        if reply.calls.startswith("line"):
            return Finding(Outcome.BORROWED, f"It repeats {reply.calls}: a derivation has to move on.")
        if reply.calls:
            return Finding(Outcome.BORROWED, f"This calls {reply.calls}: derive it.")
        if reply.trouble and reply.trouble.kind == Stopped.__name__:
            says = f"It did not finish: {reply.trouble.message}. Is there a loop that never ends?"
            return Finding(Outcome.RAISED, says)
    return None


def _raised(calls: Sequence[Call], replies: Sequence[Reply]) -> Finding | None:
    failed = [(call.size, i) for i, call in enumerate(calls) if replies[i].trouble or replies[i].untouched]
    if not failed:
        return None
    trouble = replies[min(failed)[1]].trouble
    if trouble is None:
        return Finding(Outcome.RAISED, "For some inputs it raises NotImplementedError.")
    if not trouble.kind:
        return Finding(Outcome.UNUSABLE, trouble.message)
    where = (("your line", trouble.line),) if trouble.line else ()
    return Finding(Outcome.RAISED, f"Your code raised {trouble}", "", where)


def _all_same(value: tuple[np.ndarray, ...], asked: Any, compare: Compare) -> bool:
    return all(compare(v, np.asarray(a, dtype=float)) for v, a in zip(value, components(asked), strict=True))


def _wavers(
    calls: Sequence[Call], replies: Sequence[Reply], asked: Sequence[Any], compare: Compare, names: tuple[str, ...]
) -> bool:
    """Did the call that was made twice give two answers?"""
    again = len(calls) - 1
    first = next(i for i, call in enumerate(calls) if call.args is calls[again].args)
    one, two = (tidy(replies[i].value, asked[i], names) for i in (first, again))
    return not all(compare(a, b) for a, b in zip(one, two, strict=True))


def _how_far(
    calls: Sequence[Call], replies: Sequence[Reply], asked: Sequence[Any], wrong: Sequence[int], names: tuple[str, ...]
) -> str:
    i = min(wrong, key=lambda j: calls[j].size)
    value = tidy(replies[i].value, asked[i], names)
    gaps = [
        np.max(np.abs(v - np.asarray(a, float)), initial=0.0) for v, a in zip(value, components(asked[i]), strict=True)
    ]
    k = int(np.argmax(gaps))
    if calls[i].args is None:
        return "This is not the value that is asked for." + aside(replies[i].value, asked[i])
    subject = names[k] if len(value) > 1 and names else "the result"
    share = f"{len(wrong)} of {len(calls)} inputs" if len(wrong) < len(calls) else "every input"
    return f"On {share} {subject} is off; on the smallest of them by up to {gaps[k]:.3g}." + aside(
        replies[i].value, asked[i]
    )


def _evidence(
    reference: Callable,
    calls: Sequence[Call],
    replies: Sequence[Reply],
    asked: Sequence[Any],
    wrong: Sequence[int],
    compare: Compare,
    names: tuple[str, ...],
) -> tuple[tuple[str, str], ...]:
    """The smallest case that shows it."""
    i = min(wrong, key=lambda j: calls[j].size)
    args, reply = calls[i].args, replies[i]
    if args is None:
        return (("yours", show(reply.value)),)
    if reply.trouble:
        return (("your line", reply.trouble.line),) if reply.trouble.line else ()
    parameters = inspect.signature(reference).parameters
    named_args = [_equation(name, value) for name, value in zip(_names(parameters, args), args, strict=True)]
    return (("for", "\n".join(named_args)), ("yours", show(reply.value)), ("asked for", show(asked[i])))


def _equation(name: str, value: Any) -> str:
    """`X = ...`, with the rows of a matrix below each other."""
    return f"{name} = " + show(value).replace("\n", "\n" + " " * (len(name) + 3))


def _names(parameters: Mapping[str, inspect.Parameter], args: tuple) -> list[str]:
    plain = [p.name for p in parameters.values() if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    return plain[: len(args)] if len(plain) >= len(args) else [f"argument {i + 1}" for i in range(len(args))]


def _notes(replies: Sequence[Reply]) -> tuple[str, ...]:
    """What the student should see and what costs nothing."""
    notes = [f"Your code warned: {text}" for reply in replies for text in reply.warnings]
    if any(reply.changed for reply in replies):
        notes.append("Your function changes its arguments in place: the caller's arrays are no longer what they were.")
    if printed := next((reply.printed.strip() for reply in replies if reply.printed.strip()), ""):
        notes.append(f"Your code printed: {printed.splitlines()[0][:80]}")
    return tuple(dict.fromkeys(notes))[:4]
