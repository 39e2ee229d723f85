"""The rest of a formula after each letter of a trace, for the checkers of flight rules.

What is left, here called a rest, is a disjunction of terms. A term is a set of formulas that
hold in the next state, and says whether there must be one: `X f` is a strong term, `N f` a weak
one. A term with a strong part is strong as a whole. All formulas are parts of the first one, and
of each disjunction only the terms remain that no other implies, so there are few rests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError
from bugsieve.rooms.rules.checker.rules_formulas import Formulas, Node

MAX_TERMS = 1_000
"""Alternatives in one rest, or in one state of an infinite word."""
MAX_BRANCHES = 100_000
MAX_TABLE_WORK = 3_000_000
MAX_HOPE_ATOMS = 12
HOPE_STEPS = 200_000
"""Letters read in looking for rests that no trace satisfies; others count as satisfiable."""


class Term(NamedTuple):
    """Formulas for the next state; a weak term also holds at the end of the trace."""

    is_strong: bool
    formulas: frozenset[int]


Rest: TypeAlias = frozenset[Term]

NOTHING: Rest = frozenset({Term(False, frozenset())})
"""Nothing more is asked: true."""
NEVER: Rest = frozenset()


class Progression:
    """Progresses one normal formula; letters are numbers whose bit i is the truth of atom i."""

    def __init__(
        self,
        formulas: Formulas,
        root: int,
        atoms: Sequence[str],
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        self.start: Rest = frozenset({Term(True, frozenset({root}))})
        """Before the first letter; a trace has one."""
        self._nodes = [(f, formulas.nodes[f]) for f in formulas.below(root)]
        self._bits = {name: 1 << place for place, name in enumerate(atoms)}
        used = formulas.atoms(root)
        self._used = [bit for name, bit in self._bits.items() if name in used]
        self._mask = sum(self._used)
        self._poll = poll
        self._tables: dict[int, dict[int, Rest]] = {}
        self._steps: dict[tuple[Rest, int], Rest] = {}
        self._hope: dict[Rest, bool] = {NEVER: False}
        self._hope_steps = HOPE_STEPS

    @staticmethod
    def accepts(rest: Rest) -> bool:
        """Return true if the trace may end here."""
        return any(not term.is_strong for term in rest)

    def step(self, rest: Rest, letter: int) -> Rest:
        """The rest after the next letter."""
        letter &= self._mask
        key = (rest, letter)
        found = self._steps.get(key)
        if found is None:
            self._poll()
            table = self._table(letter)
            terms = [
                conjunction([table[f] for f in sorted(term.formulas)], NOTHING) for term in rest
            ]
            found = self._steps[key] = disjunction(terms)
        return found

    def _table(self, letter: int) -> dict[int, Rest]:
        """For each part of the formula what is left of it after the letter."""
        table = self._tables.get(letter)
        if table is None:
            if (len(self._tables) + 1) * len(self._nodes) > MAX_TABLE_WORK:
                _fail("the formula has too many letters to follow")
            table = self._tables[letter] = {}
            for f, node in self._nodes:
                self._poll()
                table[f] = self._expanded(f, node, [table[part] for part in node.parts], letter)
        return table

    def _expanded(self, f: int, node: Node, parts: list[Rest], letter: int) -> Rest:
        sign = node.sign
        if sign in ("true", "false"):
            return NOTHING if sign == "true" else NEVER
        if sign in ("atom", "no"):
            is_true = letter & self._bits[node.name] != 0
            return NOTHING if is_true == (sign == "atom") else NEVER
        if sign == "&":
            return conjunction(parts, NOTHING)
        if sign == "|":
            return disjunction(parts)
        if sign in "XN":
            return frozenset({Term(sign == "X", frozenset(node.parts))})
        # Unfolded: now, and the same again later. Those that wait for something need a later.
        later: Rest = frozenset({Term(sign in "FUM", frozenset({f}))})
        if sign == "F":
            return disjunction([parts[0], later])
        if sign == "G":
            return conjunction([parts[0], later], NOTHING)
        if sign in "UW":
            return disjunction([parts[1], conjunction([parts[0], later], NOTHING)])
        return conjunction([parts[1], disjunction([parts[0], later])], NOTHING)

    def is_hopeless(self, rest: Rest) -> bool:
        """Return true if no trace goes on from here and satisfies the rest."""
        found = self._hope.get(rest)
        if found is None:
            if len(self._used) > MAX_HOPE_ATOMS:
                return False
            self._look_for_hope(rest)
            found = self._hope.get(rest, True)
        return not found

    def _look_for_hope(self, rest: Rest) -> None:
        """Looks breadth first for a rest in which a trace may end; there is none: no hope."""
        came: dict[Rest, Rest | None] = {rest: None}
        waiting = [rest]
        for current in waiting:
            if self.accepts(current) or self._hope.get(current, False):
                self._mark_hope(current, came)
                return
            for letter in self.letters():
                if self._hope_steps <= 0:
                    return
                self._hope_steps -= 1
                after = self.step(current, letter)
                if after not in came and self._hope.get(after) is not False:
                    came[after] = current
                    waiting.append(after)
        self._hope.update((one, False) for one in waiting)

    def _mark_hope(self, last: Rest, came: dict[Rest, Rest | None]) -> None:
        current: Rest | None = last
        while current is not None:
            self._hope[current] = True
            current = came[current]

    def letters(self) -> list[int]:
        """All letters of the atoms that the formula has."""
        found = [0]
        for bit in self._used:
            found += [letter | bit for letter in found]
        return found


def are_equivalent(one: Progression, other: Progression, atoms: int, limit: int) -> bool:
    """Return true if the same finite traces satisfy both; CertificateError beyond the limit."""
    seen = {(one.start, other.start)}
    waiting = list(seen)
    for pair in waiting:
        for letter in range(1 << atoms):
            after = one.step(pair[0], letter), other.step(pair[1], letter)
            if one.accepts(after[0]) != other.accepts(after[1]):
                return False
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) << atoms > limit:
            _fail("whether 'formula' is what the claim says would take too long to find out")
    return True


def conjunction(parts: Iterable[Rest], unit: Rest) -> Rest:
    """All of them; `unit` if there are none."""
    whole = unit
    for part in parts:
        if len(whole) * len(part) > MAX_TERMS:
            _fail(f"what is left of the formula has more than {MAX_TERMS} alternatives")
        whole = _absorbed(
            {
                Term(one.is_strong or other.is_strong, one.formulas | other.formulas)
                for one in whole
                for other in part
            }
        )
    return whole


def disjunction(parts: Iterable[Rest]) -> Rest:
    """Some of them."""
    return _absorbed(set().union(*parts))


def _absorbed(terms: set[Term]) -> Rest:
    """Without terms that another one follows from."""
    if len(terms) < 2:
        return frozenset(terms)
    if len(terms) > MAX_TERMS:
        _fail(f"what is left of the formula has more than {MAX_TERMS} alternatives")
    kept: list[Term] = []
    for term in sorted(terms, key=lambda term: (len(term.formulas), term.is_strong)):
        if not any(
            other.formulas <= term.formulas and other.is_strong <= term.is_strong for other in kept
        ):
            kept.append(term)
    return frozenset(kept)


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


# Infinite words: obligations, of which no choice may be put off for ever.


class Choice(NamedTuple):
    """A way to meet obligations in one state: what remains, and what of that was put off."""

    obligations: frozenset[int]
    put_off: frozenset[int]


class Obligations:
    """Choices of a letter and later formulas that meet a set of normal formulas.

    A word satisfies the formula if there are choices, one after the other, among which no F, U
    or M is put off from some point on for ever: each is taken once in a state, so one that is not
    put off there, but was before, is fulfilled there.
    """

    def __init__(self, formulas: Formulas, root: int, atoms: Sequence[str]) -> None:
        self._nodes = formulas.nodes
        self._bits = {name: 1 << place for place, name in enumerate(atoms)}
        self.start = frozenset({root})
        self.eventual = frozenset(f for f in formulas.below(root) if self._nodes[f].sign in "FUM")
        self._memory: dict[tuple[frozenset[int], int], tuple[Choice, ...]] = {}

    def choices(self, obligations: frozenset[int], letter: int) -> tuple[Choice, ...]:
        """All ways, each once."""
        key = (obligations, letter)
        found = self._memory.get(key)
        if found is None:
            found = self._memory[key] = self._choices(obligations, letter)
        return found

    def _choices(self, obligations: frozenset[int], letter: int) -> tuple[Choice, ...]:
        made: dict[Choice, None] = {}
        none: frozenset[int] = frozenset()
        waiting = [(tuple(sorted(obligations)), none, none, none)]
        left = MAX_BRANCHES
        while waiting:
            left -= 1
            if not left:
                _fail("the formula has too many alternatives in one state")
            open_, done, later, put_off = waiting.pop()
            if not open_:
                made[Choice(later, put_off)] = None
                if len(made) > MAX_TERMS:
                    _fail(f"the formula has more than {MAX_TERMS} alternatives in one state")
                continue
            f, rest = open_[-1], open_[:-1]
            if f in done:
                waiting.append((rest, done, later, put_off))
                continue
            for now, after, is_late in self._ways(f, letter):
                late = put_off | {f} if is_late else put_off
                waiting.append((rest + now, done | {f}, later.union(after), late))
        return tuple(made)

    def _ways(self, f: int, letter: int) -> list[tuple[tuple[int, ...], tuple[int, ...], bool]]:
        """The formulas that must hold now and next, and if that puts something off."""
        sign, parts, name = self._nodes[f]
        if sign in ("true", "false"):
            return [((), (), False)] if sign == "true" else []
        if sign in ("atom", "no"):
            is_true = letter & self._bits[name] != 0
            return [((), (), False)] if is_true == (sign == "atom") else []
        if sign == "&":
            return [(parts, (), False)]
        if sign == "|":
            return [((part,), (), False) for part in parts]
        if sign in "XN":
            return [((), parts, False)]
        if sign == "G":
            return [(parts, (f,), False)]
        if sign == "F":
            return [(parts, (), False), ((), (f,), True)]
        left, right = parts
        if sign in "UW":
            return [((right,), (), False), ((left,), (f,), sign == "U")]
        return [((left, right), (), False), ((right,), (f,), sign == "M")]
