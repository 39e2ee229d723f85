"""Testing objectives by name: "quantitative", "qualitative", "avoid:FORMULA"."""

from __future__ import annotations

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import suggest
from bugsieve.benches.objectives.avoid import Avoid
from bugsieve.benches.objectives.objective import Objective
from bugsieve.benches.objectives.qualitative import Qualitative
from bugsieve.benches.objectives.quantitative import Quantitative
from bugsieve.tasks.fdr.task import Task

OBJECTIVES = {
    "quantitative": "reach the goal at the least cost",
    "qualitative": "reach the goal wherever that is possible",
    "avoid:FORMULA": "reach the goal without ever meeting a condition on facts",
}

_CLASSES: dict[str, type[Objective]] = {
    "quantitative": Quantitative,
    "qualitative": Qualitative,
}


def make_objective(spec: str, task: Task) -> Objective:
    """The objective of this name for the task; UsageError with the nearest name otherwise."""
    member = objective_class(spec)
    return Avoid(task, spec.partition(":")[2]) if member is Avoid else member(task)


def objective_class(spec: str) -> type[Objective]:
    """What a spec names, where there is no task; UsageError with the nearest name otherwise."""
    if spec.startswith("avoid:"):
        return Avoid
    if spec not in _CLASSES:
        known = ", ".join(OBJECTIVES)
        hint = suggest(spec, OBJECTIVES)
        raise UsageError(f"there is no objective '{spec}'{hint}; there are {known}")
    return _CLASSES[spec]


__all__ = ["OBJECTIVES", "Objective", "make_objective", "objective_class"]
