"""The checker of safety proofs, on one small model; random ones are in tests/property."""

from __future__ import annotations

import ast
import copy
import sys
from pathlib import Path
from typing import Any

import pytest

from bugsieve.rooms.safety.checker import safety_claims
from bugsieve.rooms.safety.checker.safety_claims import (
    CertificateError,
    ExplicitModel,
    Proven,
    check,
)

# The policy goes 0 -> 1 -> 2 or 3, where 3 is unsafe; in 0 it could go to the goal 4 as well.
MODEL = ExplicitModel(
    ["ordinary", "ordinary", "ordinary", "unsafe", "goal"],
    [{0: [1], 1: [4]}, {0: [2, 3]}, {0: [3]}, {}, {}],
    [0, 0, 0, None, None],
)
RUN: dict[str, Any] = {"kind": "run", "states": [[0], [1], [3]], "actions": [0, 0]}
SAFE: dict[str, Any] = {"kind": "safe", "radius": 1, "state": [0], "table": [[[0], 1, 1]]}
UNSAFE: dict[str, Any] = {"kind": "unsafe", "radius": 1, "state": [1], "ranking": [[[1], 1, 1]]}
FAULT: dict[str, Any] = {
    "kind": "fault",
    "radius": 1,
    "state": [0],
    "action": 0,
    "outcome": [1],
    "safe": SAFE,
    "unsafe": UNSAFE,
}


@pytest.mark.parametrize("proof", [RUN, SAFE, UNSAFE, FAULT])
def test_right_proofs_are_accepted(proof: dict[str, Any]) -> None:
    check(MODEL, proof)


def test_what_is_proven_needs_no_row() -> None:
    proven = Proven()
    check(MODEL, FAULT, proven)
    bare = {"safe": {**SAFE, "table": []}, "unsafe": {**UNSAFE, "ranking": []}}
    with pytest.raises(CertificateError, match="lacks"):
        check(MODEL, {**FAULT, **bare}, proven)  # a check alone adds nothing
    proven.learn(FAULT)
    check(MODEL, {**FAULT, **bare}, proven)
    assert (proven.safe, proven.lost) == ({(0,): 1}, {((1,), 1)})


def test_a_proven_state_allows_no_more_divergences_than_it_was_proven_with() -> None:
    proven = Proven(safe={(0,): 1})
    with pytest.raises(CertificateError, match="lacks"):
        check(MODEL, {**SAFE, "radius": 0, "table": []}, proven)


@pytest.mark.parametrize(
    ("proof", "changes", "sentence"),
    [
        (RUN, {"actions": [0]}, "one state more"),
        (RUN, {"actions": [1, 0]}, "does not choose action 1"),
        (RUN, {"states": [[0], [2], [3]]}, "does not lead"),
        (RUN, {"states": [[0], [1], [2]]}, "not unsafe"),
        (RUN, {"states": [[0], [1], [3], [3]], "actions": [0, 0, 0]}, "does not end"),
        (RUN, {"states": 3}, "must be a list"),
        (SAFE, {"radius": 0}, "divergences"),
        (SAFE, {"table": [[[0], 1, 0]]}, "once too often"),
        (SAFE, {"table": [[[0], 0, 0]]}, "lacks"),
        (SAFE, {"table": []}, "lacks"),
        (SAFE, {"state": [3]}, "unsafe"),
        (UNSAFE, {"radius": 2}, "lacks"),
        (UNSAFE, {"state": [0]}, "lacks"),
        (UNSAFE, {"state": [0], "ranking": [[[0], 1, 1]]}, "no lower rank"),
        (UNSAFE, {"ranking": [[[1], 1, 0]]}, "out of range"),
        (FAULT, {"action": 1}, "does not choose"),
        (FAULT, {"outcome": [4]}, "does not lead"),
        (FAULT, {"radius": None}, "something else"),
        (FAULT, {"safe": UNSAFE}, "something else"),
        (FAULT, {"unsafe": {**UNSAFE, "state": [3], "ranking": []}}, "something else"),
    ],
)
def test_wrong_proofs_are_rejected(
    proof: dict[str, Any], changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CertificateError, match=sentence):
        check(MODEL, {**copy.deepcopy(proof), **changes})


@pytest.mark.parametrize("proof", [None, [], {}, {"kind": "safe"}, {"kind": None}])
def test_what_is_no_proof_is_rejected(proof: Any) -> None:
    with pytest.raises(CertificateError):
        check(MODEL, proof)


def test_the_checker_stands_alone() -> None:
    tree = ast.parse(Path(safety_claims.__file__).read_text(encoding="utf-8"))
    modules = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= set(sys.stdlib_module_names)
