"""Models that a rules file says what is unsafe of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.jani.model.loading import load_document, read_without_danger
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.rules.models.loading import load_ruled_fond, load_ruled_model
from tests.reference.jani_twins import assert_agreement
from tests.unit.cli.test_fond import DOMAIN, PROBLEM

MODEL = {
    "jani-version": 1,
    "name": "counter",
    "type": "lts",
    "actions": [{"name": "up"}],
    "constants": [{"name": "top", "type": "int", "value": 3}],
    "variables": [
        {
            "name": "x",
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9},
            "initial-value": 0,
        },
        {"name": "gone", "type": "bool", "transient": True, "initial-value": False},
    ],
    "automata": [
        {
            "name": "A",
            "locations": [{"name": "l"}],
            "initial-locations": ["l"],
            "variables": [{"name": "own", "type": "bool", "initial-value": False}],
            "edges": [
                {
                    "location": "l",
                    "action": "up",
                    "guard": {"exp": {"op": "<", "left": "x", "right": 9}},
                    "destinations": [
                        {
                            "location": "l",
                            "assignments": [
                                {"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}
                            ],
                        }
                    ],
                },
                {
                    "location": "l",
                    "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": 0}]}],
                },
            ],
        }
    ],
    "system": {"elements": [{"automaton": "A"}]},
}
HIGH = '{"op": "=", "left": "x", "right": "top"}'


def rules_file(folder: Path, ltl: str, atom: str = HIGH, **more: str) -> Path:
    extra = "".join(f"{key} = '{value}'\n" for key, value in more.items())
    text = f"format = 1\n[[atom]]\nname = 'high'\nis = '''{atom}'''\n"
    text += f"[[rule]]\nid = 'R'\nkind = 'desired'\n{extra}ltl = '{ltl}'\n"
    (folder / "rules.toml").write_text(text, encoding="utf-8")
    return folder / "rules.toml"


def load(folder: Path, ltl: str, atom: str = HIGH, **more: str) -> JaniModel:
    (folder / "model.jani").write_text(json.dumps(MODEL), encoding="utf-8")
    return load_ruled_model(folder / "model.jani", rules_file(folder, ltl, atom, **more))


def after(model: JaniModel, state: Any, action: str) -> Any:
    found = model.expand(state)
    number = found.actions.tolist().index(model.actions.index(action))
    return found.outcomes[found.outcome_offsets[number]]


def test_steps_with_and_without_a_label_are_read(tmp_path: Path) -> None:
    before = json.dumps(MODEL)
    model = load(tmp_path, "G(high -> X !high)")
    assert (tmp_path / "model.jani").read_text(encoding="utf-8") == before
    assert model.actions == ("up", "τ")
    starts = model.start_states
    assert starts is not None
    state = starts[0]
    for _ in range(3):
        state = after(model, state, "up")
    assert model.values(state)["x"] == 3 and not model.is_unsafe(state)[0]
    assert not model.is_unsafe(after(model, state, "up"))[0]
    assert not model.is_unsafe(after(model, state, "τ"))[0]


def test_the_first_state_counts(tmp_path: Path) -> None:
    low = '{"op": "=", "left": "x", "right": 0}'
    model = load(tmp_path, "!high", low)
    assert model.start_states is not None
    assert model.is_unsafe(model.start_states).all()
    model = load(tmp_path, "X high", low)
    assert model.start_states is not None
    (start,) = model.start_states
    assert not model.is_unsafe(start)[0]
    assert not model.is_unsafe(after(model, start, "τ"))[0]
    assert model.is_unsafe(after(model, start, "up"))[0]


def test_policies_do_not_see_what_watches(tmp_path: Path) -> None:
    model = load(tmp_path, "G !high")
    assert [variable.name for variable in model.seen_variables] == ["x", "own"]
    assert [variable.name for variable in model.variables] == ["x", "own", "[rule] R"]


@pytest.mark.parametrize(
    "start",
    [
        {"op": "states-values", "values": [{"variables": [{"var": "x", "value": 2}]}]},
        {"op": "state-condition", "exp": {"op": "=", "left": "x", "right": 2}},
        {"op": "=", "left": "x", "right": 2},
    ],
)
def test_starts_of_every_kind_begin_before_the_first_letter(tmp_path: Path, start: Any) -> None:
    if start["op"] == "states-values":
        start["values"][0]["variables"].append({"var": "own", "value": False})
    expression = {"op": "PA", "start": start, "reach": True}
    document = {**MODEL, "properties": [{"name": "p", "expression": expression}]}
    (tmp_path / "model.jani").write_text(json.dumps(document), encoding="utf-8")
    model = load_ruled_model(tmp_path / "model.jani", rules_file(tmp_path, "X high"))
    state = np.array([2.0, 0.0, 0.0])
    assert model.is_start(state)[0]
    assert not model.is_start(np.array([2.0, 0.0, 1.0]))[0]
    assert not model.is_unsafe(after(model, state, "up"))[0]
    assert model.is_unsafe(after(model, state, "τ"))[0]


@pytest.mark.parametrize(
    ("ltl", "atom", "sentence"),
    [
        ("F high", HIGH, r"rules.toml:8:\d+: rule R is no safety rule.*may still keep"),
        ("high & G F high", HIGH, "rule R is no safety rule.*something never comes"),
        ("G high", "(high)", r"rules.toml:4:\d+: the atom 'high' must be an expression of JANI"),
        ("G high", '{"op": }', r"rules.toml:4:\d+: no expression of JANI in JSON"),
        ("G high", '{"op": "=", "left": "xx", "right": 1}', "about 'xx'.*did you mean 'x'"),
        ("G high", '{"op": "=", "left": "gone", "right": true}', "no variable of the model's"),
        ("G high", '{"op": "+", "left": "x", "right": 1}', "the atom 'high': "),
        ("G high", '{"op": "¬", "exp": ' * 101 + "true" + "}" * 101, "nested 100 deep"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    tmp_path: Path, ltl: str, atom: str, sentence: str
) -> None:
    with pytest.raises((InputError, UnsupportedError), match=sentence):
        load(tmp_path, ltl, atom)


def test_a_model_has_no_objects(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'R' is for all objects of a type"):
        load(tmp_path, "G high", forall="?r - rover")


def test_pddl_with_oneof_has_rules_over_its_predicates(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "format = 1\n[[atom]]\nname = 'at(?p - place)'\nis = '(at ?p)'\n"
        "[[atom]]\nname = 'fallen'\nis = '(fallen)'\n"
        "[[rule]]\nid = 'R'\nkind = 'forbidden'\nforall = '?p - place'\n"
        "ltl = 'F(at(?p) & X(at(?p) & fallen))'\n"
    )
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    model = load_ruled_fond(*files, rules)
    assert model.start_states is not None
    (start,) = model.start_states
    found = model.expand(start)
    names = [model.actions[action] for action in found.actions]
    dare = names.index("(dare west east)")
    low, high = found.outcome_offsets[dare : dare + 2]
    assert sorted(model.is_unsafe(found.outcomes[low:high]).tolist()) == [False, True]
    rules.write_text(rules.read_text().replace("(fallen)", "(did walk * *)"))
    with pytest.raises((InputError, UnsupportedError), match="did"):
        load_ruled_fond(*files, rules)


def counting(name: str, action: str) -> dict[str, Any]:
    """An automaton that counts its steps in a variable of its own, and has two locations."""
    bounds = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}
    more = {"op": "+", "left": "n", "right": 1}
    step = {"ref": "n", "value": {"op": "%", "left": more, "right": 3}}
    return {
        "name": name,
        "locations": [{"name": "here"}, {"name": "there"}],
        "initial-locations": ["here"],
        "variables": [
            {"name": "n", "type": bounds, "initial-value": 0},
            {"name": f"only{name}", "type": "bool", "initial-value": name == "A"},
        ],
        "edges": [
            {
                "location": location,
                "action": action,
                "destinations": [{"location": other, "assignments": [step]}],
            }
            for location, other in (("here", "there"), ("there", "here"))
        ],
    }


LOCALS = {
    "jani-version": 1,
    "name": "locals",
    "type": "lts",
    "actions": [{"name": "a"}, {"name": "b"}],
    "automata": [counting("A", "a"), counting("B", "b")],
    "system": {
        "elements": [{"automaton": "A"}, {"automaton": "B"}, {"automaton": "B"}],
        "syncs": [
            {"synchronise": ["a", None, None], "result": "a"},
            {"synchronise": [None, "b", None], "result": "b"},
            {"synchronise": [None, None, "b"], "result": "b"},
        ],
    },
}


def test_rules_are_about_local_variables_as_states_show_them(tmp_path: Path) -> None:
    (tmp_path / "model.jani").write_text(json.dumps(LOCALS), encoding="utf-8")
    names = ["A.n", "B#1.n", "B#2.n"]
    equal = {"op": "=", "left": "A.n", "right": "B#2.n"}
    high = {"op": "∧", "left": "onlyA", "right": equal}
    rules = rules_file(tmp_path, "G(high -> X !high)", json.dumps(high))
    model = load_ruled_model(tmp_path / "model.jani", rules)
    shown = [v.name for v in model.seen_variables if not v.locations]
    assert shown == ["A.n", "onlyA", "B#1.n", "B#1.onlyB", "B#2.n", "B#2.onlyB"]
    plain = load_document(read_without_danger(tmp_path / "model.jani")[1], name="plain")
    assert plain.variables == model.seen_variables  # policies notice nothing
    starts = model.start_states
    assert starts is not None
    (state,), before, rows = starts, False, []
    for choice in (0, 2, 0, 1, 1, 2, 0):  # a, b of the second B, …
        values = model.values(state)
        now = values[names[0]] == values[names[2]]
        assert bool(model.is_unsafe(state)[0]) == (before and now)
        rows.append(state.tolist())
        if before and now:
            break
        state, before = model.expand(state).outcomes[choice], now
    assert before and len(rows) > 3
    assert_agreement(model, rows)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("n", r"about 'n'.*several automata have one: A\.n, B#1\.n, B#2\.n"),
        ("onlyB", r"several automata have one: B#1\.onlyB, B#2\.onlyB"),
        ("B#3.n", "did you mean"),
        ("A.location", "no variable of the model's states"),
    ],
)
def test_local_variables_are_named_with_their_automaton(
    tmp_path: Path, name: str, sentence: str
) -> None:
    (tmp_path / "model.jani").write_text(json.dumps(LOCALS), encoding="utf-8")
    rules = rules_file(tmp_path, "G high", json.dumps({"op": "=", "left": name, "right": 1}))
    with pytest.raises(InputError, match=sentence):
        load_ruled_model(tmp_path / "model.jani", rules)
