"""The certificate of chains: a line earns its point by its step, and by nothing else.

Lines that are given, retyped in every disguise, called, differenced or taken apart at chosen points earn nothing; nor
does the student's own line before, said again, or the one after it, said early. Honest reuse earns all points. A
mistake costs its own point only. All of this is run in cells of an IPython shell, as in a notebook, and judged a second
time from the text of these cells alone, as a grader does.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from mlcore.authoring import recorded, where
from mlcore.course import build, places
from mlcore.engine.asking.answers import Call, Reply, ask, collect
from mlcore.engine.exercises import Chain, Topic
from mlcore.engine.exercises.assess import drawing, judged
from mlcore.engine.exercises.chain import Line
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.judging import all_same
from mlcore.engine.exercises.left_over import SHORTEST
from mlcore.engine.exercises.values import Unusable, components, tidy
from mlcore.engine.exercises.verdict import Verdict
from mlcore.engine.exercises.writing import FAILURES, model
from mlcore.engine.reading import source
from mlcore.engine.reading.expression import walk

Seeds = Sequence[int]


@dataclass(frozen=True, eq=False)
class Desk:
    """A chain as its notebook has it: the cells before it, its given lines, and the lines of its solution."""

    topic: Topic
    chain: Chain
    before: tuple[str, ...]
    given: Mapping[int, ast.FunctionDef]
    own: Mapping[int, ast.FunctionDef]
    names: tuple[str, ...]  # of the functions that are handed in

    @property
    def parameters(self) -> list[str]:
        return [argument.arg for argument in self.given[1].args.args]

    def example(self) -> dict[str, Any]:
        """Values for the variables, to see shapes by."""
        call = max(plan(self.chain, 0)[: len(plan(self.chain, 0)) // 2], key=lambda call: call.size)
        return dict(zip(self.parameters, call.args or (), strict=True))


@functools.cache
def desk(topic: Topic, chain: Chain) -> Desk:
    cells = [
        c.source for c in build.solved(topic, places.solution(topic, places.root())).cells if c.cell_type == "code"
    ]
    check = next(i for i, cell in enumerate(cells) if f"check.{chain.name}(" in cell)
    call = next(node for node in ast.walk(ast.parse(cells[check])) if isinstance(node, ast.Call))
    names = tuple(ast.unparse(argument) for argument in call.args)
    given_cells = [cell for cell in cells[: check - 1] if "def line_" in cell and "SOLUTION" not in cell]
    imports = [cell for cell in cells[:check] if cell.lstrip().startswith(("import ", "from ", "%matplotlib"))][:1]
    given = {k: function for k, function in _functions(given_cells[-1]).items() if k in dict(chain.given)}
    own = _functions(cells[check - 1])
    return Desk(topic, chain, (*imports, given_cells[-1]), given, own, names)


def _functions(cell: str) -> dict[int, ast.FunctionDef]:
    found = (node for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef))
    return {int(f.name.removeprefix("line_")): f for f in found if f.name.startswith("line_")}


@functools.lru_cache(maxsize=64)
def plan(chain: Chain, seed: int) -> list[Call]:
    return chain.plan(drawing(chain, seed))


# Judging a cell, in a shell and from its text.


@functools.cache
def _shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    # A module of its own: by itself the shell puts its cells into the place of `__main__`, which is this program's.
    return InteractiveShell(config=config, user_module=ModuleType("cells"))


def answers(at: Desk, cell: str) -> tuple[Any, ...]:
    """What the cell hands in, run as in a notebook; a line that is not there is still open."""
    shell = _at_the_exercise(at)
    for name in at.names:
        shell.user_ns.pop(name, None)
    _run(shell, cell)
    return tuple(shell.user_ns.get(name, ...) for name in at.names)


@functools.lru_cache(maxsize=1)
def _at_the_exercise(at: Desk) -> Any:
    """The shell of a student who has run all cells up to the exercise."""
    shell = _shell()
    shell.reset(new_session=False)
    for text in at.before:
        _run(shell, text)
    return shell


def _run(shell: Any, cell: str) -> None:
    done = shell.run_cell(cell, store_history=False, silent=True)
    if error := done.error_before_exec or done.error_in_exec:
        raise RuntimeError(f"{cell}\n{type(error).__name__}: {error}") from error


def verdicts(at: Desk, cell: str, given: tuple[Any, ...], seed: int) -> tuple[Verdict, Verdict]:
    """The verdict in the notebook, and the one from the text of the cells."""
    live = [source.of_function(answer) if answer is not ... else None for answer in given]
    text = source.of_cells([*at.before, cell], at.names)
    calls = plan(at.chain, seed)
    replies = collect(given, calls, at.chain.watch())
    return judged(at.chain, calls, replies, live), judged(at.chain, calls, replies, text)


def has_the_value(chain: Chain, part: int, answer: Any, seed: int) -> bool:
    """Is the answer right on the first input? If not, and no line before it is wrong, it earns nothing."""
    line = chain.lines[part]
    call = next(call for call in plan(chain, seed) if call.part == part)
    try:
        right = line.reference(*(call.args or ()))
        return all_same(tidy(ask(answer, call).value, right), right, line.compare)
    except Unusable:
        return False


# Disguises: the same formula, written in another way.


def disguises(function: ast.FunctionDef, name: str, example: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Under another name, what a function says: each way with its label."""
    plainly = _named(_without_docstring(function), name)
    yield "word for word", ast.unparse(plainly)
    yield "a local variable", ast.unparse(_returning(plainly, _by_local))
    yield "1.0 *", ast.unparse(_returning(plainly, lambda e: [ast.Return(_each(e, "1.0 * ({})"))]))
    yield "+ 0", ast.unparse(_returning(plainly, lambda e: [ast.Return(_each(e, "({}) + 0"))]))
    yield "two minus signs", ast.unparse(_returning(plainly, lambda e: [ast.Return(_each(e, "-(-({}))"))]))
    yield "two transposes", ast.unparse(_returning(plainly, lambda e: [ast.Return(_each(e, "np.transpose(({}).T)"))]))
    yield "a loop of one round", ast.unparse(_returning(plainly, _by_loop))
    yield "turned round", ast.unparse(_TurnedRound().visit(copy.deepcopy(plainly)))
    yield "np.dot", ast.unparse(_Dotted().visit(copy.deepcopy(plainly)))
    yield "einsum", ast.unparse(_summed(plainly, example))
    yield "other names", ast.unparse(_Renamed(plainly).visit(copy.deepcopy(plainly)))
    inner = ast.unparse(_named(plainly, "formula"))
    call = ", ".join(argument.arg for argument in function.args.args)
    yield "a helper function", f"{inner}\n\n\ndef {name}({call}):\n    return formula({call})"
    if len(plainly.body) == 1 and isinstance(plainly.body[0], ast.Return) and plainly.body[0].value:
        yield "a lambda", f"{name} = lambda {call}: {ast.unparse(plainly.body[0].value)}"


def _without_docstring(function: ast.FunctionDef) -> ast.FunctionDef:
    bare = copy.deepcopy(function)
    if ast.get_docstring(bare) is not None:
        bare.body = bare.body[1:]
    return bare


def _named(function: ast.FunctionDef, name: str) -> ast.FunctionDef:
    other = copy.deepcopy(function)
    other.name = name
    return other


def _each(expression: ast.expr, form: str) -> ast.expr:
    """The form around an expression, or around each item of a tuple."""
    if isinstance(expression, ast.Tuple):
        return ast.Tuple([_each(item, form) for item in expression.elts], ast.Load())
    return ast.parse(form.format(ast.unparse(expression)), mode="eval").body


def _by_local(expression: ast.expr) -> list[ast.stmt]:
    return list(ast.parse(f"result = {ast.unparse(expression)}\nreturn result").body)


def _by_loop(expression: ast.expr) -> list[ast.stmt]:
    return list(ast.parse(f"for _ in range(1):\n    result = {ast.unparse(expression)}\nreturn result").body)


def _returning(function: ast.FunctionDef, statements: Any) -> ast.FunctionDef:
    """The function with other statements in the place of its last return."""
    other = copy.deepcopy(function)
    last = other.body[-1]
    assert isinstance(last, ast.Return) and last.value
    other.body = [*other.body[:-1], *statements(last.value)]
    return ast.fix_missing_locations(other)


class _TurnedRound(ast.NodeTransformer):
    """b + a for a + b, b * a for a * b."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult):
            return ast.BinOp(node.right, node.op, node.left)
        return node


class _Dotted(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            dot = ast.parse("np.dot", mode="eval").body
            return ast.Call(dot, [node.left, node.right], [])
        return node


class _Renamed(ast.NodeTransformer):
    """Parameters and locals under other names."""

    def __init__(self, function: ast.FunctionDef) -> None:
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.names = stored | {argument.arg for argument in function.args.args}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"{node.id}_other", node.ctx) if node.id in self.names else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(f"{node.arg}_other")


_SPECS = {(1, 1): "i,i", (2, 1): "ij,j", (1, 2): "i,ij", (2, 2): "ij,jk->ik"}


def _summed(function: ast.FunctionDef, example: Mapping[str, Any]) -> ast.FunctionDef:
    """Every `@` as an einsum; the shapes come from running the function, which is ours, on an example."""
    space: dict[str, Any] = {"np": np, **example}

    class Einsum(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            if not isinstance(node.op, ast.MatMult):
                self.generic_visit(node)
                return node
            try:
                axes = tuple(np.ndim(eval(ast.unparse(side), dict(space))) for side in (node.left, node.right))
            except Exception:
                axes = (0, 0)
            self.generic_visit(node)
            if axes not in _SPECS:
                return node
            einsum = ast.parse("np.einsum", mode="eval").body
            return ast.Call(einsum, [ast.Constant(_SPECS[axes]), node.left, node.right], [])

    other = copy.deepcopy(function)
    for i, statement in enumerate(other.body):
        text = ast.unparse(statement)
        other.body[i] = Einsum().visit(statement)
        if not isinstance(statement, ast.Return):
            with np.errstate(all="ignore"), contextlib.suppress(NameError):  # a line that calls other lines
                exec(text, space)
    return ast.fix_missing_locations(other)


# What earns nothing.


def attacks(at: Desk) -> Iterator[tuple[str, int, str]]:
    """Cells by which nothing was derived, each with its label and the part that it is after."""
    example = at.example()
    call = ", ".join(at.parameters)
    for part, name in enumerate(at.names):
        k = part + 2
        for number, function in at.given.items():
            for label, cell in disguises(function, name, example):
                yield f"line {number}, {label}", part, cell
            yield f"line {number}, called", part, f"def {name}({call}):\n    return line_{number}({call})"
            yield (
                f"line {number}, by another name",
                part,
                f"other = line_{number}\n{name} = lambda {call}: other({call})",
            )
            yield (
                f"line {number}, by globals()",
                part,
                (f"def {name}({call}):\n    return globals()['line_{number}']({call})"),
            )
        for label, cell in _differences(at, name, at.given[1], example):
            yield f"line 1, {label}", part, cell
        for label, cell in _the_rest(at, part, name):
            yield label, part, cell
        if k - 1 in at.own:
            before = ast.unparse(at.own[k - 1])
            for label, cell in disguises(at.own[k - 1], name, example):
                yield f"the line before, {label}", part, f"{before}\n\n\n{cell}"
            yield "the line before, called", part, f"{before}\n\n\ndef {name}({call}):\n    return line_{k - 1}({call})"
        if k + 1 in at.own and not _calls_lines(at.own[k + 1]):
            for label, cell in disguises(at.own[k + 1], name, example):
                yield f"the next line, {label}", part, cell


def _calls_lines(function: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Name) and n.id.startswith("line_") for n in ast.walk(function))


def _differences(
    at: Desk, name: str, function: ast.FunctionDef, example: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Derivatives and coefficients of a line, found by evaluating it at several points."""
    call = ", ".join(at.parameters)
    formula = ast.unparse(_named(_without_docstring(function), "f"))
    for v in at.parameters:
        if np.asarray(example[v]).dtype != float or isinstance(example[v], int):
            continue

        def f(point: str, v: str = v) -> str:
            return f"f({', '.join(point if name == v else name for name in at.parameters)})"

        for h in ("1e-5", "1.0"):
            step = f"{h} * np.eye({v}.size)[i].reshape({v}.shape)" if np.ndim(example[v]) else h
            slope = f"({f(f'{v} + {step}')} - {f(f'{v} - {step}')}) / (2 * {h})"
            rounds = f"np.array([{slope} for i in range({v}.size)]).reshape({v}.shape)"
            value = rounds if np.ndim(example[v]) else slope
            yield f"differenced by {v} with {h}", f"{formula}\n\n\ndef {name}({call}):\n    return {value}"
            if np.ndim(example[v]) == 0:
                written = f"({_at(function, v, f'({v} + {h})')} - {_at(function, v, f'({v} - {h})')}) / (2 * {h})"
                yield f"differenced by {v} with {h}, written out", f"def {name}({call}):\n    return {written}"
        even, odd = f"({f(v)} + {f(f'-{v}')}) / 2 - {f(f'0 * {v}')}", f"({f(v)} - {f(f'-{v}')}) / 2"
        parts = f"{even}, {odd}, {f(f'0 * {v}')}"
        yield f"its even and odd parts in {v}", f"{formula}\n\n\ndef {name}({call}):\n    return {parts}"
        for label, cell in _hidden(name, call, parts):
            yield f"its even and odd parts in {v}, {label}", f"{formula}\n\n\n{cell}"
        fitted = f"np.polyfit([-1.0, 0.0, 1.0], [{f(f's * {v}')} for s in (-1.0, 0.0, 1.0)], 2)"
        yield f"fitted in {v}", f"{formula}\n\n\ndef {name}({call}):\n    return tuple({fitted})"
        moved = ", ".join(f(f"{s} * {v}") for s in ("1", "-1", "0"))
        weighed = f"values @ [0.5, 0.5, -1.0], values @ [0.5, -0.5, 0.0], {f(f'0 * {v}')}"
        body = f"    values = np.array([{moved}])\n    return {weighed}"
        yield f"three points in {v}, weighed", f"{formula}\n\n\ndef {name}({call}):\n{body}"
        if np.ndim(example[v]) == 1:
            yield from _bent(formula, name, call, v, f)


def _hidden(name: str, call: str, value: str) -> Iterator[tuple[str, str]]:
    """A line that gives a value, in forms that the reader does not follow."""
    yield "in a class", f"class Line:\n    def __call__(self, {call}):\n        return {value}\n\n\n{name} = Line()"
    yield "in a while loop", f"def {name}({call}):\n    while True:\n        return {value}"
    yield "by eval", f"def {name}({call}):\n    g = eval('f')\n    return {value.replace('f(', 'g(')}"
    yield (
        "by a class of its own",
        f"class Its:\n    g = staticmethod(f)\n\n\ndef {name}({call}):\n    return {_of_class(value)}",
    )
    through = value.replace("f(", "g(")
    yield (
        "in a coroutine",
        f"async def its({call}):\n    return f({call})\n\n\ndef g({call}):\n    try:\n        its({call}).send(None)\n"
        f"    except StopIteration as end:\n        return end.value\n\n\ndef {name}({call}):\n    return {through}",
    )
    yield (
        "in a generator",
        f"def its({call}):\n    yield f({call})\n\n\ndef g({call}):\n    return next(its({call}))\n\n\n"
        f"def {name}({call}):\n    return {through}",
    )
    text = f"def {name}({call}):\n    return {value}"
    yield "by exec", f"exec({text!r})"
    yield "by exec, after a def", f"def {name}({call}):\n    ...\n\n\nexec({text!r})"
    yield "by a list", f"kept = [f]\n\n\ndef {name}({call}):\n    g = kept[0]\n    return {value.replace('f(', 'g(')}"


def _of_class(value: str) -> str:
    return value.replace("f(", "Its.g(")


def _the_rest(at: Desk, part: int, name: str) -> Iterator[tuple[str, str]]:
    """A part that is line 1 without the other parts."""
    line, given = at.chain.lines[part], model(at.chain.first)
    if given is None or sum(1 for _ in walk(given)) < SHORTEST:
        return
    call = ", ".join(at.parameters)
    formula = ast.unparse(_named(_without_docstring(at.given[1]), "f"))
    solved = "\n\n\n".join(ast.unparse(_without_docstring(own)) for k, own in at.own.items() if k <= part + 2)
    for i in range(len(line.parts)):
        others = " - ".join(f"parts[{j}]" for j in range(len(line.parts)) if j != i)
        for how, whole in (("", "f({})"), (", a median", "np.median(f({}))"), (", sorted", "sorted([f({})])[0]")):
            rest = f"{whole.format(call)} - {others}" if others else whole.format(call)
            items = ", ".join(rest if j == i else f"parts[{j}]" for j in range(len(line.parts)))
            body = f"    parts = right({call})\n    return {items}{',' * (not others)}"
            cell = f"{formula}\n\n\n{solved}\n\n\nright = {name}\n\n\ndef {name}({call}):\n{body}"
            yield f"line 1 less the parts that are not {line.parts[i]}{how}", cell


def _bent(formula: str, name: str, call: str, v: str, f: Any) -> Iterator[tuple[str, str]]:
    """The matrix, the vector and the constant of a quadratic, by second differences of the line."""
    corner = "{0} * I[i] + {1} * I[j]"
    bend = " ".join(
        f"{sign} {f(corner.format(a, b))}" for sign, a, b in (("+", 1, 1), ("-", 1, -1), ("-", -1, 1), ("+", -1, -1))
    )
    matrix = f"np.array([[({bend}) / 4 for j in range(len({v}))] for i in range(len({v}))])"
    vector = f"np.array([({f('I[i]')} - {f('-I[i]')}) / 2 for i in range(len({v}))])"
    for times in ("1", "0.5"):
        for sign in ("", "-"):
            head = f"{formula}\n\n\ndef {name}({call}):\n    I = np.eye(len({v}))\n    H, b = {matrix}, {vector}\n"
            yield f"bent by {v}, {times}, {sign}", head + f"    return {times} * H, {sign}{times} * b"
            yield (
                f"bent by {v} with a constant, {times}, {sign}",
                head + f"    return {times} * H, {sign}{times} * b, {f(f'0 * {v}')}",
            )


def _at(function: ast.FunctionDef, variable: str, point: str) -> str:
    """The formula of a one-line function at another point, as text."""
    body = _without_docstring(function).body
    if len(body) != 1:
        return f"(lambda {variable}: np.nan)({point})"
    assert isinstance(body[0], ast.Return) and body[0].value

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(point, mode="eval").body if node.id == variable else node

    return f"({ast.unparse(Put().visit(copy.deepcopy(body[0].value)))})"


def nothing_is_earned_without_the_step(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    if not isinstance(exercise, Chain):
        return
    at = desk(topic, exercise)
    FAILURES.clear()
    for label, part, cell in attacks(at):
        given = answers(at, cell)
        for seed in seeds:
            if not has_the_value(exercise, part, given[part], seed):
                continue
            live, text = verdicts(at, cell, given, seed)
            if earned := [how for verdict, how in _ways(live, text) if verdict.steps and verdict.steps[part].right]:
                yield (
                    f"{where.exercise(topic, exercise)}: line {part + 2} of {exercise.name} is earned {earned[0]} "
                    f"on seed {seed} by {label}:\n{cell}"
                )
                break
    for failure in FAILURES:
        yield f"{where.exercise(topic, exercise)}: the engine fails and goes on: {type(failure).__name__}: {failure}"


def _ways(live: Verdict, text: Verdict) -> tuple[tuple[Verdict, str], ...]:
    return (live, "in the notebook"), (text, "when graded")


# What earns its points.


def honest(at: Desk) -> Iterator[tuple[str, str]]:
    """The solution, written in other ways."""
    example = at.example()
    call = ", ".join(at.parameters)
    yield "as it is", "\n\n\n".join(ast.unparse(function) for function in at.own.values())
    for wanted in ("other names", "np.dot", "a local variable", "turned round", "einsum"):
        ways = []
        for function in at.own.values():
            if wanted == "einsum" and _calls_lines(function):
                ways.append(ast.unparse(function))
            else:
                ways.append(
                    next(cell for label, cell in disguises(function, function.name, example) if label == wanted)
                )
        yield wanted, "\n\n\n".join(ways)
    reusing = []
    for k, function in at.own.items():
        body = ast.unparse(_without_docstring(function)).partition("\n")[2]
        before = f"    before = line_{k - 1}({call})\n" if k - 1 in at.own else ""
        reusing.append(f"def {function.name}({call}):\n{before}{body}")
    yield "with a look at the line before", "\n\n\n".join(reusing)


def honest_ways_earn_all_points(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    if not isinstance(exercise, Chain):
        return
    at = desk(topic, exercise)
    for label, cell in honest(at):
        given = answers(at, cell)
        for seed in seeds:
            for verdict, how in _ways(*verdicts(at, cell, given, seed)):
                if not verdict.right:
                    yield (
                        f"{where.exercise(topic, exercise)}: the solution of {exercise.name}, {label}, is refused "
                        f"{how} on seed {seed}: {verdict.finding.says}\n{cell}"
                    )


# One mistake costs one point.


def a_mistake_costs_its_own_line_only(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    """After a wrong line, lines that follow from it earn their points: for one mistake of every line at least."""
    if not isinstance(exercise, Chain):
        return
    for part, seed in itertools.product(range(len(exercise.lines) - 1), seeds):
        shown = shown_to_follow(exercise, part, seed)
        if shown and not any(shown):
            yield (
                f"{where.exercise(topic, exercise)}: after no mistake of line {part + 2} of {exercise.name} do the "
                f"lines that follow from it earn their points, on seed {seed}"
            )


def shown_to_follow(chain: Chain, part: int, seed: int) -> list[bool]:
    """For each mistake of a line after which we can make the lines that follow: do they earn their points?"""
    with np.errstate(all="ignore"):
        found = (_costs_one(chain, part, wrong, seed) for wrong in _wrongs(chain, part))
        return [shown for shown in found if shown is not None]


def _wrongs(chain: Chain, part: int) -> Iterator[Any]:
    yield from (mistake.answer for mistake in chain.mistakes if mistake.part == part)
    reference = chain.lines[part].reference

    def doubled(*args: Any) -> Any:
        right = reference(*args)
        return tuple(2 * np.asarray(r) for r in right) if isinstance(right, tuple) else 2 * np.asarray(right)

    yield doubled


def _costs_one(chain: Chain, part: int, wrong: Any, seed: int) -> bool | None:
    """Do the lines after this wrong one earn their points, if they are what their step makes of the line before?

    None where we find no such lines: a step that is only known backwards may need more than a factor.
    """
    calls = plan(chain, seed)
    replies: list[Reply] = [Reply() for _ in calls]
    for i, line in enumerate(chain.lines):
        own = [j for j, call in enumerate(calls) if call.part == i]
        for j in own:
            replies[j] = ask(wrong if i == part else line.reference, calls[j])
        if i > part and not _followed(chain, i, calls, replies):
            return None
    verdict = chain.judge(calls, replies)
    return verdict.points == len(chain.lines) - 1 and not verdict.steps[part].right


def _followed(chain: Chain, i: int, calls: Sequence[Call], replies: list[Reply]) -> bool:
    """Put in the place of line i what follows from the replies of the line before. False if we find nothing."""
    line = chain.lines[i]
    here = [j for j, call in enumerate(calls) if call.part == i]
    there = [j for j, call in enumerate(calls) if call.part == i - 1]
    for scales in _scales(line):
        try:
            made = [_made(line, calls[j], replies[b].value, scales) for j, b in zip(here, there, strict=True)]
        except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError):
            continue
        if all(value is not None for value in made):
            for j, value in zip(here, made, strict=True):
                replies[j] = Reply(value=value)
            return True
    return False


_TIMES = (1.0, 2.0, 0.5, -1.0, 0.0, 4.0, 0.25)


def _scales(line: Line) -> Iterator[tuple[float, ...]]:
    """Factors for the parts: all alike, or for two of them at most."""
    count = max(len(line.parts), 1)
    if not line.undo:
        yield ()
        return
    yield from ((times,) * count for times in _TIMES)
    for chosen_parts in itertools.combinations(range(count), min(count, 2)):
        for pair in itertools.product(_TIMES, repeat=len(chosen_parts)):
            chosen = dict(zip(chosen_parts, pair, strict=True))
            yield tuple(chosen.get(i, 1.0) for i in range(count))


def _made(line: Line, call: Call, before: Any, scales: tuple[float, ...]) -> Any:
    """What follows from the line before; where only the way back is known, the right line with its parts scaled."""
    there, args = _arrays(before), call.args or ()
    if not line.undo:
        steps = line.follows if isinstance(line.follows, Sequence) else [line.follows]
        return steps[0](there, *args) if steps[0] else before
    right = line.reference(*args)
    several = tuple(times * np.asarray(r) for times, r in zip(scales, components(right), strict=True))
    value = several if isinstance(right, tuple) else several[0]
    if call.probe:
        return value
    back = line.undo(_arrays(value), *args)
    told = [(a, b) for a, b in zip(components(back), components(there), strict=True) if a is not None]
    same = all(np.allclose(a, b, rtol=1e-7) for a, b in told)
    return value if same else None


def _arrays(value: Any) -> Any:
    return tuple(np.asarray(v, dtype=float) for v in value) if isinstance(value, tuple) else np.asarray(value, float)


PROMISES = (
    nothing_is_earned_without_the_step,
    honest_ways_earn_all_points,
    a_mistake_costs_its_own_line_only,
)


# How much can be read?


def readable(topic: Topic, chain: Chain) -> Iterator[tuple[str, bool]]:
    """For every line of the solution and of the alternatives, whether the reader could read it."""
    from mlcore.engine.reading.reader import Unreadable, read

    solution = recorded.solutions(topic)[chain.name]
    written = [(f"line {i + 2}", answer) for i, answer in enumerate(solution)]
    written += [(f"alternative {i + 1}", other.answer) for i, other in enumerate(chain.alternatives)]
    names = desk(topic, chain).parameters
    for label, answer in written:
        definition = source.of_function(answer)
        try:
            read(definition, names) if definition else None
            yield label, definition is not None
        except Unreadable:
            yield label, False
