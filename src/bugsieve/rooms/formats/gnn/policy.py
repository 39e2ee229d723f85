"""`gnn:FILE`: steps to the successor that a relational graph network holds for the best."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located
from bugsieve.base.threads import num_threads
from bugsieve.policies.avoiding_runs import AvoidingRuns
from bugsieve.policies.policy import BoundPolicy, PolicySettings, argbest_within
from bugsieve.policies.run_table import RunSource
from bugsieve.rooms.formats.gnn.atoms import network_atoms
from bugsieve.rooms.formats.gnn.network import GraphNetwork, read_graph_network
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task

TIE_EPSILON = 1e-4
"""Values this close count as equal, as those who made the networks have it."""

TOGETHER, ALONE, AVOID = "successors", "alone", "avoid"
"""The words that may follow the file. The first is the usual way by its older name."""
_WAYS = (AVOID, ALONE, TOGETHER)
_STATES_AT_ONCE = 256
"""The number of states whose successors are in memory together."""


class GnnPolicy(BoundPolicy):
    """The action whose successor a relational graph network values as nearest to the goal.

    Costs do not count. Values within 1e-4 of the best are ties, which go to the first action by
    its name and arguments as strings. The smooth maxima inside the network are built on one
    maximum for all successors of a state, as its authors do. With `:alone`, each successor has
    its own, so that its value does not depend on the state from which it was reached. With
    `:avoid`, the policy never steps to a state that its run has visited.
    """

    usage = f"gnn:FILE[:{AVOID}|:{ALONE}]"
    examples = ()  # there is no file that everybody has
    is_ours = True

    def __init__(
        self,
        task: Task,
        network: GraphNetwork,
        spec: str,
        *,
        together: bool = True,
        threads: int | None = None,
    ) -> None:
        super().__init__(task, spec, tie_epsilon=TIE_EPSILON)
        self.network = network
        self.together = together
        atoms = network_atoms(network, task)
        self._values = _native.RelationalValues(
            task.native,
            network.core(),
            objects=atoms.objects,
            relations=atoms.relations,
            arguments=atoms.arguments,
            always=atoms.always,
            of_values=atoms.of_values,
            threads=num_threads() if threads is None else threads,
        )
        self._ranks, self._ranked = _ranks(task)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """Tasks need PDDL: SAS says neither what is static nor which predicates there are."""
        return None if task.pddl_texts is not None else "it needs the task in PDDL, not as SAS"

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """There is such a file."""
        name, _ = _split(argument)
        if not os.path.exists(located(name)):
            raise UsageError(f"'gnn:{argument}': {_missing(name)}")

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The file."""
        return OutsideAccess(files=(_split(argument)[0],))

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> GnnPolicy:
        """The network of the file, bound to the task."""
        cls.check_argument(argument)
        name, way = _split(argument)
        network, spec = read_graph_network(located(name)), f"gnn:{argument}"
        made = AvoidingGnnPolicy if way == AVOID else GnnPolicy
        return made(task, network, spec, together=way != ALONE)

    def values(self, states: StateArray) -> NDArray[np.float32]:
        """The estimated distance from each state to the goal, by the state itself."""
        return ask_core(self._values.of_states, self.task.checked_states(states))

    def values_together(self, states: StateArray) -> NDArray[np.float32]:
        """The same with one maximum for all of them, as for the successors of a state."""
        batch = self.task.checked_states(states)
        return ask_core(self._values.of_groups, batch, np.array([0, len(batch)]))

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the action with the least value of its successor."""
        batch = self.task.checked_states(states)
        parts = [
            self._choose(batch[first : first + _STATES_AT_ONCE])
            for first in range(0, len(batch), _STATES_AT_ONCE)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int32), *parts])

    def fingerprint(self) -> str:
        """A hash of everything that the network computes with, and of how it decides."""
        return self._hash(self.together)

    def network_key(self) -> str:
        """The fingerprint: it is the same for each file that has these numbers."""
        return self.fingerprint()

    def earlier_spec(self, fingerprint: str) -> str | None:
        """The spec of the policy that `gnn:FILE` was when each successor was valued alone."""
        if fingerprint != self._hash(False) or fingerprint == self.fingerprint():
            return None
        name, _ = _split(self.spec.partition(":")[2])
        return f"gnn:{name}:{ALONE}"

    def _hash(self, *way: object) -> str:
        network = self.network
        shape = (network.predicates, network.iterations, *way)
        digest = hashlib.sha256(repr(shape).encode())
        for part in network.parts:
            for array in (*part.weights, *part.biases):
                digest.update(repr(array.shape).encode() + array.tobytes())
        return digest.hexdigest()

    def _choose(self, states: StateArray) -> ActionArray:
        return self._best(*self.task.all_successors(states))

    def _best(
        self, successors: StateArray, operators: ActionArray, offsets: NDArray[np.int64]
    ) -> ActionArray:
        """For each state the operator to its best successor."""
        if self.together:
            values = ask_core(self._values.of_groups, successors, offsets)
        else:
            values = ask_core(self._values.of_states, successors)
        scores = -values.astype(np.float64)
        best = argbest_within(scores, self._ranks[operators], offsets, epsilon=self.tie_epsilon)
        return self._ranked[best]


class AvoidingGnnPolicy(GnnPolicy):
    """`gnn:FILE:avoid`: only successors that the run has not visited are valued and taken."""

    is_ours = True
    avoids_visited = True

    def run_source(self, task: Task) -> RunSource:
        """Runs that remember where they have been."""
        return AvoidingRuns(task, self._best)

    def fingerprint(self) -> str:
        """A hash of everything that the network computes with, and of how it decides."""
        return self._hash(self.together, AVOID)

    def _choose(self, states: StateArray) -> ActionArray:
        return AvoidingRuns(self.task, self._best).first_actions(states)


def _split(argument: str | None) -> tuple[str, str]:
    """The file, and what follows it; TOGETHER where nothing does."""
    if not argument:
        raise UsageError("'gnn:' must be followed by a file, as in 'gnn:network.ckpt'")
    name, _, way = argument.rpartition(":")
    if not name or way.strip() not in _WAYS or os.path.exists(located(argument)):
        return argument, TOGETHER
    return name.rstrip(), way.strip()


def _missing(argument: str) -> str:
    """That there is no such file, or what should follow the one that there is."""
    name, _, way = argument.rpartition(":")
    if name and os.path.isfile(located(name)):
        return f"{name!r} may be followed by ':{AVOID}' or ':{ALONE}', not by ':{way}'"
    return f"there is no file {argument!r}"


def _ranks(task: Task) -> tuple[ActionArray, ActionArray]:
    """The place of each operator by name and arguments as strings, and the operators by place.

    NO_ACTION is the last of these, so that no place has no operator.
    """
    words = [name[1:-1].split() for name in task.operator_names]
    ranked = np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.int32)
    ranks = np.empty_like(ranked)
    ranks[ranked] = np.arange(len(ranked), dtype=np.int32)
    return ranks, np.append(ranked, np.int32(NO_ACTION))
