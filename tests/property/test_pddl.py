"""Random PDDL files mean the same to `load_task` and to the simulator that never grounds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, settings

import bugsieve
from bugsieve.base.errors import InputError, UnsupportedError
from tests.depth import examples
from tests.property.engine import rows, single
from tests.property.pddl_strategies import PddlText, pddl_tasks
from tests.reference.pddl import PddlState, PddlTask, ground_actions, parse_task
from tests.reference.sas import State

MAX_STATES = 40


@contextmanager
def files(text: PddlText) -> Iterator[tuple[Path, Path]]:
    """The two texts as files."""
    with TemporaryDirectory() as folder:
        domain, problem = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(text.domain, encoding="utf-8")
        problem.write_text(text.problem, encoding="utf-8")
        yield domain, problem


def load(text: PddlText) -> bugsieve.Task | InputError:
    """The grounded task, or the error that says that its goal is trivial.

    Examples with a goal outside our fragment are not counted.
    """
    with files(text) as (domain, problem):
        try:
            return bugsieve.load_task(domain, problem, cache=False)
        except UnsupportedError as error:
            assume("disjunction" not in str(error))
            raise
        except InputError as error:
            return error


def reach(simulated: PddlTask) -> list[PddlState]:
    """States reachable from the initial one, breadth first, up to a limit."""
    found = {simulated.initial_state: None}
    queue = deque(found)
    while queue and len(found) < MAX_STATES:
        state = queue.popleft()
        for name in ground_actions(simulated, state):
            after = simulated.apply(state, name)
            if after not in found:
                found[after] = None
                queue.append(after)
    return list(found)


def check_state(task: bugsieve.Task, simulated: PddlTask, state: State) -> list[State]:
    """Goal, applicable actions, costs and successors agree in the state; returns successors."""
    facts = task.facts(single(state))
    assert rows(task.state(facts)[None]) == [state]
    assert bool(task.is_goal(single(state)[None])[0]) == simulated.holds_goal(facts)
    array, operators, _ = task.all_successors(single(state)[None])
    names = [task.operator_names[operator] for operator in operators]
    for name, operator, after in zip(names, operators, array, strict=True):
        assert simulated.applicable(facts, name), name
        assert simulated.apply(facts, name) == task.facts(after), name
        assert simulated.cost(name) == task.operator_costs[operator], name
    for name in ground_actions(simulated, facts):
        assert name in names or simulated.apply(facts, name) == facts, name
    return rows(array)


@given(pddl_tasks())
@settings(max_examples=examples(60, quick=20))
def test_grounded_tasks_behave_as_their_files_say(text: PddlText) -> None:
    task = load(text)
    simulated = parse_task(text.domain, text.problem)
    if isinstance(task, InputError):
        check_trivial(task, simulated)
        return
    start = tuple(int(value) for value in task.initial_state)
    assert task.facts(task.initial_state) == simulated.initial_state
    found = {start: None}
    queue = deque(found)
    while queue and len(found) < MAX_STATES:
        for after in check_state(task, simulated, queue.popleft()):
            if after not in found:
                found[after] = None
                queue.append(after)


def check_trivial(error: InputError, simulated: PddlTask) -> None:
    """A task is refused only if its goal always holds or cannot be reached."""
    always = "holds in every state" in str(error)
    never = any(words in str(error) for words in ("cannot be reached", "can never hold"))
    assert always or never, error
    assert {simulated.holds_goal(state) for state in reach(simulated)} == {always}
