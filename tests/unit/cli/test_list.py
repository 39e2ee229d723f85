"""`bugsieve list`: it says which kinds of names there are."""

from __future__ import annotations

import pytest

from bugsieve.cli import main

KINDS = (
    *("oracles", "safety-oracles", "policies", "model-policies", "biases", "objectives"),
    *("domains", "heuristics"),
)


@pytest.mark.parametrize(
    ("arguments", "code"), [(["list"], 4), (["list", "x"], 4), (["list", "--help"], 0)]
)
def test_kinds_are_named(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    said = "".join(capsys.readouterr()).replace(",", " ").split()
    assert set(KINDS) <= set(said)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_list(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", kind]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1
