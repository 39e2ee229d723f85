"""`bugsieve list`: it says which kinds of names there are."""

from __future__ import annotations

import json

import pytest

from bugsieve.cli import main

KINDS = (
    *("oracles", "safety-oracles", "policies", "model-policies", "biases", "objectives"),
    *("pictures", "domains", "heuristics", "criteria", "patterns"),
)


@pytest.mark.parametrize(
    ("arguments", "code"), [(["list"], 0), (["list", "x"], 4), (["list", "--help"], 0)]
)
def test_kinds_are_named(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    said = "".join(capsys.readouterr()).replace(",", " ").split()
    assert set(KINDS) <= set(said)


def test_without_a_kind_there_is_an_overview(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    *lines, blank, hint = capsys.readouterr().out.splitlines()
    assert tuple(line.split()[0] for line in lines) == KINDS
    assert all(len(line.split()) > 3 for line in lines)
    assert (blank, hint) == ("", "see the names of one kind: bugsieve list KIND")
    assert main(["list", "--json"]) == 0
    assert tuple(json.loads(capsys.readouterr().out)) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_list(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", kind]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1
