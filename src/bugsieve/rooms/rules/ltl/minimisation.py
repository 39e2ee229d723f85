"""Merges states that no word tells apart, and numbers what is left in one way only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from bugsieve.rooms.rules.ltl.exploration import Explored


class Node(NamedTuple):
    """A question for an atom (its index); answers are nodes, or `~state` at the end."""

    atom: int
    low: int
    high: int


class Tables(NamedTuple):
    """A minimal automaton that starts in state 0; see `Automaton`."""

    atoms: tuple[str, ...]
    accepting: frozenset[int]
    nodes: tuple[Node, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class _Signatures:
    """Numbers of diagrams that are equal if and only if they lead every letter alike."""

    of: dict[int, int]
    """By diagram; that of a leaf is the number of its block."""
    questions: dict[tuple[int, int, int], int]
    """Level and the signatures of both answers."""


def minimal(found: Explored) -> Tables:
    """Merge what no word tells apart: Moore's refinement by signatures of diagrams."""
    inner = found.inner_nodes()
    blocks = [int(accepts) for accepts in found.accepts]
    count = 0
    while len(set(blocks)) > count:
        count = len(set(blocks))
        signatures = _signatures(found, inner, blocks)
        names: dict[tuple[int, int], int] = {}
        blocks = [
            names.setdefault((block, signatures.of[row]), len(names))
            for block, row in zip(blocks, found.rows, strict=True)
        ]
    return _Numbering(found, blocks, _signatures(found, inner, blocks)).tables()


def _signatures(found: Explored, inner: Sequence[int], blocks: Sequence[int]) -> _Signatures:
    level, low, high = found.diagrams.level, found.diagrams.low, found.diagrams.high
    of = {leaf: blocks[state] for leaf, state in found.numbers.items()}
    first = len(blocks) + 2  # above all numbers of blocks
    questions: dict[tuple[int, int, int], int] = {}
    for at in inner:
        below, above = of[low[at]], of[high[at]]
        if below == above:
            of[at] = below
        else:
            of[at] = questions.setdefault((level[at], below, above), first + len(questions))
    return _Signatures(of, questions)


class _Numbering:
    """Numbers blocks and their diagrams as a walk from the start meets them."""

    def __init__(self, found: Explored, blocks: Sequence[int], signatures: _Signatures) -> None:
        self.atoms = found.atoms
        self.start = signatures.of[found.start]
        self.rows = {
            block: signatures.of[row] for block, row in zip(blocks, found.rows, strict=True)
        }
        self.accepting = {
            block for block, accepts in zip(blocks, found.accepts, strict=True) if accepts
        }
        self.questions = {number: asked for asked, number in signatures.questions.items()}
        self.states: dict[int, int] = {}
        self.refs: dict[int, int] = {}
        self.nodes: list[tuple[int, int, int]] = []

    def tables(self) -> Tables:
        """The tables of the blocks that can be reached."""
        initial = self._initial_block()
        self.states[initial] = 0
        rows = {**self.rows, initial: self.start}
        queue, refs = [initial], []
        for block in queue:  # grows while it is walked through
            refs.append(self._ref(rows[block]))
            queue += islice(self.states, len(queue), None)
        accepting = frozenset(self.states[block] for block in queue if block in self.accepting)
        asked = sorted({level for level, _, _ in self.nodes})
        index = {level: number for number, level in enumerate(asked)}
        nodes = tuple(Node(index[level], low, high) for level, low, high in self.nodes)
        atoms = tuple(self.atoms[level] for level in asked)
        return Tables(atoms, accepting, nodes, tuple(refs))

    def _initial_block(self) -> int:
        """A block with the successors of the start, rejecting if there are two; else a new one."""
        same = [block for block, row in self.rows.items() if row == self.start]
        return min(same, key=lambda block: (block in self.accepting, block), default=-1)

    def _ref(self, root: int) -> int:
        """The node for a signature; states and nodes met for the first time get a number."""
        refs, pending = self.refs, [root]
        while pending:
            at = pending[-1]
            level, *answers = self.questions.get(at, (-1,))
            missing = [answer for answer in answers if answer not in refs]
            if missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if level < 0:
                refs[at] = ~self.states.setdefault(at, len(self.states))
            elif at not in refs:
                refs[at] = len(self.nodes)
                self.nodes.append((level, refs[answers[0]], refs[answers[1]]))
        return refs[root]
