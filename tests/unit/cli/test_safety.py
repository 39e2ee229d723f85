"""The commands that test the safety of a policy and look at what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import summary_of
from bugsieve.cli import main
from bugsieve.rooms.safety.campaign.models import model_of
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.checker.safety import check_safety_bug
from bugsieve.rooms.safety.checker.safety import main as checker
from bugsieve.rooms.safety.store.records import SafetyRecords
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.cli.commands import (
    Run,
    check_explained_fields,
    check_export,
    check_resume,
    with_false_proofs,
)
from tests.unit.results.samples import created
from tests.unit.results.small_disk import small_disk
from tests.unit.tasks.jani.small import (
    binary,
    bounded,
    edge,
    simple,
    variable,
    write,
)

LEFT = json.dumps({"rows": [[[place], "left" if place < 4 else "right"] for place in range(1, 6)]})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model and a policy that goes left where it should not."""
    folder = tmp_path_factory.mktemp("ledge")
    write(folder, ledge())
    write(folder, ledge(slip=5), "faulty.jani")
    (folder / "left.json").write_text(LEFT)
    return folder


@pytest.fixture(scope="module")
def results(place: Path) -> Path:
    """A finished campaign that has found two faults."""
    folder = place / "results"
    assert main(["safety", *arguments(place), "-o", str(folder), "--oracle", "tarjan"]) == 1
    return folder


def arguments(place: Path, *more: object) -> list[str]:
    policy = f"table:{place / 'left.json'}"
    return [str(place / "model.jani"), "--policy", policy, "--walks", "60", *map(str, more)]


def test_a_campaign_ends_with_faults_in_words(place: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "found"
    oracles = ["--oracle", "tarjan", "--oracle", "vi:1"]
    code, out, err = run("safety", *arguments(place), "-o", folder, *oracles)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "2 bugs with 1 cause in 60 walks"
    assert lines[1] == f"model ledge, policy table:{place / 'left.json'}, seed 0"
    assert lines[4].startswith("60 walks in ") and "(all walks made): " in lines[4]
    assert "2 bugs: 2 faults" in lines
    assert any(line.startswith("  tarjan  ") and "with a fault (" in line for line in lines)
    assert "could not be avoided within 1 divergence" in out
    assert any("fault in " in line and ", at x = 2: does left (x 2 → " in line for line in lines)
    assert "2 × does left where right is safe" in out
    assert "danger 1 step later; safe is right" in out
    files = sorted((folder / "bugs").iterdir())
    assert len(files) == 2
    document = json.loads((folder / "model.jani").read_text())
    for file in files:
        check_safety_bug(document, json.loads(file.read_text()))
        assert checker([str(folder / "model.jani"), str(file)]) == 0
    assert f"repair:      bugsieve shield {folder} -o shield.json" in lines


def test_the_summary_as_json(place: Path, tmp_path: Path, run: Run) -> None:
    code, out, _ = run("safety", *arguments(place), "-o", tmp_path / "json", "--json")
    report = json.loads(out)
    assert code == 1
    assert report["bugs"] == len(report["found"]) == 2
    assert {bug["state"]["x"] for bug in report["found"]} == {2, 3}
    assert {(bug["action"], bug["safe_action"]) for bug in report["found"]} == {("left", "right")}
    assert sum(report["outcomes"].values()) == report["walks"] == 60
    counts = report["oracles"]["tarjan"]
    assert counts["with_fault"] + counts["unavoidable"] == report["runs"]


def test_a_safe_policy_ends_with_0(place: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "right.json").write_text(LEFT.replace("left", "right"))
    write(tmp_path, ledge(starts=(3, 4)))
    policy = f"table:{tmp_path / 'right.json'}"
    code, out, _ = run(
        "safety", tmp_path / "model.jani", "--policy", policy, "-o", tmp_path / "safe"
    )
    assert (code, "no unsafe runs found" in out) == (0, True)
    assert out.startswith("safe from all 2 start states (proven)\n")
    unexplored = [tmp_path / "model.jani", "--policy", policy, "--whole", "no"]
    code, out, _ = run("safety", *unexplored, "-o", tmp_path / "walks")
    assert (code, "no bugs found in 1000 walks" in out) == (0, True)


def test_walks_that_say_nothing_end_with_5(place: Path, tmp_path: Path, run: Run) -> None:
    write(tmp_path, ledge(starts=(4,)))
    options = ["--policy", "random:2", "--step-limit", 1, "--choice", "uniform"]
    walks = [tmp_path / "model.jani", *options, "--whole", "no"]
    code, out, _ = run("safety", *walks, "-o", tmp_path / "cut")
    assert (code, "step limit" in out) == (5, True)
    code, out, _ = run("safety", tmp_path / "model.jani", *options, "-o", tmp_path / "whole")
    assert (code, out.splitlines()[0]) == (0, "safe from the only start state (proven)")
    write(tmp_path, ledge(starts=(3,)))
    options = ["--policy", f"table:{place / 'left.json'}", "--oracle", "vi", "--expansions", 1]
    code, out, _ = run("safety", tmp_path / "model.jani", *options, "-o", tmp_path / "vi")
    assert (code, "1000 inconclusive" in out) == (5, True)


def test_a_policy_that_always_crashes_ends_with_5(place: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "broken.py").write_text("def f(values, applicable):\n    return 1 / 0\n")
    policy = f"python:{tmp_path / 'broken.py'}:f"
    options = ["--policy", policy, "--walks", 5, "-o", tmp_path / "broken"]
    code, out, _ = run("safety", place / "model.jani", *options)
    assert code == 5
    assert "policy crash in " in out and "ZeroDivisionError" in out


def test_a_faulty_model_is_one_sentence_and_4(place: Path, tmp_path: Path, run: Run) -> None:
    options = ["--policy", f"table:{place / 'left.json'}", "-o", tmp_path / "faulty"]
    code, out, err = run("safety", place / "faulty.jani", *options)
    assert (code, out) == (4, "") and err.count("\n") == 1
    assert "assigns -4 to 'x'" in err and "in the state x = 5" in err
    code, out, _ = run("status", tmp_path / "faulty")
    assert (code, "(the model is faulty)" in out) == (0, True)


def test_a_folder_is_found_if_none_is_named(
    place: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        run("safety", *arguments(place, "--max-bugs", 1))
    names = {path.parent.name for path in tmp_path.glob("bugsieve-*/campaign.sqlite")}
    assert names == {"bugsieve-ledge", "bugsieve-ledge-2"}


def test_a_folder_stands_for_its_model(place: Path, tmp_path: Path, run: Run) -> None:
    line = tmp_path / "line"
    assert run("generate", "one-way-line", "-o", line)[0] == 0
    code, out, _ = run("safety", line, "--policy", "random", "--walks", 9, "-o", tmp_path / "out")
    assert code in (0, 1, 5, 6) and "9 walks" in out
    (tmp_path / "empty").mkdir()
    code, _, err = run("safety", tmp_path / "empty", "--policy", "random")
    assert code == 4 and "is a folder that holds no model.jani" in err


def test_a_stopped_campaign_goes_on(place: Path, tmp_path: Path, run: Run, results: Path) -> None:
    folder = tmp_path / "stopped"
    run("safety", *arguments(place, "--max-bugs", 1, "-o", folder))
    check_resume(run, folder, results)


def test_status_lists_bugs(results: Path, run: Run) -> None:
    code, out, _ = run("status", results, "--bugs", 1)
    ids = {file.stem for file in (results / "bugs").iterdir()}
    assert (code, sum(bug in out.split("\n\n")[-1] for bug in ids)) == (0, 1)
    assert "not finished" not in out


def test_nothing_is_built_upon_false_proofs(results: Path, tmp_path: Path, run: Run) -> None:
    bug = next((results / "bugs").iterdir()).stem
    folder = with_false_proofs(results, tmp_path / "false")
    for command in (["explain", folder, bug], ["shield", folder, "-o", tmp_path / "shield.json"]):
        code, out, err = run(*command)
        assert (code, out) == (4, "")
        assert "does not hold" in err
    assert not (tmp_path / "shield.json").exists()


def test_explain_shows_the_run_and_what_is_safe(results: Path, run: Run) -> None:
    found = json.loads(run("status", results, "--json")[1])["found"]
    bug = next(bug for bug in found if bug["state"]["x"] == 3)
    code, out, _ = run("explain", results, bug["id"][:8])
    assert code == 0
    marked = [line for line in out.splitlines() if line.startswith("-> ")]
    assert len(marked) == 1 and "left" in marked[0] and "x 3 → 1" in marked[0]
    assert out.count("[danger]") == 1
    assert "the policy does left, which may lead to x 3 → 1: from there danger cannot" in out
    assert "safe is right (x 3 → 4): danger can be avoided from there on" in out
    report = json.loads(run("explain", results, bug["id"], "--json")[1])
    assert (report["action"], report["safe_action"]) == ("left", "right")
    assert (report["state"], report["outcome"]) == ({"x": 3}, {"x": 1})
    assert report["safe_outcomes"] == [{"x": 4}]
    step = report["step"]
    assert report["run"]["states"][step] == {"x": 3} and step in report["faults"]
    assert (report["run"]["safety"][step], report["run"]["safety"][-1]) == ("safe", "unsafe")
    assert "unsafe" not in report["run"]["safety"][:-1]


def test_help_lists_the_fields_of_an_explanation(results: Path, run: Run) -> None:
    check_explained_fields(run, results)


def test_explain_shortens_long_runs(tmp_path: Path, run: Run) -> None:
    """A hundred steps before the fault, of which only the last ones are shown."""
    steps = [
        edge({"x": binary("+", "x", 1)}, action="go", guard=binary("<", "x", 100)),
        edge({"x": 101}, action="go", guard=binary("=", "x", 100)),
        edge({"x": 102}, action="stay", guard=binary("=", "x", 100)),
    ]
    unsafe, goal = binary("=", "x", 101), binary("=", "x", 102)
    variables = [variable("x", bounded(0, 102), 0)]
    write(tmp_path, simple(*steps, variables=variables, unsafe=unsafe, goal=goal))
    (tmp_path / "go.json").write_text(
        json.dumps({"default": None, "rows": [[[x], "go"] for x in range(101)]})
    )
    options = ["--policy", f"table:{tmp_path / 'go.json'}", "--walks", 1, "-o", tmp_path / "r"]
    assert run("safety", tmp_path / "model.jani", *options)[0] == 1
    bug = next((tmp_path / "r" / "bugs").iterdir()).stem
    out = run("explain", tmp_path / "r", bug)[1]
    assert "… 90 steps …" in out
    assert "-> 101. go  x 100 → 101  [danger]" in out and "    91. go  x 90 → 91" in out
    assert "     90." not in out


def test_replay_tells_whether_a_bug_is_still_there(results: Path, run: Run) -> None:
    code, out, _ = run("replay", results)
    assert (code, out.count("STILL FAILS: the policy still chooses 'left'")) == (1, 2)
    assert out.splitlines()[-1] == "2 bugs: 2 still fails"
    bug = out.split()[0]
    assert run("replay", results, bug[:6])[0] == 1
    code, out, _ = run("replay", results, bug, "--policy", "random:1", "--json")
    assert json.loads(out)["status"] in ("fixed", "still fails")


def test_status_says_how_many_bugs_it_leaves_out(results: Path, run: Run) -> None:
    out = run("status", results, "--bugs", 1)[1]
    assert "\n… and 1 more: --bugs 2 lists all\n\nlook closer: bugsieve explain" in out
    assert "more: --bugs" not in run("status", results)[1]


def test_a_prefix_of_many_bugs_names_only_some(tmp_path: Path, run: Run) -> None:
    line, folder = tmp_path / "line", tmp_path / "found"
    run("generate", "one-way-line", "--length", 6, "--packages", 2, "-o", line)
    run("safety", line / "model.jani", "--policy", "random", "--walks", 50, "-o", folder)
    bugs = len(list((folder / "bugs").iterdir()))
    code, _, err = run("explain", folder, "")
    assert bugs > 5 and code == 4
    assert err.endswith(f" and {bugs - 5} more\n") and err.count(", ") == 4


def test_a_shield_repairs_what_was_found(results: Path, tmp_path: Path, run: Run) -> None:
    shield = tmp_path / "shield.json"
    code, out, _ = run("shield", results, "-o", shield)
    assert code == 0 and f"wrote {shield}: 2 bugs repaired by other actions in " in out
    code, out, _ = run("replay", results, "--policy", f"table:{shield}")
    assert (code, out.count("FIXED")) == (0, 2)
    options = ["--policy", f"table:{shield}", "--walks", 60, "-o", tmp_path / "again"]
    code, out, _ = run("safety", results / "model.jani", *options)
    assert (code, "no bugs found" in out) == (0, True)
    assert run("shield", results)[0] == 0 and (results / "shield.json").exists()
    (results / "shield.json").unlink()


def test_bugs_without_a_proven_fault(place: Path, tmp_path: Path, run: Run) -> None:
    """Where the proof of a fault is too large, that danger was avoidable may still be proven."""
    folder, shield = tmp_path / "found", tmp_path / "shield.json"
    write(tmp_path, ledge(starts=(3,)))
    options = ["--policy", f"table:{place / 'left.json'}", "--proof-rows", 6, "-o", folder]
    code, out, _ = run("safety", tmp_path / "model.jani", *options)
    assert (code, "1 bug: 1 avoidable" in out) == (1, True)
    assert "1 fault not proven in full: " in out
    bug = next((folder / "bugs").iterdir()).stem
    out = run("explain", folder, bug)[1]
    assert "(avoidable: danger was avoidable)" in out and "safe is right (x 3 → 4)" in out
    assert json.loads(run("explain", folder, bug, "--json")[1])["outcome"] is None
    code, out, _ = run("replay", folder, bug)
    assert (code, "the policy does the same again: danger after 2 steps" in out) == (1, True)
    assert run("shield", folder, "-o", shield)[0] == 0
    assert run("replay", folder, bug, "--policy", f"table:{shield}")[0] == 0


@pytest.mark.parametrize(
    ("choices", "ending", "failed"),
    [
        (["jump", None, None], "illegal action", 7),
        (["go", "go", "jump"], "dead end", 0),
        (["go", None, None], "no action", 7),
    ],
)
def test_why_walks_end_without_an_action(
    choices: list[str | None], ending: str, failed: int, tmp_path: Path, run: Run
) -> None:
    """The summary, its JSON and the exported walks use one word, and failures are counted."""
    go = edge({"x": binary("+", "x", 1)}, guard=binary("<", "x", 2))
    jump = edge({"x": 5}, action="jump", guard=binary("=", "x", 1))
    path = write(tmp_path, simple(go, jump, unsafe=binary("=", "x", 5)))
    table, folder = tmp_path / "table.json", tmp_path / "results"
    table.write_text(json.dumps({"rows": [[[x], name] for x, name in enumerate(choices)]}))
    given = [path, "--policy", f"table:{table}", "--walks", 7, "-o", folder]
    assert f": 7 {ending}\n" in run("safety", *given)[1]
    assert json.loads(run("status", folder, "--json")[1])["outcomes"] == {ending: 7}
    assert summary_of(folder).failed_walks == failed
    assert run("export", folder, "--csv", tmp_path / "out")[0] == 0
    (header, *walks) = (tmp_path / "out" / "walks.csv").read_text().splitlines()
    assert header == "number,outcome,steps,seconds"
    assert [row.split(",")[1] for row in walks] == [ending] * 7


def test_unsafe_alone_starts_in_the_initial_states(place: Path, tmp_path: Path, run: Run) -> None:
    document = json.loads(Path(arguments(place)[0]).read_text("utf-8"))
    (property_,) = document.pop("properties")
    (tmp_path / "bare.jani").write_text(json.dumps(document))
    (tmp_path / "unsafe.jani").write_text(json.dumps(property_["expression"]["reach"]))
    given = [tmp_path / "bare.jani", "--unsafe", tmp_path / "unsafe.jani", "--policy", "random"]
    folder = tmp_path / "results"
    code, out, _ = run("safety", *given, "--walks", 5, "-o", folder)
    assert code in (0, 1) and "5 walks" in out
    kept = json.loads((folder / "model.jani").read_text("utf-8"))["properties"][0]["expression"]
    assert kept == {
        "op": "PA",
        "start": {"op": "initial"},
        "reach": property_["expression"]["reach"],
    }
    with SafetyRecords(folder) as records:
        options = SafetyOptions.from_toml(records.header.options, name="options")
        assert model_of(options).document == records.header.subject.load(source="x").document


@pytest.mark.parametrize("form", ["csv", "json"])
def test_export_names_the_files_it_writes(
    results: Path, tmp_path: Path, run: Run, form: str
) -> None:
    check_export(run, results, form, tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--oracle", "tarian"], "there is no safety oracle 'tarian' (did you mean 'tarjan'?)"),
        (["--oracle", "vi", "--oracle", "vi"], "the oracle 'vi' is named twice"),
        (["--choice", "gredy"], "'gredy' (did you mean 'greedy'?); there are uniform, greedy"),
        (["--choice", "uniform", "--lookahead", "inf"], "set the lookahead to 1"),
        (["--lookahead", "0"], "--lookahead must be at least 1, got 0"),
        (["--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--lookahead", "far"], "--lookahead must be a whole number, got 'far'"),
        (["--walks", "0"], "--walks must be at least 1, got 0"),
        (["--policy", "randon"], "there is no policy 'randon' (did you mean 'random'?)"),
        (["--policy", "table:nothing.json"], "there is no file 'nothing.json'"),
        (["--policy", "greedy:hff"], "greedy"),
        (["--constant", "N"], "--constant must be NAME=VALUE, got 'N'"),
        (["--constant", "N=3"], "'N'"),
        (["--stale-rounds", "3"], "unknown argument '--stale-rounds'"),
        (["--property-name", "liveness"], "the property 'liveness'"),
    ],
)
def test_bad_options(
    place: Path, tmp_path: Path, run: Run, options: list[str], complaint: str
) -> None:
    folder = tmp_path / "bad"
    code, out, err = run("safety", *arguments(place), "-o", folder, *options)
    assert (code, out) == (4, "")
    assert complaint in err and err.count("\n") == 1
    assert not folder.exists()


def test_bad_files(place: Path, results: Path, tmp_path: Path, run: Run) -> None:
    policy = ["--policy", "random", "-o", tmp_path / "bad"]
    code, _, err = run("safety", tmp_path / "missing.jani", *policy)
    assert (code, "missing.jani: there is no such file" in err) == (4, True)
    (tmp_path / "cut.jani").write_text('{"name": ')
    code, _, err = run("safety", tmp_path / "cut.jani", *policy)
    assert (code, "cut.jani" in err) == (4, True)
    other = {"op": "PA", "start": {"op": "state-condition", "exp": True}}
    other |= {"reach": {"op": "state-condition", "exp": {"op": "=", "left": "y", "right": 1}}}
    write(tmp_path, {"properties": [{"name": "p", "expression": other}]}, "other.jani")
    code, _, err = run("safety", place / "model.jani", tmp_path / "other.jani", *policy)
    assert (code, "'y'" in err, "other.jani" in err) == (4, True, True)
    code, _, err = run("safety", *arguments(place), "-o", results)
    assert (code, "holds a campaign already" in err) == (4, True)
    assert not (tmp_path / "bad").exists()


def test_folders_of_the_other_kind(results: Path, tmp_path: Path, run: Run) -> None:
    cost = created(tmp_path / "cost")
    code, _, err = run("compare", results, results)
    assert (code, "is a campaign of safety testing" in err) == (4, True)
    code, _, err = run("shield", cost)
    assert (code, "is a campaign of cost testing" in err) == (4, True)
    code, _, err = run("resume", results, "--workers", 2)
    assert (code, "runs in one process" in err) == (4, True)
    code, _, err = run("resume", results, "--stale-rounds", 2)
    assert (code, "stale_rounds is for cost testing" in err) == (4, True)
    code, _, err = run("explain", results, "zzz")
    assert (code, "has no bug 'zzz'" in err) == (4, True)
    code, out, _ = run("status", results.parent)  # a folder of campaigns
    assert (code, out.splitlines()[0].endswith(" of 1 campaign")) == (0, True)
    code, _, err = run("status", results / "bugs")
    assert (code, "is not the folder of a campaign" in err) == (4, True)


def test_a_full_disk_is_one_sentence(place: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "full"
    run("safety", *arguments(place), "-o", folder, "--max-bugs", 1)
    with small_disk(40_000):
        code, _, err = run("resume", folder, "--max-bugs", 10**6)
    assert code == 4 and err.count("\n") == 1
    assert "full" in err and f"bugsieve resume {folder}" in err
    assert run("resume", folder, "--max-bugs", 10**6)[0] == 1


def test_the_checker_refuses_what_lies_around_a_proof(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(results / "model.jani")
    text = next((results / "bugs").iterdir()).read_text()
    bug, lie = json.loads(text), tmp_path / "lie.json"
    for lying, sentence in [
        (json.dumps({**bug, "id": "0" * 12}), "'kind' or 'id' of the bug"),
        (json.dumps({**bug, "kind": "avoidable"}), "'kind' or 'id' of the bug"),
        (json.dumps({**bug, "radius": 3}), "a bug has the keys"),
        (text.rstrip()[:-1] + ', "kind": "avoidable"}', "the key 'kind' is there twice"),
        (json.dumps(bug)[:-2] + ', "radius": 9}}', "the key 'radius' is there twice"),
        ("[", "Expecting value"),
    ]:
        lie.write_text(lying)
        assert checker([model, str(lie)]) == 4
        assert sentence in capsys.readouterr().err
    assert checker([model]) == 4
    assert checker([model, str(tmp_path / "none.json")]) == 4
