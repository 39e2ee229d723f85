from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.loading import load_model
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, successors, variable, write

Json = Any


def computed(
    folder: Path, expression: Json, kind: str, *, functions: Json = None, chain: str = ""
) -> float:
    """The value of an expression over x = 7, r = 2.5 and b = true, which an edge assigns.

    The text `chain` takes the place of "CHAIN", as the JSON writer knows no deep expressions.
    """
    variables = [
        variable("x", bounded(-10, 10)),
        variable("r", bounded(-10, 10, "real")),
        variable("b", "bool"),
        variable("result", kind),
    ]
    more = {} if functions is None else {"functions": functions}
    made = simple(edge({"result": expression}), variables=variables, **more)
    path = write(folder, made)
    path.write_text(path.read_text("utf-8").replace('"CHAIN"', chain), "utf-8")
    outcome = successors(load_model(path), 7, 2.5, 1, 0)["go"]
    return outcome[0][3]


def unary(op: str, inner: Json) -> Json:
    return {"op": op, "exp": inner}


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        (binary("+", "x", 3), "int", 10),
        (binary("-", 3, "x"), "int", -4),
        (binary("*", "x", "r"), "real", 17.5),
        (binary("/", "x", 2), "real", 3.5),
        (binary("%", "x", 4), "int", 3),
        (binary("%", binary("-", 0, "x"), 4), "int", 1),
        (binary("%", "x", -4), "int", -1),
        (binary("min", "x", "r"), "real", 2.5),
        (binary("max", "x", 9), "int", 9),
        (binary("pow", "x", 2), "int", 49),
        (binary("pow", "r", 2), "real", 6.25),
        (binary("log", binary("+", "x", 1), 2), "real", 3.0),
        (unary("floor", "r"), "int", 2),
        (unary("ceil", "r"), "int", 3),
        (unary("trc", binary("-", 0, "r")), "int", -2),
        (unary("abs", binary("-", 0, "r")), "real", 2.5),
        (unary("sgn", binary("-", 0, "x")), "int", -1),
        (unary("sin", "r"), "real", math.sin(2.5)),
        (unary("tanh", "x"), "real", math.tanh(7)),
        ({"constant": "π"}, "real", math.pi),
        ({"op": "ite", "if": "b", "then": "x", "else": "r"}, "real", 7),
        (binary("⇒", "b", binary(">", "x", 7)), "bool", 0),
        (binary("≥", "x", "r"), "bool", 1),
        (binary("=", "b", True), "bool", 1),
        (binary("≠", "x", 7.0), "bool", 0),
        ({"name": "a comment", "exp": "x"}, "int", 7),
    ],
)
def test_operators(tmp_path: Path, expression: Json, kind: str, value: float) -> None:
    assert computed(tmp_path, expression, kind) == value


def test_reals_are_computed_as_written(tmp_path: Path) -> None:
    product = binary("*", 0.1, "r")
    assert computed(tmp_path, binary("+", binary("*", "r", "r"), product), "real") == (
        2.5 * 2.5 + 0.1 * 2.5
    )
    sums = binary("+", binary("+", 0.1, 0.2), 0.3), binary("+", 0.1, binary("+", 0.2, 0.3))
    values = [
        computed(tmp_path, binary("+", inner, binary("*", 0, "r")), "real") for inner in sums
    ]
    assert values == [0.1 + 0.2 + 0.3, 0.1 + (0.2 + 0.3)]
    assert values[0] != values[1]


def test_what_is_not_needed_is_not_evaluated(tmp_path: Path) -> None:
    fails = binary("=", binary("/", 1, binary("-", "x", 7)), 1)
    for expression, value in [
        (binary("∧", binary("<", "x", 7), fails), 0),
        (binary("∨", "b", fails), 1),
        (binary("⇒", binary("<", "x", 7), fails), 1),
        ({"op": "ite", "if": "b", "then": "b", "else": fails}, 1),
    ]:
        assert computed(tmp_path, expression, "bool") == value
    for expression in [
        binary("∧", fails, binary("<", "x", 7)),
        binary("∨", binary("<", "x", 7), fails),
        {"op": "ite", "if": "b", "then": fails, "else": "b"},
    ]:
        with pytest.raises(ModelError, match="divides by zero"):
            computed(tmp_path, expression, "bool")


@pytest.mark.parametrize("outer", ["∧", "∨"])
@pytest.mark.parametrize("inner", ["∧", "∨"])
def test_values_known_on_one_way_only_are_computed_on_others(
    tmp_path: Path, outer: str, inner: str
) -> None:
    """The remainder occurs twice; the first time it is skipped for some states."""
    remainder = binary("=", binary("%", "x", "y"), 1)
    first = binary(outer, binary(inner, "b", remainder), "c")
    unsafe = binary("∧", unary("¬", first), remainder)
    variables = [variable("x", bounded(0, 5)), variable("y", bounded(0, 5)),
                 variable("b", "bool"), variable("c", "bool")]  # fmt: skip
    made = simple(variables=variables, unsafe=unsafe)
    loaded = load_model(write(tmp_path, made))
    states = [(x, 2, b, c) for x in (3, 4, 5) for b in (0, 1) for c in (0, 1)]

    def holds(x: int, y: int, b: int, c: int) -> bool:
        is_one = x % y == 1
        joined = (b and is_one) if inner == "∧" else (b or is_one)
        return not ((joined and c) if outer == "∧" else (joined or c)) and is_one

    for order in (states, states[::-1]):
        assert loaded.is_unsafe(order).tolist() == [holds(*state) for state in order]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("op", ["+", "-", "∧"])
def test_long_chains_are_no_problem(tmp_path: Path, op: str, side: str) -> None:
    levels = 4000
    leaf = '"b"' if op == "∧" else '"x"'
    if side == "left":
        chain = '{"op": "OP", "left": ' * levels + leaf + f', "right": {leaf}}}' * levels
    else:
        chain = f'{{"op": "OP", "left": {leaf}, "right": ' * levels + leaf + "}" * levels
    value = 7
    for _ in range(levels):
        value = {"+": value + 7, "-": value - 7 if side == "left" else 7 - value, "∧": 1}[op]
    found = computed(
        tmp_path, "CHAIN", "bool" if op == "∧" else "int", chain=chain.replace("OP", op)
    )
    assert found == value


SQUARE = {
    "name": "square",
    "type": "real",
    "parameters": [{"name": "y", "type": "real"}],
    "body": binary("*", "y", "y"),
}


def call(name: str, *arguments: Json) -> Json:
    return {"op": "call", "function": name, "args": list(arguments)}


def test_functions(tmp_path: Path) -> None:
    twice = {**SQUARE, "name": "twice", "body": call("square", call("square", "y"))}
    assert computed(tmp_path, call("twice", "x"), "real", functions=[SQUARE, twice]) == 7.0**4


def test_functions_that_do_not_fit(tmp_path: Path) -> None:
    loop = {**SQUARE, "name": "loop", "body": call("loop", "y")}
    with pytest.raises(UnsupportedError, match="'loop' calls itself"):
        computed(tmp_path, call("loop", "x"), "real", functions=[loop])
    with pytest.raises(InputError, match="takes 1 arguments, not 2"):
        computed(tmp_path, call("square", "x", 1), "real", functions=[SQUARE])
    with pytest.raises(InputError, match="no function 'squre' .did you mean 'square'"):
        computed(tmp_path, call("squre", "x"), "real", functions=[SQUARE])


def test_functions_that_multiply_are_refused(tmp_path: Path) -> None:
    """Forty functions, each of which calls the next twice, would be 2**40 calls."""
    functions = [
        {**SQUARE, "name": f"f{k}", "body": binary("+", call(f"f{k + 1}", "y"),
                                                   call(f"f{k + 1}", binary("+", "y", k)))}
        for k in range(40)
    ]  # fmt: skip
    with pytest.raises(InputError, match="too large"):
        computed(
            tmp_path, call("f0", "x"), "real", functions=[*functions, {**SQUARE, "name": "f40"}]
        )


@pytest.mark.parametrize(
    ("expression", "kind", "message"),
    [
        (binary("∧", "x", "b"), "bool", "'∧' does not take operands of type int"),
        (binary("+", "x", "b"), "int", "'\\+' does not take operands of type bool"),
        (binary("=", "x", "b"), "bool", "'=' does not take operands of type bool"),
        (binary("%", "x", "r"), "int", "'%' does not take operands of type real"),
        ("r", "int", "must be of type int, but is of type real"),
        ({"op": "ite", "if": "x", "then": 1, "else": 2}, "int", "'if' does not take"),
        (binary("plus", 1, 2), "int", "the operator 'plus' is unknown"),
        ({"op": "+", "left": 1}, "int", ": has no 'right'"),
        ({"left": 1}, "int", "is no expression"),
        (None, "int", "must be an expression, but is null"),
        ([1], "int", "must be an expression, but is a list"),
        (2**63, "int", "does not fit 64 bits"),
        ("y", "int", "no variable or constant 'y'"),
        ({"constant": "tau"}, "real", "there are e and π"),
        ({"op": "aa", "exp": "x", "index": 1}, "int", "arrays are not supported"),
    ],
)
def test_mistakes(tmp_path: Path, expression: Json, kind: str, message: str) -> None:
    path = r"automata\[0\].edges\[0\].destinations\[0\].assignments\[0\]\.value"
    with pytest.raises(InputError, match=rf"model\.jani: {path}.*{message}"):
        computed(tmp_path, expression, kind)
