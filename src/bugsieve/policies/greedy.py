"""`greedy:HEURISTIC`: steps to the successor that looks closest to the goal."""

from __future__ import annotations

from bugsieve.policies.best_successor import BestSuccessorPolicy


class GreedyPolicy(BestSuccessorPolicy):
    """The applicable action whose successor has the lowest heuristic value; lowest id on ties.

    Action costs do not count. Dead ends compare as larger than every number, so a state with only
    dead ends as successors still gets its lowest action; NO_ACTION means nothing is applicable.
    """

    family = "greedy"
    usage = "greedy:HEURISTIC (default hff)"
    examples = ("greedy", "greedy:hmax")
    improving = False
    is_ours = True
