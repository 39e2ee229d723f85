"""`hill-climbing:HEURISTIC`: steps to an improving successor, weighing the cost of the step."""

from __future__ import annotations

from bugsieve.policies.built_in.best_successor import BestSuccessorPolicy


class HillClimbingPolicy(BestSuccessorPolicy):
    """The action with the lowest c(a) + h(successor), improving successors first.

    A successor s' of s is improving if h(s') < h(s). If there are improving ones, only they are
    compared; otherwise all are, dead ends last. Ties go to the lowest action id. NO_ACTION means
    that nothing is applicable.
    """

    family = "hill-climbing"
    usage = "hill-climbing:HEURISTIC (default hff)"
    examples = ("hill-climbing", "hill-climbing:hadd")
    improving = True
    is_ours = True
