from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.rooms.jani.model.types import Type
from tests.unit.tasks.jani.small import (
    binary,
    bounded,
    edge,
    load,
    simple,
    successors,
    variable,
)

Json = Any


def constant(name: str, kind: Json, value: Json = None) -> Json:
    declared = {"name": name, "type": kind}
    return declared if value is None else {**declared, "value": value}


def with_constants(*constants: Json) -> Json:
    """A model whose bound is the constant n."""
    step = edge({"x": binary("min", "n", binary("+", "x", 1))})
    x = variable("x", bounded(0, "n"), 0)
    return simple(step, variables=[x], constants=list(constants))


def test_constants_may_come_in_any_order(tmp_path: Path) -> None:
    made = with_constants(
        constant("n", "int", binary("*", "m-1", 2)), constant("m-1", "int", binary("+", 1, 2))
    )
    loaded = load(tmp_path, made)
    assert loaded.variables[0].type == Type("int", 0, 6)
    assert successors(loaded, 5) == {"go": [[6.0]]}


def test_constants_without_value_are_given(tmp_path: Path) -> None:
    made = with_constants(constant("n", "int"), constant("p", "real", 0.5))
    assert load(tmp_path, made, constants={"n": 3, "p": 1}).variables[0].type.upper == 3
    with pytest.raises(InputError, match=r"constants\[0\]: the constant 'n' has no value: give"):
        load(tmp_path, made)
    with pytest.raises(UsageError, match="no constant 'N' .did you mean 'n'"):
        load(tmp_path, made, constants={"N": 3})
    with pytest.raises(UsageError, match="'n' is of type int and cannot be 0.5"):
        load(tmp_path, made, constants={"n": 0.5})


def test_given_constants_replace_cycles(tmp_path: Path) -> None:
    made = with_constants(constant("n", "int", "m"), constant("m", "int", binary("+", "n", 1)))
    with pytest.raises(InputError, match=r"constants\[0\]: constants are .* \(n → m → n\)"):
        load(tmp_path, made)
    assert load(tmp_path, made, constants={"m": 4}).variables[0].type.upper == 4


def test_long_chains_of_constants(tmp_path: Path) -> None:
    chain = [constant(f"c{k}", "int", binary("+", f"c{k + 1}", 1)) for k in range(5000)]
    made = with_constants(constant("n", "int", "c0"), *chain, constant("c5000", "int", 0))
    assert load(tmp_path, made).variables[0].type.upper == 5000


@pytest.mark.parametrize(
    ("spoiled", "message"),
    [
        (constant("n", "int", 1.5), r"value: must be of type int, but is of type real"),
        (constant("n", bounded(0, 3), 4), r"value: the value 4 does not fit the type int from 0"),
        (constant("n", "int", binary("%", 1, 0)), r"value: must be a constant that can be comp"),
        (constant("n", "int", "x"), r"value: there is no variable or constant 'x'"),
        (constant("n", "integer", 1), r"type: must be the type bool, int or real"),
        (constant("n", "clock", 1), r"type: variables of type 'clock' are not supported"),
        (constant("n", bounded(True, 3), 4), r"lower-bound: must be of type int"),
        ({"name": "n"}, r"constants\[0\]: has no 'type'"),
    ],
)
def test_bad_constants(tmp_path: Path, spoiled: Json, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, with_constants(spoiled))


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (variable("x", bounded(4, 3), 4), r"type: the lower bound 4 is above the upper bound 3"),
        (variable("x", bounded(0, 3), 4), r"initial-value: the value 4 does not fit"),
        (variable("x", bounded(0, "y")), r"upper-bound: there is no variable or constant 'y'"),
        (variable("x", bounded(0, 1, "bool")), r"type: a Boolean cannot have bounds"),
        (variable("x", bounded(0, 2**60)), r"beyond 2\*\*53 are not supported"),
        (variable("x", {"kind": "array", "base": "int"}), r"type 'array' are not supported"),
        (variable("x", "real", True), r"must be of type real, but is of type bool"),
        (variable("x", "int", transient=True), r"a transient variable needs an initial value"),
        (variable("x", "int", transient=1), r"transient: must be true or false"),
        (variable("", "int"), r"name: must be a name, but is empty"),
        (variable("n", "int"), r"variables\[0\]: the name 'n' has a meaning already"),
    ],
)
def test_bad_variables(tmp_path: Path, declared: Json, message: str) -> None:
    made = simple(variables=[declared], constants=[constant("n", "int", 1)])
    with pytest.raises(InputError, match=rf"variables\[0\].*{message}|{message}"):
        load(tmp_path, made)


def test_names_are_unique(tmp_path: Path) -> None:
    x = variable("x", "int", 0)
    with pytest.raises(InputError, match=r"variables\[1\]: there are two variables called 'x'"):
        load(tmp_path, simple(variables=[x, x]))


def test_types_of_variables(tmp_path: Path) -> None:
    kinds = ["bool", "int", "real", bounded(0, 1, "real"), {"kind": "bounded", "base": "int"}]
    declared = [variable(f"v{k}", kind) for k, kind in enumerate(kinds)]
    loaded = load(tmp_path, simple(variables=declared))
    shown = [str(v.type) for v in loaded.variables]
    assert shown[:4] == ["bool", "int", "real", "real from 0.0 to 1.0"]
    assert loaded.variables[4].type.upper == 2**53


def test_unsupported_model_types(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="type: models of type 'sta' are not supported"):
        load(tmp_path, {**simple(), "type": "sta"})
