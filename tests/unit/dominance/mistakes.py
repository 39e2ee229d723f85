"""Mistakes that the naive dominance function makes on request, each unsound somewhere."""

from __future__ import annotations

from enum import Enum


class Mistake(Enum):
    """What is done wrong."""

    NO_GOAL_RULE = "no rule 1"
    TAU_WITH_PRECONDITION = "tau although the label has a precondition elsewhere"
    NOOP_WITHOUT_OTHERS = "noop without what the other factors lose by it"
    SKIPPED_INAPPLICABLE = "D^L skips states where the answer does not apply"
    FREE_TAU = "T without label costs"
    FREE_ABSORPTION = "absorption free"
    NO_WAY_BACK = "absorption without the way back"
    FORGOTTEN_COSTS = "the difference of label costs forgotten"
    CHEAPEST_OF_GROUP = "the cheapest cost of a local label group"
    DEAD_LABEL_IRRELEVANT = "dead label taken for irrelevant"
    ONE_STATE_FACTOR_DROPPED = "factor with one state left is dropped"
    STOPPED_EARLY = "stopped early, values from above kept"
    ONE_FACTOR_LOWERED = "timeout: the last factor to its tau-bound, others kept unfinished"
    FREE_CHOICE = "conditional effect as a choice of outcomes"
