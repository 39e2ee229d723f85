"""Reports of whole campaigns: what they say, and what they never say."""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.exhibits import Exhibit
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.cli import main
from bugsieve.reports import page as page_module
from bugsieve.reports import writing
from bugsieve.reports.reading import ReadingLimits, read_chapter
from bugsieve.reports.writing import ReportOptions, follow
from tests.hostile.stores import other_bug, statement
from tests.unit.reports.page.folders import MAKERS, blocks_campaign

KINDS = sorted(MAKERS)


def page_of(campaign: Path, tmp_path: Path, **options: Any) -> str:
    return bugsieve.report(campaign, output=tmp_path / "report.html", **options).read_text()


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_is_the_first_line_of_status(
    kind: str,
    campaigns: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["status", str(campaigns[kind])]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    title = re.search(r"<h1[^>]*>(.*?)</h1>", page_of(campaigns[kind], tmp_path))
    assert title is not None and html.unescape(title.group(1)) == first


@pytest.mark.parametrize("kind", KINDS)
def test_equal_folders_give_equal_bytes_and_nothing_of_the_machine(
    kind: str, campaigns: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        shutil.copytree(campaigns[kind], tmp_path / name / "campaign")
        monkeypatch.chdir(tmp_path / name)
        pages.append(bugsieve.report("campaign").read_bytes())
    assert pages[0] == pages[1]
    assert str(campaigns[kind].parent).encode() not in pages[0]
    assert b"/tmp/" not in pages[0] and b"/home/" not in pages[0] and b"/root/" not in pages[0]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_into_the_folder(
    kind: str, campaigns: dict[str, Path], tmp_path: Path
) -> None:
    before = digests(campaigns[kind])
    page_of(campaigns[kind], tmp_path)
    assert digests(campaigns[kind]) == before


def test_a_page_says_what_the_lines_of_its_pictures_mean(
    campaigns: dict[str, Path], tmp_path: Path
) -> None:
    page = page_of(campaigns["cost"], tmp_path)
    said = re.findall(r'<p class="hint legend">(.*?)</p>', page)
    assert len(said) == page.count('class="runs"') > 0
    assert "dashed or italic: a goal that does not hold" in said[0]
    sizes = [{tuple(t["size"]) for t in run} for run in data_of(page)["runs"].values()]
    assert sizes and all(len(found) == 1 for found in sizes)


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_policy_that_is_gone_is_not_missed(tmp_path: Path) -> None:
    from tests.unit.reports.page.folders import sailing_campaign

    campaign = sailing_campaign(tmp_path)
    (tmp_path / "sail.py").unlink()
    page = page_of(campaign, tmp_path)
    assert "python:sail.py:sail" in page and re.search(r"▼ step \d+ is to blame", page)


def test_each_cause_has_runs_certificate_and_commands(
    campaigns: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my runs; rm -rf x"
    shutil.copytree(campaigns["cost"], folder)
    monkeypatch.chdir(tmp_path)
    page = page_of(Path(folder.name), tmp_path)
    (chapter,) = [read_chapter(folder, ReadingLimits())]
    for number, cause in enumerate(chapter.causes, 1):
        bug = cause.example.bug
        assert f'id="cause-1-{number}"' in page
        command = html.escape(f"bugsieve explain 'my runs; rm -rf x' {bug}")
        assert command in page
        ours, theirs = data_of(page)["runs"][f"run-cause-1-{number}"]
        assert (ours["title"], theirs["title"]) == ("the policy", "a better run")
        assert ours["words"][0].startswith("the start")
        assert theirs["ending"].startswith("goal at cost ")
    assert "proven by the policy&#x27;s run and a better one, checked for this page" in page


def test_what_explain_has_kept_is_marked(
    campaigns: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    shutil.copytree(campaigns["cost"], folder)
    bug = read_chapter(folder, ReadingLimits()).causes[0].example.bug
    assert main(["explain", str(folder), bug, "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    page = page_of(folder, tmp_path)
    ours, theirs = data_of(page)["runs"]["run-cause-1-1"]
    assert ours["marked"] == explained["step"] % max(1, len(explained["run"]))
    assert theirs["actions"][1:] == explained["better_run"]
    assert html.escape(explained["sentence"]) in page
    decision = explained["run"][ours["marked"]]
    step = f"step {explained['step'] + 1}"
    assert f"▼ {step} is to blame: {html.escape(decision)}</span>" in page


def asnets_campaign(folder: Path) -> Path:
    """A campaign whose policy is sometimes too dear and sometimes goes round in a loop."""
    size = ["--blocks", "6", "--seed", "3", "-o", str(folder / "six")]
    assert main(["generate", "blocksworld", *size]) == 0
    options = ["--pool-size", "40", "--whole", "no", "--oracle", "planner:gbfs"]
    options += ["--examples", "3", "--policy", "asnets:blocksworld"]
    assert main(["test", str(folder / "six"), *options, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def test_a_card_has_one_bug_with_one_cost_and_one_number_of_each_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Heading, strips, sentences and table say the same; so does `explain`, asked afterwards."""
    folder = asnets_campaign(tmp_path)
    page = page_of(folder, tmp_path)
    examples = [
        one.example
        for cause in read_chapter(folder, ReadingLimits()).causes
        for one in (cause, *cause.also)
    ]
    assert {example.about.split()[0] for example in examples} == {"loop", "cost"}
    for example in examples:
        about, exhibit = example.about, example.exhibit
        assert exhibit is not None and exhibit.sentences[0] == f"the policy: {about}"
        assert f"<code>{example.bug}</code>: {about}</p>" in page
        row = rf"<td><code>{example.bug}</code></td><td>\w+</td><td>{about}</td>"
        assert re.search(row, page)
        ours, theirs = exhibit.tracks
        possible = re.search(r"at most (\d+)$", about)
        assert possible is not None and theirs.ending == f"goal at cost {possible[1]}"
        assert ours.ending in ("loop", f"solved at {about.split(' instead')[0]}")
        check_steps(folder, example.bug, exhibit, page, tmp_path / "bug.svg", capsys)


def check_steps(
    folder: Path,
    bug: str,
    exhibit: Exhibit,
    page: str,
    svg: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The decision to blame has one number in the report, in `explain` and in its picture."""
    (said,) = (re.match(r"step (\d+) is to blame", line) for line in exhibit.sentences[1:2])
    assert said is not None
    ours, step = exhibit.tracks[0], int(said[1])
    assert ours.marked == step - 1 and ours.mark == f"step {step} is to blame"
    decision = html.escape(ours.actions[step - 1])
    assert f"▼ step {step} is to blame: {decision}</span>" in page
    capsys.readouterr()
    assert main(["explain", str(folder), bug, "--svg", str(svg)]) == 0
    text, picture = capsys.readouterr().out, svg.read_text()
    assert f"step {step} is to blame" in text
    assert re.search(rf"^-> +{step}\. {re.escape(decision)} ", text, re.M)
    assert f"▶ step {step}: the decision<" in picture and f">step {step}: {decision}<" in picture


def test_smallest_examples_are_named_if_they_hold(tmp_path: Path) -> None:
    folder = blocks_campaign(tmp_path, examples=5)
    (cause, *_) = read_chapter(folder, ReadingLimits()).causes
    whole, example = cause.example.bug, folder / "smallest" / cause.example.bug
    page = page_of(folder, tmp_path)
    assert re.search(rf"its smallest example has \d+ objects: smallest/{whole}<", page)
    small = json.loads((example / "bug.json").read_text())
    small["certificate"]["plan"]["operators"].pop()
    (example / "bug.json").write_text(json.dumps(small))
    (example / "problem.pddl").unlink()
    exhibit = read_chapter(folder, ReadingLimits()).causes[0].example.exhibit
    assert exhibit is not None and whole == cause.example.bug
    assert not any("smallest example" in sentence for sentence in exhibit.sentences)


def test_safety_shows_the_fault_and_a_safe_run(campaigns: dict[str, Path], tmp_path: Path) -> None:
    unsafe, safe = data_of(page_of(campaigns["safety"], tmp_path))["runs"]["run-cause-1-1"]
    step = f"step {unsafe['marked'] + 1}"
    assert unsafe["ending"] == "danger" and unsafe["mark"] == f"{step}, the fault"
    assert safe["mark"] == f"{step}, the safe action" and set(safe["words"][0:1])
    assert unsafe["actions"][: unsafe["marked"] + 1] == safe["actions"][: safe["marked"] + 1]
    assert all("unsafe" not in words and "lost" not in words for words in safe["words"])


def test_states_without_a_way_out_of_danger_are_lost_not_unsafe(tmp_path: Path) -> None:
    """Only in danger itself, the last state, does the unsafety condition hold."""
    size = ["--length", "6", "--packages", "2", "-o", str(tmp_path / "line")]
    assert main(["generate", "one-way-line", *size]) == 0
    command = ["safety", str(tmp_path / "line"), "--policy", "random", "--walks", "50"]
    assert main([*command, "-o", str(tmp_path / "campaign")]) == 1
    for unsafe, _ in data_of(page_of(tmp_path / "campaign", tmp_path))["runs"].values():
        *before, last = unsafe["words"]
        after = unsafe["marked"] + 1
        assert last.endswith("this is unsafe; danger")
        assert not any("unsafe" in words for words in before)
        assert before[after:] and all(words.endswith("; lost") for words in before[after:])
        assert all("safe" in words.split("; ") for words in before[:after])


def test_rules_show_the_truth_of_each_atom(campaigns: dict[str, Path], tmp_path: Path) -> None:
    page = page_of(campaigns["rules"], tmp_path)
    (trace,) = data_of(page)["runs"]["run-cause-1-1"]
    assert all(re.search(r"\w+(\(.*\))? (true|false)", words) for words in trace["words"])
    assert "<h3>Rules</h3>" in page


def test_a_training_shows_its_tree(campaigns: dict[str, Path], tmp_path: Path) -> None:
    page = page_of(campaigns["training"], tmp_path)
    assert "model 0" in page and "from model 0" in page and "<meter" in page
    assert "outcome-plain" in page


def test_undecided_is_not_green(tmp_path: Path) -> None:
    from tests.unit.reports.samples import Sample

    campaign = Sample("ll", {"lookahead": "??"}).write(tmp_path / "campaign")
    chapter = read_chapter(campaign, ReadingLimits())
    assert chapter.outcome is CampaignResult.UNDECIDED
    page = page_of(campaign, tmp_path)
    assert 'class="chapter-head outcome-undecided"' in page
    assert 'class="chapter-head outcome-fine"' not in page


def test_several_campaigns_in_one_page(campaigns: dict[str, Path], tmp_path: Path) -> None:
    for number in range(2):
        shutil.copytree(campaigns["cost"], tmp_path / "all" / f"part{number}")
    page = bugsieve.report(
        tmp_path / "all", campaigns["safety"], output=tmp_path / "r.html"
    ).read_text()
    assert page.count("<h1") == 1 and "2 folders" in page and "2 campaigns, " in page
    assert "part0" in page and 'id="cause-2-1"' in page
    assert '<p class="folder">all</p>' in page.replace(str(tmp_path) + "/", "")


def test_several_campaigns_are_summed_up_before_they_are_named(
    campaigns: dict[str, Path], tmp_path: Path
) -> None:
    for number in range(2):
        shutil.copytree(campaigns["cost"], tmp_path / "all" / f"part{number}")
    chapter = read_chapter(tmp_path / "all", ReadingLimits())
    assert "with bugs: 2 of 2" in chapter.more and not any("part" in line for line in chapter.more)
    assert [*chapter.each] == ["part0", "part1"] and " test states (" in chapter.each["part0"]
    assert "policy random:1, objective quantitative" in chapter.tested


def test_links_lead_somewhere_and_numbers_of_causes_are_their_own(
    campaigns: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where causes have no pictures for want of room."""
    monkeypatch.setattr(writing, "MOST_EXAMPLES", 2)
    folders = [campaigns[kind] for kind in ("rules", "cost", "safety")]
    page = bugsieve.report(*folders, output=tmp_path / "r.html").read_text()
    links = re.findall(r'href="#([^"]+)"', page)
    assert len(links) > 10 and all(f'id="{link}"' in page for link in links)
    numbers = re.findall(r'<h3><span class="count">(\d+)\. ', page)
    assert len(numbers) > 3 and len({*numbers}) == len(numbers)


def test_one_thousand_bugs_take_less_than_two_megabytes(many_bugs: Path, tmp_path: Path) -> None:
    page = page_of(many_bugs, tmp_path)
    assert page.count("<tr>") > 1000 and "20 causes" in page
    assert len(data_of(page)["runs"]) == 20
    assert all(len(run["at"]) == 50 for run, _ in data_of(page)["runs"].values())
    assert len(page.encode()) < 2_000_000


def test_beyond_the_limit_parts_are_left_out_and_it_is_said(
    campaigns: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = page_of(campaigns["cost"], tmp_path, full=True)
    monkeypatch.setattr(page_module, "LARGEST", page_module._FRAME + 6_000)
    page = page_of(campaigns["cost"], tmp_path)
    assert len(page.encode()) < min(len(full.encode()), page_module.LARGEST)
    assert "--full brings them" in page and "more: --full lists all" in page
    assert page_of(campaigns["cost"], tmp_path, full=True) == full
    assert "--full" not in full and data_of(full)["runs"] and not data_of(page)["runs"]


def test_what_a_policy_printed_is_shown_on_demand_only(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def act(facts, applicable):\n    raise ValueError\n")
    assert main(["generate", "blocksworld", "--blocks", "3", "-o", str(tmp_path / "task")]) == 0
    policy = f"python:{tmp_path / 'crash.py'}:act"
    command = ["test", str(tmp_path / "task"), "--policy", policy, "--pool-size", "3"]
    main([*command, "-o", str(tmp_path / "campaign")])
    page = page_of(tmp_path / "campaign", tmp_path)
    assert "Traceback" not in page and "raise ValueError" not in page
    assert str(tmp_path) not in page
    shown = page_of(tmp_path / "campaign", tmp_path, with_output=True)
    assert "raise ValueError" in shown and str(tmp_path) not in shown


def test_a_certificate_that_does_not_hold_is_refused(
    campaigns: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "campaign"
    shutil.copytree(campaigns["cost"], folder)
    bug = read_chapter(folder, ReadingLimits()).causes[0].example.bug

    def shorten(data: dict[str, Any]) -> None:
        data["certificate"]["plan"]["operators"].pop()

    other_bug(bug, shorten)(folder)
    with pytest.raises(InputError, match=f"the certificate of bug {bug} does not hold"):
        bugsieve.report(folder, output=tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_report_follows_a_campaign_to_its_end(
    campaigns: dict[str, Path], tmp_path: Path
) -> None:
    folder, out = tmp_path / "campaign", tmp_path / "report.html"
    shutil.copytree(campaigns["cost"], folder)
    statement("UPDATE progress SET finished = NULL")(folder)
    seen: list[bool] = []

    def wait(seconds: float) -> None:
        seen.append(data_of(out.read_text())["follows"])
        assert seconds == 10
        if len(seen) == 2:
            statement("UPDATE progress SET finished = 'enough'")(folder)

    follow(ReportOptions((folder,), out), tell=lambda: seen.clear(), wait=wait)
    assert seen == [True, True]
    assert data_of(out.read_text())["follows"] is False
    assert "this page follows it" not in out.read_text()


def test_wrong_uses_are_refused(tmp_path: Path, campaigns: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="at least one folder"):
        bugsieve.report()
    with pytest.raises(UsageError, match="no picture 'blok'"):
        bugsieve.report(campaigns["cost"], picture="blok")
    with pytest.raises(InputError, match="no such folder"):
        bugsieve.report(tmp_path / "nothing")


def test_a_kind_that_says_nothing_else_has_a_page() -> None:
    from bugsieve.campaigns.exhibits import NoExhibits

    nothing = NoExhibits(None)
    assert nothing.exhibit("x").tracks == Exhibit().tracks == ()
    assert nothing.panels(None) == ()
