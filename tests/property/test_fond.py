"""Random PDDL files with `oneof` mean the same to `load_fond` and to the plain simulator."""

from __future__ import annotations

from collections import deque

from hypothesis import assume, given, settings

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.jani.fond.loading import load_fond
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from tests.depth import examples
from tests.property.pddl_strategies import seeded_fond
from tests.property.strategies import seeds
from tests.property.test_pddl import files
from tests.reference.pddl import PddlState, PddlTask, ground_actions, parse_task
from tests.reference.pddl_parser import parse_condition, read_expression

MAX_STATES = 60


def atoms(model: JaniModel, state: Valuations, static: PddlState) -> PddlState:
    """The state as the simulator has it."""
    return static | {name for name, value in model.values(state).items() if value is True}


def successors(model: JaniModel, state: Valuations) -> dict[str, Valuations]:
    expansion = model.expand(state[None])
    offsets = expansion.outcome_offsets
    return {
        model.actions[action]: expansion.outcomes[offsets[k] : offsets[k + 1]]
        for k, action in enumerate(expansion.actions)
    }


def check_states(model: JaniModel, simulated: PddlTask, unsafe: str) -> None:
    assert model.start_states is not None
    (start,) = model.start_states
    condition = parse_condition(read_expression(unsafe))
    names = {variable.name for variable in model.variables}
    static = frozenset(simulated.initial_state - names)
    assert atoms(model, start, static) == simulated.initial_state
    seen = {start.tobytes()}
    queue = deque([start])
    while queue and len(seen) < MAX_STATES:
        state = queue.popleft()
        facts = atoms(model, state, static)
        assert bool(model.is_goal(state[None])[0]) == simulated.holds_goal(facts)
        assert bool(model.is_unsafe(state[None])[0]) == simulated.holds(condition, facts)
        after = successors(model, state)
        assert set(after) == set(ground_actions(simulated, facts))
        for name, outcomes in after.items():
            expected = simulated.outcomes(facts, name)
            assert {atoms(model, outcome, static) for outcome in outcomes} == expected, name
            for outcome in outcomes:
                if outcome.tobytes() not in seen:
                    seen.add(outcome.tobytes())
                    queue.append(outcome)


@given(seeds())
@settings(max_examples=examples(40, quick=15))
def test_models_behave_as_their_files_say(seed: int) -> None:
    text, unsafe = seeded_fond(seed)
    simulated = parse_task(text.domain, text.problem)
    with files(text) as (domain, problem):
        try:
            model = load_fond(domain, problem, unsafe, cache=False)
        except UnsupportedError as error:
            assume("disjunction" not in str(error))
            raise
        except InputError as error:
            assume("nothing to test" not in str(error))
            raise
    check_states(model, simulated, unsafe)
