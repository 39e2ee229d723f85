"""A policy for every task of four-operator blocksworld.

Take towers apart from the top until all blocks that are not in place stand on the table. Put a
block where it belongs as soon as all below it is in place. Each block moves at most twice. Use it
as `--policy python:bugsieve.policies.examples.blocksworld:choose`.
"""

from __future__ import annotations

from bugsieve.policies.task_view import TaskView


def choose(facts: frozenset[str], applicable: list[str], task: TaskView) -> str | None:
    """The next action, or None if nothing is left to do."""
    blocks = _Blocks(facts, task.goal)
    actions = {_key(name): name for name in applicable}
    return next((actions[key] for key in blocks.wishes(actions) if key in actions), None)


class _Blocks:
    """The places of the blocks, now and in the goal."""

    def __init__(self, facts: frozenset[str], goal: tuple[str, ...]) -> None:
        self.below = _pairs(facts, "on")
        self.goal_below = _pairs(goal, "on")
        self.goal_above = {under: block for block, under in self.goal_below.items()}
        self.belongs_on_table = _singles(goal, "ontable", "on-table")
        self.must_be_free = _singles(goal, "clear") | _singles(goal, "holding")
        self.to_hold = sorted(_singles(goal, "holding"))
        self.held = sorted(_singles(facts, "holding"))

    def wishes(self, actions: dict[tuple[str, ...], str]) -> list[tuple[str, ...]]:
        """The actions that the policy prefers, in order; not all may be possible."""
        if self.held:
            block = self.held[0]
            if self.can_be_placed(block):
                return [("stack", block, self.goal_below[block]), ("putdown", block)]
            return [("putdown", block)]
        movable = sorted(key for key in actions if key[0] in ("pickup", "unstack"))
        build = [key for key in movable if key[0] == "pickup" and self.can_be_placed(key[1])]
        clear = [key for key in movable if key[0] == "unstack" and not self.in_place(key[1])]
        take = [key for key in movable if key[1] in self.to_hold]
        return build + clear + take

    def can_be_placed(self, block: str) -> bool:
        """Return true if the block belongs on another one that is in place with nothing on it."""
        target = self.goal_below.get(block)
        free = target not in self.below.values()
        return target is not None and free and self.in_place(target)

    def in_place(self, block: str) -> bool:
        """Return true if the block and all below it can stay where they are."""
        while True:
            under = self.below.get(block)
            if under is None:
                return block not in self.goal_below and block not in self.held
            if self.goal_below.get(block, under) != under or block in self.belongs_on_table:
                return False
            if self.goal_above.get(under, block) != block or under in self.must_be_free:
                return False
            block = under


def _key(action: str) -> tuple[str, ...]:
    """`(pick-up a)` and `(pickup a)` as `("pickup", "a")`."""
    name, *arguments = action.strip("()").split()
    return (name.replace("-", ""), *arguments)


def _pairs(facts: frozenset[str] | tuple[str, ...], predicate: str) -> dict[str, str]:
    atoms = [fact.strip("()").split() for fact in facts]
    return {atom[1]: atom[2] for atom in atoms if atom[0] == predicate and len(atom) == 3}


def _singles(facts: frozenset[str] | tuple[str, ...], *predicates: str) -> set[str]:
    atoms = [fact.strip("()").split() for fact in facts]
    return {atom[1] for atom in atoms if atom[0] in predicates and len(atom) == 2}
