"""What small hostile files cost before they are refused or read: peak memory and CPU seconds.

One case per weakness of a reader; no file is larger than 10 MB. The bar is 1 GB and 10 s of CPU.
Prints a row per case, marks those over the bar, and ends with exit code 1 if there are any.
`python -m benchmarks.hostile_files jani pddl` runs the cases whose names begin so.
"""

from __future__ import annotations

import argparse
import io
import json
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.rooms.zoo.domains import generate
from tests.unit.policies.networks.files import message, onnx_model, onnx_node, pth
from tests.unit.tasks.jani.small import binary, bounded, counter, edge, variable

Json = Any
MOST_MEGABYTES, MOST_SECONDS = 1000, 10.0
STOPS_AFTER = 25
"""Seconds of CPU after which a case is ended: it is over the bar anyway."""
SIZE = 10_000_000

Made = tuple[Mapping[str, bytes], str]
"""Files by name, and what is run beside them."""
CASES: dict[str, Callable[[], Made]] = {}


def case(function: Callable[[], Made]) -> Callable[[], Made]:
    """Add a case under the name of its function."""
    CASES[function.__name__.strip("_").replace("_", "-")] = function
    return function


def repeated(part: str, *, before: str = "", after: str = "", joint: str = ",") -> bytes:
    """The part as often as it fits, between two texts."""
    count = (SIZE - len(before) - len(after)) // (len(part) + len(joint))
    return (before + joint.join([part] * count) + after).encode()


# JSON


@case
def _json_empty_objects() -> Made:
    return {"states.json": repeated("{}", before="[", after="]"), **BLOCKS}, (
        "judge domain.pddl problem.pddl --states states.json --policy random"
    )


@case
def _json_empty_objects_as_model() -> Made:
    return {"model.jani": repeated("{}", before="[", after="]")}, DECIDE


@case
def _json_empty_objects_in_model() -> Made:
    rest = json.dumps(counter())
    return {
        "model.jani": repeated("{}", before=rest[:-1] + ',"metadata":{"x":[', after="]}}")
    }, DECIDE


@case
def _json_deep() -> Made:
    return {"model.jani": b"[" * 9000 + repeated("{}")[: 6 * SIZE // 10] + b"]" * 9000}, DECIDE


@case
def _json_brackets() -> Made:
    return {"model.jani": b"[" * SIZE}, DECIDE


@case
def _json_long_number() -> Made:
    return {"model.jani": b'{"jani-version":' + b"9" * SIZE + b"}"}, DECIDE


@case
def _json_numbers_of_4000_digits() -> Made:
    return {"model.jani": repeated("9" * 4000, before='{"a":[', after="]}")}, DECIDE


@case
def _json_unclosed_text() -> Made:
    return {"model.jani": b'{"a":"' + b"\\u0041" * (SIZE // 6)}, DECIDE


@case
def _json_many_keys() -> Made:
    keys = ",".join(f'"k{number}":{{}}' for number in range(700_000))
    return {"model.jani": f"{{{keys}}}".encode()}, DECIDE


@case
def _json_table_of_a_policy() -> Made:
    return {"t.json": repeated("[]", before='{"rows":[', after="]}"), **COUNTER}, (
        "decide model.jani --policy table:t.json"
    )


@case
def _json_table_of_states() -> Made:
    rows = ",".join(f'[[{number % 4}],"go"]' for number in range(800_000))
    return {"t.json": f'{{"default":"random","rows":[{rows}]}}'.encode(), **COUNTER}, (
        "decide model.jani --policy table:t.json"
    )


@case
def _json_suite() -> Made:
    return {"a.ptest.json": repeated("{}", before='{"cases":[', after="]}")}, (
        "domain test a.ptest.json"
    )


@case
def _json_forest() -> Made:
    return {"t.json": repeated("{}", before='{"trees":[', after="]}"), **COUNTER}, (
        "decide model.jani --policy trees:t.json"
    )


# JANI


def model(**changes: Json) -> bytes:
    """The counter with other parts."""
    return json.dumps({**counter(), **changes}).encode()


def _decided(**changes: Json) -> Made:
    return {"model.jani": model(**changes)}, DECIDE


@case
def _jani_guards_that_are_false() -> Made:
    return _decided(**together(8, [edge({}, action="all", guard=False)] * 20))


@case
def jani_guards_that_contradict() -> Made:
    """Only together: each alone can hold."""
    return _decided(
        **together(
            8, [edge({}, action="all", guard=binary("=", "x", number % 3)) for number in range(10)]
        )
    )


@case
def _jani_guards_of_unknown_parts() -> Made:
    guard = binary("=", binary("*", "x", "x"), 2)
    return _decided(**together(17, [edge({}, action="all", guard=guard)] * 2))


def together(automata: int, edges: list[Json], **parts: Json) -> dict[str, Json]:
    """All automata move at once."""
    names = [f"A{number}" for number in range(automata)]
    locations = parts.pop("locations", [{"name": "l"}])
    initial = parts.pop("initial", ["l"])
    sync = {"synchronise": ["all"] * automata, "result": "all"}
    return {
        "actions": [{"name": "all"}],
        "automata": [
            {
                "name": name,
                "locations": locations,
                "initial-locations": initial,
                "edges": edges,
                **parts,
            }
            for name in names
        ],
        "system": {"elements": [{"automaton": name} for name in names], "syncs": [sync]},
    }


@case
def _jani_initial_locations() -> Made:
    names = [f"l{number}" for number in range(20)]
    return _decided(**together(8, [], locations=[{"name": name} for name in names], initial=names))


@case
def _jani_many_syncs() -> Made:
    made = together(100, [edge({}, action="all")])
    made["system"]["syncs"] = made["system"]["syncs"] * 9000
    return _decided(**made)


@case
def _jani_one_automaton_many_times() -> Made:
    made = together(1, [edge({}, action="all")])
    made["system"] = {"elements": [{"automaton": "A0"}] * 400_000}
    return _decided(**made)


@case
def _jani_automaton_of_many_edges_many_times() -> Made:
    made = together(1, [edge({}, action="all")] * 40_000)
    made["system"] = {"elements": [{"automaton": "A0"}] * 40_000}
    return _decided(**made)


@case
def _jani_variables_many_times() -> Made:
    own = [variable(f"v{number}", bounded(0, 3), 0) for number in range(30_000)]
    made = together(1, [edge({}, action="all")], variables=own)
    made["system"] = {"elements": [{"automaton": "A0"}] * 40_000}
    return _decided(**made)


@case
def _jani_automata_of_two_locations() -> Made:
    places = [{"name": "a"}, {"name": "b"}]
    made = together(1, [], locations=places, initial=["a"])
    made["system"] = {"elements": [{"automaton": "A0"}] * 45_000}
    return _decided(**made)


@case
def _jani_many_locations() -> Made:
    edges = [edge({}, action="all", source=f"l{n}", target=f"l{n}") for n in range(70_000)]
    return _decided(
        **together(1, edges, locations=[{"name": f"l{n}"} for n in range(70_000)], initial=["l0"])
    )


@case
def _jani_many_actions() -> Made:
    made = together(1, [edge({}, action=f"a{n}") for n in range(70_000)])
    made["actions"] = [{"name": f"a{n}"} for n in range(70_000)]
    del made["system"]["syncs"]
    return _decided(**made)


@case
def jani_squares() -> Made:
    """A constant of 2 to the 40 digits."""
    constants = [{"name": "c0", "type": "int", "value": 10}]
    constants += [
        {"name": f"c{n}", "type": "int", "value": binary("*", f"c{n - 1}", f"c{n - 1}")}
        for n in range(1, 40)
    ]
    return _decided(constants=constants)


@case
def _jani_powers() -> Made:
    value = binary("pow", 10, binary("pow", 10, binary("pow", 10, 10)))
    return _decided(constants=[{"name": "c", "type": "int", "value": value}])


@case
def _jani_doubled_expressions() -> Made:
    guard: Json = binary("=", "x", 1)
    functions = [{"name": "f0", "type": "bool", "parameters": [], "body": guard}]
    functions += [
        {
            "name": f"f{n}",
            "type": "bool",
            "parameters": [],
            "body": binary(
                "∧" if n % 2 else "∨",
                {"op": "call", "function": f"f{n - 1}", "args": []},
                {"op": "¬", "exp": {"op": "call", "function": f"f{n - 1}", "args": []}},
            ),
        }
        for n in range(1, 60)
    ]
    base = counter()
    base["automata"][0]["edges"][0]["guard"] = {
        "exp": {"op": "call", "function": "f59", "args": []}
    }
    return _decided(functions=functions, automata=base["automata"], features=["functions"])


@case
def _jani_functions_with_arguments() -> Made:
    functions: list[Json] = [
        {
            "name": "f0",
            "type": "int",
            "parameters": [{"name": "a", "type": "int"}],
            "body": binary("+", "a", 1),
        }
    ]
    for n in range(1, 40):
        call = [
            {"op": "call", "function": f"f{n - 1}", "args": [binary("+", "a", k)]} for k in (1, 2)
        ]
        functions.append(
            {
                "name": f"f{n}",
                "type": "int",
                "parameters": [{"name": "a", "type": "int"}],
                "body": binary("*", *call),
            }
        )
    base = counter()
    base["automata"][0]["edges"][0]["guard"] = {
        "exp": binary("=", {"op": "call", "function": "f39", "args": ["x"]}, 3)
    }
    return _decided(functions=functions, automata=base["automata"], features=["functions"])


def _array_type(base: Json) -> Json:
    return {"kind": "array", "base": base}


def _array_of(length: Json, value: Json, name: str = "i") -> Json:
    return {"op": "ac", "var": name, "length": length, "exp": value}


@case
def _jani_large_array() -> Made:
    own = [*counter()["variables"], variable("a", _array_type("bool"), _array_of(10**9, False))]
    return _decided(variables=own, features=["arrays"])


@case
def _jani_sets_of_starts() -> Made:
    own = [variable(f"v{n}", bounded(0, 9)) for n in range(30)]
    return _decided(variables=[*counter()["variables"], *own])


@case
def _jani_deep_guard() -> Made:
    guard: Json = binary("=", "x", 1)
    text = json.dumps(guard)
    for _ in range(9900):
        text = f'{{"op":"¬","exp":{text}}}' if len(text) < 600_000 else text
    base = json.dumps(counter()).replace(
        '"guard": {"exp": ', '"guard": {"exp": ' + text + ', "x": ', 1
    )
    return {"model.jani": base.encode()}, DECIDE


@case
def jani_danger_of_many_clauses() -> Made:
    """A conjunction of disjunctions, for the distance to danger."""
    parts = [
        binary("∨", binary("=", "x", n), binary("=", binary("+", "x", n), n)) for n in range(40)
    ]
    whole: Json = parts[0]
    for part in parts[1:]:
        whole = binary("∧", whole, part)
    made = counter()
    text = json.dumps(made["properties"][0]["expression"]["reach"]["exp"])
    return {
        "model.jani": json.dumps(made)
        .replace(f'"exp": {text}', f'"exp": {json.dumps(whole)}')
        .encode()
    }, DECIDE


@case
def _jani_danger_of_nested_conditions() -> Made:
    whole: Json = "x"
    for n in range(25):
        whole = {
            "op": "ite",
            "if": binary("<", whole, n),
            "then": binary("+", whole, 1),
            "else": binary("-", whole, 1),
        }
        if len(json.dumps(whole)) > SIZE // 4:
            break
    made = counter()
    text = json.dumps(made["properties"][0]["expression"]["reach"]["exp"])
    return {
        "model.jani": json.dumps(made)
        .replace(f'"exp": {text}', f'"exp": {json.dumps(binary("=", whole, 1))}')
        .encode()
    }, DECIDE


@case
def _jani_many_destinations() -> Made:
    base = counter()
    base["automata"][0]["edges"] = [edge(*[{"x": 0}] * 30_000), edge(*[{"x": 0}] * 60_000)]
    return _decided(automata=base["automata"])


@case
def _jani_input_enabled() -> Made:
    made = together(
        40, [edge({}, action="all", guard=binary("=", "x", n % 9)) for n in range(400)]
    )
    for element in made["system"]["elements"]:
        element["input-enable"] = ["all"] * 1000
    return _decided(**made)


@case
def _jani_many_properties() -> Made:
    made = counter()
    return _decided(properties=made["properties"] * 20_000)


@case
def _jani_huge_bounds() -> Made:
    own = [variable("y", bounded(-(10**300), 10**300), 0)]
    return _decided(variables=[*counter()["variables"], *own])


@case
def jani_checked_alone() -> Made:
    """The standalone checker, on a product of guards that are false."""
    return {
        "model.jani": model(**together(8, [edge({}, action="all", guard=False)] * 20)),
        "bug.json": b"{}",
    }, "-I -m bugsieve.rooms.safety.checker.safety model.jani bug.json"


# PDDL


def _pddl(domain: str = "", problem: str = "", command: str = "domain lint") -> Made:
    return {
        "domain.pddl": domain.encode() or BLOCKS["domain.pddl"],
        "problem.pddl": problem.encode() or BLOCKS["problem.pddl"],
    }, f"{command} domain.pddl problem.pddl"


ROLLOUT = "rollout --policy random --translation-time 5"


def _both(domain: str, problem: str) -> Callable[[str], Made]:
    return lambda command: _pddl(domain, problem, command)


HEAD = "(define (domain d) (:requirements :adl :typing) (:predicates (p ?a) (q) "
TAIL = "(define (problem x) (:domain d) (:init (q)) (:goal (q)) (:objects "


def _objects(count: int) -> str:
    return TAIL + " ".join(f"o{number}" for number in range(count)) + "))"


def add_pddl(name: str, made: Callable[[str], Made]) -> None:
    """The case for the linter and for whoever runs a policy."""
    CASES[f"pddl-{name}-lint"] = lambda: made("domain lint --translation-time 5")
    CASES[f"pddl-{name}-run"] = lambda: made(ROLLOUT)


WORDS = HEAD + ") (:action a :parameters () :precondition (and "
add_pddl("words", _both(WORDS + "q " * (SIZE // 2), _objects(1)))
add_pddl("parentheses", _both("(" * SIZE, _objects(1)))
add_pddl("empty-blocks", _both(WORDS + "()" * (SIZE // 2) + ")))", _objects(1)))
add_pddl("atoms", _both(WORDS + "(q)" * (SIZE // 3) + ")))", _objects(1)))
add_pddl("long-name", _both(HEAD + f"({'n' * SIZE})))", _objects(1)))
add_pddl("blanks", _both(" " * SIZE, _objects(1)))
add_pddl("lines", _both("\n" * SIZE, _objects(1)))
add_pddl(
    "types",
    _both(
        "(define (domain d) (:types "
        + " ".join(f"t{n} - t{n + 1}" for n in range(200_000))
        + ") (:predicates (q)))",
        _objects(1),
    ),
)
add_pddl(
    "either",
    _both(
        "(define (domain d) (:requirements :typing) (:types "
        + " ".join(f"t{n}" for n in range(1000))
        + ") (:predicates (q) "
        + " ".join(
            f"(p{n} ?a - (either {' '.join(f't{k}' for k in range(1000))}))" for n in range(900)
        )
        + "))",
        _objects(1),
    ),
)
add_pddl(
    "parameters",
    _both(
        HEAD
        + ") (:action a :parameters ("
        + " ".join(f"?v{n}" for n in range(30))
        + ") :precondition (q) :effect (p ?v1)))",
        _objects(1000),
    ),
)
NESTED = "".join(f"(forall (?v{n}) " for n in range(20)) + "(p ?v1)" + ")" * 20
add_pddl(
    "forall",
    _both(
        HEAD + f") (:action a :parameters () :precondition {NESTED} :effect (not (q))))",
        _objects(100),
    ),
)
add_pddl(
    "forall-effect",
    _both(
        HEAD + f") (:action a :parameters () :precondition (q) :effect {NESTED}))",
        _objects(100),
    ),
)
ORS = "(and " + " ".join(f"(or (p o{n}) (p o{n + 1}))" for n in range(60)) + ")"
add_pddl(
    "disjunctions",
    _both(
        HEAD + ") (:constants " + " ".join(f"o{n}" for n in range(99)) + ")"
        f" (:action a :parameters () :precondition {ORS} :effect (not (q))))",
        TAIL + "))",
    ),
)
add_pddl(
    "goal",
    _both(
        HEAD + "))",
        TAIL.replace("(:goal (q))", f"(:goal {NESTED})")
        + " ".join(f"o{n}" for n in range(100))
        + "))",
    ),
)
add_pddl(
    "derived",
    _both(
        HEAD
        + ") "
        + " ".join(
            "(:derived (p ?a) (exists (?b ?c ?d) (and (p ?b) (p ?c) (p ?d))))" for _ in range(1000)
        )
        + ")",
        _objects(100),
    ),
)
add_pddl(
    "init", _both(HEAD + "))", TAIL.replace("(q))", "(q)" + " (q)" * 2_000_000 + ")", 1) + "))")
)
add_pddl("objects", _both(HEAD + "))", _objects(1_000_000)))
add_pddl(
    "oneof",
    _both(
        HEAD
        + ") (:action a :parameters () :precondition (q) :effect (and "
        + " ".join("(oneof (q) (not (q)))" for _ in range(60))
        + ")))",
        _objects(1),
    ),
)
FOND = _both(
    HEAD
    + ") (:action a :parameters () :precondition (q) :effect (and "
    + " ".join("(oneof (p o1) (not (p o1)))" for _ in range(60))
    + ")))",
    _objects(3),
)
CASES["pddl-oneof-decide"] = lambda: (
    FOND("")[0],
    "decide domain.pddl problem.pddl --policy random --unsafe (q)",
)
CASES["pddl-forall-avoid"] = lambda: (
    _both(HEAD + "))", _objects(100))("")[0],
    f"test domain.pddl problem.pddl --policy random --objective 'avoid:{NESTED}'",
)
CASES["pddl-forall-states"] = lambda: (
    _both(HEAD + "))", _objects(100))("")[0],
    f"test domain.pddl problem.pddl --policy random --test-states '{NESTED}'",
)
CASES["pddl-forall-mutate"] = lambda: (
    _both(
        HEAD + f") (:action a :parameters () :precondition {NESTED} :effect (not (q))))",
        _objects(100),
    )("")[0],
    "domain mutate domain.pddl problem.pddl --max-time 5",
)
CASES["plan-lines"] = lambda: (
    {
        **_both(
            HEAD + ") (:action a :parameters (?x) :precondition (q) :effect (p ?x)))", _objects(3)
        )("")[0],
        "sas_plan": repeated("(a o1)", joint="\n"),
    },
    "domain coverage domain.pddl problem.pddl --plan sas_plan",
)
CASES["plan-one-line"] = lambda: (
    {
        **_both(
            HEAD + ") (:action a :parameters (?x) :precondition (q) :effect (p ?x)))", _objects(3)
        )("")[0],
        "sas_plan": b"(" + b"a " * (SIZE // 2),
    },
    "domain coverage domain.pddl problem.pddl --plan sas_plan",
)


# SAS


def _sas(text: str) -> Made:
    return {"task.sas": text.encode()}, "rollout task.sas --policy random"


VERSION = "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric\n"


@case
def _sas_counts() -> Made:
    return _sas(VERSION + "1999999999\n")


@case
def _sas_values() -> Made:
    return _sas(VERSION + "1\nbegin_variable\nv\n-1\n1999999999\n")


@case
def _sas_variables() -> Made:
    one = "begin_variable\nv\n-1\n2\na\nb\nend_variable\n"
    count = SIZE // len(one)
    zeros = "begin_state\n" + "0\n" * 1000
    return _sas(VERSION + f"{count - 500}\n" + one * (count - 500) + "0\n" + zeros)


@case
def _sas_operators() -> Made:
    one = "begin_operator\na\n0\n1\n0 0 -1 0\n0\nend_operator\n"
    count = SIZE // len(one) - 10
    head = "1\nbegin_variable\nv\n-1\n2\na\nb\nend_variable\n0\nbegin_state\n0\nend_state\n"
    goal = "begin_goal\n1\n0 1\nend_goal\n"
    return _sas(VERSION + head + goal + f"{count}\n" + one * count + "0\n")


@case
def _sas_conditions_of_effects() -> Made:
    one = "begin_operator\na\n0\n1\n" + "400000 " + "0 0 " * 400_000 + "0 -1 0\n0\nend_operator\n"
    head = "1\nbegin_variable\nv\n-1\n2\na\nb\nend_variable\n0\nbegin_state\n0\nend_state\n"
    goal = "begin_goal\n1\n0 1\nend_goal\n"
    return _sas(VERSION + head + goal + "2\n" + one * 2 + "0\n")


@case
def _sas_wide_values() -> Made:
    names = "".join(f"Atom a{n}()\n" for n in range(60_000))
    one = f"begin_variable\nv\n-1\n60000\n{names}end_variable\n"
    head = "8\n" + one * 8 + "0\nbegin_state\n" + "0\n" * 8 + "end_state\n"
    goal = "begin_goal\n1\n0 1\nend_goal\n"
    return _sas(VERSION + head + goal + "0\n0\n")


@case
def _sas_checked_alone() -> Made:
    return {"task.sas": (VERSION + "1999999999\n").encode(), "bug.json": b"{}"}, (
        "-I -m bugsieve.checkers.cost task.sas bug.json"
    )


@case
def _sas_green_of_large_counts() -> Made:
    text = (
        VERSION + "1\nbegin_variable\nv\n-1\n2\na\nb\nend_variable\n0\nbegin_state\n0\n"
        "end_state\nbegin_goal\n1\n0 1\nend_goal\n0\n0\n"
    )
    return {"task.sas": text.encode(), "bug.json": repeated("{}", before="[", after="]")}, (
        "-I -m bugsieve.checkers.green task.sas bug.json"
    )


# Rules and NDDL


def _rules_file(
    text: str, command: str = "rules domain.pddl problem.pddl r.toml --max-time 5"
) -> Made:
    return {"r.toml": text.encode()[:1_000_000], **BLOCKS}, command


RULE = """format = 1
[[atom]]
name = "a"
is = "(handempty)"
[[atom]]
name = "b"
is = "(holding b1)"
[[rule]]
id = "r"
kind = "desired"
"""


def _add_rule(name: str, formula: str) -> None:
    CASES[f"rules-{name}"] = lambda: _rules_file(RULE + f"ltl = '{formula}'\n")


_add_rule("nots", "!" * 900_000 + "a")
_add_rule("parentheses", "(" * 400_000 + "a" + ")" * 400_000)
_add_rule("nexts", "X " * 400_000 + "a")
_add_rule("ands", " & ".join(["a"] * 200_000))
_add_rule("equivalences", " <-> ".join(["a", "b"] * 1000))
_add_rule("untils", " U ".join(["a", "b"] * 1000))
_add_rule("untils-that-nest", "(" * 200 + "a" + " U b) U (a & X b))" * 100)
_add_rule("choices", " & ".join(f"F(a & {'X ' * n}b)" for n in range(20)))
_add_rule("bounds", "G[0,1000000000] a")
_add_rule("bounds-that-nest", "F[0,1000] G[0,1000] F[0,1000] a")
CASES["rules-dotted-keys"] = lambda: _rules_file("a" + ".a" * 490_000 + " = 1")
CASES["rules-nested-lists"] = lambda: _rules_file("a = " + "[" * 900_000)
CASES["rules-many-tables"] = lambda: _rules_file(
    "\n".join(f"[a{'.b' * 200}{n}]" for n in range(2400))
)
CASES["rules-english"] = lambda: _rules_file(
    RULE + f"english = '{'the rover shall always ' * 40_000}'\n"
)
CASES["rules-english-blanks"] = lambda: _rules_file(RULE + f"english = 'Upon a{' ' * 900_000}x'\n")
CASES["rules-quantifiers"] = lambda: _rules_file(
    "format = 1\n[[rule]]\nid='r'\nltl='G (clear ?v1)'\nforall = '"
    + " ".join(f"?v{n}" for n in range(30))
    + "'\n"
)


def _nddl(text: str) -> Made:
    base = "class N extends Timeline { predicate Going { } }\nN n = new N();\n"
    rule = b'format=1\n[[atom]]\nname="a"\nis="token(n.Going)"\n'
    rule += b'[[rule]]\nid="r"\nkind="desired"\nltl="G a"\n'
    return {"m.nddl": (base + text).encode(), "r.toml": rule}, ("rules m.nddl r.toml --max-time 5")


CASES["nddl-large"] = lambda: _nddl("int x;" * (SIZE // 6))
CASES["nddl-variables"] = lambda: _nddl("".join(f"int x{n};\n" for n in range(40_000)))
CASES["nddl-domains"] = lambda: _nddl(
    "".join(f"int x{n} = [0 2000000000];\n" for n in range(15_000))
)
CASES["nddl-lists"] = lambda: _nddl("int x = {" + ",".join(["1"] * 250_000) + "};")
CASES["nddl-classes"] = lambda: _nddl(
    "".join(f"class C{n} extends C{n + 1} {{ }}\n" for n in range(15_000))
)
CASES["nddl-objects-of-objects"] = lambda: _nddl(
    "class C0 { int x; C0() { x = 1; } }\n"
    + "".join(
        f"class C{n} {{ C{n - 1} a; C{n - 1} b; C{n}() {{ a = new C{n - 1}(); "
        f"b = new C{n - 1}(); }} }}\n"
        for n in range(1, 60)
    )
    + "C59 all = new C59();\n"
)
CASES["nddl-calls"] = lambda: _nddl(
    "class A extends Timeline { predicate P { } }\n"
    + "A::P { "
    + " ".join(f"meets(A.P x{n}); " for n in range(10_000))
    + "}\n A a = new A();"
)
CASES["nddl-comments"] = lambda: _nddl("/*" * 250_000)
CASES["nddl-quotes"] = lambda: _nddl('"' + "\\" * 500_000)


# Experiments and other TOML

EXPERIMENT = "experiment g.toml -o out"
CASES["toml-dotted-keys"] = lambda: ({"g.toml": b"a" + b".a" * 2_000_000 + b" = 1"}, EXPERIMENT)
CASES["toml-lists"] = lambda: ({"g.toml": b"a = " + b"[" * 4_000_000}, EXPERIMENT)
CASES["toml-tables"] = lambda: (
    {"g.toml": b"".join(b"[[a]]\n" for _ in range(600_000))},
    EXPERIMENT,
)
CASES["toml-inline"] = lambda: ({"g.toml": b"a = " + b"{b=" * 1_300_000}, EXPERIMENT)
CASES["toml-deep-tables"] = lambda: (
    {"g.toml": "\n".join(f"[a{'.b' * 900}.c{n}]" for n in range(2200)).encode()},
    EXPERIMENT,
)
CASES["toml-number"] = lambda: ({"g.toml": b"a = " + b"9" * 4_000_000}, EXPERIMENT)
CASES["toml-hex"] = lambda: ({"g.toml": b"a = 0x" + b"f" * 4_000_000}, EXPERIMENT)
CASES["toml-date"] = lambda: (
    {"g.toml": b"a = 1979-05-27T07:32:00." + b"9" * 4_000_000},
    EXPERIMENT,
)
CASES["toml-generated"] = lambda: (
    {
        "g.toml": b'policies=["random"]\noracles=["lookahead"]\n[[domains]]\n'
        b'generator="blocksworld"\nparameters={blocks=2000000000}\nseeds=[1]\n'
    },
    EXPERIMENT,
)
CASES["toml-generated-wide"] = lambda: (
    {
        "g.toml": b'policies=["random"]\noracles=["lookahead"]\n[[domains]]\n'
        b'generator="visitall"\nparameters={width=1000000,height=1000000}\nseeds=[1]\n'
    },
    EXPERIMENT,
)


# Networks


def _network(name: str, data: bytes, spec: str = "mlp:{},activation=relu") -> Made:
    return {name: data, **COUNTER}, f"decide model.jani --policy {spec.format(name)}"


def _add_network(name: str, make: Callable[[], bytes], **how: str) -> None:
    ending, rest = name.split("-", 1)
    CASES[f"network-{name}"] = lambda: _network(f"{rest}.{ending}", make(), **how)


def _safetensors(header: Json, size: int) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(size)


def _overlapping() -> bytes:
    entry = {"dtype": "F32", "shape": [1000, 1000], "data_offsets": [0, 4_000_000]}
    return _safetensors({f"{number}.weight": entry for number in range(900)}, 4_000_000)


def _empty_tensors() -> bytes:
    names = (
        f'"n{n}.weight":{{"dtype":"F32","shape":[0,{n}],"data_offsets":[0,0]}}'
        for n in range(130_000)
    )
    return _safetensors(f"{{{','.join(names)}}}".encode(), 0)


_add_network("safetensors-overlap", _overlapping)
_add_network("safetensors-empty-tensors", _empty_tensors)
_add_network(
    "safetensors-empty-objects",
    lambda: _safetensors(repeated("{}", before='{"a":[', after="]}"), 0),
)
_add_network("safetensors-deep", lambda: _safetensors(b'{"a":' + b"[" * (SIZE - 100), 0))
_add_network(
    "safetensors-huge-shape",
    lambda: _safetensors(
        {"a": {"dtype": "F32", "shape": [1] * 2_000_000, "data_offsets": [0, 4]}}, 4
    ),
)
_add_network(
    "safetensors-halves",
    lambda: _safetensors(
        {"0.weight": {"dtype": "F16", "shape": [1, 4_900_000], "data_offsets": [0, 9_800_000]}},
        9_800_000,
    ),
)
_add_network(
    "safetensors-bytes",
    lambda: _safetensors(
        {"0.weight": {"dtype": "U8", "shape": [1, 9_800_000], "data_offsets": [0, 9_800_000]}},
        9_800_000,
    ),
)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _array(shape: tuple[int, ...], kind: str = "<f4", count: int | None = None) -> bytes:
    head = str({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    size = int(np.prod(shape)) if count is None else count
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(head)) + head + bytes(size * int(kind[-1]))


def _many_entries() -> bytes:
    return _zipped({f"a{number}.npy": b"" for number in range(90_000)})


def wrong_sizes() -> bytes:
    """The directory says that a member of 300 MB has 10 bytes."""
    data = bytearray(_zipped({"0.weight.npy": _array((1, 75_000_000))}))
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    data[22:26] = struct.pack("<I", 10)
    return bytes(data)


def shared_members() -> bytes:
    """All members of the directory are the one of 4 MB: 400 times as much."""
    data = _zipped({"0.weight.npy": _array((1, 1_000_000))})
    place, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[place:end]
    entries = b"".join(entry.replace(b"0.weight.npy", b"%08d.npy" % n) for n in range(3000))
    tail = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 3000, 3000, len(entries), place, 0)
    return data[:place] + entries + tail


_add_network("npz-bomb", lambda: _zipped({"0.weight.npy": _array((1, 1_000_000_000 // 4))}))
_add_network("npz-many-entries", _many_entries)
_add_network("npz-wrong-sizes", wrong_sizes)
_add_network("npz-shared-members", shared_members)
_add_network("npz-shape", lambda: _zipped({"0.weight.npy": _array((1 << 40, 1 << 40), count=2)}))
_add_network("npz-nothing", lambda: _zipped({"0.weight.npy": _array((1 << 60, 0), count=0)}))
_add_network(
    "npz-header",
    lambda: _zipped(
        {
            "0.weight.npy": b"\x93NUMPY\x02\x00"
            + struct.pack("<I", 50_000_000)
            + b"(" * 25_000_000
            + b")" * 25_000_000
        }
    ),
)
_add_network(
    "npz-header-of-a-dictionary",
    lambda: _zipped(
        {
            "0.weight.npy": b"\x93NUMPY\x02\x00"
            + struct.pack("<I", 9000)
            + b"{'descr':'<f4','fortran_order':False,'shape':("
            + b"1," * 4470
            + b")}"
        }
    ),
)
_add_network(
    "npz-text", lambda: _zipped({"names.npy": _array((1, 40_000_000), "<U1", count=160_000_000)})
)
_add_network("npz-bytes", lambda: _zipped({"names.npy": _array((40_000_000,), "|S1")}))
_add_network("nnet-counts", lambda: b"1999999999,1999999999,1999999999,1999999999,\n")
_add_network("nnet-numbers", lambda: b"1,1,1,1,\n1,1,\n0,\n" + b"1," * (SIZE // 2 - 20))
_add_network("nnet-long-number", lambda: b"1,1,1,1,\n1,1,\n0,\n" + b"9" * (SIZE - 20))
_add_network("nnet-lines", lambda: b"//\n" * (SIZE // 3))


def _shared_weights() -> bytes:
    weights = message((1, 1000), (1, 1000), (2, 1), (8, "w"), (9, bytes(4_000_000)))
    nodes, value = [], "x"
    for number in range(900):
        nodes += [onnx_node("Gemm", [value, "w"], f"g{number}")]
        nodes += [onnx_node("Relu", [f"g{number}"], f"r{number}")]
        value = f"r{number}"
    return onnx_model(nodes, [weights], output=value)


def varints() -> bytes:
    """Ten million numbers, one by one."""
    tensor = message((1, 1), (1, 1), (2, 1), (8, "w")) + b"\x20\x01" * 4_900_000
    return onnx_model([onnx_node("MatMul", ["x", "w"], "y")], [tensor], output="y")


def _packed_varints() -> bytes:
    tensor = message((1, 9_900_000), (2, 7), (8, "w"), (7, b"\x01" * 9_900_000))
    return onnx_model([onnx_node("MatMul", ["x", "w"], "y")], [tensor], output="y")


def _many_nodes() -> bytes:
    nodes = [onnx_node("Relu", ["x" if n == 0 else f"y{n - 1}"], f"y{n}") for n in range(280_000)]
    return onnx_model(nodes, [], output="y279999")


def _many_dims() -> bytes:
    tensor = message((2, 1), (8, "w")) + b"\x08\x01" * 4_900_000
    return onnx_model([onnx_node("MatMul", ["x", "w"], "y")], [tensor], output="y")


def identities() -> bytes:
    """A chain of adds of a wide bias to a scalar."""
    bias = message((1, 1_000_000), (2, 1), (8, "b"), (9, bytes(4_000_000)))
    nodes = [
        onnx_node("Add", ["b" if n == 0 else f"y{n - 1}", "b"], f"y{n}") for n in range(20_000)
    ]
    return onnx_model(nodes, [bias], output="y19999")


_add_network("onnx-shared", _shared_weights)
_add_network("onnx-varints", varints)
_add_network("onnx-packed-varints", _packed_varints)
_add_network("onnx-many-nodes", _many_nodes)
_add_network("onnx-many-dimensions", _many_dims)
_add_network("onnx-adds-of-constants", identities)
_add_network("onnx-fields", lambda: b"\x08\x01" * (SIZE // 2))
_add_network("onnx-empty-messages", lambda: b"\x3a\x00" * (SIZE // 2))


def _pickled(body: bytes) -> Callable[[], bytes]:
    return lambda: packed_again(pth({}, pickle=b"\x80\x02" + body + b"."))


def packed_again(data: bytes) -> bytes:
    """The same archive, with compressed members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _zipped({name: archive.read(name) for name in archive.namelist()})


_add_network("pth-dictionaries", _pickled(b"}" * 4_000_000))
_add_network("pth-packed-dictionaries", _pickled(b"}" * 90_000_000))
_add_network("pth-memo", _pickled(b"K\x01" + b"q\x01" * 4_000_000))
_add_network("pth-tuples", _pickled(b"(" * 5_000_000))
_add_network("pth-nested-tuples", _pickled(b")" + b"\x85" * 9_000_000))
_add_network("pth-doubled", _pickled(b"]" + b"q\x01h\x01h\x01\x86" * 1_000_000))
_add_network("pth-long", _pickled(b"\x8b" + struct.pack("<I", 9_000_000) + b"\xff" * 9_000_000))
_add_network("pth-text-number", _pickled(b"I" + b"9" * 9_000_000 + b"\n"))
_add_network("pth-put", _pickled(b"K\x01" + b"r\xff\xff\xff\xff" * 2))
_add_network(
    "pkl-doubled",
    lambda: b"\x80\x02]" + b"q\x01h\x01h\x01\x86" * 1_000_000 + b".",
    spec="asnets:{}",
)


# ASNets, GNN, stable-baselines, trees


def _sb3_json() -> bytes:
    return _zipped({"data": b'{"a":[' + b"{}," * 60_000_000 + b"{}]}", "policy.pth": b"x"})


CASES["network-sb3-json"] = lambda: _network("m.zip", _sb3_json())
CASES["trees-one-long-line"] = lambda: _network(
    "t.txt", b"tree\nmax_feature_idx=" + b"9" * 9_000_000 + b"\nend of trees\n", "trees:{}"
)
CASES["trees-counts"] = lambda: _network(
    "t.txt",
    b"tree\nmax_feature_idx=1999999999\nnum_tree_per_iteration=1999999999\n\n"
    b"Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=1\n\nend of trees\n",
    "trees:{}",
)
CASES["trees-many"] = lambda: _network(
    "t.txt",
    b"tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\n\n"
    + b"Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=1\n\n" * 200_000
    + b"end of trees\n",
    "trees:{}",
)
CASES["trees-lines"] = lambda: _network(
    "t.txt", b"tree\n" + b"a\n" * 4_900_000 + b"end of trees\n", "trees:{}"
)
CASES["trees-numbers"] = lambda: _network(
    "t.txt",
    b"tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\n\nTree=0\nnum_leaves=4500000\n"
    b"num_cat=0\nleaf_value=" + b"1 " * 4_500_000 + b"\n\nend of trees\n",
    "trees:{}",
)


def _for_task(name: str, data: bytes, spec: str) -> Made:
    return {name: data, **BLOCKS}, f"rollout domain.pddl problem.pddl --policy {spec}"


CASES["asnets-safetensors"] = lambda: _for_task(
    "n.safetensors", _overlapping(), "asnets:n.safetensors"
)
CASES["asnets-toml"] = lambda: _for_task("n.toml", b"a = " + b"[" * 7_000_000, "asnets:n.toml")
CASES["asnets-toml-numbers"] = lambda: _for_task(
    "n.toml", b"a = [" + b"1," * 3_900_000 + b"]", "asnets:n.toml"
)
CASES["asnets-pickle"] = lambda: _for_task(
    "n.pkl", b"\x80\x02" + b"}" * 9_000_000 + b".", "asnets:n.pkl"
)
CASES["gnn-pth"] = lambda: _for_task(
    "n.pth", pth({}, pickle=b"\x80\x02" + b"}" * 9_000_000 + b"."), "gnn:n.pth"
)
CASES["gnn-ckpt"] = lambda: _for_task("n.ckpt", _pickled(b"}" * 90_000_000)(), "gnn:n.ckpt")


# Stores


def store(table: str, column: str, content: bytes) -> Callable[[], Made]:
    """A campaign in which something was put in place of what was there."""

    def make() -> Made:
        with tempfile.TemporaryDirectory() as name:
            for file, data in BLOCKS.items():
                Path(name, file).write_bytes(data)
            run = f"test {name} --policy random:1 --max-bugs 3 -o {name}/c --whole no"
            subprocess.run(
                [sys.executable, "-m", "bugsieve", *run.split()], capture_output=True, check=False
            )
            path = Path(name, "c", "campaign.sqlite")
            with sqlite3.connect(path) as opened:
                opened.execute(f"UPDATE {table} SET {column} = ?", (content,))
            opened.close()
            return {
                f"c/{file.name}": file.read_bytes()
                for file in Path(name, "c").iterdir()
                if file.is_file()
            }, "replay c"

    return make


def _empty_objects() -> bytes:
    return b'{"a":[' + b"{}," * 80_000_000 + b"{}]}"


for _name, _data in (
    ("objects", lambda: zlib.compress(_empty_objects())),
    ("zeros", lambda: zlib.compress(bytes(4_000_000_000 // 4))),
    ("lists", lambda: zlib.compress(b"[" * 200_000_000)),
):
    CASES[f"store-{_name}"] = lambda data=_data: store("bugs", "bug", data())()  # type: ignore[misc]


# Files of bugs

CASES["bug-file"] = lambda: (
    {"b.json": repeated("{}", before='{"bug":[', after="]}")},
    "replay b.json",
)
CASES["check-file"] = lambda: (
    {"test_x.bugsieve.toml": b"a" + b".a" * 490_000 + b" = 1"},
    "-m pytest -q -p bugsieve.pytest_plugin test_x.bugsieve.toml",
)

DECIDE = "decide model.jani --policy random"
_GENERATED = generate("blocksworld", seed=1, blocks=3)
BLOCKS = {
    "domain.pddl": _GENERATED.domain.encode(),
    "problem.pddl": _GENERATED.problem.encode(),
}
COUNTER = {"model.jani": json.dumps(counter()).encode()}


def measured(make: Callable[[], Made]) -> tuple[float, float, int, str]:
    """Megabytes and seconds of CPU of the command, its exit code and its sentence."""
    with tempfile.TemporaryDirectory() as name:
        write(make, Path(name))
        return run(Path(name))


def write(make: Callable[[], Made], folder: Path) -> None:
    """Write the files of a case, and the command beside them."""
    files, command = make()
    for name, data in {**files, "command": command.encode()}.items():
        assert len(data) <= SIZE + 200_000, (name, len(data))
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


_RUNNER = """
import json, os, resource, shlex, signal, sys
words = shlex.split(open("command").read())
words = words if words[0].startswith("-") else ["-I", "-m", "bugsieve", *words]
child = os.fork()
if child == 0:
    most = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    signal.alarm(9 * most)  # where it waits
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT), 2)
    os.execv(sys.executable, [sys.executable, *words])
_, status, used = os.wait4(child, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps([used.ru_maxrss / 1000, used.ru_utime + used.ru_stime, code]))
"""


def run(folder: Path) -> tuple[float, float, int, str]:
    """What the command of a folder takes; children that it has waited for count.

    It is the child of a small process, whose own peak is its beginning.
    """
    words = [sys.executable, "-I", "-S", "-c", _RUNNER, str(STOPS_AFTER)]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, check=True)
    memory, seconds, code = json.loads(done.stdout)
    said = (folder / "said").read_text("utf-8", "replace").strip().splitlines() or [""]
    return memory, seconds, code, said[-1]


def main() -> int:
    """Run all cases, or those whose names begin as one of the arguments does."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hostile_files", description=__doc__
    )
    parser.add_argument("names", nargs="*")
    chosen = tuple(parser.parse_args().names)
    over = 0
    for name, make in CASES.items():
        if chosen and not name.startswith(chosen):
            continue
        memory, seconds, code, line = measured(make)
        is_over = (
            memory > MOST_MEGABYTES or seconds > MOST_SECONDS or code not in range(7) or code == 3
        )
        over += is_over
        mark = "OVER" if is_over else ""
        print(
            f"{name:<36}{memory:7.0f} MB{seconds:7.1f} s{code:5} {mark:<5}{line[:110]}", flush=True
        )
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
