"""Reads PDDL whose parentheses do not match as it was most likely meant, so that lint can go on.

Each section begins at depth 1, even with blocks open before it; a field of an action that stands
outside belongs to the action before it; a ')' that would close the file early closes nothing.
"""

from __future__ import annotations

from bugsieve.tasks.pddl.domain import ACTION_FIELDS
from bugsieve.tasks.pddl.domain import SECTIONS as DOMAIN_SECTIONS
from bugsieve.tasks.pddl.problem import SECTIONS as PROBLEM_SECTIONS
from bugsieve.tasks.pddl.reader import (
    MAX_DEPTH,
    Block,
    Document,
    Word,
    make_block,
    make_word,
    to_text,
    tokens,
)

_SECTIONS = frozenset((*DOMAIN_SECTIONS, *PROBLEM_SECTIONS, ":action"))


def read_leniently(path: str, data: bytes) -> Document | None:
    """The document with its parentheses mended; None where it does not even begin as PDDL."""
    found = [
        (token, number)
        for number, line in enumerate(data.decode("latin-1").split("\n"), start=1)
        for _, token in tokens(line.lower())
    ]
    if not found or found[0][0] != "(" or not all(token.isascii() for token, _ in found):
        return None
    builder = _Builder(make_block(found[0][1]))
    for place, (token, line) in enumerate(found[1:], start=1):
        rest = found[place + 1 : place + 2]
        builder.add(token, line, rest[0][0] if rest else "")
    return Document(path, to_text(builder.root).encode(), builder.root)


class _Builder:
    def __init__(self, root: Block) -> None:
        self.root = root
        self._open = [root]

    def add(self, token: str, line: int, following: str) -> None:
        """Take in a token; `following` is the one after it."""
        if token == "(":
            self._begin(line, following)
        elif token == ")":
            if len(self._open) > 1:
                self._open.pop()
        else:
            self._add_word(make_word(token, line))

    def _begin(self, line: int, following: str) -> None:
        if following in _SECTIONS:
            del self._open[1:]
        block = make_block(line)
        if len(self._open) < MAX_DEPTH:  # deeper blocks are left out
            self._open[-1].append(block)
        self._open.append(block)

    def _add_word(self, word: Word) -> None:
        last = self.root[-1] if self.root else None
        outside = len(self._open) == 1 and word in ACTION_FIELDS
        if outside and isinstance(last, Block) and last[:1] == [":action"]:
            self._open.append(last)
        self._open[-1].append(word)
