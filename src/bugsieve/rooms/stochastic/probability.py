"""Reach the goal as surely as possible: the value of a stochastic policy is its probability.

Actions of planning tasks are deterministic, so a plan reaches the goal with probability 1. Where
there is a plan, every policy that does not is worse. What counts is a proven upper bound on its
probability, exact where all that it can reach is explored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.pipeline.objectives.objective import (
    FOR_PLANS,
    FOR_PLANS_ALONE,
    UNSOLVED,
    BugKind,
    Objective,
    Values,
)
from bugsieve.policies.decisions import Ending
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import RunSource, RunTable
from bugsieve.rooms.stochastic.certificate_distributions import Weighed, weighed
from bugsieve.rooms.stochastic.runs import ChanceRuns
from bugsieve.tasks.grounded.task import StateArray, Task

DEFAULT_STATES = 1_000
MOST_STATES = 5_000
_DIGITS = 12  # of bounds, as decimals


class Probability(Objective):
    """Reach the goal with the greatest probability, under a policy that gives distributions.

    A policy that gives actions reaches it with probability 0 or 1. STATES are explored from each
    test state, the likeliest first; those beyond count as if they reached the goal.
    """

    usage = f"probability[:STATES] (default {DEFAULT_STATES})"
    examples = ("probability", "probability:50")
    minimise = False
    worst = 0.0
    kinds: ClassVar = {
        "unsolved": UNSOLVED,
        "uncertain": BugKind(
            "Probability bugs: the policy may fail where it need not",
            "reaches the goal with probability at most {policy_value:.4g}, "
            "a plan of cost {plan[cost]} for certain",
        ),
    }
    possible = "the goal could be reached for certain"
    usual_oracles = FOR_PLANS
    oracles_alone = FOR_PLANS_ALONE
    reached = "from the initial state the policy reaches the goal with probability 1"
    missed = "the policy does not reach the goal for certain from the initial state"
    cut = "it is open how likely the policy reaches the goal from the initial state"
    longer_runs = "more states (--objective probability:STATES)"

    def __init__(self, task: Task, states: int = DEFAULT_STATES) -> None:
        super().__init__(task)
        self.states = states
        self.spec = "probability" if states == DEFAULT_STATES else f"probability:{states}"

    @classmethod
    def in_words(cls, value: float) -> str:
        """The probability, or the bound that is proven."""
        if value != value:
            return ""
        return f"probability {'1' if value == 1 else f'at most {value:.4g}'}"

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a number of states."""
        if argument is not None and _states(argument) is None:
            raise UsageError(
                f"STATES of the objective 'probability:STATES' is a whole number from 1 to "
                f"{MOST_STATES}, got {argument[:40]!r}"
            )

    @classmethod
    def from_spec(cls, task: Task, argument: str | None) -> Probability:
        """The argument is the number of states to explore."""
        return cls(task, _states(argument or "") or DEFAULT_STATES)

    def run_source(self, policy: Policy, *, seed: int = 0) -> RunSource:
        """Runs that show what may become of states, with the probabilities behind them."""
        if hasattr(policy, "run_source"):
            raise UnsupportedError(
                f"objective {self.spec!r} needs a policy that looks at the state alone, and this "
                "one does not: take the objective 'qualitative'"
            )
        return ChanceRuns(self.task, policy, limit=self.states, seed=seed)

    def policy_values(self, runs: RunTable) -> Values:
        """Proven upper bounds on the probability of reaching the goal."""
        assert isinstance(runs.source, ChanceRuns)
        return runs.source.values(runs)

    def certificate_parts(self, runs: RunTable) -> dict[str, Any]:
        """The proof of the probability, by states where the policy gives distributions."""
        if not isinstance(runs.source, ChanceRuns) or runs.endings[0] == Ending.STEP_LIMIT:
            return {}
        rows = runs.source.chance(int(runs.ids[0])).rows
        return {"chances": list(rows)} if rows else {}

    def recorded_weights(self, certificate: Mapping[str, Any]) -> Weighed | None:
        """Those of the proof, in states on the run and beside it."""
        return weighed(self.task, certificate) if "chances" in certificate["run"] else None

    def gap(self, one: float, other: float) -> float:
        """The distance of two values, with as many digits as they have."""
        return round(super().gap(one, other), _DIGITS)

    def is_final(self, value: float) -> bool:
        """Return false: a value of the policy is only a bound."""
        return False

    def always_beaten(self, policy_value: float) -> bool:
        """Every plan is certain."""
        return policy_value < self.best

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """A plan reaches the goal."""
        return 1.0

    def kind(self, policy_value: float) -> str:
        """The policy does not reach the goal, or not for certain."""
        return "uncertain" if policy_value > 0 else "unsolved"


def _states(text: str) -> int | None:
    """A number of states, if it is one."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_STATES))
    return int(text) if is_number and 1 <= int(text) <= MOST_STATES else None
