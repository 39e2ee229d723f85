"""The registry: every domain by name, its text, and what a generated task is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bugsieve.rooms.zoo.domains as domains_module
from bugsieve.base.errors import UsageError
from bugsieve.rooms.zoo.domains import DOMAINS, GeneratedTask, domain_text, generate
from tests.reference.pddl_parser import parse_domain


def test_names_are_sorted_and_each_has_module_and_file() -> None:
    assert list(DOMAINS) == sorted(DOMAINS)
    zoo = Path(domains_module.__file__).parent
    shipped = {path.parent.name for path in zoo.glob("*/domain.pddl")}
    assert shipped == {name.replace("-", "_") for name in DOMAINS}
    for name in DOMAINS:
        assert DOMAINS[name].SUMMARY
        assert parse_domain(domain_text(name)).name == name


def test_a_task_is_named_after_what_is_not_default() -> None:
    task = generate("gripper", seed=3, balls=2, grippers=2, scattered=True)
    assert isinstance(task, GeneratedTask)
    assert task.name == "gripper-balls-2-scattered-seed-3"
    assert f"(define (problem {task.name})" in task.problem
    assert task.domain == domain_text("gripper")


def test_the_first_line_tells_the_whole_command() -> None:
    first = generate("gripper", seed=-3, balls=2).problem.partition("\n")[0]
    assert first == (
        "; Made by: bugsieve generate gripper "
        "--balls 2 --rooms 2 --grippers 2 --no-scattered --seed -3"
    )


def test_unknown_domain() -> None:
    with pytest.raises(UsageError, match="no domain 'transprt'.*mean 'transport'.*there"):
        generate("transprt")
    with pytest.raises(UsageError, match="no domain '../x'"):
        domain_text("../x")


def test_unknown_parameter() -> None:
    with pytest.raises(UsageError) as caught:
        generate("transport", vehicle=3)
    assert str(caught.value) == (
        "the domain 'transport' has no parameter 'vehicle' (did you mean 'vehicles'?); "
        "it has vehicles, packages, nodes, capacity, degree"
    )


@pytest.mark.parametrize("seed", ["1", 1.0, None, True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(UsageError, match="seed must be a whole number"):
        generate("ferry", seed=seed)
