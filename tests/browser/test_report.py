"""The report in a real Chromium: steps, filters, the address, print, and strangers' names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import bugsieve
from bugsieve.campaigns.exhibits import Exhibit, Panel, TablePanel, Track, TreePanel
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.reports.contents import (
    BugLine,
    CampaignPart,
    CausePart,
    Chapter,
    Contents,
    ShownBug,
)
from bugsieve.reports.page import report_page
from tests.browser.axe import axe_script, violations
from tests.browser.chromium import Page
from tests.unit.policies.line import line_task
from tests.unit.reports.page.folders import (
    MAKERS,
    blocks_campaign,
    multiplied,
    sailing_campaign,
)

EVIL = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>\"'&\u202e"


@pytest.fixture(scope="session")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on blocks."""
    folder = tmp_path_factory.mktemp("blocks")
    return bugsieve.report(blocks_campaign(folder), output=folder / "report.html")


@pytest.fixture
def opened(page: Page, blocks: Path) -> Page:
    """That report in a browser on a desk."""
    page.media("")
    page.resize(1280, 720)
    page.open(blocks)
    return page


def check_quiet(page: Page, path: Path) -> None:
    """Nothing was said on the console, and nothing asked for but the page itself."""
    assert page.complaints() == []
    assert {url.partition("#")[0] for url in page.requests()} == {path.as_uri()}


def address(page: Page) -> dict[str, str]:
    values = parse_qs(page.run("location.hash.slice(1)"))
    return {name: value for name, (value,) in values.items()}


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_first_screen_has_the_verdict_what_was_tested_and_the_causes(
    page: Page, blocks: Path, width: int, height: int
) -> None:
    page.resize(width, height)
    page.open(blocks)
    check_quiet(page, blocks)
    for part in (".badge", "h1", ".tested", ".causes li"):
        place = page.run(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        assert 0 < place <= height, part
    assert page.run("document.documentElement.scrollWidth") <= width


def test_runs_are_stepped_by_keys_slider_and_buttons(opened: Page, blocks: Path) -> None:
    run = "document.getElementById('run-cause-1-1')"
    counter = f"{run}.querySelector('.counter').textContent"
    words = f"[...{run}.querySelectorAll('.stage-words')].map(p => p.textContent)"
    shapes = f"{run}.querySelector('.stage svg').innerHTML"
    opened.run(f"{run}.querySelector('input').focus()")
    while not opened.run(counter).startswith("start of "):
        opened.press("ArrowLeft")
    first = opened.run(words), opened.run(shapes)
    assert all(said.startswith("start: the start, ") for said in first[0])
    opened.press("ArrowRight")
    assert opened.run(counter).startswith("after step 1 of")
    second = opened.run(words), opened.run(shapes)
    assert second[0] != first[0] and second[1] != first[1]
    assert address(opened)["run"] == "run-cause-1-1:1"
    assert "now" in opened.run(f"{run}.querySelector('[role=status]').textContent")
    opened.run(f"{run}.querySelector('.controls button').click()")
    assert (opened.run(words), opened.run(shapes)) == first
    opened.run(f"{run}.querySelector('.controls button:last-of-type').click()")
    opened.open(blocks)  # without its address it begins at the decision again
    assert address(opened) == {}


def test_the_script_draws_what_the_strips_show(opened: Page) -> None:
    """Each frame of a strip and the stage at its step have the same shapes."""
    script = """[...document.querySelectorAll('.runs')].flatMap(runs => {
      const told = svg => [...svg.children].map(shape => {
        const used = shape.tagName === 'use'
          ? document.querySelector(shape.getAttribute('href')) : shape;
        const said = [...used.attributes].filter(one => one.name !== 'id');
        return [used.tagName, used.textContent, ...said.map(one => one.name + one.value).sort()];
      });
      const slider = runs.querySelector('input');
      return [...runs.querySelectorAll('.track')].flatMap((track, number) =>
        [...track.querySelectorAll('.frame')].map(frame => {
          slider.value = frame.dataset.step;
          slider.dispatchEvent(new Event('input'));
          const stage = runs.querySelectorAll('.stage svg')[number];
          return String(told(frame.querySelector('svg'))) === String(told(stage));
        }));
    })"""
    same = opened.run(script)
    assert len(same) > 10 and all(same)


def test_a_loop_has_an_arrow_back(opened: Page) -> None:
    back = "[...document.querySelectorAll('.back')].map(item => item.textContent)"
    texts = opened.run(back)
    assert texts and all(text.startswith("↩") and "for ever" in text for text in texts)


def test_filters_and_order_are_kept_in_the_address(opened: Page, blocks: Path) -> None:
    rows = "[...document.querySelectorAll('#all-bugs tbody tr:not([hidden])')]"
    shown = f"{rows}.map(row => row.querySelector('code').textContent)"
    every = opened.run(shown)
    opened.run("document.getElementById('search').focus()")
    opened.type(every[1][:6])
    assert opened.run(shown) == [every[1]] and address(opened) == {"q": every[1][:6]}
    assert opened.run("document.getElementById('shown').textContent").startswith("1 of ")
    choose = "search.value = ''; search.dispatchEvent(new Event('input'))"
    opened.run(choose)
    assert opened.run(shown) == every
    steps = f"{rows}.map(row => +row.cells[4].textContent)"
    buttons = "[...document.querySelectorAll('#all-bugs th button')]"
    button = f"{buttons}.find(one => one.textContent === 'steps')"
    opened.run(f"{button}.click()")
    assert opened.run(steps) == sorted(opened.run(steps))
    opened.run(f"{button}.click()")
    assert opened.run(steps) == sorted(opened.run(steps), reverse=True)
    opened.run("cause.value = '1'; cause.dispatchEvent(new Event('change'))")
    assert address(opened) == {"sort": "steps", "down": "1", "cause": "1"}
    chosen = opened.run(shown)
    assert 0 < len(chosen) <= len(every)
    opened.open(blocks)
    opened.send("Page.navigate", url=f"{blocks.as_uri()}#sort=steps&down=1&cause=1")
    opened.wait_for("new Promise(done => requestAnimationFrame(done))")
    assert opened.run(shown) == chosen
    check_quiet(opened, blocks)


def test_links_lead_to_causes_and_keep_the_choice(opened: Page) -> None:
    opened.run("kind.value = kind.options[1].value; kind.dispatchEvent(new Event('change'))")
    opened.run("document.querySelector('.causes a').click()")
    assert address(opened)["at"] == "cause-1-1" and address(opened)["kind"]
    assert opened.run("document.activeElement.id") == "cause-1-1"


def test_everything_is_reached_by_the_keyboard(opened: Page) -> None:
    seen = []
    for _ in range(60):
        opened.press("Tab")
        seen.append(opened.run("document.activeElement.outerHTML.slice(0, 200)"))
    for part in ("skip", "#cause-1-1", 'type="range"', "one step on", "copy bugsieve explain"):
        assert any(part in item for item in seen), part


def test_print_and_missing_scripts_leave_the_strips(opened: Page, blocks: Path) -> None:
    opened.media("print")
    visible = "getComputedStyle(document.querySelector('{}')).display"
    assert opened.run(visible.format(".viewer")) == "none"
    assert opened.run(visible.format(".strip")) != "none"
    assert opened.send("Page.printToPDF")["data"]
    opened.media("")
    opened.send("Emulation.setScriptExecutionDisabled", value=True)
    opened.open(blocks)
    opened.send("Emulation.setScriptExecutionDisabled", value=False)
    assert not opened.run("document.documentElement.classList.contains('scripted')")
    assert opened.run("document.querySelectorAll('.strip svg').length") > 5
    assert opened.run("document.querySelector('.choices').hidden")


def evil_contents() -> Contents:
    """A page in which every text is an attack."""
    task = line_task(3)
    states = [task.initial_state.tolist()] * 3
    track = Track(EVIL, [EVIL, EVIL], task, states, [EVIL] * 3, EVIL, 1, EVIL)
    told = Track(EVIL, [EVIL], notes=[EVIL, EVIL])
    exhibit = Exhibit([EVIL], [track, told], {"explain": EVIL}, EVIL)
    bug = BugLine(EVIL, EVIL, EVIL, 2, 1.0, (EVIL,), "cause")
    panels: list[Panel] = [
        TablePanel(EVIL, [EVIL], [[EVIL]], EVIL),
        TreePanel(EVIL, [None], [EVIL], [0.5], EVIL),
    ]
    part = CampaignPart(EVIL, "", EVIL, EVIL, [EVIL], [bug], 1, panels, {EVIL: EVIL}, {EVIL: EVIL})
    cause = CausePart(1, EVIL, "cause", ShownBug(part, EVIL, EVIL, exhibit))
    chapter = Chapter(
        EVIL, EVIL, [EVIL], EVIL, CampaignResult.BUGS, True, [part], [cause], EVIL, 1
    )
    return Contents([chapter], full=True, with_output=True)


def test_strangers_names_stay_names(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "evil.html"
    path.write_text(report_page(evil_contents()), encoding="utf-8")
    page.open(path)
    check_quiet(page, path)
    page.run("document.querySelector('.controls button').click()")
    page.run("document.querySelector('#all-bugs th button').click()")
    assert page.run("window.hit") is None
    assert page.run("document.images.length") == 0
    assert page.run("document.scripts.length") == 2
    assert "<img src=x" in page.run("document.querySelector('h1').textContent")
    check_quiet(page, path)


def test_scripts_of_others_do_not_run(page: Page, blocks: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.html"
    changed = "<script>window.hit = 1</script><style>h1{display:none}</style></body>"
    path.write_text(blocks.read_text().replace("</body>", changed))
    page.open(path)
    assert page.run("window.hit") is None
    assert page.run("getComputedStyle(document.querySelector('h1')).display") != "none"
    assert len(page.complaints()) >= 2  # the browser says that it has refused both


def test_one_thousand_bugs_stay_usable(page: Page, tmp_path: Path) -> None:
    campaign = sailing_campaign(tmp_path)
    multiplied(campaign, bugs=1000, causes=20)
    path = bugsieve.report(campaign, output=tmp_path / "report.html")
    page.resize(1280, 720)
    page.open(path)
    check_quiet(page, path)
    assert page.run("document.querySelectorAll('#all-bugs tbody tr').length") == 1000
    page.run("search.value = 'z0'; search.dispatchEvent(new Event('input'))")
    assert page.run("document.getElementById('shown').textContent") == "975 of 1000 bugs"
    assert page.run("document.querySelectorAll('.viewer').length") == 20


def test_a_page_that_is_followed_reloads_and_keeps_its_place(page: Page, tmp_path: Path) -> None:
    (chapter,) = evil_contents().chapters
    running = Contents([replace(chapter, is_finished=False)], True, False, follows=True)
    path = tmp_path / "running.html"
    path.write_text(report_page(running), encoding="utf-8")
    # The clock of the page is ours, so that nobody has to wait.
    clock = "window.setTimeout = (act, wait) => { window[`after${wait}`] = act; };"
    script = page.send("Page.addScriptToEvaluateOnNewDocument", source=clock)
    page.open(path)
    page.send("Page.removeScriptToEvaluateOnNewDocument", **script)
    page.run("search.value = 'x'; search.dispatchEvent(new Event('input'))")
    page.run("search.focus({preventScroll: true}); scrollTo({top: 300, behavior: 'instant'})")
    page.events.clear()
    page.run("after10000(); 0")
    page.wait_until_loaded()
    assert page.run("scrollY") == 300 and page.run("document.activeElement.id") == "search"
    assert page.run("search.value") == "x"
    check_quiet(page, path)


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a campaign of each kind."""
    folders = [make(tmp_path_factory.mktemp(kind)) for kind, make in MAKERS.items()]
    return bugsieve.report(*folders, output=folders[0].parent / "report.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, blocks: Path, everything: Path, scheme: str) -> None:
    script = axe_script()
    for path in (blocks, everything):
        for width, height in ((1280, 720), (390, 844)):
            page.resize(width, height)
            page.prefer(scheme)
            page.open(path)
            assert violations(page, script) == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_first_screen_has_as_much_of_many_campaigns(
    page: Page, tmp_path: Path, width: int, height: int
) -> None:
    """However long their names are."""
    (chapter,) = evil_contents().chapters
    each = {f"domain/a-problem-with-a-long-name-{n}/policy_fuzzer_0": "1 bug" for n in range(12)}
    short = replace(
        chapter,
        verdict="12 campaigns, 283 bugs: 140 costly, 143 unsolved",
        more=["with bugs: 12 of 12", "not solved from the initial state: 6 of 12"],
        tested="12 campaigns of cost testing, policy hill-climbing:hadd, objective quantitative",
        each=each,
        missing=[f"shard 2/2 is missing: {', '.join(each)}"],
    )
    path = tmp_path / "many.html"
    path.write_text(report_page(Contents([short], True, False)), encoding="utf-8")
    page.resize(width, height)
    page.open(path)
    for part in (".badge", "h1", ".tested", ".causes li"):
        place = page.run(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        assert 0 < place <= height, part
    page.run("document.querySelector('.head details').open = true")
    assert page.run("document.querySelectorAll('.head tbody tr').length") == 12
    assert page.run("document.documentElement.scrollWidth") <= width
