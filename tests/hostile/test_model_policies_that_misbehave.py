"""Programs that crash, hang, lie, flood and devour as policies of models: no action in the state
where they do so, a count and the first detail for the report, and all other states undisturbed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bugsieve.policies.decisions import Ending
from bugsieve.policies.limits import WorkerLimits
from bugsieve.rooms.jani.policies.command import CommandModelPolicy
from bugsieve.rooms.jani.policies.foreign import ForeignModelPolicy
from bugsieve.rooms.jani.policies.python import PythonModelPolicy
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.rooms.jani.policies.table import write_table
from tests.hostile.test_policies_that_misbehave import (
    CRASH,
    EVILS,
    FUNCTION_EVILS,
    GREETINGS,
    ILLEGAL,
    PROGRAM,
    TROUBLE,
    Evil,
    command,
)
from tests.unit.policies.models.lift import TOP, floors, lift, names

UPWARDS = PROGRAM.replace('a.startswith("(right")', 'a == "up"').replace(
    '"(at p3)" in state["facts"]', 'state["values"]["floor"] == 3'
)
ABOUT_ACTIONS = [
    Evil("inapplicable action", "actions[row] = 'jump'", ILLEGAL, '"jump" is not applicable'),
    Evil("unknown action", "actions[row] = 'fly'", ILLEGAL, '"fly" is no action of the model'),
    Evil("blank name", "actions[row] = ''", ILLEGAL, '"" is no action of the model'),
    Evil("too many", "actions += ['up']", CRASH, r"answered 2 actions for 1 state"),
]
LIKE_THOSE_OF_TASKS = [
    evil
    for evil in EVILS
    if evil.name not in {other.name for other in ABOUT_ACTIONS}
    and evil.name not in ("busy forever", "eat memory in small bites")  # slow, and nothing new
]


def program(evil: str, *, greeting: str = "say({'ready': True})") -> str:
    return UPWARDS.format(evil=evil, greeting=greeting)


def check_floors(policy: ForeignModelPolicy[Any], evil: Evil) -> None:
    """Trouble on one floor, whatever else is in the batch; nobody is asked about it twice."""
    model = policy.model
    expected: list[str | None] = ["up"] * TOP
    expected[TROUBLE] = "jump" if "jump" in evil.code else None
    with policy:
        for _ in range(2):
            assert names(model, policy.choose(floors(model, *range(TOP))).tolist()) == expected
    assert policy.troubles.counts == {evil.ending: 1}
    detail = policy.troubles.first[evil.ending]
    assert re.fullmatch(evil.detail, detail), detail


@pytest.mark.parametrize("evil", [*ABOUT_ACTIONS, *LIKE_THOSE_OF_TASKS], ids=lambda e: e.name)
def test_the_right_state_is_blamed(evil: Evil, tmp_path: Path) -> None:
    arguments = command(tmp_path, program(evil.code))
    check_floors(CommandModelPolicy(lift(), arguments, limits=evil.limits()), evil)


@pytest.mark.parametrize("evil", [ABOUT_ACTIONS[0], LIKE_THOSE_OF_TASKS[1]], ids=lambda e: e.name)
def test_the_size_of_batches_does_not_matter(evil: Evil, tmp_path: Path) -> None:
    arguments = command(tmp_path, program(evil.code))
    check_floors(CommandModelPolicy(lift(), arguments, limits=evil.limits(batch_size=1)), evil)


ABOUT_NAMES = [
    Evil("unknown", "return 'fly'", ILLEGAL, r'"fly" is no action of the model'),
    Evil("illegal", "return 'jump'", ILLEGAL, r'"jump" is not applicable'),
]
FUNCTIONS_LIKE_THOSE_OF_TASKS = [
    evil
    for evil in FUNCTION_EVILS
    if evil.name in ("raise", "sys.exit", "os._exit", "endless", "wrong type", "memory")
]


@pytest.mark.parametrize(
    "evil", [*FUNCTIONS_LIKE_THOSE_OF_TASKS, *ABOUT_NAMES], ids=lambda evil: evil.name
)
def test_python_functions_that_misbehave(evil: Evil, tmp_path: Path) -> None:
    module = tmp_path / "rider.py"
    module.write_text(
        "import os, sys\n\n"
        "def choose(values, applicable):\n"
        "    print('what a policy prints must not disturb anyone')\n"
        "    os.write(1, b'not even so')\n"
        f"    if values['floor'] == {TROUBLE}:\n"
        f"        {evil.code}\n"
        "    return 'up'\n"
    )
    check_floors(PythonModelPolicy(lift(), f"{module}:choose", limits=evil.limits()), evil)


@pytest.mark.parametrize("evil", GREETINGS, ids=lambda evil: evil.name)
def test_failing_at_the_start_is_no_action_anywhere(evil: Evil, tmp_path: Path) -> None:
    arguments = command(tmp_path, program("pass", greeting=evil.code))
    limits = WorkerLimits(startup=evil.limits().deadline)
    model = lift()
    with CommandModelPolicy(model, arguments, limits=limits) as policy:
        assert policy.choose(floors(model, *range(TOP))).tolist() == [-1] * TOP
    assert policy.troubles.counts == {evil.ending: TOP}
    assert re.fullmatch(evil.detail, policy.troubles.first[evil.ending])


def test_troubles_of_a_tables_default(tmp_path: Path) -> None:
    """A table can replace the one decision that a program cannot make."""
    model = lift()
    spec = f"cmd:{' '.join(command(tmp_path, program('sys.exit(3)')))}"
    repaired = [(floors(model, TROUBLE)[0], model.actions.index("down"))]
    for rows, choice, troubles in [(repaired, "down", 0), ([], None, 1)]:
        write_table(tmp_path / "table.json", model, rows, default=spec)
        limits = WorkerLimits(deadline=100.0)
        with make_model_policy(f"table:{tmp_path}/table.json", model, limits=limits) as policy:
            chosen = names(model, policy.choose(floors(model, 2, TROUBLE, 4)).tolist())
            assert chosen == ["up", choice, "up"]
            assert policy.troubles.counts[Ending.POLICY_CRASH] == troubles
