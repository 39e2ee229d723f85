"""Forward h² equals a twin that keeps sets of pairs of literals."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.rooms.formats.asnets.pruning import (
    GroundAction,
    GroundTask,
    kept_actions,
    reached_actions,
)
from tests.depth import examples
from tests.reference.asnets import Action, reached

FACTS = 9


def facts(most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, FACTS - 1), max_size=most, unique=True)


@st.composite
def actions(draw: st.DrawFn) -> GroundAction:
    needs = draw(facts(3))
    refuses = [fact for fact in draw(facts(2)) if fact not in needs]
    return GroundAction(*map(tuple, (needs, refuses, draw(facts(2)), draw(facts(3)))))


@given(facts(4), st.lists(actions(), max_size=14))
@settings(max_examples=examples(300))
def test_reached_actions_equal_the_twin(initial: list[int], given: list[GroundAction]) -> None:
    task = GroundTask("random", FACTS, initial, given)
    slow = reached(set(initial), [Action(*map(frozenset, action)) for action in given])
    assert reached_actions(task).tolist() == slow
    effects = [changes(action) for action in given]
    assert kept_actions(task).tolist() == [a and b for a, b in zip(slow, effects, strict=True)]


def changes(action: GroundAction) -> bool:
    """Whether the action changes some state of all facts that it allows."""
    free = [f for f in range(FACTS) if f not in action.needs and f not in action.refuses]
    for bits in range(1 << len(free)):
        state = {*action.needs, *(f for k, f in enumerate(free) if bits >> k & 1)}
        if (state - set(action.deletes)) | set(action.adds) != state:
            return True
    return False
