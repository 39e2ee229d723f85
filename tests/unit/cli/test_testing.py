"""The commands that test a policy and look at what was found."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.registry import families
from bugsieve.base.wording import counted
from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.checkers.cost import check
from bugsieve.cli import main
from tests.unit.cli.commands import (
    Run,
    check_explained_fields,
    check_export,
    check_resume,
    falsified,
)
from tests.unit.policies.generated import write_task


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files of a ferry task."""
    return write_task(tmp_path_factory.mktemp("ferry"), "ferry", seed=2)


@pytest.fixture(scope="module")
def results(task: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished campaign that has found bugs of both kinds."""
    folder = tmp_path_factory.mktemp("results") / "campaign"
    options = ["--policy", "greedy:hff", "--pool-size", "60", "--seed", "2", "-o", str(folder)]
    assert main(["test", *task, *options]) == 1
    return folder


def test_a_campaign_ends_with_a_list_of_proven_bugs(
    task: list[str], tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "found"
    code, out, _ = run("test", *task, "--policy", "greedy:hff", "--max-bugs", 3, "-o", folder)
    assert code == 1
    assert "3 bugs:" in out
    assert f"look closer: bugsieve explain {folder}" in out
    files = sorted((folder / "bugs").iterdir())
    assert len(files) == 3
    with CostRecords(folder) as records:
        lines = records.causes()
    assert {line.words.split()[0] for line in lines} <= {"(sail", "sail"}
    assert f"3 bugs have {counted(len(lines), 'cause')}:" in out
    assert all(line.example in out for line in lines)
    for file in files:
        bug = json.loads(file.read_text())
        check((folder / "task.sas").read_text(), bug["certificate"])


def test_the_last_line_names_the_command_that_measures(
    task: list[str], tmp_path: Path, run: Run
) -> None:
    """With the files as typed, and what is judged; a policy that says nothing is not measured."""
    usual = ["--pool-size", 3, "--policy"]
    for number, (options, judging) in enumerate(
        [
            (["greedy:hff"], "--policy greedy:hff"),
            (["optimal", "--unit-cost"], "--policy optimal --unit-cost"),
            (
                ["optimal", "--objective", "qualitative"],
                "--policy optimal --objective qualitative",
            ),
        ]
    ):
        _, out, _ = run("test", *task, *usual, *options, "-o", tmp_path / str(number))
        assert out.splitlines()[-1] == f"still left:  bugsieve measure {' '.join(task)} {judging}"
    _, out, _ = run("test", *task, *usual, "greedy:hff", "--json", "-o", tmp_path / "json")
    assert "still left" not in out


def test_what_enters_the_pool_is_an_option_that_is_kept(
    task: list[str], tmp_path: Path, run: Run
) -> None:
    arguments = ["test", *task, "--policy", "random", "--pool-size", 40, "--max-bugs", 3]
    pools = {}
    for insert in ([], ["--insert", "all"]):
        folder = tmp_path / f"insert-{len(insert)}"
        assert run(*arguments, *insert, "-o", folder)[0] == 1
        with CostRecords(folder) as records:
            options = CostOptions.from_toml(records.header.options, name="the store")
            pools[options.fuzz.insert] = records.pool().walks.tolist()
    assert max(map(pools["one"].count, pools["one"])) < max(map(pools["all"].count, pools["all"]))
    code, _, err = run(*arguments, "--insert", "some", "-o", tmp_path / "refused")
    assert (code, "there is no insert 'some'; there are one, all" in err) == (4, True)
    assert not (tmp_path / "refused").exists()


def test_a_policy_without_bugs_ends_with_0(task: list[str], tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "none"
    code, out, _ = run("test", *task, "--policy", "optimal", "--pool-size", 20, "-o", folder)
    assert (code, "no bugs found" in out) == (0, True)


def test_runs_that_say_nothing_end_with_5(task: list[str], tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "short"
    options = ["--policy", "greedy:hff", "--step-limit", 1, "--pool-size", 5, "-o", folder]
    code, out, _ = run("test", *task, *options, "--bias", "uniform")
    assert code == 5
    assert "step limit" in out


def test_a_policy_that_never_starts_has_no_bugs(task: list[str], tmp_path: Path, run: Run) -> None:
    folder, reason = tmp_path / "never", "at its start: ended with exit code 0"
    code, out, err = run("test", *task, "--policy", "cmd:true", "--pool-size", 5, "-o", folder)
    first = f"nothing could be tested: policy crash (5 runs): {reason}"
    assert (code, out.splitlines()[0]) == (5, first)
    assert err == (
        "nothing could be tested, for the policy gave no answer: "
        f"policy crash (5 runs): {reason}\n"
    )
    assert f"\npolicy crash (5 runs): {reason}\n" in run("status", folder)[1]
    summary = json.loads(run("status", folder, "--json")[1])
    assert summary["troubles"]["policy crash"] == {"count": 5, "reason": reason, "alike": 5}
    code, out, err = run("judge", *task, "--policy", "cmd:true")
    assert (code, "1 state, 0 bugs" in out, reason in out, reason in err) == (5, *[True] * 3)


def test_why_a_policy_crashed_is_told_everywhere(
    task: list[str], tmp_path: Path, run: Run
) -> None:
    (tmp_path / "broken.py").write_text("def f(facts, applicable):\n    raise KeyError('x')\n")
    policy = ["--policy", f"python:{tmp_path / 'broken.py'}:f"]
    folder, reason = tmp_path / "found", "KeyError: 'x'"
    code, out, err = run("test", *task, *policy, "--pool-size", 3, "-o", folder)
    assert (code, reason in err) == (5, True) and f"\npolicy crash (3 runs): {reason}\n" in out
    assert f"\npolicy crash (3 runs): {reason}\n" in run("status", folder)[1]
    bug = next((folder / "bugs").iterdir()).stem
    assert f"\npolicy crash: {reason}\n" in run("explain", folder, bug)[1]
    assert json.loads(run("explain", folder, bug, "--json")[1])["detail"] == reason
    code, out, _ = run("replay", folder, bug)
    assert (code, f"policy crash after 0 steps ({reason})" in out) == (1, True)
    code, out, _ = run("replay", folder, bug, "--policy", "cmd:true")
    assert (code, "at its start: ended with exit code 0" in out) == (5, True)
    code, out, _ = run("judge", *task, *policy)
    assert (code, f"policy crash after 0 steps, cost 0: {reason}\n" in out) == (1, True)
    (state,) = json.loads(run("judge", *task, *policy, "--json")[1])["states"]
    assert state["detail"] == reason


def test_more_workers_than_cores_get_a_sentence(task: list[str], tmp_path: Path, run: Run) -> None:
    cores = len(os.sched_getaffinity(0))
    command = ("test", *task, "--policy", "greedy:hff", "--pool-size", 1, "--workers")
    _, _, said = run(*command, cores, "-o", tmp_path / "cores")
    assert "workers" not in said
    _, _, said = run(*command, cores + 62, "-o", tmp_path / "many")
    assert f"{cores + 62} workers share {cores} core" in said


def test_the_summary_as_json(task: list[str], tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "json"
    code, out, _ = run(
        "test", *task, "--policy", "greedy:hff", "--pool-size", 40, "-o", folder, "--json"
    )
    report = json.loads(out)
    assert code == 1
    assert report["bugs"] == len(report["found"]) > 0
    assert {bug["kind"] for bug in report["found"]} == set(report["bugs_by_kind"])


def test_a_folder_is_found_if_none_is_named(
    task: list[str], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        run("test", *task, "--policy", "greedy:hff", "--pool-size", 3)
    assert len(list(tmp_path.glob("bugsieve-*/campaign.sqlite"))) == 2


def test_a_stopped_campaign_goes_on(
    task: list[str], tmp_path: Path, run: Run, results: Path
) -> None:
    folder = tmp_path / "stopped"
    options = ["--policy", "greedy:hff", "--pool-size", 60, "--seed", 2, "-o", folder]
    run("test", *task, *options, "--max-bugs", 1)
    check_resume(run, folder, results)


def test_explain_starts_without_what_runs_campaigns(results: Path) -> None:
    script = (
        "import sys; from bugsieve.cli import main; code = main(sys.argv[1:]);"
        " print(*sorted(name for name in sys.modules if name.startswith('bugsieve.')));"
        " sys.exit(code)"
    )
    bug = next((results / "bugs").iterdir()).stem
    command = [sys.executable, "-c", script, "explain", str(results), bug]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = said.splitlines()[-1].split()
    plugs = {f"bugsieve.rooms.{room}" for room in families.ROOMS}
    plugs |= {f"{plug}.manifest" for plug in plugs}
    loaded = [name for name in names if name not in plugs]
    assert "bugsieve.explanation.blame.blame" in loaded
    idle = (
        *("campaigns.campaign", "campaigns.session", "campaigns.options", "campaigns.cost.driver"),
        *("rooms.rules.", "rooms.jani.model", "rooms.safety.oracles", "rooms.training."),
        "pipeline.pool.fuzzer",
    )
    known = [name for name in loaded if not name.endswith(".manifest")]
    assert not [name for name in known if name.startswith(tuple(f"bugsieve.{i}" for i in idle))]


def test_status_lists_the_worst_bugs(results: Path, run: Run) -> None:
    code, out, _ = run("status", results, "--bugs", 2)
    causes, bugs, closer = out.split("\n\n")[-3:]
    assert closer.startswith(f"look closer: bugsieve explain {results} ")
    ids = {file.stem for file in (results / "bugs").iterdir()}
    assert (code, sum(bug in bugs for bug in ids)) == (0, 2)
    lines = summary_of(results).cause_count
    assert causes.startswith(f"{len(ids)} bugs have {lines} causes:") and " × sail where" in causes
    assert " × sail where" not in run("status", results, "--causes", 0)[1]


def test_replay_tells_whether_a_bug_is_still_there(results: Path, run: Run) -> None:
    bug = next((results / "bugs").iterdir()).stem
    code, out, _ = run("replay", results, bug[:8])
    assert (code, "STILL FAILS" in out) == (1, True)
    code, out, _ = run("replay", results, "--policy", "optimal", "--json")
    statuses = {json.loads(line)["status"] for line in out.splitlines()}
    assert (code, statuses) == (0, {"fixed"})


def test_a_failure_that_became_a_detour_has_improved_and_is_a_bug(
    tmp_path: Path, run: Run
) -> None:
    task = write_task(tmp_path, "blocksworld", seed=1, blocks=5)
    folder = tmp_path / "found"
    options = ["--policy", "hill-climbing:hadd", "--pool-size", 40, "-o", folder]
    assert run("test", *task, *options)[0] == 1
    _, out, _ = run("replay", folder, "--policy", "lazy:hadd", "--json")
    statuses = {(row := json.loads(line))["id"]: row["status"] for line in out.splitlines()}
    assert {*statuses.values()} == {"fixed", "improved"}
    improved = [bug for bug, status in statuses.items() if status == "improved"]
    fixed = [bug for bug, status in statuses.items() if status == "fixed"]
    code, out, _ = run("replay", folder, *improved, "--policy", "lazy:hadd")
    assert (code, "  IMPROVED: the policy acts differently from step" in out) == (1, True)
    assert run("replay", folder, *fixed, "--policy", "lazy:hadd")[0] == 0


def test_explain_notices_false_proofs(results: Path, tmp_path: Path, run: Run) -> None:
    bug = next((results / "bugs").iterdir()).stem
    folder = falsified(results, tmp_path / "false", "plan.operators", [])
    code, out, err = run("explain", folder, bug)
    assert (code, out) == (4, "")
    assert f"{folder}: the certificate of bug {bug} does not hold" in err


def test_explain_marks_the_decision(results: Path, run: Run) -> None:
    bug = next((results / "bugs").iterdir()).stem
    code, out, _ = run("explain", results, bug)
    assert code == 0
    assert "-> " in out
    assert "a better run" in out
    report = json.loads(run("explain", results, bug, "--json")[1])
    assert report["run"][: report["step"]] == report["better_run"][: report["step"]]
    assert report["better_run"][report["step"]] == report["better_action"]


def test_explain_keeps_what_it_found(results: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "kept"
    shutil.copytree(results, folder)
    bug = sorted(path.stem for path in (folder / "bugs").iterdir())[-1]
    first, second = (json.loads(run("explain", folder, bug, "--json")[1]) for _ in range(2))
    assert (first.pop("kept"), second.pop("kept")) == (False, True)
    assert first == second
    assert "(kept from an earlier call" in run("explain", folder, bug)[1]
    other = json.loads(run("explain", folder, bug, "--json", "--expansions", 77)[1])
    assert not other["kept"]


def test_explain_needs_no_place_to_keep_it(results: Path, tmp_path: Path, run: Run) -> None:
    """Somebody else is writing to the store all the time."""
    folder = tmp_path / "busy"
    shutil.copytree(results, folder)
    bug = sorted(path.stem for path in (folder / "bugs").iterdir())[-1]
    with closing(sqlite3.connect(folder / "campaign.sqlite")) as store:
        store.execute("BEGIN IMMEDIATE")
        store.execute("DELETE FROM notes")
        for _ in range(2):
            code, out, err = run("explain", folder, bug, "--json", "--expansions", 78)
            assert (code, err) == (0, "")
            assert not json.loads(out)["kept"]


@pytest.mark.parametrize("note", ["{}", "[1]", '"no note"', "no JSON", '{"version": 1}'])
def test_explain_takes_no_note_on_trust(
    results: Path, tmp_path: Path, run: Run, note: str
) -> None:
    folder = tmp_path / "strange"
    shutil.copytree(results, folder)
    bug = sorted(path.stem for path in (folder / "bugs").iterdir())[-2]
    with closing(sqlite3.connect(folder / "campaign.sqlite")) as store, store:
        add = "INSERT OR REPLACE INTO notes SELECT id, 'blame', changed, ? FROM bugs WHERE id = ?"
        store.execute(add, (note, bug))
    code, out, err = run("explain", folder, bug, "--json")
    assert (code, err) == (0, "")
    assert not json.loads(out)["kept"]


def test_explain_says_the_cost_of_the_list_and_which_goals_are_open(
    results: Path, run: Run
) -> None:
    listed = json.loads(run("status", results, "--json")[1])["found"]
    endings = set()
    for bug in [*listed[:3], *listed[-3:]]:
        out = run("explain", results, bug["id"])[1]
        report = json.loads(run("explain", results, bug["id"], "--json")[1])
        endings.add(report["ending"])
        assert report["known_cost"] == bug["value"]
        assert out.splitlines()[1].endswith(f" {bug['value']}")
        is_other = report["possible_cost"] != report["known_cost"]
        assert is_other == ("\nthe better run below costs " in out)
        assert bool(report["open_goals"]) == (report["ending"] != "solved")
        assert set(report["open_goals"]) <= set(report["goal"])
        where = "open" if report["open_goals"] else "reached"
        assert f"\nthe goal, {where} at the end of the policy's run: " in out
        assert "\nonly after the " in out
    assert endings == {"loop", "solved"}


def test_explain_names_a_decision_that_is_bad_by_itself(tmp_path: Path, run: Run) -> None:
    """A lift that goes to the wrong floor first, in a task whose dominance function is quick."""
    domain, problem = write_task(tmp_path, "miconic")
    folder = tmp_path / "lift"
    options = ("--oracle", "local", "--pool-size", "10", "--escalate-to", "0")
    run("test", domain, problem, "--policy", "greedy:hmax", "-o", folder, *options)
    bug = sorted(path.stem for path in (folder / "bugs").iterdir())[0]
    report = json.loads(run("explain", folder, bug, "--json")[1])
    decision = f"decision {report['step'] + 1}, {report['action']}, costs at least "
    assert report["dominance"].startswith(decision)
    assert report["dominance"].endswith(", whatever comes after it: proven by dominance")
    assert f"\n{report['dominance']}\nthe state there: " in run("explain", folder, bug)[1]


def test_explain_blames_no_step_of_a_loop_without_cost(
    task: list[str], tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "loops"
    options = ["--policy", "greedy:blind", "--objective", "qualitative", "--pool-size", 5]
    run("test", *task, *options, "-o", folder)
    bugs = [path.stem for path in (folder / "bugs").iterdir()]
    reports = [json.loads(run("explain", folder, bug, "--json")[1]) for bug in bugs]
    loops = [report for report in reports if report["sure"] == "none: zero-cost loop"]
    assert loops
    for report in loops:
        names = ("step", "facts", "action", "better_action")
        assert [report[name] for name in names] == [None] * len(names)
        assert report["better_run"]


def test_help_lists_the_fields_of_an_explanation(results: Path, run: Run) -> None:
    check_explained_fields(run, results)


def test_compare_finds_what_two_campaigns_share(
    task: list[str], tmp_path: Path, results: Path, run: Run
) -> None:
    other = tmp_path / "other"
    run("test", *task, "--policy", "greedy:hff", "--pool-size", 60, "--seed", 3, "-o", other)
    code, out, _ = run("compare", results, other, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["same_policy"]
    assert report["bugs"]["both"] > 0
    text = run("compare", results, other)[1]
    assert "finds" in text and text == f"{bugsieve.compare(results, other)}\n"
    named = {cause["id"]: cause for cause in json.loads(out)["causes"]}
    assert {cause["words"] for cause in named.values()} >= {"loop of sail", "costly by sail"}
    for folder, side in ((results, "first"), (other, "second")):
        listed = json.loads(run("status", folder, "--json")[1])
        assert sum(cause[side] for cause in named.values()) == listed["bugs"]
        causes = Counter(bug["cause"] for bug in listed["found"])
        assert causes == {name: cause[side] for name, cause in named.items() if cause[side]}
        assert all(f" × {cause['words']}\n" in text for cause in named.values())
        members = Counter(bug["line"] for bug in listed["found"])
        assert {line["id"]: line["bugs"] for line in listed["causes"]} == members
        assert {name for line in listed["causes"] for name in line["causes"]} == {*causes}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_export_names_the_files_it_writes(
    results: Path, tmp_path: Path, run: Run, form: str
) -> None:
    check_export(run, results, form, tmp_path / "out")


def test_judge_states_of_a_file(task: list[str], results: Path, tmp_path: Path, run: Run) -> None:
    bug = json.loads(next((results / "bugs").iterdir()).read_text())
    states = tmp_path / "states.json"
    states.write_text(json.dumps([bug["certificate"]["facts"]]))
    options = ["--policy", "greedy:hff", "--states", states, "--oracle", "perfect"]
    code, out, _ = run("judge", *task, *options)
    assert (code, "perfect: bug" in out) == (1, True)
    (state,) = json.loads(run("judge", *task, *options, "--json")[1])["states"]
    assert state["bug"]["certificate"]["state"] == bug["certificate"]["state"]
    code, out, _ = run("judge", *task, "--policy", "optimal", "--oracle", "perfect")
    assert (code, "1 state, 0 bugs" in out) == (0, True)


@pytest.mark.parametrize("kind", [
    "oracles", "safety-oracles", "policies", "model-policies", "biases", "objectives", "domains",
])  # fmt: skip
def test_list(kind: str, run: Run) -> None:
    names = json.loads(run("list", kind, "--json")[1])
    code, out, _ = run("list", kind)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [name.split()[0] for name in names]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--oracle", "lokahead"], "there is no oracle 'lokahead' (did you mean 'lookahead'?)"),
        (["--bias", "detuor"], "there is no bias 'detuor' (did you mean 'detour'?)"),
        (["--objective", "cheap"], "there is no objective 'cheap'"),
        (["--objective", "avoid:(at-fery loc1)"], "at-fery"),
        (["--objective", "qualitative", "--oracle", "aras"], "there is no oracle left"),
        (["--pool-size", "0"], "--pool-size must be at least 1, got 0"),
        (["--novelty", "4"], "--novelty must be at most 3, got 4"),
        (["--policy", "gredy"], "there is no policy 'gredy' (did you mean 'greedy'?)"),
        (["--from", "nothing.json"], "nothing.json"),
    ],
)
def test_bad_options(
    task: list[str], tmp_path: Path, run: Run, arguments: list[str], complaint: str
) -> None:
    folder = tmp_path / "never"
    code, out, err = run("test", *task, "--policy", "greedy:hff", "-o", folder, *arguments)
    assert (code, out) == (4, "")
    assert complaint in err
    assert not folder.exists()


def test_folders_that_are_no_campaign(
    task: list[str], tmp_path: Path, results: Path, run: Run
) -> None:
    for command in (["status"], ["resume"], ["replay"], ["export", "--csv", tmp_path / "x"]):
        code, _, err = run(command[0], tmp_path, *command[1:])
        assert (code, "is not the folder of a campaign" in err) == (4, True)
    code, _, err = run("test", *task, "--policy", "greedy:hff", "-o", results)
    assert (code, "holds a campaign already" in err) == (4, True)
    code, _, err = run("explain", results, "zzz")
    assert (code, "has no bug 'zzz'" in err) == (4, True)
    code, _, err = run("list", "oracels")
    assert (code, "did you mean 'oracles'?" in err) == (4, True)


def test_a_broken_store_is_named(results: Path, tmp_path: Path, run: Run) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(results, broken)
    (broken / "campaign.sqlite").write_bytes(b"no database at all " * 100)
    code, _, err = run("status", broken)
    assert code == 4
    assert "broken" in err
