"""Which problems files, folders and patterns stand for, and what they are called."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.tasks.problem_sets import folder_name, problems_of


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a domain and problems, others with one problem each, and SAS files."""
    for name in (
        *("set/domain.pddl", "set/p2.pddl", "set/p1.pddl", "set/notes.txt"),
        *("each/one/domain.pddl", "each/one/problem.pddl"),
        *("each/two/domain.pddl", "each/two/problem.pddl"),
        *("more/p1.pddl", "more/p3.pddl", "a.sas", "b.sas", "empty/readme"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


DOMAIN = "set/domain.pddl"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["set"], {"p1": (DOMAIN, "set/p1.pddl"), "p2": (DOMAIN, "set/p2.pddl")}),
        ([DOMAIN, "set/p1.pddl"], {"p1": (DOMAIN, "set/p1.pddl")}),
        ([DOMAIN, "set/p?.pddl"], {"p1": (DOMAIN, "set/p1.pddl"), "p2": (DOMAIN, "set/p2.pddl")}),
        ([DOMAIN, "more"], {"p1": (DOMAIN, "more/p1.pddl"), "p3": (DOMAIN, "more/p3.pddl")}),
        (
            [DOMAIN, "set/p1.pddl", "more"],
            {
                "more-p1": (DOMAIN, "more/p1.pddl"),
                "p3": (DOMAIN, "more/p3.pddl"),
                "set-p1": (DOMAIN, "set/p1.pddl"),
            },
        ),
        (["a.sas", "b.sas"], {"a": ("a.sas",), "b": ("b.sas",)}),
        (
            ["each"],
            {
                "one": ("each/one/domain.pddl", "each/one/problem.pddl"),
                "two": ("each/two/domain.pddl", "each/two/problem.pddl"),
            },
        ),
        (["each/one"], {"one": ("each/one/domain.pddl", "each/one/problem.pddl")}),
        (["a.sas"], {"a": ("a.sas",)}),
        ([DOMAIN, "gone.pddl"], {"gone": (DOMAIN, "gone.pddl")}),  # whoever loads it says so
    ],
)
def test_what_is_given(
    files: Path, given: list[str], expected: dict[str, tuple[str, ...]]
) -> None:
    assert {problem.name: problem.files for problem in problems_of(*given)} == expected


def test_neither_the_order_nor_repetitions_matter(files: Path) -> None:
    problems = ["set/p1.pddl", "set/p2.pddl", "more/p3.pddl"]
    first = problems_of(DOMAIN, *problems)
    for shuffled in itertools.permutations(problems):
        assert problems_of(DOMAIN, *shuffled, "set/p?.pddl") == first
        assert problems_of(DOMAIN, *shuffled, str(files / "set" / "p2.pddl"))[0] == first[0]


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (["empty"], InputError, "empty: is a folder that holds no domain.pddl, nor do"),
        ([DOMAIN, "empty"], InputError, "empty: is a folder without PDDL problems"),
        ([DOMAIN, "x*.pddl"], InputError, "no file is named like this"),
        (["set", "more/p1.pddl"], UsageError, "give the domain file first"),
    ],
)
def test_what_is_none(
    files: Path, given: list[str], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        problems_of(*given)


@pytest.mark.parametrize("text", ["p01", "..", ".hidden", "a/b", "a b", "", "Ä$", "x" * 200])
def test_names_become_names_of_folders(text: str) -> None:
    name = folder_name(text)
    assert name == folder_name(name) and "/" not in name
    assert 0 < len(name) <= 60 and not name.startswith(".")
