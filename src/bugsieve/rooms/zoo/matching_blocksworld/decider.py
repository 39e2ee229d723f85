"""Matching blocksworld: does every block that must carry another stay solid?

A block released by a hand of the other sign is never solid again, and nothing can be stacked on
a block that is not solid. With a hand of its own sign a block can be moved for free. So a goal
`(on a b)` is in danger only if b is not solid (or held by the wrong hand): then a must stand on b
already and both must stay where they are; or if no hand has the sign of b: then b must stay where
it is. What carries a block that stays, stays too. If the goal agrees with all that must stay,
everything else can be put on the table and built up from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.rooms.zoo.schemas import (
    Action,
    Atoms,
    StripsAction,
    fluents,
    goal_atoms,
    recognised_actions,
)
from bugsieve.tasks.grounded.task import StateArray, Task

_SIGNS = {"pos": "positive", "neg": "negative"}
_TABLE = ""


def _release(hand: str, block: str) -> list[StripsAction]:
    """Putting down and stacking by a hand of one sign, of a block of one sign."""
    needs = ("holding h b", f"hand-{_SIGNS[hand]} h", f"block-{_SIGNS[block]} b")
    deletes = ("holding h b",) if hand == block else ("holding h b", "solid b")
    return [
        StripsAction(
            f"putdown-{hand}-{block}", "h b", needs, ("empty h", "on-table b", "clear b"), deletes
        ),
        StripsAction(
            f"stack-{hand}-{block}",
            "h b under",
            needs=(*needs, "clear under", "solid under"),
            adds=("empty h", "on b under", "clear b"),
            deletes=(*deletes, "clear under"),
        ),
    ]


_SCHEMAS = (
    StripsAction(
        "pickup",
        "h b",
        needs=("clear b", "on-table b", "empty h"),
        adds=("holding h b",),
        deletes=("clear b", "on-table b", "empty h"),
    ),
    StripsAction(
        "unstack",
        "h b under",
        needs=("on b under", "clear b", "empty h"),
        adds=("holding h b", "clear under"),
        deletes=("on b under", "clear b", "empty h"),
    ),
    *(schema for hand, block in product(_SIGNS, _SIGNS) for schema in _release(hand, block)),
)


@dataclass(frozen=True)
class _Towers:
    """A state: what each block stands on, and which blocks can carry others."""

    below: dict[str, str]
    """Blocks in a hand count as on the table."""
    solid: set[str]
    """Without those in the wrong hand: they are lost already."""
    held: dict[str, str]
    """Block to hand."""


@dataclass(frozen=True)
class _Goal:
    below: dict[str, str]
    clear: set[str]


class MatchingBlocksworldDecider(Decider):
    """Exact for any hands and blocks whose actions are all there."""

    @classmethod
    def recognise(cls, task: Task) -> MatchingBlocksworldDecider | None:
        """The decider if the task is one of this domain with goals on, on-table and clear."""
        actions = recognised_actions(task, _SCHEMAS)
        goal = goal_atoms(task, "on", "on-table", "clear")
        if not actions or goal is None:
            return None
        signs = _signs(actions)
        if signs is None or not _is_complete(task, actions, *signs):
            return None
        return cls(task, *signs, actions, goal)

    def __init__(
        self,
        task: Task,
        hands: dict[str, str],
        blocks: dict[str, str],
        actions: list[Action],
        goal: list[list[str]],
    ) -> None:
        self._task = task
        self._hands = hands
        self._blocks = blocks
        changing = fluents(task)
        stacked_on = {action.arguments[2] for action in actions if "stack-" in action.schema}
        self._always_solid = {b for b in stacked_on if f"(solid {b})" not in changing}
        self._goal = _goal(goal)
        self._ids = {
            (schema.partition("-")[0], *arguments): number
            for number, (schema, arguments) in enumerate(actions)
        }

    def solvable(self, state: StateArray) -> bool | None:
        """Return true if the blocks that must stay in place agree with the goal."""
        towers = self._towers(state)
        return None if towers is None else self._fixed(towers) is not None

    def plan(self, state: StateArray) -> tuple[int, ...] | None:
        """Put all that may move on the table, then build the goal from the bottom."""
        towers = self._towers(state)
        staying = None if towers is None else self._fixed(towers)
        if towers is None or staying is None or self._goal is None:
            return None
        below, wanted = towers.below, self._goal.below
        # Top blocks first, so that each is clear when it is taken; then from the bottom of the
        # goal, so that each finds its place below ready. Held blocks go to the table and free the
        # hands.
        steps: list[tuple[str, ...]] = []
        steps += [("putdown", hand, block) for block, hand in towers.held.items()]
        for block in sorted(below.keys() - staying, key=lambda b: (-_height(b, below), b)):
            if below[block] != _TABLE:
                hand = self._hand(block)
                steps += [("unstack", hand, block, below[block]), ("putdown", hand, block)]
        for block in sorted(wanted.keys() - staying, key=lambda b: (_height(b, wanted), b)):
            if wanted[block] != _TABLE:
                hand = self._hand(block)
                steps += [("pickup", hand, block), ("stack", hand, block, wanted[block])]
        return tuple(self._ids[step] for step in steps)

    def _hand(self, block: str) -> str:
        """A hand that the block stays solid in, if there is one."""
        return min(self._hands, key=lambda hand: (self._hands[hand] != self._blocks[block], hand))

    def _fixed(self, towers: _Towers) -> set[str] | None:
        """The blocks that stay in place if there is a plan; None if there is none."""
        if self._goal is None:
            return None
        staying = self._staying(towers.below, towers.solid, self._goal.below)
        if staying is None or not _agrees(staying, towers.below, self._goal):
            return None
        return staying

    def _staying(
        self, below: dict[str, str], solid: set[str], wanted: dict[str, str]
    ) -> set[str] | None:
        """The blocks that no plan moves; None if a block must carry another and never can."""
        signs = set(self._hands.values())
        staying = set()
        for block, under in wanted.items():
            if under == _TABLE:
                continue
            # Nothing can be put on it any more, so what the goal wants there must be there
            # already, for good.
            if under not in solid:
                if below[block] != under:
                    return None
                staying.add(block)
            # Solid, but any hand that moves it spoils it: it must not be moved.
            elif self._blocks[under] not in signs:
                staying.add(under)
        # A block can be moved only when it is clear, so what carries one that stays, stays.
        for block in list(staying):
            while (block := below[block]) != _TABLE:
                staying.add(block)
        return staying

    def _towers(self, state: StateArray) -> _Towers | None:
        """The state, or None if no blocks can stand like that."""
        atoms = Atoms(self._task.facts(state))
        held = {block: hand for hand, block in atoms.pairs("holding")}
        places = [
            *atoms.pairs("on"),
            *((block, _TABLE) for block in atoms.names("on-table")),
            *((block, _TABLE) for block in held),
        ]
        below = dict(places)
        under = [place for place in below.values() if place != _TABLE]
        free = atoms.names("empty")
        clear = atoms.names("clear")
        sound = (
            len(places) == len(below)
            and below.keys() == self._blocks.keys()
            and len(held) == len(atoms.pairs("holding")) == len(set(held.values()))
            and len(set(under)) == len(under)
            and clear == below.keys() - held.keys() - set(under)
            and not held.keys() & set(under)
            and free == self._hands.keys() - set(held.values())
            and not _has_cycle(below)
        )
        if not sound:
            return None
        spoilt = {b for b, hand in held.items() if self._hands[hand] != self._blocks[b]}
        return _Towers(below, (atoms.names("solid") | self._always_solid) - spoilt, held)


def _agrees(staying: set[str], below: dict[str, str], goal: _Goal) -> bool:
    """Return true if blocks that stay where they are, with those on them, can fit the goal."""
    above = {under: block for block, under in goal.below.items()}
    for block in staying:
        under = below[block]
        if goal.below.get(block, under) != under:
            return False
        if under != _TABLE and (above.get(under, block) != block or under in goal.clear):
            return False
    return True


def _signs(actions: list[Action]) -> tuple[dict[str, str], dict[str, str]] | None:
    """The signs of hands and blocks, read off what the actions are called."""
    hands: dict[str, str] = {}
    blocks: dict[str, str] = {}
    for schema, arguments in actions:
        if schema in ("pickup", "unstack"):
            continue
        _, hand, block = schema.split("-")
        if hands.setdefault(arguments[0], hand) != hand:
            return None
        if blocks.setdefault(arguments[1], block) != block:
            return None
    return hands, blocks


def _is_complete(
    task: Task, actions: list[Action], hands: dict[str, str], blocks: dict[str, str]
) -> bool:
    """Return true if every hand can do to every block what the domain allows."""
    known: dict[str, set[tuple[str, ...]]] = {}
    for schema, arguments in actions:
        known.setdefault(schema.partition("-")[0], set()).add(arguments)
    pairs = set(product(hands, blocks))
    stands = [pair for pair in Atoms(fluents(task)).pairs("on") if pair[0] != pair[1]]
    unstacked = {(hand, *pair) for hand in hands for pair in stands}
    stacked: dict[str, set[tuple[str, ...]]] = {}
    for hand, block, under in known.get("stack", ()):
        if block != under:
            stacked.setdefault(under, set()).add((hand, block))
    return (
        pairs <= known.get("pickup", set())
        and pairs <= known.get("putdown", set())
        and unstacked <= known.get("unstack", set())
        and all(
            stacked[under] >= {pair for pair in pairs if pair[1] != under} for under in stacked
        )
    )


def _goal(atoms: list[list[str]]) -> _Goal | None:
    """The wanted towers; None if no blocks can stand like that."""
    table = Atoms("(" + " ".join(words) + ")" for words in atoms)
    places = {
        *table.pairs("on"),
        *((block, _TABLE) for block in table.names("on-table")),
    }
    below = dict(places)
    under = [place for place in below.values() if place != _TABLE]
    clear = table.names("clear")
    sound = (
        len(below) == len(places)
        and len(set(under)) == len(under)
        and not clear & set(under)
        and not _has_cycle(below)
    )
    return _Goal(below, clear) if sound else None


def _height(block: str, below: dict[str, str]) -> int:
    """The number of blocks under the block."""
    height = 0
    while (block := below.get(block, _TABLE)) != _TABLE:
        height += 1
    return height


def _has_cycle(below: dict[str, str]) -> bool:
    """Return true if a block stands on itself in the end; each block is followed once."""
    safe = {_TABLE}
    for block in below:
        way = []
        while block not in safe and block in below:
            if block in way:
                return True
            way.append(block)
            block = below[block]
        safe.update(way)
    return False
