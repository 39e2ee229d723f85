"""Two runs of a policy into danger, on a system small enough to see by eye what is safe."""

from __future__ import annotations

from bugsieve.rooms.jani.model.loading import load_document
from tests.property.safety_models import Case, ListedPolicy, document
from tests.reference.safety import GOAL, ORDINARY, UNSAFE, System

# 0 -a-> 1; 1 -a-> 2 or 5; 1 -b-> 6; 2 -a-> 3; 3 -a-> 4 (danger); 5 -b-> 6 (goal), 5 -a-> 4
SYSTEM = System(
    (ORDINARY, ORDINARY, ORDINARY, ORDINARY, UNSAFE, ORDINARY, GOAL),
    ({0: (1,)}, {0: (2, 5), 1: (6,)}, {0: (3,)}, {0: (4,)}, {}, {0: (4,), 1: (6,)}, {}),
    (0, 0, 0, 0, -1, 0, -1),
)
RUN = (0, 1, 2, 3, 4)
OTHER_RUN = (0, 1, 5, 4)


def small_case() -> Case:
    loaded = load_document(document(SYSTEM), name="system")
    return Case(0, SYSTEM, loaded, ListedPolicy(loaded, SYSTEM.policy), (RUN, OTHER_RUN))
