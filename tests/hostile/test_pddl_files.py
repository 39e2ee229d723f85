"""Bad PDDL through the real command line: exit code 4, one line that names the file, no crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.reader import read_document
from tests.hostile.children import bugsieve
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced, write

GARBAGE = random.Random(1).randbytes(100_000)

BAD_DOMAINS = {
    "empty": (b"", "domain.pddl: is empty"),
    "blank": (b" \n\t\n", "domain.pddl: is empty"),
    "comments only": (b"; nothing\n", "domain.pddl: holds nothing but comments"),
    "binary garbage": (GARBAGE, "domain.pddl: is not a text file"),
    "NUL bytes": (b"(define\0", "domain.pddl: is not a text file"),
    "garbage without NUL": (b"\xff\xfe\xfa" * 1000, "domain.pddl:1: the byte 0xff"),
    "prose": (b"Dear reader, this is a letter.", "domain.pddl:1: is not PDDL"),
    "deep nesting": (b"(" * 50_000 + b")" * 50_000, "domain.pddl:1: nesting deeper than"),
    "deep and unbalanced": (b"(define (domain d) " + b"(and\n" * 50_000, "nesting deeper than"),
    "one huge word": (b"(define (domain " + b"x" * 20_000_000, "never closed"),
    "many words": (b"(define (domain d) " + b"ab " * 3_500_000, "words and blocks, the limit"),
    "not closed": (DOMAIN.rstrip()[:-1].encode(), "domain.pddl:1: the '(' on this line is never"),
    "closed too often": (DOMAIN.encode() + b")", "this ')' closes nothing"),
    "unknown predicate": (
        replaced(DOMAIN, "(clear ?x) (clear ?to)", "(cler ?x)").encode(),
        "domain.pddl:9: action 'move' uses the unknown predicate 'cler' (did you mean 'clear'?)",
    ),
    "problem instead": (PROBLEM.encode(), "is a problem file where the domain was expected"),
}

BAD_PROBLEMS = {
    "empty": ("", "problem.pddl: is empty"),
    "other domain": (
        replaced(PROBLEM, "(:domain stack)", "(:domain gripper)"),
        "problem.pddl:2: this problem is for the domain 'gripper'",
    ),
    "unknown predicate": (
        replaced(PROBLEM, "(clear b)", "(kleer b)"),
        "problem.pddl:4: ':init' uses the unknown predicate 'kleer'",
    ),
    "unknown object": (
        replaced(PROBLEM, "(clear b)", "(clear q)"),
        "problem.pddl:4: ':init' uses the undeclared object 'q'",
    ),
    "undeclared object in the goal": (
        replaced(PROBLEM, "(on a b)", "(on a q)"),
        "problem.pddl:6: the goal uses the undeclared object 'q'",
    ),
    "not closed": (PROBLEM.rstrip()[:-1], "problem.pddl:1: the '(' on this line is never closed"),
    "domain instead": (DOMAIN, "is a domain file where the problem was expected"),
    "unreachable goal": (
        replaced(PROBLEM, "(on a b)", "(red b)"),
        "problem.pddl: the goal cannot be reached",
    ),
    "disjunctive goal": (
        replaced(PROBLEM, "(and (on a b) (on b table))", "(or (on a b) (clear a))"),
        "problem.pddl:6: the goal uses a disjunction ('or'), which Bugsieve does not support",
    ),
    "object of another type": (
        replaced(PROBLEM, "b - block", "b - block c - object").replace("(red a)", "(red c)"),
        "problem.pddl:4: ':init' has (red c), but argument 1 of 'red' must be of type 'item'",
    ),
    "cost without a value": (
        replaced(PROBLEM, "(= (weight b) 2)", ""),
        "problem.pddl:4: ':init' gives no value to (weight b), the cost of (move b",
    ),
    "huge cost": (
        replaced(PROBLEM, "(= (weight b) 2)", "(= (weight b) 99999999999)"),
        "problem.pddl:5: the cost 99999999999 of (weight b) is too large",
    ),
}


def test_a_type_hierarchy_that_is_too_tall(tmp_path: Path) -> None:
    """One type below the other: looking through all pairs of 200 000 took minutes."""
    chain = " ".join(f"t{number} - t{number + 1}" for number in range(2000))
    for types, is_refused in ((chain, True), (chain[: len(chain) // 2].rsplit(" - ")[0], False)):
        domain = f"(define (domain d) (:requirements :typing) (:types {types}) (:predicates (q)))"
        (tmp_path / "domain.pddl").write_text(domain)
        document = read_document(tmp_path / "domain.pddl")
        if is_refused:
            with pytest.raises(UnsupportedError, match="more than 1000000 pairs of a type"):
                check_domain(document)
        else:
            assert check_domain(document).vocabulary.ancestors


@pytest.mark.parametrize("case", BAD_DOMAINS)
def test_bad_domain(case: str, tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    data, sentence = BAD_DOMAINS[case]
    domain.write_bytes(data)
    complaint = bugsieve("rollout", domain, problem, "--policy", "random").complaint()
    assert sentence in complaint
    assert str(domain) in complaint


@pytest.mark.parametrize("case", BAD_PROBLEMS)
def test_bad_problem(case: str, tmp_path: Path) -> None:
    text, sentence = BAD_PROBLEMS[case]
    domain, problem = write(tmp_path, problem=text)
    complaint = bugsieve("rollout", domain, problem, "--policy", "random").complaint()
    assert sentence in complaint
    assert str(problem) in complaint


def test_missing_files_and_folders(tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    for arguments, named in (
        ((tmp_path / "none.pddl", problem), "none.pddl: there is no such file"),
        ((domain, tmp_path / "none.pddl"), "none.pddl: there is no such file"),
        ((tmp_path, problem), f"{tmp_path}: is a directory"),
        ((domain, tmp_path), f"{tmp_path}: is a directory"),
        (("/dev/zero", problem), "/dev/zero: is a pipe or a device"),
    ):
        assert named in bugsieve("rollout", *arguments, "--policy", "random").complaint()


def test_names_with_control_characters_are_shown_on_one_line(tmp_path: Path) -> None:
    _, problem = write(tmp_path)
    complaint = bugsieve("rollout", "two\nlines\x1b[1m", problem, "--policy", "random").complaint()
    assert r"two\nlines\x1b[1m: there is no such file" in complaint


def test_byte_order_marks_are_skipped(tmp_path: Path) -> None:
    files = write(tmp_path, "\ufeff" + DOMAIN, "\ufeff" + PROBLEM)
    outcome = bugsieve("rollout", *files, "--policy", "optimal")
    assert (outcome.code, outcome.stderr) == (0, "")


def test_swapped_files(tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    complaint = bugsieve("rollout", problem, domain, "--policy", "random").complaint()
    assert "swap them, the domain comes first" in complaint


@pytest.mark.parametrize(
    ("policy", "nearest"), [("randon", "random"), ("greedi:hff", "greedy"), ("greedy:hmx", "hmax")]
)
def test_unknown_policy_suggests_the_nearest(policy: str, nearest: str, tmp_path: Path) -> None:
    complaint = bugsieve("rollout", *write(tmp_path), "--policy", policy).complaint()
    assert f"did you mean {nearest!r}?" in complaint


def test_good_files_run(tmp_path: Path) -> None:
    outcome = bugsieve("rollout", *write(tmp_path), "--policy", "optimal")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "solved in 2 steps, cost 5" in outcome.stdout
