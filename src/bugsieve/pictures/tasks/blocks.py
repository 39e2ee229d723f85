"""`blocks`: blocksworld with one hand or several, as stacks."""

from __future__ import annotations

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.pictures.shapes import Drawing
from bugsieve.pictures.stacks import MOST_BLOCKS, Stacks, draw_stacks

_TABLE = ("ontable", "on-table", "on_table")


class BlocksPicture(TaskPicture):
    """Blocks as stacks on a table, with the stacks of the goal beside them."""

    usage = "blocks"

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

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """A block is marked by where it stands; its goal is beside it."""
        under: dict[str, str | None] = {block: None for (block,) in scene.of(*_TABLE)}
        under.update(dict(pair for pair in scene.of("on") if len(pair) == 2))
        held = [words[-1] for words in scene.of("holding")]
        roles = {block: self._role(scene, block) for block in (*under, *held)}
        marks = {block: self._mark(scene, block) for block in roles}
        now = Stacks(under, held, roles, marks)
        return draw_stacks(_blocks(scene.words), now, _goal(scene), _notes(scene))

    def _role(self, scene: TaskScene, block: str) -> str:
        """Of the facts about where a block is; that another one is on it says nothing of it."""
        facts = [
            atom
            for atom in (*scene.fluent, *sorted(scene.goals))
            if (atom[0] in ("on", *_TABLE) and atom[1] == block)
            or (atom[0] == "holding" and atom[-1] == block)
        ]
        role = scene.role(*facts)
        return "" if role == "open goal" else role

    def _mark(self, scene: TaskScene, block: str) -> str:
        """Signs of blocks that must match the hand, and whether one is broken."""
        sign = {"block-positive": "+", "block-negative": "−"}
        marks = [mark for word, mark in sign.items() if (word, block) in scene.true]
        broken = ("solid", 1) in scene.words.arities and ("solid", block) not in scene.true
        return "".join([*marks, *(["✗"] if broken else [])])


def _blocks(words: Words) -> list[str]:
    table = {atom[1] for atom in words.possible if atom[0] in (*_TABLE, "clear")}
    return [name for name in words.objects if name in table]


def _goal(scene: TaskScene) -> Stacks:
    goals = [goal for goal in scene.words.goals if goal is not None]
    under: dict[str, str | None] = {}
    for goal in goals:
        if goal[0] == "on":
            under.setdefault(goal[2], None)
    under.update({goal[1]: None for goal in goals if goal[0] in _TABLE})
    under.update({goal[1]: goal[2] for goal in goals if goal[0] == "on"})
    about = {
        block: [g for g in goals if g[0] in ("on", *_TABLE) and g[1] == block] for block in under
    }
    roles = {
        block: "" if not facts else "goal" if set(facts) <= scene.true else "open goal"
        for block, facts in about.items()
    }
    return Stacks(under, (), roles)


def _notes(scene: TaskScene) -> list[tuple[str, str]]:
    """Goals about anything else."""
    others = [g for g in sorted(scene.goals) if g[0] not in ("on", *_TABLE)]
    still = [goal for goal in others if goal not in scene.true]
    if not others:
        return []
    if not still:
        return [("all other goals hold", "goal")]
    return [("open: " + ", ".join(" ".join(goal) for goal in still), "open goal")]
