"""What a measurement should come to: the distribution of tests and what each shows, exactly.

Walk ends come from dynamic programming over the whole state space, in a twin of the task that is
written in plain Python. Which states are bugs is known from the cheapest plans of all states; the
cause of each is that of its certificate.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bugsieve import make_policy
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.measuring.figures import SampledTest
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.decisions import Ending
from bugsieve.policies.policy import Policy
from bugsieve.tasks.grounded.task import Task
from tests.quality.planted import ChangedPolicy, task_of
from tests.reference.sas import State, parse
from tests.reference.truth import Truth


@dataclass(frozen=True)
class Pair:
    """A task, a policy, and how far walks go."""

    domain: str
    seed: int
    sizes: tuple[tuple[str, int], ...]
    policy: str
    walk_length: int = 30
    planted: int = 0
    """In how many states, the rarest ends, it does the worst instead."""

    def __str__(self) -> str:
        sizes = "".join(f" {name}={value}" for name, value in self.sizes)
        planted = f" with {self.planted} mistakes" if self.planted else ""
        return f"{self.domain}{sizes}, {self.policy}{planted}"

    @cached_property
    def task(self) -> Task:
        return task_of(self.domain, self.seed, **dict(self.sizes))

    @cached_property
    def bench(self) -> Bench:
        policy: Policy = make_policy(self.policy, self.task)
        if self.planted:
            policy = ChangedPolicy(self._mistakes(), policy)
        return Bench(self.task, policy, make_objective("quantitative", self.task))

    def _mistakes(self) -> dict[bytes, int]:
        """The dearest operator in some states that walks rarely end in, none of them a goal."""
        optimum, graph = self.truth.optimum, self.truth.graph
        rare = sorted((s for s in self.ends if optimum[s]), key=lambda s: (self.ends[s], s))
        return {
            np.array(state, dtype=np.uint16).tobytes(): max(
                graph[state], key=lambda operator: (optimum[graph[state][operator]], operator)
            )
            for state in rare[: self.planted]
        }

    @cached_property
    def truth(self) -> Truth:
        """The cheapest plans of all states."""
        task = parse(self.task.to_sas())
        return Truth(task, (task.initial,), "quantitative")

    @cached_property
    def ends(self) -> dict[State, float]:
        """How likely a walk ends in each state."""
        now = {self.truth.starts[0]: 1.0}
        ends: defaultdict[State, float] = defaultdict(float)
        for _ in range(self.walk_length):
            after: defaultdict[State, float] = defaultdict(float)
            for state, chance in now.items():
                edges = self.truth.graph[state]
                for following in edges.values() or [
                    state
                ]:  # a walk ends where nothing can be done
                    after[following] += chance / max(len(edges), 1)
            now = dict(after)
            for state, chance in now.items():
                ends[state] += chance / self.walk_length
        return dict(ends)

    @cached_property
    def shown(self) -> dict[State, SampledTest]:
        """What a test shows that ends in each state."""
        states = np.array(list(self.ends), dtype=np.uint16)
        with Judge(self.bench, [make_oracle("perfect", self.bench)]) as judge:
            findings = judge.judge(Parcel.given(states))
        found = {}
        for state, finding in zip(self.ends, findings, strict=True):
            run, best = finding.run, self.truth.optimum[state]
            cost = float(run.cost) if run.ending == Ending.SOLVED else np.inf
            assert run.ending in (Ending.SOLVED, Ending.LOOP)  # so its value is certain
            assert bool(finding.bugs) == (cost > best)
            causes = (cause_of(self.bench, row.bug.certificate).id for row in finding.bugs)
            found[state] = SampledTest(frozenset(causes))
        return found

    @cached_property
    def classes(self) -> dict[SampledTest, float]:
        """How likely a test shows what."""
        chances: defaultdict[SampledTest, float] = defaultdict(float)
        for state, chance in self.ends.items():
            chances[self.shown[state]] += chance
        return dict(sorted(chances.items(), key=lambda item: -item[1]))

    @cached_property
    def share(self) -> float:
        """How likely a test has a bug."""
        return sum(chance for shown, chance in self.classes.items() if shown.causes)

    def risk(self, seen: set[str]) -> float:
        """How likely one more test shows a cause that is not among those seen."""
        return sum(chance for shown, chance in self.classes.items() if shown.causes - seen)
