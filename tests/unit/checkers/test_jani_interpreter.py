"""The interpreter of JANI documents: all that the engine reads, and what it refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.safety.checker import jani_interpreter
from bugsieve.rooms.safety.checker.jani_interpreter import (
    JaniInterpreter,
    ModelFaultError,
    RefusedModelError,
)
from tests.reference.jani_twins import assert_agreement, reached
from tests.unit.tasks.jani.small import (
    automaton,
    binary,
    bounded,
    condition,
    counter,
    edge,
    model,
    safety,
    simple,
    variable,
)

Json = Any
PLACE = "bugsieve.rooms.safety.checker"
FILES = sorted(path.stem for path in Path(jani_interpreter.__file__).parent.glob("[a-z]*.py"))


def agree(document: Json, *, faults: int = 0, states: int = 2) -> None:
    """The engine and the interpreter say the same of all states that can be reached."""
    loaded = load_document(document, name="small")
    rows = reached(loaded)
    assert len(rows) >= states
    assert assert_agreement(loaded, rows) == faults


def call(name: str, *arguments: Json) -> Json:
    return {"op": "call", "function": name, "args": list(arguments)}


def function(name: str, body: Json, *parameters: str, kind: str = "int") -> Json:
    declared = [{"name": parameter, "type": "int"} for parameter in parameters]
    return {"name": name, "type": kind, "parameters": declared, "body": body}


@pytest.mark.parametrize("name", FILES)
def test_shares_no_code_with_the_engine(name: str) -> None:
    path = Path(jani_interpreter.__file__).parent / f"{name}.py"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        imported = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
        names = (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [imported]
        )
        for module in filter(None, names):
            folder, _, last = module.rpartition(".")
            own = folder == "bugsieve.checkers" or (folder == PLACE and last in FILES)
            assert own or module.split(".")[0] in sys.stdlib_module_names, module


def test_needs_nothing_but_the_standard_library() -> None:
    script = "import sys, bugsieve.rooms.safety.checker.safety; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_counter() -> None:
    agree(counter(), states=6)
    twin = JaniInterpreter(counter())
    assert twin.transitions((0,)) == {0: ((1,), (2,))}
    assert [twin.kind((x,)) for x in (2, 3, 5)] == ["ordinary", "unsafe", "goal"]
    assert twin.transitions((4,)) == {}


def test_unsafe_comes_before_goal() -> None:
    document = simple(edge({"x": 1}), unsafe=True, goal=True)
    assert JaniInterpreter(document).kind((0,)) == "unsafe"


def test_several_edges_of_one_action_are_one_choice() -> None:
    edges = [edge({"x": 1}), edge({"x": 1}, {"x": 2}), edge({"x": 3}, action="b")]
    document = simple(*edges)
    agree(document, states=4)
    assert JaniInterpreter(document).transitions((0,)) == {0: ((3,),), 1: ((1,), (2,))}


def test_constants_in_any_order_and_functions_of_them() -> None:
    constants = [
        {"name": "a", "type": "int", "value": binary("+", "b", call("twice", "c"))},
        {"name": "b", "type": "int", "value": "c"},
        {"name": "c", "type": "int", "value": 1},
        {"name": "r", "type": "real", "value": 1},
    ]
    step = edge({"x": binary("min", binary("+", "x", "a"), "a"), "y": binary("/", "x", "r")})
    variables = [variable("x", bounded(0, binary("*", 5, "b")), 0), variable("y", "real", 0)]
    functions = [function("twice", binary("*", 2, "n"), "n")]
    agree(simple(step, variables=variables, constants=constants, functions=functions))


def test_functions_of_automata_hide_those_of_the_model() -> None:
    functions = [function("f", 1), function("g", call("f"))]
    step = edge({"x": binary("+", call("f"), call("g"))}, guard=binary("=", "x", 0))
    other = edge({"x": call("f")}, guard=binary("=", call("f"), 2), action="b")
    inner = {**automaton(step, other), "functions": [function("f", 2)]}
    agree(model(inner, functions=functions), states=3)


def test_parameters_that_are_not_used_are_not_evaluated() -> None:
    broken = binary("%", 1, "x")
    functions = [function("first", "a", "a", "b")]
    agree(simple(edge({"x": call("first", 2, broken)}), functions=functions))


def counting(name: str) -> Json:
    """An automaton with a variable of its own, two locations, and a transient variable."""
    step = edge(
        {"n": binary("+", "n", 1), "seen": binary("+", "n", 2)},
        {"x": binary("min", "seen", 5)},
        guard=binary("<", "n", "level"),
        target="m",
    )
    back = edge({}, action="back", source="m", target="l")
    made = automaton(step, back, name=name, locations=("l", "m"))
    made["locations"][0]["transient-values"] = [{"ref": "level", "value": 3}]
    own = [variable("n", bounded(0, 9), 0), variable("level", "int", 1, transient=True),
           variable("seen", "int", 4, transient=True)]  # fmt: skip
    return {**made, "variables": own}


def test_the_same_automaton_twice() -> None:
    system = {
        "elements": [{"automaton": "A"}, {"automaton": "A", "input-enable": ["back"]}],
        "syncs": [
            {"synchronise": ["go", None], "result": "go"},
            {"synchronise": [None, "go"], "result": "back"},
            {"synchronise": ["back", "back"]},
        ],
    }
    there = {"op": "state-condition", "locations": [{"automaton": "A#2", "location": "m"}]}
    property_ = safety(unsafe=binary("≥", "x", 5))
    property_["expression"]["objective"]["goal"] = there
    document = model(counting("A"), system=system, properties=[property_])
    loaded = load_document(document, name="twice")
    rows = reached(loaded)
    assert len(rows) > 50
    assert assert_agreement(loaded, rows) == 0
    names = [v.name for v in loaded.variables]
    assert names == ["x", "A#1.n", "A#1.location", "A#2.n", "A#2.location"]


def test_two_automata_that_assign_one_variable_are_a_fault() -> None:
    pair = [automaton(edge({"x": value}, {}), name=name) for name, value in (("A", 1), ("B", 2))]
    both = [{"synchronise": ["go", "go"], "result": "go"}]
    system = {"elements": [{"automaton": "A"}, {"automaton": "B"}], "syncs": both}
    agree(model(*pair, system=system), faults=1, states=1)


def test_local_variables_in_properties() -> None:
    own = {**automaton(edge({"n": binary("+", "n", 1)}, guard=binary("<", "n", 4))),
           "variables": [variable("n", bounded(0, 4), 0)]}  # fmt: skip
    agree(model(own, properties=[safety(unsafe=binary("=", "n", 4))]), states=5)


def test_silent_edges_come_last() -> None:
    edges = [edge({"x": 1}, action=None), edge({"x": 2}, action="z")]
    document = simple(*edges)
    agree(document)
    assert JaniInterpreter(document).actions == ["z", "τ"]


def test_a_single_automaton_needs_no_vectors() -> None:
    document = simple(edge({"x": 1}), edge({"x": 2}, action="b"))
    del document["system"]["syncs"]
    agree(document, states=3)


def test_assignments_in_steps() -> None:
    step = edge({"x": binary("+", "x", 1), "t": binary("+", "x", 2), "y": "t"})
    for assignment, index in zip(step["destinations"][0]["assignments"], (2, 1, 3), strict=True):
        assignment["index"] = index
    variables = [variable("x", bounded(0, 5), 0), variable("y", "int", 0),
                 variable("t", "int", 7, transient=True)]  # fmt: skip
    document = simple(step, variables=variables)
    agree(document, faults=1, states=6)  # beyond 5
    assert JaniInterpreter(document).transitions((0, 0)) == {0: ((1, 2),)}


def test_transients_defined_by_each_other_in_turn() -> None:
    made = automaton(edge({"x": "a"}, guard=binary("<", "x", 3)))
    made["locations"][0]["transient-values"] = [
        {"ref": "a", "value": binary("+", "b", 1)}, {"ref": "b", "value": binary("+", "x", 0)},
    ]  # fmt: skip
    variables = [variable("x", bounded(0, 5), 0), variable("a", "int", 5, transient=True),
                 variable("b", "int", 0, transient=True)]  # fmt: skip
    property_ = safety(unsafe=binary("=", "a", 3))
    agree(model(made, variables=variables, properties=[property_]))


@pytest.mark.parametrize("probability", [0, 0.0, 0.5, binary("-", 1, 1), binary("/", "x", 8)])
def test_probabilities(probability: Json) -> None:
    step = edge({"x": 1}, {"x": 2})
    step["destinations"][0]["probability"] = {"exp": probability}
    agree(simple(step))


def test_an_edge_without_a_possible_outcome_is_a_fault() -> None:
    step = edge({"x": 1})
    step["destinations"][0]["probability"] = {"exp": binary("/", "x", 8)}
    agree(simple(step), faults=1, states=1)


@pytest.mark.parametrize("value", [
    binary("/", 1, "x"), binary("%", 1, "x"), binary("log", 2, "x"), binary("pow", "x", -1),
    binary("*", binary("+", "x", 2**62), 2), {"op": "floor", "exp": binary("pow", 10.5, 300)},
    {"op": "acos", "exp": binary("+", "x", 2)}, binary("pow", 2, binary("+", "x", 63)), 9,
])  # fmt: skip
def test_faults_of_the_model(value: Json) -> None:
    variables = [variable("x", bounded(0, 5), 0), variable("y", "real", 0)]
    target = "x" if value == 9 else "y"
    document = simple(edge({target: value}), variables=variables)
    agree(document, faults=1, states=1)
    with pytest.raises(ModelFaultError, match=r"goes wrong in the state \[0, 0.0\]"):
        JaniInterpreter(document).transitions((0, 0.0))


def test_large_integers_are_compared_as_the_engine_does() -> None:
    large = binary("+", "x", 2**53 - 1)
    tests = [binary(op, large, float(2**53)) for op in ("=", "<", "≥")]
    edges = [
        edge({"x": 1}, guard=test, action=name) for test, name in zip(tests, "abc", strict=True)
    ]
    edges.append(edge({"x": binary("+", "x", 1)}, action="d", guard=binary("<", "x", 3)))
    agree(simple(*edges), states=4)


def nested(op: str, depth: int, leaf: Json, other: Json, *, to_left: bool) -> Json:
    expression = leaf
    for _ in range(depth):
        sides = (expression, other) if to_left else (other, expression)
        expression = binary(op, *sides)
    return expression


@pytest.mark.parametrize("to_left", [True, False])
def test_formulas_may_be_deep(to_left: bool) -> None:
    depth = 9000
    at_last = binary("=", "x", 3)
    guard = nested("∨", depth, at_last, binary("=", "x", 9), to_left=to_left)
    total = binary("-", nested("+", depth, "x", 1, to_left=to_left), depth - 1)
    choice: Json = 0
    for _ in range(depth):
        choice = {"op": "ite", "if": binary("=", "x", 9), "then": 1, "else": choice}
    edges = [
        edge({"x": total}, guard=binary("<", "x", 4)),
        edge({"x": 0}, guard=guard, action="b"),
        edge({"x": choice}, guard=at_last, action="c"),
    ]
    agree(simple(*edges), states=5)


def test_calls_inside_calls_are_refused_before_they_explode() -> None:
    body: Json = "n"
    for _ in range(40):
        body = call("twice", body)
    functions = [function("twice", binary("-", binary("+", "n", "n"), "n"), "n")]
    variables = [variable("x", "int", 0), variable("n", "int", 0)]
    document = simple(edge({"x": body}), functions=functions, variables=variables)
    with pytest.raises(RefusedModelError, match="too large"):
        JaniInterpreter(document)


@pytest.mark.parametrize(("state", "sentence"), [
    ((), "has 3 values, not 0"), ((1, True, 0.5, 1), "not 4"), ((True, True, 0.5), "variable 0"),
    ((1, 1, 0.5), "variable 1"), ((1, True, 1), "variable 2"), ((9, True, 0.5), "variable 0"),
    ((1.0, True, 0.5), "variable 0"), ((1, True, float("nan")), "variable 2"),
    ((1, None, 0.5), "variable 1"), (("1", True, 0.5), "variable 0"),
])  # fmt: skip
def test_states_of_wrong_values(state: Any, sentence: str) -> None:
    variables = [variable("x", bounded(0, 5), 0), variable("b", "bool", True),
                 variable("r", "real", 0)]  # fmt: skip
    twin = JaniInterpreter(simple(edge({"x": 1}), variables=variables))
    assert twin.check_state([1, True, 0.5]) == (1, True, 0.5)
    with pytest.raises(ValueError, match=sentence):
        twin.check_state(state)


HOSTILE = "__import__('os').abort()"


def test_names_never_become_source() -> None:
    step = edge({HOSTILE: binary("+", HOSTILE, 1)}, action=HOSTILE, guard=binary("<", HOSTILE, 3))
    agree(simple(step, variables=[variable(HOSTILE, bounded(0, 5), 0)]), states=4)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"type": "pta"}, "a model of type 'pta'"),
    ({"constants": [{"name": "c", "type": "int"}]}, "the constant 'c' has no value"),
    ({"constants": [{"name": "c", "type": "int", "value": "d"}]}, "the constant 'c'"),
    ({"properties": []}, "0 properties"),
    ({"variables": [variable("x", {"kind": "array", "base": "int"}, 0)]}, "the type"),
    ({"automata": [automaton(edge({"x": {"op": "aa", "exp": "x"}}))]}, "operator 'aa'"),
    ({"automata": [automaton(edge({"x": "y"}))]}, "there is no variable or constant 'y'"),
    ({"automata": [automaton(edge({"x": binary("∧", "x", 1)}))]}, "of a wrong type"),
    ({"automata": [automaton(edge({"x": binary(HOSTILE, "x", 1)}))]}, "operator"),
    ({"automata": [automaton(edge({"x": {"constant": "exp"}}))]}, "the constant 'exp'"),
    ({"automata": [automaton(edge({"x": 0.5}))]}, "of type real where int is needed"),
    ({"automata": [automaton(edge({"x": None}))]}, "NoneType"),
    ({"automata": [{"name": "main"}]}, "misshapen"),
    ({"automata": 3}, "misshapen"),
])  # fmt: skip
def test_what_is_refused(change: Json, sentence: str) -> None:
    with pytest.raises(RefusedModelError, match=sentence):
        JaniInterpreter({**counter(), **change})


def test_location_conditions_with_an_expression() -> None:
    step = edge({"x": binary("+", "x", 1)}, source="l", target="m", guard=binary("<", "x", 5))
    back = edge({}, source="m", target="l", action="b")
    made = automaton(step, back, locations=("l", "m"))
    property_ = safety()
    property_["expression"]["reach"] = {
        **condition(binary("=", "x", 4)), "locations": [{"automaton": "main", "location": "m"}],
    }  # fmt: skip
    agree(model(made, properties=[property_]), states=10)
