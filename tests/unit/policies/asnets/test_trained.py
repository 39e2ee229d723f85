"""The networks that come with Bugsieve."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry.outside_access import NOTHING
from bugsieve.policies import make_policy
from bugsieve.policies.graph import PolicyGraph
from bugsieve.rooms.formats.asnets import trained
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from tests.unit.policies.generated import generated_task

LARGE: dict[str, dict[str, int]] = {
    "blocksworld": {"blocks": 8, "seed": 2},
    "ferry": {"cars": 10, "locations": 10, "seed": 7},
    "gripper": {"balls": 14},
}


@pytest.mark.parametrize("name", trained.NAMES)
def test_they_solve_tasks_larger_than_those_they_were_trained_on(
    name: str, tmp_path: Path
) -> None:
    task = generated_task(tmp_path, name, **LARGE[name])
    policy = make_policy(f"asnets:{name}", task)
    runs = PolicyGraph(task, policy).table(task.initial_state, step_limit=1000)
    assert runs.solved.all()


def test_a_name_is_the_same_network_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    expected = make_policy("asnets:gripper", task).fingerprint()
    monkeypatch.chdir(tmp_path)
    Path("gripper").write_bytes(b"something else")
    assert make_policy("asnets:gripper", task).fingerprint() == expected
    with pytest.raises(InputError, match="gripper: "):
        make_policy("asnets:./gripper", task)
    shutil.copy(trained.path("gripper"), "gripper")
    assert make_policy("asnets:./gripper", task).fingerprint() == expected
    assert AsnetPolicy.reach("gripper") == NOTHING
    assert AsnetPolicy.reach("./gripper").files == ("./gripper",)


def test_other_domains_and_names_are_refused(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    with pytest.raises(InputError, match="is for domain 'ferry', not for domain"):
        make_policy("asnets:ferry", task)
    with pytest.raises(UsageError, match="come with Bugsieve are blocksworld, ferry, gripper"):
        make_policy("asnets:gripers", task)
