"""`asnets:FILE`: an action schema network with the weights of a file."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess
from bugsieve.base.registry.spec_folder import located
from bugsieve.base.threads import num_threads
from bugsieve.policies.distributions import Distributions
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.rooms.formats.asnets import trained
from bugsieve.rooms.formats.asnets.files import load_weights
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.signature import signature_of
from bugsieve.rooms.formats.asnets.weights import Module, Weights
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

TIE_EPSILON = 1e-4
"""Part of these policies: of scores this close, the first action in the alphabet counts."""


class AsnetPolicy(BoundPolicy):
    """The applicable action to which an action schema network gives the greatest score.

    Among scores within 1e-4 of the greatest, the first action by name and arguments as strings.
    NO_ACTION means that the network knows no applicable action: those that forward h² does not
    reach and those without effect are not in it.
    """

    usage = f"asnets:FILE or asnets:NAME ({', '.join(trained.NAMES)})"
    examples = ()
    is_ours = True

    def __init__(
        self,
        grounding: Grounding,
        weights: Weights,
        spec: str,
        *,
        baseline: bool = False,
        threads: int | None = None,
    ) -> None:
        super().__init__(grounding.task, spec, tie_epsilon=TIE_EPSILON)
        self.grounding = grounding
        self.weights = weights
        wanted = num_threads() if threads is None else threads
        self._native = native_network(grounding, weights, baseline=baseline, threads=wanted)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """ASNets need the PDDL of a task, with actions that are lists of literals."""
        if task.pddl is None:
            return "ASNets read PDDL, and this task comes from SAS"
        try:
            signature_of(task.pddl)
        except UnsupportedError as error:
            return str(error)
        return None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """There is such a file, or such a network of ours."""
        if not argument:
            raise UsageError("'asnets:' must be followed by a file, as in 'asnets:FILE'")
        if argument not in trained.NAMES and not os.path.exists(located(argument)):
            raise UsageError(
                f"'asnets:{argument}': there is no file {argument!r}; those that come with "
                f"Bugsieve are {', '.join(trained.NAMES)}"
            )

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The file, unless it is one of ours."""
        if not argument or argument in trained.NAMES:
            return NOTHING
        return OutsideAccess(files=(argument,))

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> AsnetPolicy:
        """The network of the file, unrolled over the task."""
        cls.check_argument(argument)
        assert argument is not None
        grounding = ground(task)
        path = trained.path(argument) if argument in trained.NAMES else located(argument)
        weights = load_weights(path, grounding.signature)
        return cls(grounding, weights, f"asnets:{argument}")

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the action with the greatest score, as above."""
        batch = self.task.checked_states(states)
        return ask_core(self._native.choose, batch, self.tie_epsilon)

    def distributions(self, states: StateArray) -> Distributions:
        """Softmax of the scores over the applicable actions that the network knows."""
        batch = self.task.checked_states(states)
        able = self.grounding.applicable(batch)
        scores = np.where(able, self.logits(batch).astype(np.float64), -np.inf)
        best = scores.max(axis=1, initial=-np.inf, keepdims=True)
        weights = np.exp(scores - np.where(np.isfinite(best), best, 0.0))
        rows, columns = np.nonzero(able)
        offsets = np.concatenate([[0], np.cumsum(able.sum(axis=1))])
        return Distributions(self.grounding.operators[columns], weights[rows, columns], offsets)

    def logits(self, states: ArrayLike) -> NDArray[np.float32]:
        """(states, actions of the grounding): the score of each, applicable or not."""
        return ask_core(self._native.logits, self.task.checked_states(states))

    def fingerprint(self) -> str:
        """A hash of the weights."""
        return self.weights.digest()

    def network_key(self) -> str:
        """The fingerprint: it is the same for each file that has these weights."""
        return self.fingerprint()


def native_network(
    grounding: Grounding, weights: Weights, *, baseline: bool, threads: int
) -> _native.Asnet:
    """The network as the core runs it; `baseline`: on instructions that every processor has."""
    signature = grounding.signature
    numbers = {name: number for number, name in enumerate(signature.predicates)}
    none = Module(np.zeros((0, 0), np.float32), np.zeros(0, np.float32))
    return _native.Asnet(
        grounding.task.native,
        fact_starts=grounding.fact_starts,
        action_starts=grounding.action_starts,
        goal=grounding.goal,
        places=grounding.places,
        predicates=[
            np.array([numbers[atom.predicate] for atom in schema.related], dtype=np.int32)
            for schema in signature.schemas
        ],
        related=list(grounding.related),
        operators=grounding.operators,
        ranks=grounding.ranks,
        hidden=weights.hidden,
        action_modules=[
            [modules[schema.name] for schema in signature.schemas] for modules in weights.actions
        ],
        predicate_modules=[
            [modules.get(name, none) for name in signature.predicates]
            for modules in weights.predicates
        ],
        baseline=baseline,
        threads=threads,
    )
