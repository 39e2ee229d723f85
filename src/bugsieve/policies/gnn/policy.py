"""`gnn:FILE`: steps to the successor that a relational graph network holds for the best."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.basis.errors import UsageError
from bugsieve.basis.reach import Reach
from bugsieve.basis.spec_folder import located
from bugsieve.basis.threads import num_threads
from bugsieve.policies.gnn.atoms import network_atoms
from bugsieve.policies.gnn.network import GraphNetwork, read_graph_network
from bugsieve.policies.policy import BoundPolicy, PolicySettings, argbest_within
from bugsieve.tasks.fdr.arrays import ask_core
from bugsieve.tasks.fdr.task import NO_ACTION, ActionArray, StateArray, Task

TIE_EPSILON = 1e-4
"""Values this close count as equal, as those who made the networks have it."""

_TOGETHER = "successors"
_STATES_AT_ONCE = 256
"""Whose successors are in memory together."""


class GnnPolicy(BoundPolicy):
    """The action whose successor a relational graph network values as nearest to the goal.

    Costs do not count. Values within 1e-4 of the best are ties, which go to the first action by
    its name and arguments as strings. With `:successors`, the smooth maxima inside the network are
    built on one maximum for all successors of a state, as its authors do; otherwise each state has
    its own, and its value does not depend on the state from which it was reached.
    """

    usage = f"gnn:FILE[:{_TOGETHER}]"
    examples = ()  # there is no file that everybody has
    is_ours = True

    def __init__(
        self,
        task: Task,
        network: GraphNetwork,
        spec: str,
        *,
        together: bool = False,
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
    def reach(cls, argument: str | None) -> Reach:
        """The file."""
        return Reach(files=(_split(argument)[0],))

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> GnnPolicy:
        """The network of the file, bound to the task."""
        cls.check_argument(argument)
        name, together = _split(argument)
        return cls(task, read_graph_network(located(name)), f"gnn:{argument}", together=together)

    def values(self, states: StateArray) -> NDArray[np.float32]:
        """How far the goal seems to be from each state by itself."""
        return ask_core(self._values.of_states, self.task.checked_states(states))

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the action with the least value of its successor."""
        batch = self.task.checked_states(states)
        parts = [
            self._choose(batch[first : first + _STATES_AT_ONCE])
            for first in range(0, len(batch), _STATES_AT_ONCE)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int32), *parts])

    def fingerprint(self) -> str:
        """A hash of the spec and of everything that the network computes with."""
        network = self.network
        shape = (network.predicates, network.iterations, self.together)
        digest = hashlib.sha256(repr(shape).encode())
        for part in network.parts:
            for array in (*part.weights, *part.biases):
                digest.update(repr(array.shape).encode() + array.tobytes())
        return digest.hexdigest()

    def _choose(self, states: StateArray) -> ActionArray:
        successors, operators, offsets = self.task.all_successors(states)
        if self.together:
            values = ask_core(self._values.of_groups, successors, offsets)
        else:
            values = ask_core(self._values.of_states, successors)
        scores = -values.astype(np.float64)
        best = argbest_within(scores, self._ranks[operators], offsets, epsilon=self.tie_epsilon)
        return self._ranked[best]


def _split(argument: str | None) -> tuple[str, bool]:
    """The file, and whether the successors of a state are valued together."""
    if not argument:
        raise UsageError("'gnn:' must be followed by a file, as in 'gnn:network.ckpt'")
    name, _, way = argument.rpartition(":")
    if not name or way.strip() != _TOGETHER or os.path.exists(located(argument)):
        return argument, False
    return name.rstrip(), True


def _missing(argument: str) -> str:
    """That there is no such file, or what should follow the one that there is."""
    name, _, way = argument.rpartition(":")
    if name and os.path.isfile(located(name)):
        return f"{name!r} may be followed by ':{_TOGETHER}', not by ':{way}'"
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
