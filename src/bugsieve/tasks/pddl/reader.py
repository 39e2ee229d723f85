"""Reads PDDL text into nested blocks of words that know their lines.

Words are lower-cased and `?` starts a new word, as in Fast Downward's translator, so that both
read every file alike.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.tasks.sources import MEBIBYTE, read_input

# Together these keep even the worst file below a gigabyte of memory.
MAX_BYTES = 64 * MEBIBYTE
MAX_WORDS = 3_000_000
# The translator recurses into nested blocks and gives up between 300 and 500 levels.
MAX_DEPTH = 200

_TOKEN = re.compile(r"[()]|\?[^\s()?]*|[^\s()?]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1b\x7f]")


Where: TypeAlias = Callable[[int], str]
"""Says where the character of a number stands, for texts that are a part of another file."""


class Word(str):
    """A lower-case word with the line it stands on, or its character where `Where` is given."""

    __slots__ = ("line",)
    line: int


class Block(list["Expression"]):
    """A parenthesised list with the line of its opening parenthesis."""

    __slots__ = ("line",)
    line: int


Expression: TypeAlias = Word | Block


def make_word(text: str, line: int) -> Word:
    """A word that claims to stand on `line`."""
    word = Word(text)
    word.line = line
    return word


def make_block(line: int, *items: Expression) -> Block:
    """A block that claims to open on `line`."""
    block = Block(items)
    block.line = line
    return block


class PddlError(InputError):
    """A mistake at a place of a PDDL file; `code` is the one that `bugsieve domain lint` uses."""

    def __init__(self, where: str, sentence: str, place: Expression | int, code: str) -> None:
        super().__init__(f"{where}: {sentence}")
        self.sentence = sentence
        self.place = place
        self.code = code

    @property
    def line(self) -> int:
        """The line of the place."""
        return self.place if isinstance(self.place, int) else self.place.line


class UnsupportedPddlError(UnsupportedError, PddlError):
    """A place of a PDDL file that uses a feature we do not handle."""


@dataclass(frozen=True)
class Document:
    """A PDDL file: its path as the user wrote it, its bytes, and its one top-level block."""

    path: str
    data: bytes
    root: Block
    where: Where | None = None
    """Of a text inside another file: its words count characters instead of lines."""

    def at(self, place: Expression) -> str:
        """The file and the line of `place`, as errors begin."""
        return _at(self.path, self.where, place.line)

    def error(self, place: Expression, sentence: str, code: str = "invalid") -> PddlError:
        """The error that says `sentence` about the line of `place`."""
        return PddlError(self.at(place), sentence, place, code)

    def unsupported(self, place: Expression, user: str, feature: str) -> UnsupportedError:
        """The error that `user` (an action, a predicate) needs a feature we do not handle."""
        sentence = f"{user} uses {feature}, which Bugsieve does not support"
        return UnsupportedPddlError(self.at(place), sentence, place, "unsupported")


def _at(path: str, where: Where | None, line: int) -> str:
    return f"{path}:{line}" if where is None else where(line)


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read and parse a PDDL file, or raise an InputError that names the line."""
    name = os.fspath(path)
    data = read_input(path, kind="PDDL", max_bytes=MAX_BYTES)
    return Document(name, data, parse(data, name))


def parse(data: bytes, path: str) -> Block:
    """The top-level block of a PDDL text."""
    builder = TreeBuilder(path)
    for line, text in enumerate(_lines(data, path), start=1):
        if text.isspace():
            continue
        text = text.split(";", 1)[0]
        if not text.isascii():
            _reject_non_ascii(text, path, line)
        builder.add_line(text, line)
    return builder.finish()


def _lines(data: bytes, path: str) -> Iterable[str]:
    """The lines; comments may hold any bytes, so Latin-1, which never fails, is good enough."""
    control = _CONTROL.search(data)
    if control:
        byte = control.group()[0]
        raise InputError(
            f"{path}: is not a text file (byte {byte:#04x} at offset {control.start()}), "
            "a PDDL file was expected"
        )
    return io.TextIOWrapper(io.BytesIO(data), encoding="latin-1")


def _reject_non_ascii(text: str, path: str, line: int) -> None:
    data = text.encode("latin-1")
    try:
        readable = data.decode("utf-8")
        culprit = f"character {next(char for char in readable if not char.isascii())!r}"
    except UnicodeDecodeError:
        culprit = f"byte {next(byte for byte in data if byte >= 0x80):#04x}"
    raise InputError(
        f"{path}:{line}: the {culprit} is not allowed outside comments, PDDL names are plain ASCII"
    )


class TreeBuilder:
    """Builds the tree with an explicit stack, so that depth costs neither recursion nor memory."""

    def __init__(self, path: str, max_depth: int = MAX_DEPTH, where: Where | None = None) -> None:
        self.path = path
        self.max_depth = max_depth
        self.where = where
        self.root: Block | None = None
        self.open: list[Block] = []
        self.words = 0
        self.last_line = 1
        self.nested_section: tuple[Word, Block] | None = None

    def at(self, line: int) -> str:
        """The file and the line, as errors begin."""
        return _at(self.path, self.where, line)

    def add_line(self, text: str, line: int) -> None:
        """Take in a line without its comment."""
        blocks = self.open
        for token in map(re.Match.group, _TOKEN.finditer(text.lower())):
            self.last_line = line
            if token == "(":
                self._open(line)
            elif not blocks:
                self.reject_outside(token, line)
            elif token == ")":
                blocks.pop()
            else:  # inline, because most tokens are words
                word = Word(token)
                word.line = line
                blocks[-1].append(word)
                self.words += 1
                if self.words > MAX_WORDS:
                    self._reject_size(line)
                if token[0] == ":":
                    self._note_section(word)

    def finish(self) -> Block:
        """The tree, once all lines are in."""
        if self.root is None:
            raise InputError(f"{self.path}: holds nothing but comments, a PDDL file was expected")
        if self.open:
            raise self._unclosed()
        return self.root

    def _open(self, line: int) -> None:
        self.words += 1
        if self.words > MAX_WORDS:
            self._reject_size(line)
        if not self.open and self.root is not None:
            self.reject_outside("(", line)
        if len(self.open) >= self.max_depth:
            raise InputError(
                f"{self.at(line)}: nesting deeper than {self.max_depth} levels, "
                "write the formula flatter"
            )
        block = make_block(line)
        if self.open:
            self.open[-1].append(block)
        else:
            self.root = block
        self.open.append(block)

    def _note_section(self, word: Word) -> None:
        """Remember the first section inside another, a sign that a ')' before it is missing."""
        if len(self.open[-1]) == 1 and len(self.open) > 2 and self.nested_section is None:
            self.nested_section = (word, self.open[-2])

    def _reject_size(self, line: int) -> NoReturn:
        raise InputError(f"{self.at(line)}: more than {MAX_WORDS} words and blocks, the limit")

    def reject_outside(self, token: str, line: int) -> NoReturn:
        """Raise for a token that stands in no block."""
        if self.root is None:
            raise InputError(
                f"{self.at(line)}: is not PDDL, which starts with '(define', "
                f"but this file starts with {shortened(token)!r}"
            )
        problem = (
            "this ')' closes nothing" if token == ")" else f"{shortened(token)!r} is left over"
        )
        sentence = (
            f"{problem}, because the block opened on line {self.root.line} is already closed: "
            "check the parentheses before it"
        )
        raise PddlError(self.at(line), sentence, line, "parentheses")

    def _unclosed(self) -> PddlError:
        if self.nested_section is not None:
            section, block = self.nested_section
            sentence = (
                f"the '(' on this line is not closed before '({section}' begins on line "
                f"{section.line}: add the missing ')'"
            )
        else:
            block = self.open[-1]
            sentence = (
                f"the '(' on this line is never closed, the file ends on line {self.last_line} "
                f"with {len(self.open)} ')' missing"
            )
        return PddlError(self.at(block.line), sentence, block.line, "parentheses")


def tokens(text: str) -> Iterator[tuple[int, str]]:
    """The words and parentheses of a text with the characters they begin at, without comments."""
    start = 0
    for line in text.split("\n"):
        for match in _TOKEN.finditer(line.split(";", 1)[0]):
            yield start + match.start(), match.group()
        start += len(line) + 1


def shortened(token: str) -> str:
    """A token as errors show it."""
    return token if len(token) <= 40 else token[:37] + "..."


def flat_text(words: Iterable[Expression]) -> str:
    """A block of words alone as PDDL text; quicker than `to_text`."""
    return "(" + " ".join(words) + ")"  # type: ignore[arg-type]


def words_of(text: str) -> list[str]:
    """The words of a flat text: of an atom, or of a call such as "(distance a b)"."""
    return text[1:-1].split(" ")


def to_text(expression: Expression) -> str:
    """The expression as PDDL text on one line."""
    if isinstance(expression, Word):
        return str(expression)
    return "(" + " ".join(to_text(item) for item in expression) + ")"
