"""`blocks`: blocksworld with one hand or several, as stacks."""

from __future__ import annotations

from collections.abc import Iterable

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, KeptForRun, Subject, TaskScene, Words
from bugsieve.pictures.shapes import Drawing
from bugsieve.rooms.zoo.stacks import MOST_BLOCKS, Room, Stacks, draw_stacks, room_for

_TABLE = ("ontable", "on-table", "on_table")


class BlocksPicture(TaskPicture):
    """Blocks as stacks on a table, with the stacks of the goal beside them."""

    usage = "blocks"
    signs = ("✗: a broken block",)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Blocks stand on blocks or on the table, and nothing else is on anything."""
        if ("on", 2) not in words.arities or not any((t, 1) in words.arities for t in _TABLE):
            return "there are no facts (on BLOCK BLOCK) and (ontable BLOCK)"
        if ("clear", 1) not in words.arities:
            return "there are no facts (clear BLOCK)"
        if len(_blocks(words)) > MOST_BLOCKS:
            return f"there are more than {MOST_BLOCKS} blocks"
        return None

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        self._room = KeptForRun(_room)

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """A block is marked by where it stands; its goal is beside it."""
        under = _under(scene.fluent)
        held = [words[-1] for words in scene.of("holding")]
        marks = {block: self._mark(scene, block) for block in (*under, *held)}
        now = Stacks(under, held, _roles(scene), marks)
        return draw_stacks(now, self._room.of(scene), scene.index, _goal(scene), _notes(scene))

    def _mark(self, scene: TaskScene, block: str) -> str:
        """Signs of blocks that must match the hand, and whether one is broken."""
        sign = {"block-positive": "+", "block-negative": "−"}
        marks = [mark for word, mark in sign.items() if (word, block) in scene.true]
        broken = ("solid", 1) in scene.words.arities and ("solid", block) not in scene.true
        return "".join([*marks, *(["✗"] if broken else [])])


def _room(scene: TaskScene) -> Room:
    return room_for(_under(scene.words.fluent(state)) for state in scene.states)


def _under(fluent: Iterable[Atom]) -> dict[str, str | None]:
    """The thing below each block, with blocks on the table first."""
    atoms = list(fluent)
    under: dict[str, str | None] = {atom[1]: None for atom in atoms if atom[0] in _TABLE}
    under.update({atom[1]: atom[2] for atom in atoms if atom[0] == "on"})
    return under


def _blocks(words: Words) -> list[str]:
    atoms = [atom for atom in words.possible if atom[0] in ("on", "clear", *_TABLE)]
    known = {name for atom in atoms for name in atom[1:]}
    return [name for name in words.objects if name in known]


def _roles(scene: TaskScene) -> dict[str, str]:
    """By the facts about where a block is; that another one is on it says nothing of it."""
    facts: dict[str, list[Atom]] = {}
    for atom in (*scene.fluent, *sorted(scene.goals)):
        if atom[0] in ("on", *_TABLE):
            facts.setdefault(atom[1], []).append(atom)
        elif atom[0] == "holding":
            facts.setdefault(atom[-1], []).append(atom)
    roles = {block: scene.role(*about) for block, about in facts.items()}
    return {block: role for block, role in roles.items() if role != "open goal"}


def _goal(scene: TaskScene) -> Stacks:
    goals = scene.words.goals
    lowest: dict[str, str | None] = {goal[2]: None for goal in goals if goal[0] == "on"}
    under = lowest | _under(goals)
    about = {
        block: [g for g in goals if g[0] in ("on", *_TABLE) and g[1] == block] for block in under
    }
    roles = {
        block: "" if not facts else "goal" if set(facts) <= scene.true else "open goal"
        for block, facts in about.items()
    }
    return Stacks(under, roles=roles)


def _notes(scene: TaskScene) -> list[tuple[str, str]]:
    """Goals about anything else."""
    others = [g for g in sorted(scene.goals) if g[0] not in ("on", *_TABLE)]
    still = [goal for goal in others if goal not in scene.true]
    if not others:
        return []
    if not still:
        return [("all other goals hold", "goal")]
    return [("open: " + ", ".join(" ".join(goal) for goal in still), "open goal")]
