"""A derivation, line by line.

Each line is asked three questions. Is its value right? If not, does it follow from the student's own line before it?
And was the step done: are the parts that it asks for there, and does it move on from what stood there before?
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.asking.watch import Watch
from mlcore.engine.exercises.compare import Compare, close
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.draws import Cases, drawn, steady
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.following import Held, Own, Values, following, is_whole, moved, off, same_as, since
from mlcore.engine.exercises.forms import Form
from mlcore.engine.exercises.judging import all_same, examine
from mlcore.engine.exercises.undone import complaint, complaint_of_what_follows
from mlcore.engine.exercises.values import Unusable, components, parts, tidy
from mlcore.engine.exercises.verdict import Finding, Outcome, Step, Verdict
from mlcore.engine.exercises.writing import Writing, names_of
from mlcore.engine.reading.source import Definition

_HAVE_NUMBERS = (Outcome.WRONG, Outcome.MISTAKE)


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """One line of a derivation, as a function of the chain's variables.

    `reference` is what is right: a number, an array, or a tuple with one item for each of `parts`. What is right after
    a line of the student's that is wrong is `follows(before, *variables)`, or one of several such; or the line is taken
    back to the one before it by `undo(here, *variables)`, which has None for a part that it does not tell. With
    neither, the two must be equal. Where a mistake of an earlier line shows only now, `since(earlier, *variables)` says
    what is right after all of them. `before` and `here` are what the student's lines gave: an array, or a tuple of them
    where a line has parts; `earlier` has all of these from line 2 on.

    `whole(here, *variables)` is what the parts make together: who has it right, divided up in another way, is told so.
    """

    does: str
    reference: Callable
    parts: tuple[str, ...] = ()
    follows: Callable | Sequence[Callable] | None = None
    undo: Callable | None = None
    since: Callable | None = None
    whole: Callable | None = None
    forms: Sequence[Form] = ()
    compare: Compare = field(default_factory=close)
    mistakes: Sequence[Mistake] = ()


@dataclass(eq=False, kw_only=True)
class Chain(Exercise):
    """A derivation: its first line is given, and the last one too where that gives nothing away.

    Each line between earns a point if its value is right, or follows from the student's own line before, and the step
    was done. So a mistake costs the point of its own line and of no other.
    """

    first: Callable
    lines: Sequence[Line]
    cases: Cases
    last: Callable | None = None
    points: int = field(init=False)
    kind: ClassVar[str] = "derivation"
    reads_source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.points = len(self.lines)
        self.mistakes = [Mistake(m.says, m.answer, i) for i, line in enumerate(self.lines) for m in line.mistakes]

    @property
    def parts(self) -> int:
        return len(self.lines)

    @property
    def given(self) -> tuple[tuple[int, Callable], ...]:
        """The lines that are given, with their numbers."""
        last = ((len(self.lines) + 2, self.last),) if self.last else ()
        return ((1, self.first), *last)

    def plan(self, rng: np.random.Generator) -> list[Call]:
        calls = drawn(self.cases, rng, self._clear, self.first)
        asked = [Call(part, call.args) for part in range(len(self.lines)) for call in calls]
        return asked + [Call(part, args, probe=True) for part in range(len(self.lines)) for args in moved(calls)]

    def _clear(self, *args: Any) -> bool:
        if not super()._clear(*args) or not all(steady(line, args, close()) for _, line in self.given):
            return False
        try:
            return all(np.isfinite(part).all() for line in self.lines for part in components(line.reference(*args)))
        except (ArithmeticError, ValueError):
            return False

    def watch(self) -> Watch:
        lines = tuple((f"line_{k}", f"line {k}", tuple(names_of(line))) for k, line in self.given)
        return replace(super().watch(), lines=lines)

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        own = [Own(part, calls, replies) for part in range(len(self.lines))]
        writing = Writing(self, own, written)
        looks: list[Look] = []
        for line, answer in zip(self.lines, own, strict=True):
            looks.append(look(line, answer, looks, writing))
        steps = tuple(_step(line, seen, writing) for line, seen in zip(self.lines, looks, strict=True))
        finding = _summary(self.lines, looks)
        earned = sum(seen.earns for seen in looks)
        verdict = self.verdict(finding, [r for c, r in zip(calls, replies, strict=True) if not c.probe], earned, steps)
        return replace(verdict, given=writing.typeset_given())

    def task(self) -> str:
        steps = "\n".join(f"- line {k}: {line.does}{_returns(line)}" for k, line in enumerate(self.lines, start=2))
        last = f"\n- line {len(self.lines) + 2}: given" if self.last else ""
        return f"\n\n- line 1: given\n{steps}{last}\n\n{_RULES}"


_RULES = (
    "Each line is worth a point if the step is done and its value is right, or follows from your own line before it. "
    "You may use your own lines in later ones; the lines that are given may be read, but not called."
)


def _returns(line: Line) -> str:
    return f". Return ({', '.join(line.parts)})" if line.parts else ""


@dataclass(frozen=True, eq=False)
class Look:
    """What one look at a line found."""

    own: Own
    finding: Finding
    values: list[tuple[np.ndarray, ...]] | None = None  # where it gave numbers of the right shapes
    held: Held | None = None  # where its value is wrong
    carries: bool = False  # its value is wrong, but another line may follow from it
    known: bool = False  # by a mistake that others make, too, in it or in a line that it follows from
    follows: str = ""  # its value is wrong, but follows: from which lines
    exchanged: bool = False  # its parts are right, in another order
    divided: bool = False  # its parts are right together, and not one by one
    off: tuple[int, ...] = ()  # which of its parts are wrong and do not follow
    path: tuple[int, ...] | None = None  # of the first wrong term in what was read

    @property
    def earns(self) -> bool:
        return bool(self.follows) or self.finding.outcome is Outcome.RIGHT

    @property
    def is_its_line(self) -> bool:
        """Does it stand where it belongs? What comes too early, and earns nothing there, may be said again."""
        return self.earns or self.finding.outcome is Outcome.UNDONE


def look(line: Line, own: Own, earlier: Sequence[Look], writing: Writing) -> Look:
    before = earlier[-1] if earlier else None
    finding = examine(line.reference, own.calls, own.replies, line.compare, line.mistakes, line.parts)
    if finding.outcome is Outcome.RIGHT:
        theirs = [seen.own.part for seen in earlier if seen.is_its_line]
        if undone := complaint(writing, own.part, line.forms, theirs):
            finding = Finding(Outcome.UNDONE, undone)
        return Look(own, finding, own.values(line))
    if finding.outcome not in (*_HAVE_NUMBERS, Outcome.UNUSABLE):
        return Look(own, finding)
    exchanged = _exchanged(line, own)
    if exchanged and not finding.mistake:
        finding = Finding(Outcome.MISTAKE, exchanged, "", finding.evidence)
    values = own.values(line)
    undone = complaint_of_what_follows(writing, own.part)
    if values is None:
        both = before and exchanged and before.exchanged and not undone
        return Look(own, finding, follows=_the_line(before) if both and before else "", exchanged=bool(exchanged))
    held = Held(line, own)
    follow, source = _following(line, own, values, held, earlier)
    if before and follow and all(follow):
        right = Finding(Outcome.UNDONE, undone) if undone else Finding(Outcome.RIGHT, f"It follows from {source}.")
        follows = "" if undone else source
        return Look(own, right, values, held, carries=True, known=before.known, follows=follows)
    # Who makes a mistake that others make, too, has not made it up.
    divided = not exchanged and _is_divided(line, own, values)
    known = bool(finding.mistake or exchanged or divided)
    carries = known or (held.enough and not undone)
    if divided:
        finding = Finding(Outcome.MISTAKE, _DIVIDED.format(does=line.does), "", finding.evidence)
    path = None
    if not (exchanged or divided):
        finding, path = _blamed(line, own, values, finding, follow, writing)
    wrong = tuple(i for i in off(line, values, own.calls) if not (follow and follow[i]))
    return Look(
        own,
        finding,
        values,
        held,
        carries=carries,
        known=known,
        exchanged=bool(exchanged),
        divided=divided,
        off=wrong,
        path=path,
    )


def _the_line(seen: Look) -> str:
    return f"your line {seen.own.part + 2}"


_DIVIDED = "All together it is right, but it is not divided up as it is asked for: {does}."


def _is_divided(line: Line, own: Own, values: Values) -> bool:
    """Are the parts right together, and not one by one? Not if this is a mistake of the catalogue, part by part."""
    if not line.parts or not is_whole(line, values, own.calls):
        return False
    return not any(
        all(same_as(mistake.answer, call, value, line) for call, value in zip(own.calls, values, strict=True))
        for mistake in line.mistakes
    )


def _following(line: Line, own: Own, values: Values, held: Held, earlier: Sequence[Look]) -> tuple[list[bool], str]:
    """Which parts are right or follow, [] if nothing does, and from which lines."""
    if not earlier:
        return [], ""
    found = _following_one(line, own, values, held, earlier[-1])
    if not all(found or [False]) and line.since and _all_carry(earlier) and (held.enough or earlier[-1].follows):
        back = since(line, values, own.calls, [seen.values or [] for seen in earlier])
        if all(back):
            return back, "your lines before"
    return found, _the_line(earlier[-1])


def _all_carry(earlier: Sequence[Look]) -> bool:
    """Does every line stand where it belongs or carry, and is there one that is wrong and carries?"""
    sound = all(seen.values and (seen.is_its_line or seen.carries) for seen in earlier)
    return sound and any(seen.carries and not seen.follows for seen in earlier)


def _following_one(line: Line, own: Own, values: Values, held: Held, before: Look) -> list[bool]:
    if not (before.carries and before.values and before.held):
        return []
    if (line.undo or not before.known) and not held.enough:
        return []
    if line.undo and held.foreign(before.held):
        return []
    return following(line, values, own.calls, before.values)


def _blamed(
    line: Line, own: Own, values: Values, finding: Finding, follow: Sequence[bool], writing: Writing
) -> tuple[Finding, tuple[int, ...] | None]:
    """What is wrong with the first part that is off, and the place of its wrong term."""
    first_of = ""
    if line.parts and not finding.mistake:
        first_of, finding, values = _part_by_part(line, own, values, finding, follow)
    blamed = writing.blame(own.part, values)
    if blamed and finding.outcome is Outcome.WRONG:
        finding = replace(finding, outcome=Outcome.MISTAKE, says=blamed.says)
    return replace(finding, says=first_of + finding.says), blamed.path if blamed else None


def _exchanged(line: Line, own: Own) -> str:
    """What to say where the parts are right, but in another order."""
    count = len(line.parts)
    given = [value for reply in own.replies if (value := parts(reply.value, count)) is not None]
    asked = [line.reference(*(call.args or ())) for call in own.calls]
    if count < 2 or len(given) < len(asked):
        return ""
    for order in itertools.islice(itertools.permutations(range(count)), 1, None):
        try:
            turned = [tidy(tuple(value[i] for i in order), right) for value, right in zip(given, asked, strict=True)]
        except Unusable:
            continue
        if all(all_same(value, right, line.compare) for value, right in zip(turned, asked, strict=True)):
            places = [line.parts[i] for i in range(count) if order[i] != i]
            return f"{_listed(places)} have changed places: ({', '.join(line.parts)}) is asked for."
    return ""


def _part_by_part(
    line: Line, own: Own, values: Values, finding: Finding, follow: Sequence[bool]
) -> tuple[str, Finding, Values]:
    """Where several parts are off: which, and what is wrong with the first of them alone that does not follow."""
    wrong = off(line, values, own.calls)
    broken = [i for i in wrong if not (follow and follow[i])]
    if len(wrong) < 2 or not broken:
        return "", finding, values
    first = broken[0]
    asked = [components(line.reference(*(call.args or ()))) for call in own.calls]
    alone = [
        tuple(np.asarray(part, dtype=float) for part in (*a[:first], v[first], *a[first + 1 :]))
        for v, a in zip(values, asked, strict=True)
    ]
    replies = [Reply(value=value) for value in alone]
    found = examine(line.reference, own.calls, replies, line.compare, line.mistakes, line.parts)
    names = _listed([line.parts[i] for i in broken])
    rest = " The rest follows from what you had." if len(broken) < len(wrong) else ""
    says = f"{names} are off.{rest} Begin with {line.parts[first]}. " if len(broken) > 1 else f"{names} is off.{rest} "
    return says, replace(found, evidence=finding.evidence), alone


# What the card says.


def _summary(lines: Sequence[Line], looks: Sequence[Look]) -> Finding:
    if all(seen.finding.outcome is Outcome.NOT_ATTEMPTED for seen in looks):
        return looks[0].finding
    broken = [i for i, seen in enumerate(looks) if not seen.earns]
    if not broken:
        return Finding(Outcome.RIGHT, "Every line follows from the one before.")
    k = broken[0]
    found = looks[k].finding
    following = [f"{i + 2}" for i, seen in enumerate(looks) if seen.follows]
    then = ""
    if following:
        many = len(following) > 1
        then = f" Line{'s' if many else ''} {_listed(following)} follow{'' if many else 's'} from what you had."
    if found.outcome is Outcome.NOT_ATTEMPTED:
        says = f"Line {k + 2} is still open: {lines[k].does}."
    elif found.outcome is Outcome.UNDONE:
        says = f"Line {k + 2} does not do its step. {found.says}"
    elif looks[k].divided:
        says = f"Line {k + 2}: {found.says[0].lower()}{found.says[1:]}"
    elif found.outcome in _HAVE_NUMBERS:
        says = f"Line {k + 2} is the first that does not follow from the one before. {found.says}"
    else:
        says = f"Line {k + 2}: {found.says}"
    outcome = Outcome.PARTLY if len(broken) < len(looks) else found.outcome
    return Finding(outcome, says + then, found.mistake, found.evidence)


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _step(line: Line, seen: Look, writing: Writing) -> Step:
    outcome = seen.finding.outcome
    written = writing.typeset(seen.own.part, seen.path, seen.off)
    label = f"line {seen.own.part + 2}"
    if seen.follows:
        return Step(label, True, f"{line.does}: it follows from {seen.follows}", "↳", written)
    if outcome is Outcome.RIGHT:
        return Step(label, True, line.does, "✓", written)
    if outcome is Outcome.NOT_ATTEMPTED:
        return Step(label, False, f"still open: {line.does}", "○")
    return Step(label, False, seen.finding.says, "✗", written)


def but(reference: Callable, part: int, wrong: Callable) -> Callable:
    """The right line with something else in the place of one part: a mistake, for the catalogue."""

    def answer(*args: Any) -> tuple:
        right = reference(*args)
        return (*right[:part], wrong(*args), *right[part + 1 :])

    return answer
