"""The command `rules` and what other commands do with its campaigns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bugsieve.campaigns import session
from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.rules.campaign.driver import RulesDriver
from tests.unit.campaigns.rules.small import DOMAIN, OBLIGATIONS, PROBLEM, RULES, said, written
from tests.unit.cli.commands import Run

HOLDS = RULES.partition('[[rule]]\nid = "cold"')[0]
"""The rule that holds, alone."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return written(tmp_path)


@pytest.fixture
def folder(run: Run, files: list[str], tmp_path: Path) -> Path:
    code, _, _ = run("rules", *files, "-o", tmp_path / "campaign")
    assert code == 1
    return tmp_path / "campaign"


def test_the_help_names_all_that_there_is(run: Run) -> None:
    code, out, _ = run("rules", "--help")
    text = " ".join(out.split())
    assert code == 0
    for part in (
        "rules example -o DIR",
        "rules patterns",
        "rules edit DOMAIN PROBLEM -o FILE",
        "--show DIR [NUMBER]",
        "5 if nothing could be tested",
        "check a folder of somebody else",
        "--min-coverage P",
        "--junit FILE",
    ):
        assert part in text


def test_a_campaign_in_any_order_of_files(run: Run, files: list[str], tmp_path: Path) -> None:
    domain, problem, rules = files
    code, out, _ = run("rules", rules, domain, problem, "-o", tmp_path / "campaign")
    assert code == 1 and out.startswith("1 of 2 rules violated: cold[a]")
    assert "cold[a] violated after 2 steps in lamp" in out


def test_a_folder_stands_for_its_task(run: Run, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(HOLDS)
    code, out, _ = run("rules", tmp_path, files[2], "-o", tmp_path / "campaign")
    assert code == 0 and out.startswith("the rule holds")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{1}", "{0}", "{2}"], "swap them, the domain comes first"),
        (["{0}", "{1}"], "name a rules file (*.toml)"),
        (["{0}", "{2}"], "name a domain, at least one problem, and a rules file"),
        ([], "name a domain, at least one problem, and a rules file"),
        (["{0}", "{1}", "{2}", "{2}"], "one rules file at a time"),
        (["{0}", "{1}", "other.toml"], "other.toml"),
        (["{0}", "nowhere.pddl", "{2}"], "nowhere.pddl"),
        (["{folder}/empty", "{2}"], "domain.pddl"),
        (["{0}", "{folder}", "{2}"], "{folder}"),
        (["{0}", "{1}", "{2}", "--criterion", "ufx"], "did you mean 'ufc'?"),
        (["{0}", "{1}", "{2}", "--with-gaol"], "--with-goal"),
        (["{0}", "{1}", "{2}", "--min-coverage", "101"], "--min-coverage"),
        (["{0}", "{1}", "{2}", "--min-coverage", "much"], "--min-coverage"),
        (["{0}", "{1}", "{2}", "--expansions", "-1"], "--expansions"),
        (["pattern"], "did you mean 'patterns'?"),
        (["example"], "it is 'bugsieve rules example -o DIR'"),
        (["edit", "{0}"], "it is 'bugsieve rules edit DOMAIN PROBLEM -o FILE'"),
        (["--show", "{folder}"], "is not the folder of a campaign"),
    ],
)
def test_mistakes_in_the_command(
    run: Run, files: list[str], tmp_path: Path, words: list[str], sentence: str
) -> None:
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    code, _, err = run("rules", *(word.format(*files, folder=tmp_path) for word in words))
    assert code == 4 and sentence.format(folder=tmp_path) in err
    assert err.count("\n") == 1 and sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("G !warm(?l)", "G !warm(?l) &", ":17:"),
        ("(on ?l)", "(onn ?l)", "did you mean 'on'?"),
        ("?l - lamp)", "?l - lam)", "did you mean 'lamp'?"),
        ("G !warm(?l)", "G !worm(?l)", "did you mean 'warm"),
        ('kind = "desired"', 'kind = "desirable"', "desired"),
        ("format = 1", "format = 2", ":1:"),
        ("[[rule]]", "[[rul]]", "rule"),
        ("[[rule]]", "[[rule", ":"),
    ],
)
def test_mistakes_in_the_rules(
    run: Run, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    files = written(tmp_path, rules=RULES.replace(old, new, 1))
    code, _, err = run("rules", *files, "-o", tmp_path / "campaign")
    assert code == 4 and f"{files[2]}:" in err and sentence in err and err.count("\n") == 1
    assert not (tmp_path / "campaign").exists()


@pytest.mark.parametrize(
    ("rules", "options", "code", "sentence"),
    [
        (HOLDS, [], 0, "the rule holds"),
        (HOLDS, ["--min-coverage", "100"], 0, "coverage 100.0 %"),
        (RULES, [], 1, "cold[a]"),
        (HOLDS.replace("G(warm(?l) -> on(?l))", "F warm(?l)"), [], 6, "--with-goal, or --lassos"),
        (HOLDS.replace("G(warm(?l) -> on(?l))", "G(warm(?l) -> on(?l) | !on(?l))"), [], 0, ""),
    ],
)
def test_exit_codes(
    run: Run, tmp_path: Path, rules: str, options: list[str], code: int, sentence: str
) -> None:
    files = written(tmp_path, rules=rules)
    found, out, _ = run("rules", *files, *options, "-o", tmp_path / "campaign")
    assert found == code and sentence in out, out


def test_a_goal_that_cannot_be_reached(run: Run, tmp_path: Path) -> None:
    """Rules are about actions; only --with-goal asks for plans, of which there is none."""
    cold = DOMAIN.replace(":effect (warm ?l))", ":effect (on ?l))")
    files = written(tmp_path, domain=cold, rules=HOLDS)
    code, out, _ = run("rules", *files, "-o", tmp_path / "any")
    assert code == 0 and "its goal cannot be reached" in out and "holds" in out
    dark = HOLDS.replace("G(warm(?l) -> on(?l))", "G !on(?l)")
    lit = HOLDS[HOLDS.index("[[rule]]") :].replace("G(warm(?l) -> on(?l))", "F on(?l)")
    files = written(tmp_path, domain=cold, rules=dark + lit.replace('"warm"', '"lit"'))
    code, out, err = run("rules", *files, "--with-goal", "-o", tmp_path / "plans")
    assert code == 5 and out.startswith("no task has a plan") and "both" not in out, err


def test_json_and_junit(run: Run, files: list[str], tmp_path: Path) -> None:
    results, junit = tmp_path / "campaign", tmp_path / "junit.xml"
    code, out, _ = run("rules", *files, "--json", "--junit", junit, "-o", results)
    report = json.loads(out)
    assert code == 1 and report["judged"] == OBLIGATIONS and len(report["found"]) == 1
    assert len(ElementTree.parse(junit).getroot().findall("testcase")) == OBLIGATIONS


@pytest.mark.parametrize("place", ["nowhere/junit.xml", "."])
def test_junit_that_cannot_be_written_loses_nothing(
    run: Run, files: list[str], tmp_path: Path, place: str
) -> None:
    results = tmp_path / "campaign"
    code, out, err = run("rules", *files, "--junit", tmp_path / place, "-o", results)
    assert code == 4 and f"the results are kept in {results}" in err and err.count("\n") == 1
    assert "cold[a]" in out and run("resume", results)[0] == 1


def test_tests_are_shown(run: Run, folder: Path) -> None:
    code, out, _ = run("rules", "--show", folder)
    assert code == 0 and "    5  cold[a]: a violation: failed, 2 steps" in out
    code, out, _ = run("rules", "--show", folder, "5")
    assert code == 0 and "   2. (heat a)\n      warm(a)" in out
    code, out, _ = run("rules", "--show", folder, "0")
    assert code == 0 and "its translation from PDDL is trusted" in out
    rows = json.loads(run("rules", "--show", folder, "--json")[1])
    assert [row["number"] for row in rows] == list(range(OBLIGATIONS))
    assert json.loads(run("rules", "--show", folder, "5", "--json")[1])["verdict"] == "failed"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("99", "has tests 0 to 12, not 99"),
        ("-1", ""),
        ("x", "tests have numbers, not 'x'"),
        ("²", "tests have numbers"),
    ],
)
def test_numbers_of_tests_that_are_none(
    run: Run, folder: Path, number: str, sentence: str
) -> None:
    code, _, err = run("rules", "--show", folder, number)
    assert code == 4 and sentence in err and err.count("\n") == 1


def test_atoms_that_never_change_are_named(run: Run, files: list[str], tmp_path: Path) -> None:
    same = '[[atom]]\nname = "same(?l - lamp)"\nis = "(= ?l a)"\n[[rule]]'
    rules = HOLDS.replace("[[rule]]", same).replace("warm(?l) ->", "warm(?l) & same(?l) ->")
    Path(files[-1]).write_text(rules)
    assert run("rules", *files, "-o", tmp_path / "c")[0] == 0
    _, out, _ = run("rules", "--show", tmp_path / "c", 1)
    assert "\nrule: G(warm(a) -> on(a))\nnever changes: same(a) true\ntask: " in out
    _, out, _ = run("rules", "--show", tmp_path / "c", 1, "--json")
    assert json.loads(out)["never_changes"] == {"same(a)": True}
    _, out, _ = run("rules", "--show", tmp_path / "c", 5)
    assert "never changes" not in out


def test_instances_of_one_rule(run: Run, files: list[str], tmp_path: Path) -> None:
    Path(files[-1]).write_text(HOLDS)
    Path(files[1]).write_text(PROBLEM.replace("a - lamp", "a b - lamp"))
    _, out, _ = run("rules", *files, "-o", tmp_path / "c")
    assert out.startswith("all 2 instances of the rule hold (proven)\n")


def test_a_bug_is_explained_and_its_rule_replayed(run: Run, folder: Path) -> None:
    bug = next((folder / "bugs").iterdir()).stem
    code, out, _ = run("explain", folder, bug)
    assert code == 0 and "(heat a)" in out
    code, out, _ = run("replay", folder, bug)
    assert code == 1 and out.rstrip().endswith("3 tests: 2 still violated, 1 still covered")
    code, _, err = run("replay", folder, "--policy", "random")
    assert code == 4 and "tests of rules have no policy" in err


@pytest.mark.parametrize(
    ("domain", "code", "words"),
    [
        (DOMAIN.replace("(domain lamps)", "(domain candles)"), 4, "but 'lamps' was tested"),
        (DOMAIN.replace("(warm ?l - lamp)", "(hot ?l - lamp)"), 4, "predicate 'warm'"),
        (PROBLEM, 4, "is a problem file"),
        (DOMAIN.replace("warm", "hot"), 1, "3 proof lost, 10 lost"),
        (DOMAIN.replace(":effect (warm ?l))", ":effect (on ?l))"), 1, "FIXED"),
        ("(define", 4, "error"),
    ],
)
def test_replaying_on_another_domain(
    run: Run, folder: Path, tmp_path: Path, domain: str, code: int, words: str
) -> None:
    other = tmp_path / "other.pddl"
    other.write_text(domain)
    found, out, err = run("replay", folder, "--domain", other)
    assert found == code and words in out + err and "Traceback" not in err
    assert code != 4 or (not out and err.count("\n") == 1)


def test_replaying_leaves_open_what_nobody_decides(
    run: Run, files: list[str], tmp_path: Path
) -> None:
    rules = Path(files[-1])
    rules.write_text(RULES.replace("G !warm(?l)", "F warm(?l)"))
    assert run("rules", *files, "-o", tmp_path / "open")[0] == 6
    code, out, _ = run("replay", tmp_path / "open")
    assert code == 6 and "SAFETY PART HOLDS  cold[a]: a violation: no prefix refutes it" in out
    # No prefix shows a cause of that violation either, which is no reason to stay open.
    rules.write_text(RULES.replace("G !warm(?l)", "G(warm(?l) -> on(?l)) & F warm(?l)"))
    assert run("rules", *files, "-o", tmp_path / "half")[0] == 6
    code, out, _ = run("replay", tmp_path / "half")
    assert code == 6 and "1 not counted" in out and "1 safety part holds" in out
    wanted = rules.read_text() + 'expect = "safety part holds"\n'
    rules.write_text(wanted)
    assert run("rules", *files, "-o", tmp_path / "expected")[0] == 0
    code, out, _ = run("replay", tmp_path / "expected")
    assert code == 0 and "1 as expected" in out


def test_replaying_where_no_plan_is_left(run: Run, files: list[str], tmp_path: Path) -> None:
    rules, domain = Path(files[-1]), tmp_path / "other.pddl"
    # With the static atom the rule has no causes: whether it holds is all that is asked.
    never = '[[atom]]\nname = "never"\nis = "(not (= a a))"\n[[rule]]\nid = "R"\n'
    rules.write_text(f'format = 1\n{never}kind = "desired"\nltl = "G !never"\n')
    assert run("rules", *files, "--with-goal", "-o", tmp_path / "plans")[0] == 0
    domain.write_text(DOMAIN.replace(":effect (warm ?l))", ":effect (on ?l))"))
    code, out, _ = run("replay", tmp_path / "plans", "--domain", domain)
    assert code == 6 and "PROOF LOST      R: a violation: the goal cannot be reached" in out


def test_a_domain_that_is_not_there_is_a_mistake(run: Run, folder: Path) -> None:
    code, _, err = run("replay", folder, "--domain", folder / "no.pddl")
    assert code == 4 and "no.pddl" in err


def test_the_example(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("rules", "example", "-o", tmp_path / "deck")
    assert code == 0 and "test them: bugsieve rules " in out
    command = out.rstrip().rpartition("bugsieve ")[2].split()
    assert all(Path(name).is_file() for name in command[1:])
    assert run("rules", "example", "-o", tmp_path / "deck")[0] == 4  # nothing is overwritten


def test_ctrl_c_and_resume(
    run: Run, files: list[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered is kept, and the rest is answered as if nothing had happened."""
    step, steps = RulesDriver.step, 0

    def interrupted(driver: RulesDriver, given: Any) -> str | None:
        nonlocal steps
        steps += 1
        if steps == 7:
            raise KeyboardInterrupt
        return step(driver, given)

    results = tmp_path / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(RulesDriver, "step", interrupted)
        patch.setattr(session, "_COMMIT_SECONDS", 0.0)
        code, _, err = run("rules", *files, "-o", results)
    assert code == 2 and f"bugsieve resume {results}" in err
    assert "6 of 13 obligations" in run("status", results)[1]
    assert run("resume", results)[0] == 1 and said(results) == said(folder)


def test_two_at_once_are_refused(run: Run, folder: Path) -> None:
    with Campaign.open(folder):
        code, _, err = run("resume", folder)
    assert code == 4 and str(folder) in err


def test_criteria_and_patterns_are_listed(run: Run) -> None:
    assert json.loads(run("list", "criteria", "--json")[1]).keys() == {"ufc", "ufc-first", "flip"}
    assert "precedence" in json.loads(run("list", "patterns", "--json")[1])
