"""The editor of rules in a real Chromium: its logic against ours, the keyboard, its looks."""

from __future__ import annotations

import json
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bugsieve.rooms.rules.editor.page import EditorVocabulary, Named, editor_page
from bugsieve.rooms.rules.english.grid import CONDITIONS, SCOPES, TIMINGS, formula_of
from bugsieve.rooms.rules.english.grid import TIMINGS_WITH_STEPS as COUNTED
from bugsieve.rooms.rules.english.reader import read_grid, read_sentence
from bugsieve.rooms.rules.english.writer import grid_text, write_sentence
from bugsieve.rooms.rules.file.reading import read_rules
from bugsieve.rooms.rules.ltl.automaton import automaton_of, equivalent
from bugsieve.rooms.rules.ltl.formula import Formula, negation
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, parameters_of, pattern_formula
from bugsieve.rooms.rules.ltl.patterns import SCOPES as PATTERN_SCOPES
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import holds
from tests.browser.chromium import Page

PLACE = Place("editor")
VOCABULARY = EditorVocabulary(
    "rover",
    "rover-1",
    predicates=[
        Named("going", ("rover", "waypoint", "waypoint")),
        Named("stowed", ("instrument",)),
        Named("on-board", ("instrument", "rover")),
        Named("charged", ()),
    ],
    actions=[Named("take-sample", ("rover", "waypoint"))],
    types={
        "object": ["object"],
        "rover": ["object", "rover"],
        "waypoint": ["object", "waypoint"],
        "instrument": ["instrument", "object"],
    },
    objects=["rover1", "rock4"],
)
VALUES: list[dict[str, str]] = [
    {"p": "p", "s": "s", "q": "q", "r": "r", "c": "c"},
    {"p": "!a", "s": "a & b(?x) & c", "q": "not (a and b)", "r": "!(a | c)", "c": "a -> b -> c"},
    {"p": "x & y", "s": "!x", "q": "x and y", "r": "y <-> x", "c": "true"},
]
NAMES = ["p", "s", "q", "r", "c"]


def rule(**given: str) -> dict[str, str]:
    return {
        **dict.fromkeys(NAMES, ""),
        "id": "FR-1",
        "kind": "desired",
        "forall": "",
        "form": "english",
        "note": "",
        "pattern": "absence",
        "scope": "global",
        "condition": "none",
        "timing": "always",
        "component": "system",
        "k": "2",
        "steps": "2",
        **given,
    }


def understood(page: Page, rules: list[dict[str, str]]) -> list[dict[str, Any]]:
    """LTL, sentence and traces of each rule, as the page shows them."""
    script = """rules => rules.map(rule => {
      const {formula, sentence, wishes} = understand(rule);
      const found = exampleTraces(formula, wishes);
      const letters = trace => trace && trace.map(letter => [...letter]);
      return {ltl: toText(formula), sentence, wishes: wishes.map(wish => toText(wish)),
        satisfying: letters(found.satisfying), violating: letters(found.violating)};
    })"""
    result: list[dict[str, Any]] = page.run(f"({script})({json.dumps(rules)})")
    return result


def check_traces(formula: Formula, shown: dict[str, Any]) -> None:
    for kind, wanted in (("satisfying", formula), ("violating", negation(formula))):
        if shown[kind] is None:
            assert automaton_of(wanted).is_empty, (kind, shown)
        else:
            assert holds(wanted, shown[kind]), (kind, shown)
    wishes = [read_ltl(wish, place=PLACE) for wish in shown["wishes"]]
    for wish in wishes[:1]:
        if not automaton_of(formula & wish).is_empty:
            assert holds(wish, shown["satisfying"]), shown


@pytest.fixture
def editor(page: Page, tmp_path: Path) -> Page:
    path = tmp_path / "editor.html"
    path.write_text(editor_page(VOCABULARY), encoding="utf-8")
    page.resize(1280, 900)
    page.run("typeof wasChanged === 'undefined' || (wasChanged = false)")
    page.open(path)
    return page


def test_patterns_are_ours(editor: Page) -> None:
    cases = [
        rule(form="pattern", pattern=pattern, scope=scope, k=k, **values)
        for pattern, scope, values in product(PATTERNS, PATTERN_SCOPES, VALUES)
        for k in ("0", "1", "2", "3")
        if k == "2" or (pattern == "bounded-existence" and values is VALUES[0])
    ]
    for case, shown in zip(cases, understood(editor, cases), strict=True):
        taken = parameters_of(case["pattern"], case["scope"])
        parts: dict[str, Any] = {
            name: int(case["k"]) if name == "k" else read_ltl(_signs(case[name]), place=PLACE)
            for name in taken
        }
        formula = pattern_formula(case["pattern"], case["scope"], **parts)
        assert shown["ltl"] == to_text(formula)
        assert equivalent(read_sentence(shown["sentence"], place=PLACE), formula)
        if case["p"] == "p" and " shall " in shown["sentence"]:
            assert shown["sentence"] == write_sentence(formula)
        check_traces(formula, shown)


def _signs(text: str) -> str:
    return text.replace("not ", "!").replace(" and ", " & ")


def test_sentences_are_ours(editor: Page) -> None:
    cases = [
        rule(scope=scope, condition=condition, timing=timing, steps=steps, **values)
        for scope, condition, timing, values in product(SCOPES, CONDITIONS, TIMINGS, VALUES)
        for steps in ("1", "3")
        if steps == "3" or (timing in COUNTED and values is VALUES[0])
    ]
    assert len(cases) == 435
    for case, shown in zip(cases, understood(editor, cases), strict=True):
        spoken, component = read_grid(shown["sentence"], place=PLACE)
        formula = formula_of(spoken)
        assert shown["ltl"] == to_text(formula)
        assert shown["sentence"] == grid_text(spoken, component=component)
        cell = (spoken.scope, spoken.condition, spoken.timing)
        assert cell == (case["scope"], case["condition"], case["timing"])
        assert spoken.steps == (int(case["steps"]) if case["timing"] in COUNTED else 0)
        assert spoken.response == read_ltl(_signs(case["p"]), place=PLACE)
        check_traces(formula, shown)


def test_what_is_typed_by_keyboard_alone_is_downloaded(editor: Page, downloads: Path) -> None:
    page = editor
    page.run("document.getElementById('source').focus()")
    page.press("Tab")
    page.press("Enter")  # going as an atom; its name has the focus
    assert focused(page)["value"] == "going(?r - rover ?w - waypoint ?w2 - waypoint)"
    tab_to(page, "New atom")
    page.press(" ")
    page.type("stowed(?r - rov")
    page.press("ArrowDown")
    page.press("Enter")
    page.type(")")
    assert focused(page)["value"] == "stowed(?r - rover)"
    tab_to(page, "PDDL condition")
    page.type("(forall (?i - instrument) (imply (on-")
    page.press("ArrowDown")
    page.press("Enter")
    assert focused(page)["value"].endswith("(on-board ?i ?r)")
    page.type(" (stowed ?i)))")
    tab_to(page, "For all, as in ?r - rover")
    page.type("?r - rover ?a ?b - waypoint")
    tab_to(page, "c, the condition")
    page.type("goi")
    page.press("ArrowDown")
    page.press("Enter")
    assert focused(page)["value"] == "going(?r,?a,?b)"
    page.press("Tab")
    page.type("sto")
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("Escape")
    page.type("wed(?r")
    assert focused(page)["value"] == "stowed(?r"
    assert focused(page)["invalid"] == "true"
    page.type(")")
    assert focused(page)["invalid"] == "false"
    assert page.run("document.getElementById('ltl').textContent") == (
        "G(going(?r,?a,?b) -> stowed(?r))"
    )
    assert page.run("document.getElementById('sentence').textContent") == (
        "Whenever going(?r,?a,?b), the system shall immediately satisfy stowed(?r)."
    )
    assert page.run("document.querySelectorAll('#traces table').length") == 2
    assert page.run("document.getElementById('problems').textContent") == ""
    tab_to(page, "Download rules.toml")
    page.press("Enter")
    file = read_rules(downloaded(downloads))
    assert list(file.atoms) == ["going", "stowed"]
    assert [(item.id, to_text(item.formula)) for item in file.rules] == [
        ("FR-1", "G(going(?r,?a,?b) -> stowed(?r))")
    ]
    assert not page.complaints()


def focused(page: Page) -> dict[str, Any]:
    """What has the focus: its label, its value, whether it is marked as wrong."""
    found: dict[str, Any] = page.run(
        """(() => { const e = document.activeElement; const label = e.labels && e.labels[0];
        return {label: label ? label.firstChild.textContent : e.textContent, value: e.value,
          invalid: e.getAttribute("aria-invalid")}; })()"""
    )
    return found


def tab_to(page: Page, label: str) -> None:
    for _ in range(60):
        page.press("Tab")
        if focused(page)["label"] == label:
            return
    raise AssertionError(f"no way to {label!r} by the key Tab")


def downloaded(folder: Path) -> Path:
    path = folder / "rules.toml"
    for _ in range(200):
        if path.exists() and path.stat().st_size:
            return path
        time.sleep(0.05)
    raise AssertionError("nothing was downloaded")


def test_several_rules_and_atoms_are_read_back(editor: Page, downloads: Path) -> None:
    """All forms, notes with signs that TOML escapes, and rules that are left out."""
    names = ["moving(?r - rover)", "p", "s", "q", "r", "c", "until"]
    atoms = [{"name": name, "is": "(charged)"} for name in names]
    cases = [
        rule(id="A", forall="?r - rover", c="moving(?r)", p="not p", condition="upon"),
        rule(id="B", form="pattern", pattern="precedence", scope="after-until", **VALUES[0]),
        rule(id="C", form="pattern", pattern="bounded-existence", k="3", p="p and not s"),
        rule(id="D", kind="forbidden", p="`until` | p", note='say "no"\n\\ \u0007 ü'),
        rule(id="E", p="undeclared"),
        rule(id="D", p="p"),
        rule(id="F", p="moving(?r)"),
        rule(id="G", p="moving"),
        rule(id="no id", p="p"),
        rule(id="H", p="p &"),
    ]
    editor.run(f"atoms.push(...{json.dumps(atoms)}); rules.splice(0, 1, ...{json.dumps(cases)})")
    editor.run("selectRule(0); document.getElementById('download').click()")
    file = read_rules(downloaded(downloads))
    assert len(file.atoms) == len(names)
    wanted = {
        "A": "(moving(?r) -> G !p) & G(!moving(?r) -> N(moving(?r) -> G !p))",
        "B": "G(q & !r -> !p W (s | r))",
        "C": to_text(pattern_formula("bounded-existence", k=3, p=read_ltl("p & !s", place=PLACE))),
        "D": "G(until | p)",
    }
    assert {item.id: to_text(item.formula) for item in file.rules} == wanted
    note = next(item.note for item in file.rules if item.id == "D")
    assert note == 'say "no"\n\\ \u0007 ü'
    left_out = editor.run("document.getElementById('left-out').textContent")
    assert left_out.startswith("6 rules are not complete yet")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"c": "", "p": " "}, "still to fill in: c, p"),
        ({"c": "a b", "p": "p"}, "c: “and” or “or” is expected, not “b”"),
        ({"c": "a", "p": "(a"}, "p: “)” is expected, not the end"),
        ({"c": "a", "p": "X"}, "p: “X” is an operator of LTL and no atom"),
        ({"c": "a", "p": "!" * 1000 + "a"}, "p: nested too deeply"),
        ({"c": "a", "p": "a" * 3000}, "p: longer than 2000 characters"),
        ({"c": "a", "p": "b", "timing": "for", "steps": "0"}, "a whole number from 1 to 50"),
        ({"c": "a", "p": "b", "component": "a shall b"}, "the component is one or more words"),
        ({"c": "a", "p": "stowed(?r)"}, "the atom stowed is not declared"),
        ({"c": "a", "p": "stowed(?r)"}, "?r is not among the variables of “For all”"),
        ({"c": "a", "p": "constructor", "forall": "?x - constructor"}, "constructor is not"),
    ],
)
def test_what_is_wrong_is_said(editor: Page, fields: dict[str, str], message: str) -> None:
    change = f"Object.assign(rules[0], {{condition: 'whenever', ...{json.dumps(fields)}}})"
    editor.run(f"{change}; atoms.push({{name: 'y(?a - thing)', is: ''}}); showRule(); update()")
    assert message in editor.run("document.getElementById('problems').textContent")
    assert "[[rule]]" not in editor.run("document.getElementById('file').textContent")
    assert not editor.complaints()


def test_an_atom_is_declared_from_its_predicate(editor: Page) -> None:
    editor.run("Object.assign(rules[0], {condition: 'none', p: 'stowed(cam)'}); update()")
    editor.run("document.querySelector('#problems button').click()")
    assert editor.run("atoms[0].name") == "stowed(?i - instrument)"
    assert editor.run("document.getElementById('problems').textContent") == ""
    assert "stowed(cam)" in editor.run("document.getElementById('file').textContent")


def test_names_of_a_stranger_are_text(page: Page, tmp_path: Path) -> None:
    hostile = '</script><img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>'
    path = tmp_path / "hostile.html"
    items = [Named(hostile, (hostile,))]
    vocabulary = EditorVocabulary(hostile, hostile, items, items, {hostile: [hostile]}, [hostile])
    path.write_text(editor_page(vocabulary), encoding="utf-8")
    page.open(path)
    page.run("document.getElementById('add-from').click()")
    assert page.run("document.getElementById('domain').textContent") == hostile
    assert page.run("document.querySelectorAll('img, #domain *').length") == 0
    assert page.requests() == [path.as_uri()]
    # Even markup that got in could not run: the policy forbids it.
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=hacked=1>')")
    time.sleep(0.2)
    assert page.run("typeof window.hacked") == "undefined"
    page.run("wasChanged = false")


def test_the_page_asks_for_nothing(editor: Page) -> None:
    assert [url for url in editor.requests() if not url.startswith("file:")] == []
    assert len(editor.requests()) == 1
    assert not editor.complaints()


def test_every_control_has_a_name(editor: Page) -> None:
    for form in ("english", "pattern"):
        editor.run(
            f"Object.assign(rules[0], {{form: '{form}', pattern: 'bounded-existence', "
            "scope: 'between', timing: 'within'}); atoms.length = 0; "
            "atoms.push({name: 'p', is: '(charged)'}); showAtoms(); showRule(); update()"
        )
        nodes = editor.send("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "textbox", "combobox", "radio", "listbox", "table"}
        controls = [node for node in nodes if node.get("role", {}).get("value") in roles]
        assert len(controls) > 15
        nameless = [node for node in controls if not node.get("name", {}).get("value")]
        assert not nameless


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(editor: Page, scheme: str) -> None:
    editor.prefer(scheme)
    editor.run("Object.assign(rules[0], {c: 'a', p: 'b'}); showRule(); update()")
    low = editor.run(
        """(() => {
          const numbers = text => text.match(/[\\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          const ground = e => { for (; e; e = e.parentElement) {
            const c = numbers(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
          const selectors = "h1, h2, p, label, legend, button, input, select, dt, dd, code, pre, "
            + "caption, th, td";
          return [...document.querySelectorAll(selectors)].filter(e => e.checkVisibility())
            .filter(e => {
              const [a, b] = [light(numbers(getComputedStyle(e).color)), light(ground(e))];
              return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
            }).map(e => e.outerHTML.slice(0, 80));
        })()"""
    )
    assert low == []


def test_a_narrow_page_does_not_scroll_sideways(editor: Page) -> None:
    editor.resize(390, 800)
    editor.run(
        "Object.assign(rules[0], {c: 'a_very_long_name_of_an_atom(?with,?many,?arguments)', "
        "p: 'another_very_long_name_of_an_atom(?with,?many,?arguments)'}); showRule(); update()"
    )
    assert editor.run("document.documentElement.scrollWidth") <= 390
