"""Random conditions on the facts of a random task, with a naive meaning of their own."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.property.strategies import Pick, domain_sizes
from tests.reference.sas import SasTask, State


@dataclass(frozen=True)
class Formula:
    """An atom "variable has value", or a junction of other formulas."""

    word: str
    fact: tuple[int, int] = (0, 0)
    parts: tuple[Formula, ...] = ()

    @property
    def text(self) -> str:
        """The formula as users write it."""
        if self.word == "atom":
            variable, value = self.fact
            return f"(at-{variable} x{value})"
        return f"({self.word} {' '.join(part.text for part in self.parts)})"

    def holds(self, state: State) -> bool:
        """Whether the formula is true in the state."""
        if self.word == "atom":
            variable, value = self.fact
            return state[variable] == value
        truths = [part.holds(state) for part in self.parts]
        if self.word == "not":
            return not truths[0]
        return all(truths) if self.word == "and" else any(truths)


def random_formula(pick: Pick, task: SasTask, depth: int = 3) -> Formula:
    """A formula over facts of the task; one in four is a single fact."""
    form = pick(0, 3) if depth else 0
    if form == 0:
        sizes = domain_sizes(task)
        variable = pick(0, len(sizes) - 1)
        return Formula("atom", (variable, pick(0, sizes[variable] - 1)))
    word = ("not", "and", "or")[form - 1]
    count = 1 if word == "not" else pick(1, 3)
    return Formula(word, parts=tuple(random_formula(pick, task, depth - 1) for _ in range(count)))


def seeded_formula(seed: int, task: SasTask) -> Formula:
    """The formula that a seed stands for."""
    return random_formula(Random(seed).randint, task)
