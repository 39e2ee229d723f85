"""The checker on its own: what it imports, reads, and says; see also tests/property."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bugsieve.checkers.cost as checker_module
from bugsieve.checkers.cost import CertificateError, Checker, bug_id, check, check_bug, main
from bugsieve.pipeline.bugs.certificate import VERSION, certificate_of
from bugsieve.pipeline.bugs.checking import check_certificate, checking_module
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import OBJECTIVES
from bugsieve.policies.decisions import Ending
from tests.unit.bugs.samples import line_bench, proven
from tests.unit.policies.line import at, line_task

TASK, LONGER = line_task(3), line_task(5)
TEXT = TASK.to_sas()
SOURCE = Path(checker_module.__file__)
FOLDER_OF_RULES = SOURCE.parents[1] / "rooms" / "rules" / "checker"
NEIGHBOURS = [
    "bugsieve.checkers.cost",
    "bugsieve.rooms.rules.checker.cost_rules",
    "bugsieve.rooms.rules.checker.rules_formulas",
]


def certificate() -> dict[str, Any]:
    bench = line_bench(TASK, {0: "right"})
    return certificate_of(bench, at(0)[0], proven(bench, at(0)[0], (0, 1)))


def bug(**changes: Any) -> dict[str, Any]:
    """A bug as files hold it, found by walking from the initial state, 0, to 1 and back."""
    made = certificate()
    origin = {"index": 3, "walk": 1, "path": [0, 2]}
    outer = {"id": bug_id(made), "kind": "unsolved", "oracle": "x", "reason": "", "exact": False}
    return {**outer, "found_by": origin, "certificate": made, **changes}


def rejection(text: str, changed: Any) -> str:
    with pytest.raises(CertificateError) as caught:
        check(text, changed)
    return str(caught.value)


@pytest.mark.parametrize("name", ["cost", "cost_rules", "rules_formulas"])
def test_it_imports_the_standard_library_and_its_neighbours_only(name: str) -> None:
    folder = SOURCE.parent if name == "cost" else FOLDER_OF_RULES
    tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            module = node.module or ""
            names.add("" if module in NEIGHBOURS else module.split(".")[0])
    assert names - {""} <= set(sys.stdlib_module_names)
    assert "typing" in names


def test_its_words_are_those_of_the_rest() -> None:
    assert checker_module.VERSION == VERSION
    settled = {objective.settled_ending for objective in OBJECTIVES.values()}
    assert {ending.label for ending in Ending} | settled == set(checker_module._ENDINGS)


def test_it_runs_alone(tmp_path: Path) -> None:
    task, file = tmp_path / "task.sas", tmp_path / "bug.json"
    TASK.write_sas(task)
    for content in (certificate(), bug()):
        file.write_text(json.dumps(content), encoding="utf-8")
        command = [sys.executable, "-I", str(SOURCE), str(task), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "accepted: the certificate proves a bug\n"


def ruled() -> dict[str, Any]:
    """A bug of a policy that goes right and back, though a rule forbids it."""
    spec = 'rules:{"atoms": {"back": "(did (left p1))"}, "rules": [["R", "forbidden", "F back"]]}'
    bench = line_bench(TASK, {0: "right", 1: "left"}, objective=spec)
    return certificate_of(bench, at(0)[0], proven(bench, at(0)[0], (0, 1)))


def test_rules_are_checked_by_one_command_of_their_room(tmp_path: Path) -> None:
    task, file = tmp_path / "task.sas", tmp_path / "bug.json"
    TASK.write_sas(task)
    module = checking_module(ruled()["objective"])
    room = FOLDER_OF_RULES / f"{module.rpartition('.')[2]}.py"
    forged = {**ruled(), "run": {**ruled()["run"], "rules": ["S"]}}
    for content, code in ((ruled(), 0), (certificate(), 0), (forged, 4)):
        file.write_text(json.dumps(content), encoding="utf-8")
        for way in (["-m", module], [str(room)]):
            command = [sys.executable, "-I", *way, str(task), str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stderr
    assert (
        done.stderr == "rejected: the rules that the run violates are others than those it names\n"
    )


def test_rules_are_not_accepted_without_their_reader(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"python -I -m {checking_module(ruled()['objective'])} TASK.sas BUG.json"
    assert command in rejection(TEXT, ruled())
    check_certificate(TEXT, ruled())
    task, file = tmp_path / "task.sas", tmp_path / "bug.json"
    TASK.write_sas(task)
    file.write_text(json.dumps(ruled()), encoding="utf-8")
    assert main([str(task), str(file)]) == 4
    assert command in capsys.readouterr().err
    assert checking_module("qualitative") == "bugsieve.checkers.cost"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "Expecting property name"),
        ("[1]", "the certificate must be an object"),
        ("[" * 100_000, "recursion"),
        ('{"certificate": NaN}', "lacks 'kind'"),
        (json.dumps({**certificate(), "value": float("nan")}), "'value' must be a whole number"),
        ("1" * 5000, "digits"),
        ('{"certificate": {}, "certificate": 1}', "the key 'certificate' is there twice"),
        (json.dumps(bug())[:-2] + ', "gap": 1, "gap": null}}', "the key 'gap' is there twice"),
        (json.dumps(bug(id="\x1b[2J")), "the bug's 'id' must be"),
        (
            json.dumps({**certificate(), "objective": "\x9b2J\u202e"}),
            r"no objective '\x9b2J\u202e'",
        ),
    ],
)
def test_bad_files_are_rejected_with_a_sentence(
    content: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, file = tmp_path / "task.sas", tmp_path / "bug.json"
    TASK.write_sas(task)
    file.write_text(content, encoding="utf-8")
    assert main([str(task), str(file)]) == 4
    error = capsys.readouterr().err
    assert error.rstrip("\n").isprintable()
    assert error.startswith("rejected: ") and sentence in error


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"id": "000000000000"}, "the bug's 'id' must be [0-9a-f]{12}"),
        ({"id": None}, "the bug's 'id' must be"),
        ({"kind": "costly"}, "the bug is unsolved, not what its 'kind' says"),
        ({"gap": 99}, "the bug has the unknown key 'gap'"),
        ({"oracle": 3}, "'oracle' must be a text"),
        ({"reason": None}, "'reason' must be a text"),
        ({"exact": 1}, "'exact' must be true or false"),
        ({"found_by": []}, "'found_by' must be an object"),
        ({"found_by": {"index": 0, "walk": None}}, "'found_by' lacks 'path'"),
        ({"found_by": {"index": 0, "walk": None, "path": [0]}}, "does not lead to its state"),
        ({"found_by": {"index": 0, "walk": None, "path": [1]}}, "cannot be followed"),
        ({"found_by": {"index": 0, "walk": None, "path": [99]}}, "has no operator 99"),
        ({"found_by": {"index": 0.5, "walk": None, "path": None}}, "the bug's index must be"),
    ],
)
def test_lying_fields_around_a_certificate(changes: dict[str, Any], sentence: str) -> None:
    check_bug(TEXT, bug())
    check_bug(TEXT, bug(found_by=None))
    with pytest.raises(CertificateError, match=sentence):
        check_bug(TEXT, bug(**changes))
    lacking = bug()
    del lacking["kind"]
    with pytest.raises(CertificateError, match="the bug lacks 'kind'"):
        check_bug(TEXT, lacking)


def test_missing_files_and_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.sas"), str(tmp_path / "none.json")]) == 4
    assert "No such file" in capsys.readouterr().err
    assert main([]) == 4
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("certificate", 2, "must be 1, the only version"),
        ("certificate", True, "must be 1, the only version"),
        ("kind", "costly", "the bug is unsolved, not costly"),
        ("objective", "cheap", "there is no objective 'cheap'"),
        ("state", [0, 0], "the state has 2 values, but the task 1 variables"),
        ("state", [3], "variable 0 of the state has no value 3"),
        ("state", [False], "'state' must be a list of whole numbers"),
        ("facts", [], "the facts are not those of the state"),
        ("policy_value", 1, "policy_value must be null, not 1"),
        ("value", 3, "value must be 2, not 3"),
        ("value", 2.0, "'value' must be a whole number"),
        ("gap", 0, "gap must be null, not 0"),
        ("policy", None, "'policy' must be a text"),
    ],
)
def test_what_it_says(key: str, value: object, sentence: str) -> None:
    assert sentence in rejection(TEXT, {**certificate(), key: value})


@pytest.mark.parametrize(
    ("part", "key", "value", "sentence"),
    [
        ("run", "cost", 2, "the run costs 1, not 2"),
        ("run", "ending", "step limit", "no less than the policy's run"),
        ("run", "ending", "policy hang", "a run that ended by policy hang proves nothing"),
        ("run", "ending", "solved", "a solved run must end in its first goal state"),
        ("run", "ending", "loop", "the last state of the loop is not the one"),
        ("run", "ending", "illegal action", "the illegal action that was chosen is missing"),
        ("run", "ending", "condition met", "is no unsolved one"),
        ("run", "ending", "tired", "no run ends by 'tired'"),
        ("run", "loop_start", 0, "a run that is no loop must have no loop_start"),
        ("run", "chosen", 0, "only a run that ended by an illegal action"),
        ("run", "actions", ["(right p1)"], "operator 0 is (right p0), not (right p1)"),
        ("run", "actions", [], "the run has 1 operators but 0 actions"),
        ("plan", "operators", [0, 9], "step 2 of the plan: there is no operator 9"),
        ("plan", "operators", [1, 1], "operator 1 is (right p1), not (right p0)"),
        ("plan", "cost", 1, "the plan costs 2, not 1"),
        ("task", "sha256", "0" * 64, "belongs to another task"),
        ("task", "name", 3, "the task's name must be a text"),
    ],
)
def test_what_it_says_about_parts(part: str, key: str, value: object, sentence: str) -> None:
    changed = certificate()
    changed[part] = {**changed[part], key: value}
    assert sentence in rejection(TEXT, changed)


def test_surplus_keys_and_lists_of_other_things() -> None:
    assert "the unknown key 'extra'" in rejection(TEXT, {**certificate(), "extra": 1})
    assert "'facts' must be a list of texts" in rejection(TEXT, {**certificate(), "facts": [1]})


def test_an_illegal_action_must_not_be_applicable() -> None:
    changed = certificate()
    changed["run"].update(ending="illegal action", chosen=1)
    assert "operator 1 is applicable where it is called illegal" in rejection(TEXT, changed)
    changed["run"]["chosen"] = 0
    check(TEXT, changed)


def test_a_plan_must_cost_less_than_a_run_to_the_goal() -> None:
    changed = certificate()
    changed["run"].update(changed["plan"], ending="solved")
    assert "costs 2, no less than the policy's run, which costs 2" in rejection(TEXT, changed)


def cut_certificate(objective: str = "quantitative") -> dict[str, Any]:
    """From place 3 of 5 the goal is a step away; two steps to the left, then the limit."""
    bench = line_bench(LONGER, dict.fromkeys(range(1, 4), "left"), step_limit=2)
    verdict = Verdict(Outcome.BUG, "told so", (3,), 1.0, 1.0)
    return {**certificate_of(bench, at(3)[0], verdict), "objective": objective}


def test_a_run_that_was_cut_costs_what_it_had_cost_or_more() -> None:
    text = LONGER.to_sas()
    given = cut_certificate()
    check(text, given)
    assert (given["kind"], given["policy_value"], given["gap"]) == ("costly", 2, 1)
    assert "policy_value must be 2" in rejection(text, {**given, "policy_value": None})
    assert "the bug is costly" in rejection(text, {**given, "kind": "unsolved"})
    given["run"].update(operators=[6], actions=["(left p3)"], cost=1)
    assert "no less than the policy's run, which costs 1" in rejection(text, given)
    for objective in ("qualitative", "avoid:(at p2)"):
        sentence = rejection(text, cut_certificate(objective))
        assert sentence == "a run that ended by step limit proves nothing"


def test_a_run_that_was_cut_has_not_met_the_goal() -> None:
    text = LONGER.to_sas()
    given = cut_certificate()
    given["run"].update(operators=[3], actions=["(right p3)"], cost=1)
    assert "the run reaches the goal after 1 steps and ends there" in rejection(text, given)


def test_a_run_to_where_it_was_before_is_a_loop() -> None:
    changed = certificate()
    changed["run"].update(operators=[0, 2], actions=["(right p0)", "(left p1)"], cost=2)
    assert "ends where it was before, which is a loop" in rejection(TEXT, changed)
    changed["run"].update(ending="loop", loop_start=0)
    check(TEXT, changed)


def test_a_run_for_a_condition_ends_with_it() -> None:
    changed = {**certificate(), "objective": "avoid:(at p1)"}
    assert "ended by 'no action' shows nothing to avoid" in rejection(TEXT, changed)
    back = [*changed["plan"]["operators"], TASK.operator_id("left p2")]
    names = [TASK.operator_names[number] for number in back]
    changed["run"].update(operators=back, actions=names, cost=3, ending="condition met")
    assert "where it was before" in rejection(TEXT, changed)


def test_paths_that_cannot_be_walked() -> None:
    changed = certificate()
    changed["plan"] = {"operators": [1], "actions": ["(right p1)"], "cost": 1}
    assert "step 1 of the plan: (right p1) is not applicable" in rejection(TEXT, changed)
    changed["plan"] = {"operators": [0], "actions": ["(right p0)"], "cost": 1}
    assert "the plan does not end in a goal state" in rejection(TEXT, changed)


def test_a_run_must_not_pass_through_a_state_twice_or_through_the_goal() -> None:
    changed = certificate()
    back = [0, 2, 0]
    names = [TASK.operator_names[number] for number in back]
    changed["run"] = {**changed["run"], "operators": back, "actions": names, "cost": 3}
    assert "back after 2 steps where it was before, but goes on" in rejection(TEXT, changed)
    changed["run"] = {**certificate()["run"], "operators": [0, 1], "cost": 2}
    changed["run"]["actions"] = ["(right p0)", "(right p1)"]
    assert "the run reaches the goal after 2 steps and ends there" in rejection(TEXT, changed)


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("(at p1)", "the condition holds in a state of the plan as well"),
        ("(at p2)", "must end in the first state in which the condition holds"),
        ("(at p0)", "must end in the first state in which the condition holds"),
        ("(at p9)", "(at p9), which is no fact of the task"),
        ("(not (at p1) (at p2))", "joins the wrong number of formulas"),
        ("(and)", "joins the wrong number of formulas"),
        ("(at p1", "must be one formula"),
        ("(at p1))", "closes nothing"),
        ("at p1", "must be one formula"),
        ("", "must be one formula"),
        ("(and at (at p1))", "which is no fact"),
        ("(not " * 50_000, "must be one formula"),
    ],
)
def test_conditions(condition: str, sentence: str) -> None:
    changed = certificate()
    changed["objective"] = f"avoid:{condition}"
    changed["run"]["ending"] = "condition met"
    assert sentence in rejection(TEXT, changed)


def with_text(text: str) -> dict[str, Any]:
    """The certificate for a changed text of the task, whose hash is right."""
    changed = certificate()
    changed["task"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return changed


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("begin_version\n3\n", "begin_version\n4\n", "line 2: version 3 was expected"),
        ("begin_version\n3\n", "begin_version\nx\n", "line 2: whole numbers were expected"),
        ("begin_version\n3\n", "begin_version\n3 3\n", "line 2: one whole number"),
        ("begin_version\n3\n", "begin_version\n" + "3" * 5000 + "\n", "whole numbers were"),
        ("var0\n-1\n", "var0\n0\n", "a variable without axioms"),
        ("begin_state\n0\n", "begin_state\n7\n", "variable 0 with value 7 does not exist"),
        ("begin_goal\n1\n0 2\n", "begin_goal\n1\n4 2\n", "variable 4 with value 2"),
        ("begin_goal\n1\n0 2\n", "begin_goal\n1\n0\n", "a variable and a value were expected"),
        ("end_goal\n4\n", "end_goal\n99999999999\n", "begin_operator was expected"),
        ("0 0 0 1\n", "1 0 0 1\n", "an effect was expected"),
        ("0 0 0 1\n", "-2 0 0 1\n", "an effect was expected"),
        ("0 0 0 1\n1\nend", "0 0 0 1\n-1\nend", "a cost must not be negative"),
        ("end_operator\n0\n", "end_operator\n1\n", "no axioms was expected"),
        ("end_operator\n0\n", "end_operator\n0\nmore\n", "but the text goes on"),
        ("end_operator\n0\n", "end_operator", "the text ends too early"),
    ],
)
def test_malformed_tasks(old: str, new: str, sentence: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    assert sentence in rejection(text, with_text(text))


def test_every_prefix_of_a_task_is_rejected() -> None:
    lines = TEXT.splitlines(keepends=True)
    for count in range(len(lines)):
        text = "".join(lines[:count])
        rejection(text, with_text(text))


def test_a_text_that_is_no_text() -> None:
    with pytest.raises(CertificateError, match="must be given as text"):
        Checker(TEXT.encode())  # type: ignore[arg-type]
    assert "belongs to another task" in rejection(TEXT + "\ud800", certificate())
