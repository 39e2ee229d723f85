"""Control problems with real variables: time in steps, start boxes, and bounds that hold.

An action exists only while every value is within its working range, and bounds leave room for
one more step, so that no edge can leave them from any state at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.documents import BoundedVariable, Edge, Model, Start, WeightedOutcome
from bugsieve.rooms.zoo.expressions import Expression, between, conj, eq, le, plus
from bugsieve.rooms.zoo.options import GeneratorOptions, count

Box = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Working:
    """A real variable, the range in which actions exist, and the bounds of all its values."""

    name: str
    range: tuple[float, float]
    bounds: tuple[float, float]
    comment: str = ""

    def declaration(self, initial: float) -> BoundedVariable:
        """The variable as a JANI declaration."""
        return BoundedVariable(self.name, *self.bounds, initial, self.comment)

    def guard(self) -> Expression:
        """The condition that it is in its working range."""
        return between(self.range[0], self.name, self.range[1])


def symmetric(name: str, reach: float, step: float, comment: str = "") -> Working:
    """A variable around 0 that changes by less than `step` at a time."""
    return Working(name, (-reach, reach), (-reach - step, reach + step), comment)


def episodes_option() -> int:
    """The number of steps that a run must survive."""
    return count(1000, "number of steps to survive", maximum=1_000_000)


def starts_option() -> int:
    """The number of listed start states."""
    return count(0, "list that many start states; 0: a condition", minimum=0, maximum=100_000)


@dataclass(frozen=True)
class ControlOptions(GeneratorOptions):
    """The common options of all control problems."""

    episodes: int = episodes_option()
    starts: int = starts_option()


@dataclass(frozen=True)
class Control:
    """The frame of a control problem around its equations."""

    options: ControlOptions
    variables: Sequence[Working]
    box: Box

    def model(
        self,
        rng: Stream,
        summary: str,
        edges: Sequence[Edge],
        unsafe: Expression,
        constants: Mapping[str, int | float],
    ) -> Model:
        """The whole problem; the goal is that the run has lasted long enough."""
        return Model(
            summary=summary,
            actions=list(dict.fromkeys(edge.action for edge in edges)),
            variables=self._declarations(),
            edges=edges,
            start=self._start(rng),
            goal=eq("episode", self.options.episodes),
            unsafe=unsafe,
            constants=constants,
        )

    def _declarations(self) -> list[BoundedVariable]:
        """The step counter, then the real variables, which start in the middle of their box."""
        reals = [v.declaration(sum(self.box[v.name]) / 2) for v in self.variables]
        return [BoundedVariable("episode", 0, self.options.episodes, 0, "steps taken"), *reals]

    def edge(
        self,
        action: str,
        values: Mapping[str, Expression],
        condition: Sequence[Expression] = (),
        *,
        comment: str = "",
    ) -> Edge:
        """An action that takes one step of time."""
        inside = [le("episode", self.options.episodes - 1)]
        inside += [variable.guard() for variable in self.variables]
        step = {"episode": plus("episode", 1), **values}
        return Edge(action, conj(*inside, *condition), [WeightedOutcome(step)], comment)

    def _start(self, rng: Stream) -> Start:
        """Anywhere in the box, or drawn from it."""
        if self.options.starts:
            return Start(states=[self._draw(rng) for _ in range(self.options.starts)])
        sides = [between(low, name, high) for name, (low, high) in self.box.items()]
        return Start(conj(eq("episode", 0), *sides))

    def _draw(self, rng: Stream) -> dict[str, int | float]:
        drawn = {name: low + (high - low) * rng.random() for name, (low, high) in self.box.items()}
        return {"episode": 0, **drawn}
