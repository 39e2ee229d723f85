"""Formulas of temporal logic for the checkers of flight rules: reading, views, evaluation.

It shares no code with `bugsieve.rooms.rules`. Formulas are numbers in a table in which parts stand
before what they are parts of; so every walk over a formula is a loop, however deep the formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

from bugsieve.checkers.cost import CertificateError

MAX_TEXT = 200_000
"""Characters of a formula."""
MAX_FORMULAS = 50_000
"""Different formulas in one table."""

VIEWS = ("strong", "neutral", "weak")

_ATOM = r"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*"
_ARGUMENT = r"[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?!>))*"
_WORD = re.compile(
    rf"\s*(?:(?P<sign><->|->|[()!&|])|(?P<operator>[XNFGUWRM](?![A-Za-z0-9_-])|[XNFGUWRM](?=->))"
    rf"|(?P<name>{_ATOM}(?:\({_ARGUMENT}(?:,{_ARGUMENT})*\))?))"
)
ATOM_NAME = re.compile(rf"{_ATOM}(?:\({_ARGUMENT}(?:,{_ARGUMENT})*\))?")
RESERVED = frozenset({"true", "false", *"XNFGUWRM"})

_UNARY = frozenset("!XNFG")
_BINDING = {"<->": 0, "->": 1, "|": 2, "&": 3, "U": 4, "W": 4, "R": 4, "M": 4}
_RIGHT = frozenset({"->", "U", "W", "R", "M"})
_DUAL_JUNCTION = {"&": "|", "|": "&"}
_DUAL = {**_DUAL_JUNCTION, **dict(zip("XNFGURWM", "NXGFRUMW", strict=True))}


class Node(NamedTuple):
    """An operator with its parts; of atoms the name.

    Signs are those of the text, and `true`, `false`, `atom`, `no` (a negated atom).
    """

    sign: str
    parts: tuple[int, ...] = ()
    name: str = ""


class Formulas:
    """A table of formulas, each of them once.

    What `read` gives is as it stands in the text. What `normal` gives is in negation normal form,
    with constants folded, junctions flat, sorted and absorbed; each of these steps keeps the
    meaning on finite traces and on infinite words alike.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}
        self.true = self.make("true")
        self.false = self.make("false")

    def make(self, sign: str, *parts: int, name: str = "") -> int:
        """The number of the formula as it is, without simplification."""
        node = Node(sign, parts, name)
        found = self._index.get(node)
        if found is None:
            if len(self.nodes) >= MAX_FORMULAS:
                _fail(f"the formula has more than {MAX_FORMULAS} parts")
            found = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def below(self, *roots: int) -> list[int]:
        """The formulas and all their parts, parts first."""
        seen = set(roots)
        waiting = list(seen)
        while waiting:
            for part in self.nodes[waiting.pop()].parts:
                if part not in seen:
                    seen.add(part)
                    waiting.append(part)
        return sorted(seen)

    def atoms(self, *roots: int) -> set[str]:
        """The names of the atoms."""
        return {self.nodes[f].name for f in self.below(*roots) if self.nodes[f].name}

    # Reading: operators wait on a stack until one that binds less comes.

    def read(self, text: str, what: str) -> int:
        """The formula in a text; CertificateError, which names it by `what`, if there is none."""
        if len(text) > MAX_TEXT:
            _fail(f"{what} is longer than {MAX_TEXT} characters")
        return _Reading(self, what).formula(text)

    # Negation normal form and views.

    def pushed(self, root: int, *, negated: bool = False) -> int:
        """The formula, or its negation, in negation normal form; nothing is simplified."""
        # Both polarities of every part: sharing keeps `<->` from doubling at each level.
        forms: dict[int, tuple[int, int]] = {}
        for f in self.below(root):
            node = self.nodes[f]
            forms[f] = self._polarities(node, [forms[part] for part in node.parts])
        return forms[root][negated]

    def _polarities(self, node: Node, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        sign, make = node.sign, self.make
        if sign in ("true", "false"):
            return (self.true, self.false) if sign == "true" else (self.false, self.true)
        if sign in ("atom", "no"):
            pair = make("atom", name=node.name), make("no", name=node.name)
            return pair if sign == "atom" else (pair[1], pair[0])
        if sign == "!":
            return parts[0][1], parts[0][0]
        if sign == "->":
            (left, no_left), (right, no_right) = parts
            return make("|", no_left, right), make("&", left, no_right)
        if sign == "<->":
            return self._iff(*parts)
        yes, no = [part[0] for part in parts], [part[1] for part in parts]
        return make(sign, *yes), make(_DUAL[sign], *no)

    def _iff(self, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
        make = self.make
        same = make("&", left[0], right[0]), make("&", left[1], right[1])
        other = make("&", left[0], right[1]), make("&", left[1], right[0])
        return make("|", *same), make("|", *other)

    def in_view(self, root: int, view: str) -> int:
        """[root] in the view.

        The formula must be pushed, not normal: a view depends on how a formula is written, as
        the strong view of `G(p | !p)` is false, but that of `true` is not.
        """
        if view == "neutral":
            return root
        seen: dict[int, int] = {}
        for f in self.below(root):
            node = self.nodes[f]
            parts = [seen[part] for part in node.parts]
            seen[f] = f if not parts else self._viewed(node.sign, parts, view == "strong")
        return seen[root]

    def _viewed(self, sign: str, parts: list[int], is_strong: bool) -> int:
        if sign == "G" and is_strong:
            return self.false
        if sign == "F" and not is_strong:
            return self.true
        strong, weak = {"N": "X", "W": "U", "R": "M"}, {"X": "N", "U": "W", "M": "R"}
        return self.make((strong if is_strong else weak).get(sign, sign), *parts)

    # Simplification.

    def normal(self, root: int) -> int:
        """The normal form of a formula that is read or pushed."""
        forms: dict[int, int] = {}
        for f in self.below(pushed := self.pushed(root)):
            node = self.nodes[f]
            parts = [forms[part] for part in node.parts]
            if not parts:
                forms[f] = f
            elif node.sign in _DUAL_JUNCTION:
                forms[f] = self.junction(node.sign, parts)
            else:
                forms[f] = self.temporal(node.sign, *parts)
        return forms[pushed]

    def junction(self, sign: str, parts: Iterable[int]) -> int:
        """The conjunction or disjunction, flat and sorted, without what others make needless."""
        neutral, zero = (self.true, self.false) if sign == "&" else (self.false, self.true)
        flat: set[int] = set()
        for part in parts:
            node = self.nodes[part]
            flat.update(node.parts if node.sign == sign else (part,))
        flat.discard(neutral)
        if zero in flat or any(self._denied(part) in flat for part in flat):
            return zero
        dual = _DUAL_JUNCTION[sign]
        kept = [
            part
            for part in flat
            if self.nodes[part].sign != dual or flat.isdisjoint(self.nodes[part].parts)
        ]
        if not kept:
            return neutral
        return kept[0] if len(kept) == 1 else self.make(sign, *sorted(kept))

    def _denied(self, part: int) -> int:
        """The other literal of an atom; -1 for other formulas."""
        node = self.nodes[part]
        return self.make("no", name=node.name) if node.sign == "atom" else -1

    def temporal(self, sign: str, *parts: int) -> int:
        """The temporal formula; constants are folded where that holds on every kind of trace."""
        # A trace has a first state, so F, G and the binary operators see one at least; whether
        # there is a next one is not known: `X true` and `N false` stay.
        yes, no = self.true, self.false
        if len(parts) == 1:
            constant = {"X": no, "N": yes}.get(sign)
            folded = parts[0] in (yes, no) if constant is None else parts[0] == constant
            return parts[0] if folded else self.make(sign, *parts)
        left, right = parts
        if right in (yes, no):
            known = {"U": right, "W": yes, "R": right, "M": no}[sign]
            if sign == "W" and right == no:
                return self.temporal("G", left)
            return self.temporal("F", left) if sign == "M" and right == yes else known
        if left == no:
            return self.make("G", right) if sign == "R" else {"M": no}.get(sign, right)
        if left == yes:
            return self.make("F", right) if sign == "U" else {"W": yes}.get(sign, right)
        return self.make(sign, left, right)

    # Evaluation of normal formulas.

    def holds(self, root: int, word: Sequence[frozenset[str]]) -> bool:
        """Return true if the formula holds on a finite trace, which has one letter at least."""
        return self._table(root, word, None)[root][0]

    def holds_on_lasso(self, root: int, word: Sequence[frozenset[str]], loop_start: int) -> bool:
        """Return true if it holds on the word that goes back to `loop_start` at its end."""
        return self._table(root, word, loop_start)[root][0]

    def _table(
        self, root: int, word: Sequence[frozenset[str]], back: int | None
    ) -> dict[int, list[bool]]:
        table: dict[int, list[bool]] = {}
        for f in self.below(root):
            node = self.nodes[f]
            parts = [table[part] for part in node.parts]
            table[f] = _row(node, parts, word, back)
        return table


def _row(
    node: Node, parts: list[list[bool]], word: Sequence[frozenset[str]], back: int | None
) -> list[bool]:
    """The truth of the formula in each state, given that of its parts."""
    sign, places = node.sign, range(len(word))
    if sign in ("true", "false"):
        return [sign == "true"] * len(word)
    if sign in ("atom", "no"):
        return [(node.name in letter) == (sign == "atom") for letter in word]
    if sign in _DUAL_JUNCTION:
        join = all if sign == "&" else any
        return [join(part[i] for part in parts) for i in places]
    if sign in "XN":
        end = sign == "N" if back is None else parts[0][back]
        return [*parts[0][1:], end]
    return _fixed_point(sign, parts, len(word), back)


def _fixed_point(sign: str, parts: list[list[bool]], count: int, back: int | None) -> list[bool]:
    """Backwards from the end; round a loop twice, after which nothing changes any more."""
    # Formulas without an end are true behind the last state: G, W and R; the others want more.
    after = sign in "GWR"
    row = [after] * count
    for _ in range(1 if back is None else 2):
        later = after if back is None else row[back]
        for i in reversed(range(count)):
            now = [part[i] for part in parts]
            row[i] = later = _step(sign, now, later)
    return row


def _step(sign: str, now: list[bool], later: bool) -> bool:
    if sign == "F":
        return now[0] or later
    if sign == "G":
        return now[0] and later
    if sign in "UW":
        return now[1] or (now[0] and later)
    return now[1] and (now[0] or later)


class _Reading:
    """Reads one text: operands on one stack, operators and parentheses on the other."""

    def __init__(self, formulas: Formulas, what: str) -> None:
        self.formulas = formulas
        self.what = what
        self.operands: list[int] = []
        self.signs: list[str] = []

    def formula(self, text: str) -> int:
        place, wants_operand = 0, True
        text = text.rstrip()
        while place < len(text):
            matched = _WORD.match(text, place)
            if matched is None:
                place = len(text) - len(text[place:].lstrip()) + 1
                self.fail(f"has something at character {place} that is no part of a formula")
            wants_operand = self.take(matched, wants_operand)
            place = matched.end()
        if wants_operand:
            self.fail("ends where a formula is expected")
        while self.signs:
            if self.signs[-1] == "(":
                self.fail("has a '(' that nothing closes")
            self.reduce()
        return self.operands[0]

    def take(self, matched: re.Match[str], wants_operand: bool) -> bool:
        """Takes a word; whether an operand must follow."""
        name, word = matched["name"], matched[0].strip()
        starts = name is not None or word == "(" or word in _UNARY
        if starts != wants_operand:
            place = matched.end() - len(word) + 1
            self.fail(f"has {word[:40]!r} at character {place}, where it cannot be")
        if name is not None:
            plain = name in ("true", "false")
            make = self.formulas.make
            self.operands.append(make(name) if plain else make("atom", name=name))
            return False
        if starts:
            self.signs.append(word)
            return True
        if word == ")":
            self.close()
            return False
        while self.signs and self.binds_more(self.signs[-1], word):
            self.reduce()
        self.signs.append(word)
        return True

    def binds_more(self, waiting: str, word: str) -> bool:
        if waiting == "(":
            return False
        if waiting in _UNARY:
            return True
        difference = _BINDING[waiting] - _BINDING[word]
        return difference > 0 or (difference == 0 and word not in _RIGHT)

    def close(self) -> None:
        while self.signs and self.signs[-1] != "(":
            self.reduce()
        if not self.signs:
            self.fail("has a ')' that closes nothing")
        self.signs.pop()

    def reduce(self) -> None:
        sign = self.signs.pop()
        count = 1 if sign in _UNARY else 2
        parts = self.operands[-count:]
        del self.operands[-count:]
        self.operands.append(self.formulas.make(sign, *parts))

    def fail(self, sentence: str) -> NoReturn:
        _fail(f"{self.what} {sentence}")


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
