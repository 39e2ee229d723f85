"""Worlds of traces: what the judge of obligations must know of a task or a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from bugsieve.rooms.rules.engine.certificates import Statement
from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.obligations.letters import Letter
from bugsieve.tasks.search_limits import Limits

Certificate: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Sought:
    """The result of a search for a trace."""

    outcome: Literal["trace", "none", "empty", "inconclusive"]
    reason: str = ""
    """The reason why nothing is known, or the traces of which it is said that there is none."""
    trace: Any = None
    """In the form of its world."""
    expanded: int = 0


class World(ABC):
    """Rules, the traces they are about, and searches for more of them."""

    plans_only: ClassVar[bool] = False
    """True if every trace is a plan, so that none goes on for ever, and there may be none."""
    rules: Sequence[RuleInstance]
    folded: Mapping[str, bool]
    """The atoms that are the same in every state."""

    @property
    def goes_on(self) -> bool:
        """Return true if it is known that something can be done after every trace."""
        return False

    @property
    def first_letter(self) -> Letter | None:
        """The atoms that are true where all traces begin; None where they may begin anyhow."""
        return None

    @abstractmethod
    def known(self, automaton: Automaton, *, with_goal: bool) -> Any | None:
        """A trace that is known and accepted; with the goal, one that ends there."""

    @abstractmethod
    def ends(self, automaton: Automaton, *, with_goal: bool) -> int:
        """A bit for each known trace: whether it is accepted."""

    @abstractmethod
    def learn(self, certificate: Certificate) -> None:
        """Know the trace of a certificate that the checker has accepted."""

    @abstractmethod
    def search(self, formula: Formula, *, with_goal: bool, limits: Limits) -> Sought:
        """A trace that satisfies the formula as it ends; with the goal, one that ends there."""

    @abstractmethod
    def search_for_ever(self, formula: Formula, *, limits: Limits) -> Sought:
        """A trace that goes on for ever and satisfies the formula."""

    def search_refutation(self, formula: Formula, *, limits: Limits) -> Sought:
        """A trace after which nothing that can come keeps the formula; for worlds in which
        traces go on."""
        return Sought("inconclusive", "not looked for")

    @abstractmethod
    def shown(self, statement: Statement, trace: Any) -> Certificate:
        """That the trace is one."""

    @abstractmethod
    def excluded(self, statement: Statement) -> Iterable[Certificate]:
        """That there is none, proven in one way or another; the shortest proofs first."""
