"""Sentences as tokens, and a cursor over them whose errors name line and column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.rooms.rules.ltl.reader import Place

MAX_CHARACTERS = 100_000

RESERVED = frozenset(
    ("not", "and", "or", "if", "then", "true", "false", "until", "satisfy", "shall")
)
"""Words that are not atoms; an atom of such a name stands between backquotes."""

_OPENERS = RESERVED | {
    "before",
    "after",
    "between",
    "while",
    "whenever",
    "upon",
    "that",
    "including",
}
"""Words that a parenthesis may follow at once; after any other name it holds arguments."""

_ARGUMENT = r"\??[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?!>))*"
_CALL = rf"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*(?:\(\s*{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)*\))?"
_TOKEN = re.compile(
    r"\s+"
    rf"|`(?P<quoted>{_CALL})`"
    rf"|(?P<name>{_CALL})"
    r"|(?P<number>[0-9]+)"
    r"|(?P<sign><->|->|[!&|(),.])"
    r"|(?P<strange>.)",
    re.DOTALL,
)
_SIGNS = {"¬": "!", "∧": "&", "∨": "|", "→": "->", "⇒": "->", "↔": "<->", "⇔": "<->"}
_WORD = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*")


class Token(NamedTuple):
    """A piece of a sentence."""

    kind: str
    """`word`, `atom` (with arguments, or in backquotes), `number`, `sign` or `end`."""
    text: str
    offset: int

    @property
    def word(self) -> str:
        """The text of a word or sign in small letters; empty for all other tokens."""
        return self.text.casefold() if self.kind in ("word", "sign") else ""

    @property
    def shown(self) -> str:
        """The word as an error names it."""
        if self.kind == "end":
            return "the end"
        return repr(self.text if len(self.text) <= 40 else self.text[:40] + "…")


class WordStream:
    """The tokens of a text, read from left to right."""

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place
        self.tokens = self._split()
        self.position = 0

    @property
    def token(self) -> Token:
        """The one that comes next; at the end always the end."""
        return self.tokens[min(self.position, len(self.tokens) - 1)]

    def sees(self, *words: str) -> bool:
        """Return true if these words come next."""
        ahead = self.tokens[self.position : self.position + len(words)]
        return tuple(token.word for token in ahead) == words

    def accept(self, *words: str) -> bool:
        """Go past these words if they come next."""
        found = self.sees(*words)
        self.position += len(words) if found else 0
        return found

    def expect(self, words: Sequence[str], reason: str = "") -> None:
        """Go past these words, or fail at the first that is missing."""
        for word in words:
            if not self.accept(word):
                self.fail(f"{word!r} is expected{reason}, not {self.named([word])}")

    def named(self, choices: Iterable[str]) -> str:
        """The next token as an error names it, with the nearest of the words that may come."""
        token = self.token
        return token.shown + (suggest(token.text, choices) if token.kind == "word" else "")

    def fail(self, sentence: str, token: Token | None = None) -> NoReturn:
        """An error at a token, by default the next one."""
        offset = (token or self.token).offset
        raise InputError(f"{self.place.at(self.text, offset)}: {sentence}")

    def _split(self) -> list[Token]:
        if len(self.text) > MAX_CHARACTERS:
            self.fail(f"the sentence is longer than {MAX_CHARACTERS} characters", _START)
        tokens: list[Token] = []
        offset = 0
        while offset < len(self.text):
            match = _TOKEN.match(self.text, offset)
            assert match is not None  # the last branch takes any character
            token = self._token(match)
            offset += len(token.text) if token.kind == "word" else len(match.group())
            if match.lastgroup:
                tokens.append(token)
        return [*tokens, Token("end", "", len(self.text.rstrip()))]

    def _token(self, match: re.Match[str]) -> Token:
        text, offset = match.group(), match.start()
        if match.lastgroup == "quoted":
            return Token("atom", "".join(match["quoted"].split()), offset)
        if match.lastgroup == "name":
            token = _name(text, offset)
            if token.kind == "word" and token.word not in _OPENERS:
                self._check_arguments(match)
            return token
        if match.lastgroup == "strange" and text not in _SIGNS:
            token = Token("sign", text, offset)
            self.fail(f"{text!r} does not belong in a sentence", token)
        kind = match.lastgroup or ""
        return Token("sign" if kind == "strange" else kind, _SIGNS.get(text, text), offset)

    def _check_arguments(self, name: re.Match[str]) -> None:
        if self.text.startswith("(", name.end()):
            self.fail(
                f"the arguments of {name.group()[:40]!r} are names or variables such as '?r', "
                "divided by commas and closed by ')'",
                Token("sign", "(", name.end()),
            )


_START = Token("end", "", 0)


def _name(text: str, offset: int) -> Token:
    """A word, or an atom with arguments; `not(p)` is the word and no atom."""
    word = _WORD.match(text)
    assert word is not None
    if word.group() == text or word.group().casefold() in RESERVED:
        return Token("word", word.group(), offset)
    return Token("atom", "".join(text.split()), offset)
