"""The `check` object that a topic's notebook uses."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from typing import Any

from mlcore.engine.exercises import progress
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.card import card
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.topic import Topic
from mlcore.engine.exercises.verdict import MIME, Outcome, Verdict


class NotYet(AssertionError):
    """A check that did not pass: its traceback is the card."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict
        self._shown = False

    def _render_traceback_(self) -> list[str]:
        """IPython asks for this in place of a stack trace, sometimes more than once."""
        if not self._shown:
            self._shown = True
            _show(self.verdict)
        return [f"{self.verdict.name}: {self.verdict.outcome}"] if _in_notebook() else []


class Partly:
    """Some points of several. nbgrader reads the number in the cell's result as partial credit."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __repr__(self) -> str:
        return f"{self.verdict.points:g}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/html": card(self.verdict), "text/plain": repr(self), MIME: self.verdict.data()}


class Checks:
    """`check.<exercise>(answer)`, `check.hint("<exercise>")`, `check.solution("<exercise>")`."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._exercises = {exercise.name: exercise for exercise in topic.exercises}
        self._hints_given: dict[str, int] = {}
        self._tried: set[str] = set()

    def __dir__(self) -> list[str]:
        return [*self._exercises, "hint", "solution"]

    def __getattr__(self, name: str) -> Callable[..., Partly | None]:
        if name.startswith("_"):
            raise AttributeError(name)
        exercise = self._find(name)

        # Any seed but the student's own is a hidden test: it tells the verdict, never the draws.
        def check(*answers: Any, seed: int = 0) -> Partly | None:
            if len(answers) != exercise.parts:
                raise TypeError(f"check.{name} takes {exercise.parts} answers, got {len(answers)}")
            verdict = assess(exercise, answers, seed)
            if hidden := seed != 0:
                verdict = verdict.without_evidence()
            if verdict.outcome is not Outcome.NOT_ATTEMPTED:
                self._tried.add(name)
            progress.record(verdict)
            if verdict.outcome is Outcome.PARTLY:
                if not _in_notebook():
                    print(verdict)
                return Partly(verdict)
            if not verdict.right:
                raise NotYet(verdict)
            if not hidden:
                _show(verdict)
            return None

        check.__name__ = name
        check.__doc__ = f"{exercise.number} · {exercise.asks}"
        return check

    def hint(self, name: str) -> None:
        """The next hint of an exercise, from nudge to nearly there."""
        hints = self._find(name).hints
        given = self._hints_given.get(name, 0)
        if not hints:
            print(f"{name} has no hints.")
        elif given == len(hints):
            print(f'That was the last hint. After an attempt, check.solution("{name}") says where it is derived.')
        else:
            self._hints_given[name] = given + 1
            _show_markdown(f"**Hint {given + 1} of {len(hints)}. {hints[given].title}** {hints[given].text}")

    def solution(self, name: str) -> None:
        """Where the text derives it; only after an attempt."""
        exercise = self._find(name)
        tried = name in self._tried or name in progress.read()
        _show_markdown(exercise.see if tried else f"Try it first: run check.{name}(...) on an answer of your own.")

    def _find(self, name: str) -> Exercise:
        if name in self._exercises:
            return self._exercises[name]
        near = difflib.get_close_matches(name, self._exercises, n=1)
        there = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(self._exercises)}."
        raise AttributeError(f"{self._topic.folder} has no exercise {name!r}. {there}")


def _in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def _show(verdict: Verdict) -> None:
    if _in_notebook():
        from IPython.display import display

        display({"text/html": card(verdict), "text/plain": str(verdict), MIME: verdict.data()}, raw=True)
    else:
        print(verdict)


def _show_markdown(text: str) -> None:
    if _in_notebook():
        from IPython.display import Markdown, display

        display(Markdown(text))
    else:
        print(text)
