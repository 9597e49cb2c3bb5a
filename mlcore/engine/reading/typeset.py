"""An expression as a mathematician writes it: in LaTeX for the card, in Unicode for a terminal.

What the student wrote is set, term by term and in that order, not its normal form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from mlcore.engine.reading.evaluate import CannotEvaluate, values
from mlcore.engine.reading.expression import Expression, Symbol, walk
from mlcore.engine.reading.writer import (
    ACCENTS,
    ATOM,
    GREEK,
    KNOWN_FUNCTIONS,
    LIST,
    POWER,
    PRODUCT,
    RATIO,
    RELATIONS,
    Path,
    Piece,
    Writer,
    name_parts,
)

MAX_NODES = 5000


def latex(expression: Expression, variables: Mapping[str, Any], mark: Path | None = None) -> str:
    """In LaTeX; the term at the path `mark` is coloured, underlined and crossed."""
    return _set(_Latex, expression, variables, mark)


def plain(expression: Expression, variables: Mapping[str, Any], mark: Path | None = None) -> str:
    """In Unicode; the term at the path `mark` stands in ⟦ ⟧."""
    return _set(_Plain, expression, variables, mark)


def plain_name(name: str) -> str:
    """A variable's name in Unicode: λ for lam, w₀ for w0."""
    return _Plain({}, (), None).name(name, [])


def _set(kind: type[Writer], expression: Expression, variables: Mapping[str, Any], mark: Path | None) -> str:
    try:
        known = values(expression, variables)
    except CannotEvaluate:
        known = {}
    try:
        symbols = set()
        for count, node in enumerate(walk(expression)):
            if count > MAX_NODES:
                return kind({}, (), None).words("a long expression")
            symbols |= {node.name} if isinstance(node, Symbol) else set()
        while True:
            writer = kind(known, symbols, mark, beside=variables)
            text = writer.signed(writer.piece(expression, ()))
            if writer.marked or not mark:
                return text
            mark = mark[:-1]  # what is marked is not shown by itself; what it is in is
    except RecursionError:
        return kind({}, (), None).words("a deeply nested expression")


class _Latex(Writer):
    minus, plus, comma = "-", "+", ",\\;"

    def name(self, name: str, subs: Sequence[str]) -> str:
        head, accent, own = name_parts(name)
        base = GREEK[head][0] if head in GREEK else head if len(head) == 1 else f"\\mathit{{{head}}}"
        if accent:
            base = f"{ACCENTS[accent][0]}{{{base}}}" if base.startswith("\\") else f"{ACCENTS[accent][0]} {base}"
        told = GREEK[own[0]][0] if len(own) == 1 and own[0] in GREEK else " ".join(own)
        if own and told == " ".join(own) and len(told) > 1 and not told.isdigit() and f"{head}{told}" != name:
            told = f"\\text{{{told}}}"
        return self.subscript(base, [*([told] if own else []), *([] if set(subs) == {":"} else subs)])

    def words(self, text: str) -> str:
        return f"\\text{{{re.sub(r'[^A-Za-z0-9 .,]', '', text)}}}"

    def brackets(self, text: str) -> str:
        return f"\\left({text}\\right)" if re.search(r"\\frac|\\sum|\\prod|\\begin", text) else f"({text})"

    def side_by_side(self, left: str, right: str) -> str:
        if re.match(r"\d", right):
            return f"{left}\\cdot {right}"
        if (left.endswith("}") and "\\mathit" in left.rsplit(" ", 1)[-1]) or right.startswith("\\mathit"):
            return f"{left}\\,{right}"
        space = " " if re.search(r"\\[A-Za-z]+$", left) and right[:1].isalpha() else ""
        return left + space + right

    def sign(self, name: str) -> str:
        told = {"dot": "\\cdot ", "odot": "\\odot ", "not": "\\neg ", "in": "\\in ", "such": ":\\,"}
        told |= {"without": "\\setminus "}
        return told[name] if name in told else RELATIONS[name][0]

    def subscript(self, base: str, subs: Sequence[str]) -> str:
        text = ",".join(subs)
        if not text:
            return base
        return f"{base}_{text}" if len(text) == 1 else f"{base}_{{{text}}}"

    def superscript(self, base: str, text: str) -> str:
        return f"{base}^{text}" if len(text) == 1 or text == "\\top" else f"{base}^{{{text}}}"

    def constant(self, name: str) -> str:
        return {
            "pi": "\\pi",
            "e": "e",
            "inf": "\\infty",
            "unit": "I",
            "ones": "\\mathbf{1}",
            "top": "\\top",
            "inverse": "-1",
            "pseudo": "+",
            "all": ":",
        }[name]

    def quotient(self, above: Piece, below: Piece) -> Piece:
        if self.depth:
            return Piece(f"{self.at_least(above, PRODUCT)}/{self.at_least(below, POWER)}", RATIO)
        return Piece(f"\\frac{{{self.signed(above)}}}{{{self.signed(below)}}}", POWER)

    def root(self, inner: Piece) -> Piece:
        return Piece(f"\\sqrt{{{self.signed(inner)}}}", ATOM)

    def fence(self, kind: str, text: str) -> str:
        left, right = {"abs": "vert", "norm": "Vert", "floor": "floor", "ceil": "ceil"}[kind], ""
        left, right = f"\\l{left}", f"\\r{left}"
        if re.search(r"\\frac|\\sum|\\prod", text):
            left, right = f"\\left{left}", f"\\right{right}"
        return f"{left} {text}{right}" if text[:1].isalnum() else f"{left}{text}{right}"

    def function(self, name: str, under: str = "") -> str:
        if name == "log det":
            return "\\log\\det"
        text = f"\\{name}" if name in KNOWN_FUNCTIONS else f"\\operatorname{{{name.replace('_', ' ')}}}"
        return f"{text}_{{{under}}}" if under else text

    def big(self, name: str, under: str, over: str) -> str:
        text = f"\\{name}"
        if under:
            text += f"_{under}" if len(under) == 1 else f"_{{{under}}}"
        if over:
            text += f"^{{{over}}}"
        return text

    def cases(self, condition: str, yes: str, no: str) -> Piece:
        inner = f"{yes}&\\text{{if }}{condition}\\\\{no}&\\text{{else}}"
        return Piece(f"\\begin{{cases}}{inner}\\end{{cases}}", LIST)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return "\\begin{pmatrix}" + "\\\\".join("&".join(row) for row in rows) + "\\end{pmatrix}"

    def power_of_ten(self, mantissa: str, exponent: int) -> Piece:
        power = f"10^{{{exponent}}}"
        return Piece(f"{mantissa}\\cdot {power}", PRODUCT) if mantissa else Piece(power, POWER)

    def crossed(self, text: str) -> str:
        return f"{{\\color{{#D55E00}}{{\\underset{{\\text{{✗}}}}{{\\underline{{{text}}}}}}}}}"

    def short(self, text: str) -> bool:
        return len(text) <= 24 and "\\frac" not in text and "\\sum" not in text


SUPERSCRIPTS = dict(zip("0123456789+-−()inkmtTd", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁱⁿᵏᵐᵗᵀᵈ", strict=True))
SUBSCRIPTS = dict(zip("0123456789-aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


class _Plain(Writer):
    minus, plus, comma = " − ", " + ", ", "

    def name(self, name: str, subs: Sequence[str]) -> str:
        head, accent, own = name_parts(name)
        base = GREEK[head][1] if head in GREEK else head
        if accent:
            base = unicodedata.normalize("NFC", base[0] + ACCENTS[accent][1]) + base[1:]
        if len(base) > 1 and not accent:
            self.long.add(base)
        words = [GREEK[sub][1] if sub in GREEK else sub for sub in own]
        return self.subscript(
            self.subscript(base, ["_".join(words)] if words else []), [] if set(subs) == {":"} else subs
        )

    def words(self, text: str) -> str:
        return text

    def brackets(self, text: str) -> str:
        return f"({text})"

    def side_by_side(self, left: str, right: str) -> str:
        if right[:1].isdigit():
            return f"{left}·{right}"
        before, after = re.search(r"[A-Za-z]+$", left), re.match(r"[A-Za-z]+", right)
        apart = any(word and word[0] in self.long for word in (before, after))
        if re.search(r"_\w+$", left) and re.match(r"\w", right):
            apart = True
        return left + (" " if apart and not left.endswith((" ", "−")) else "") + right

    def sign(self, name: str) -> str:
        told = {"dot": "·", "odot": " ⊙ ", "not": "¬", "in": "∈", "such": ": ", "without": "∖"}
        return told[name] if name in told else f" {RELATIONS[name][1]} "

    def subscript(self, base: str, subs: Sequence[str]) -> str:
        text = ",".join(subs)
        if not text:
            return base
        if all(x in SUBSCRIPTS for x in "".join(subs)) and all(
            len(sub.lstrip("-")) == 1 or sub.isdigit() for sub in subs
        ):
            return base + "".join(SUBSCRIPTS[x] for x in "".join(subs))
        return f"{base}_{text}" if re.fullmatch(r"\w+", text) and "_" not in base else f"{base}[{text}]"

    def superscript(self, base: str, text: str) -> str:
        if text == "ᵀ":
            return base + text
        if all(x in SUPERSCRIPTS for x in text):
            return base + "".join(SUPERSCRIPTS[x] for x in text)
        short = re.fullmatch(rf"\w[{''.join(SUBSCRIPTS.values())}]*|⊙\w", text)
        return f"{base}^{text}" if short else f"{base}^({text.strip()})"

    def constant(self, name: str) -> str:
        return {
            "pi": "π",
            "e": "e",
            "inf": "∞",
            "unit": "I",
            "ones": "1",
            "top": "ᵀ",
            "inverse": "-1",
            "pseudo": "+",
            "all": ":",
        }[name]

    def quotient(self, above: Piece, below: Piece) -> Piece:
        return Piece(f"{self.at_least(above, PRODUCT)}/{self.at_least(below, POWER)}", RATIO)

    def root(self, inner: Piece) -> Piece:
        return Piece("√" + self.at_least(inner, ATOM), POWER)

    def fence(self, kind: str, text: str) -> str:
        left, right = {"abs": ("|", "|"), "norm": ("‖", "‖"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}[kind]
        return left + text + right

    def function(self, name: str, under: str = "") -> str:
        self.long.add(name)
        return f"{name}_{under}" if re.fullmatch(r"\w+", under) else f"{name}[{under}]" if under else name

    def big(self, name: str, under: str, over: str) -> str:
        sign = {"sum": "Σ", "prod": "Π"}[name]
        if over:
            return f"{sign}[{under}…{over}] "
        subs = under.split(",")
        if under and all(len(sub) == 1 and sub in SUBSCRIPTS for sub in subs):
            return sign + "".join(SUBSCRIPTS[sub] for sub in subs) + " "
        return f"{sign}[{under}] " if under else f"{sign} "

    def cases(self, condition: str, yes: str, no: str) -> Piece:
        yes = self.brackets(yes) if " if " in yes else yes
        return Piece(f"{yes} if {condition} else {no}", LIST)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return "[" + "; ".join(", ".join(row) for row in rows) + "]"

    def power_of_ten(self, mantissa: str, exponent: int) -> Piece:
        power = self.superscript("10", str(exponent))
        return Piece(f"{mantissa}·{power}", PRODUCT) if mantissa else Piece(power, POWER)

    def crossed(self, text: str) -> str:
        return f"⟦{text}⟧"

    def short(self, text: str) -> bool:
        return len(text) <= 24
