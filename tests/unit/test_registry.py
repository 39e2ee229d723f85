"""The registry as a whole: every member describes itself and says what it would touch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.registry.families import COMMANDS, FAMILIES
from bugsieve.base.registry.family import Family
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.registry.outside_access import CODE, NOTHING, OutsideAccess
from bugsieve.cli import main
from bugsieve.pictures import PICTURES
from bugsieve.pipeline.biases import BIASES
from bugsieve.pipeline.objectives import OBJECTIVES
from bugsieve.pipeline.oracles.registry import ORACLES
from bugsieve.policies.registry import POLICIES
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES
from bugsieve.rooms.safety.oracles.registry import SAFETY_ORACLES as SAFETY
from bugsieve.rooms.zoo.domains import DOMAINS, domain_text, generate
from tests.other_package import install

DOWNWARD = OutsideAccess(programs=("fast-downward",))

REACHES: list[tuple[MemberTable[Any], dict[str, OutsideAccess]]] = [
    (
        POLICIES,
        {
            "python": CODE,
            "python:my_policies:choose": CODE,
            "python:./my.py:choose": OutsideAccess(files=("./my.py",), runs_code=True),
            "cmd:./program -v 'a b'": OutsideAccess(programs=("./program",)),
            "phrm:localhost:50051": OutsideAccess(connections=("localhost:50051",)),
            "phrm:unix:/run/p.sock,probabilities": OutsideAccess(
                connections=("unix:/run/p.sock",)
            ),
        },
    ),
    (
        MODEL_POLICIES,
        {
            "mlp:net.npz": OutsideAccess(files=("net.npz",)),
            "mlp:net.npz,filter=no,layers=a+b": OutsideAccess(files=("net.npz",)),
            "trees:forest.txt,filter=no": OutsideAccess(files=("forest.txt",)),
            "python:my_policies:choose": CODE,
            "python:my.py:choose": OutsideAccess(files=("my.py",), runs_code=True),
            "cmd:program": OutsideAccess(programs=("program",)),
        },
    ),
    (
        PICTURES,
        {
            "blocks": NOTHING,
            "python:my_pictures:draw": CODE,
            "python:./my.py:draw": OutsideAccess(files=("./my.py",), runs_code=True),
        },
    ),
    (
        ORACLES,
        {
            "planner:fd:astar(lmcut())": DOWNWARD,
            "bounds:lmcut,fd:astar(blind())": DOWNWARD,
            "bounds:lmcut,aras": NOTHING,
            "any:aras+planner:ehc": NOTHING,
            "any:aras+best-of:(perfect+planner:fd:lazy([h]))": DOWNWARD,
        },
    ),
]


NOT_DESCRIBED = (
    "kinds",
    "deciders",
    "scenes",
    "function-policies",
    "dangers",
    "rules-readers",
    "plan-hints",
    "decision-hints",
    "job-runners",
    "rule-atoms",
    "rule-subjects",
    "rule-commands",
    "samplers",
    "explainers",
    "exports",
)
"""Families that nobody names in a spec."""
NAMED = [family for name, family in FAMILIES.items() if name not in NOT_DESCRIBED]


@pytest.mark.parametrize("family", NAMED, ids=lambda family: f"{family.noun} {family.subject}")
def test_every_member_can_be_loaded_and_describes_itself(family: Family) -> None:
    for info in MemberTable[object](family).infos():
        assert info.package is None
        assert info.usage.startswith(info.name)
        assert len(info.summary) > 10
        assert "cannot be loaded" not in info.summary


@pytest.mark.parametrize("table", [POLICIES, ORACLES, SAFETY, BIASES, OBJECTIVES, PICTURES])
def test_examples_are_right_specs_that_touch_nothing(table: MemberTable[Any]) -> None:
    named = {spec.partition(":")[0] for spec in table.examples()}
    assert named >= set(table) - {"cmd", "phrm", "avoid", "rules", "gnn", "asnets"}
    for spec in table.examples():
        table.check(spec)
        assert table.reach_of(spec) == (CODE if "python:" in spec else NOTHING)


@pytest.mark.parametrize("number", range(len(REACHES)))
def test_what_specs_would_touch(number: int) -> None:
    table, reaches = REACHES[number]
    for spec, reach in reaches.items():
        assert table.reach_of(spec) == reach, spec


def test_what_the_rest_of_a_table_would_touch(tmp_path: Path) -> None:
    inner, outer, round_ = (tmp_path / name for name in ("inner", "outer", "round"))
    inner.write_text(json.dumps({"default": "cmd:./program", "rows": []}))
    outer.write_text(json.dumps({"default": "table:{here}/inner", "rows": []}))
    round_.write_text(json.dumps({"default": "table:{here}/round", "rows": []}))
    files = tuple(sorted((str(inner), str(outer))))
    assert MODEL_POLICIES.reach_of(f"table:{outer}") == OutsideAccess(("./program",), files=files)
    assert MODEL_POLICIES.reach_of(f"table:{round_}") == OutsideAccess(files=(str(round_),))


def test_nested_plugins_count_as_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = "bugsieve.pipeline.oracles.aras:ArasOracle"
    install(tmp_path, monkeypatch, {"bugsieve.oracles": {"own": place}})
    assert ORACLES.reach_of("any:own+planner:fd:x") == DOWNWARD | CODE


def test_commands_formats_and_safety_oracles_are_closed() -> None:
    names = ("result-writers", "safety-oracles", "formats")
    closed = [COMMANDS, *(FAMILIES[name] for name in names)]
    assert [family for family in NAMED if family.group is None] == closed


def test_groups_are_told_apart() -> None:
    groups = [family.group for family in NAMED if family.group is not None]
    assert len(set(groups)) == len(groups) == 8


def test_plugins_are_listed_with_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    group = "bugsieve.biases"
    entries = {"even": "bugsieve.pipeline.biases.uniform:Uniform", "odd": "no_such_module:Odd"}
    install(tmp_path, monkeypatch, {group: entries})
    assert main(["list", "biases"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].endswith("Every action is equally likely. [other-package]")
    assert "bias 'odd' of no_such_module:Odd cannot be loaded: " in lines[-1]
    assert main(["list", "biases", "--json"]) == 0
    assert "odd" in json.loads(capsys.readouterr().out)


LIFT = """
from bugsieve.rooms.zoo.miconic.generator import Options, generate

SUMMARY = "a lift of another package"
PDDL = "(define (domain lift))"
"""


def test_domains_of_other_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other_lift.py").write_text(LIFT)
    entries = {"lift": "other_lift", "lost": "no_such_module"}
    install(tmp_path, monkeypatch, {"bugsieve.domains": entries})
    assert domain_text("lift") == "(define (domain lift))"
    task = generate("lift", seed=3, floors=4)
    assert task.name == "lift-floors-4-seed-3"
    assert "(:domain lift)" in task.problem
    for arguments in (["list", "domains"], ["generate", "--list"]):
        assert main(arguments) == 0
        said = capsys.readouterr().out
        assert "a lift of another package [other-package]" in said
        assert "domain 'lost' of no_such_module cannot be loaded" in said
    assert set(DOMAINS) >= {"lift", "lost", "miconic"}


def test_the_entry_point_groups_are_in_the_docs() -> None:
    root = Path(__file__).parents[2]
    text = "".join(path.read_text(encoding="utf-8") for path in (root / "docs").glob("*.md"))
    for family in NAMED:
        assert family.group is None or f"`{family.group}`" in text


def test_explainers_are_of_kinds_of_campaigns() -> None:
    assert {"cost", "safety", "rules"} <= set(FAMILIES["explainers"].builtin)
    assert set(FAMILIES["explainers"].builtin) <= set(FAMILIES["kinds"].builtin)
