"""Reads NDDL text into statements; what is wrong or unknown is named with line and column."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any, NoReturn

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.rooms.timelines.nddl.grammar import GRAMMAR, KEYWORDS
from bugsieve.rooms.timelines.nddl.packages import load_lark
from bugsieve.rooms.timelines.nddl.relations import RELATIONS
from bugsieve.rooms.timelines.nddl.syntax import Place, Statement
from bugsieve.rooms.timelines.nddl.trees import make_transformer
from bugsieve.tasks.sources import MEBIBYTE, read_input

SUFFIX = ".nddl"
MAX_BYTES = MEBIBYTE // 2
MAX_DEPTH = 50
"""The greatest nesting of braces and parentheses, so that code on statements may recurse."""
MAX_TERMS = 200
"""The most operators and dots of an expression that follow each other: they nest to the left."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1b\x7f]")
_PIECE = re.compile(
    r"""(?P<skip>/\*(?:.|\n)*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*")|(?P<open>[{(\[])|(?P<close>[})\]])"""
    r"""|(?P<sign>[-+*.])|(?P<end>[;,])"""
)
_INCLUDE = re.compile(r'^[ \t]*#include[ \t]+"(?P<file>[^"\n]*)"', re.MULTILINE)
_LONGEST_WORD = 40
_LAST_WORD = re.compile(r"([A-Za-z_$][A-Za-z0-9_$]*)\s*\Z")
_OF_EUROPA = {"Plasma.nddl", "PlannerConfig.nddl"}
"""Files that come with EUROPA; what they declare is built in here."""


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of an NDDL file."""
    data = read_input(path, kind="NDDL", max_bytes=MAX_BYTES)
    return _decoded(data, os.fspath(path))


def parse(text: str, path: str) -> tuple[Statement, ...]:
    """The statements of one text."""
    _check_depth(text, path)
    lark = load_lark()
    transformer = make_transformer(path)
    try:
        tree = _parser().parse(text)
        return tuple(transformer.transform(tree))
    except lark.exceptions.VisitError as error:
        if isinstance(error.orig_exc, InputError):
            raise error.orig_exc from None
        raise
    except lark.exceptions.UnexpectedInput as error:
        _explain(error, text, path)


@cache
def _parser() -> Any:
    lark = load_lark()

    def classify(token: Any) -> Any:
        kind = KEYWORDS.get(token.value)
        return lark.Token.new_borrow_pos(kind, token.value, token) if kind else token

    return lark.Lark(
        GRAMMAR,
        parser="lalr",
        lexer="basic",
        start="file",
        lexer_callbacks={"IDENT": classify},
        maybe_placeholders=True,
        propagate_positions=True,
    )


def _decoded(data: bytes, path: str) -> str:
    control = _CONTROL.search(data)
    if control:
        raise InputError(
            f"{path}: is not a text file (byte {control.group()[0]:#04x} at offset "
            f"{control.start()}), an NDDL file was expected"
        )
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte at offset {error.start})") from None


def _place(text: str, path: str, offset: int) -> Place:
    line = text.count("\n", 0, offset) + 1
    return Place(path, line, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def check_includes(text: str, path: str, given: set[str]) -> None:
    """An include must name one of the files that are given anyway, or one that EUROPA brings."""
    for match in _INCLUDE.finditer(text):
        file = match["file"]
        if os.path.basename(file) not in given | _OF_EUROPA:
            place = _place(text, path, match.start("file"))
            raise place.error(
                f"the file {file!r} is not included by itself: name it beside this one"
            )


def _check_depth(text: str, path: str) -> None:
    """Before Lark sees it: trees are walked by recursion."""
    depth, signs = 0, [0]
    for match in _PIECE.finditer(text):
        if match["open"]:
            depth += 1
            signs.append(0)
        elif match["close"]:
            depth = max(0, depth - 1)
            signs = signs[:-1] or [0]
        elif match["sign"]:
            signs[-1] += 1
        elif match["end"]:
            signs[-1] = 0
        if depth > MAX_DEPTH:
            place = _place(text, path, match.start())
            raise place.error(f"braces and parentheses nest more than {MAX_DEPTH} levels deep")
        if signs[-1] > MAX_TERMS:
            place = _place(text, path, match.start())
            raise place.error(f"an expression has more than {MAX_TERMS} operators and dots")


def _explain(error: Any, text: str, path: str) -> NoReturn:
    lark = load_lark()
    place = Place(path, max(error.line, 1), max(error.column, 1))
    if isinstance(error, lark.exceptions.UnexpectedCharacters):
        raise place.error(f"the character {text[error.pos_in_stream]!r} is no part of NDDL")
    token = error.token
    if token.type == "$END":
        place = _place(text, path, len(text.rstrip()))
        raise place.error("the file ends in the middle of a statement")
    if token.type == "UNSUPPORTED":
        raise place.unsupported(f"the file uses {token.value!r}")
    more = _misspelt(text[: token.start_pos]) or _wanted(error)
    raise place.error(f"{_shown(token.value)} is not expected here{more}")


def _misspelt(before: str) -> str:
    """The word in front of the parenthesis, if it is nearly a relation: labels belong to those."""
    opened = before.rfind("(")
    word = _LAST_WORD.search(before[max(0, opened - _LONGEST_WORD) : max(0, opened)])
    if word is None or opened < before.rfind(")") or word[1] in KEYWORDS:
        return ""
    near = suggest(word[1], RELATIONS)
    return f"; there is no relation {word[1]!r}{near}" if near else ""


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")


_READABLE = {"SEMICOLON": "';'", "RPAR": "')'", "LPAR": "'('", "LBRACE": "'{'", "IDENT": "a name"}


def _wanted(error: Any) -> str:
    """The words that would have been right, if these are one or two."""
    words = sorted(_READABLE.get(kind, "") for kind in error.accepts or error.expected)
    if not words or len(words) > 2 or "" in words:
        return ""
    return f"; {' or '.join(words)} is"
