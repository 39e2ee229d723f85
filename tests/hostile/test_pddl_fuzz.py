"""Random damage to PDDL texts: a task or a sentence, never a fault of ours."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import BudgetError, InputError
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.pddl.check import PddlTask, check_pddl
from tests.depth import examples
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM

WORDS = (
    *DOMAIN.replace("(", " ( ").replace(")", " ) ").split(),
    *PROBLEM.replace("(", " ( ").replace(")", " ) ").split(),
    *("forall", "exists", "or", "imply", "when", "either", "-", "()", "1", "1.5", "-2", "?", ":x"),
    *("object", "number", "=", "assign", "total-cost", "not", "increase", "; x", "((", "))"),
)


@st.composite
def damaged(draw: st.DrawFn, text: str, *, most: int = 3) -> str:
    """The text after at most so many words were replaced, added or removed."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(draw(st.integers(0, most))):
        place = draw(st.integers(0, len(words) - 1))
        words[place : place + draw(st.integers(0, 2))] = [draw(st.sampled_from(WORDS))]
    return " ".join(words)


def check(folder: str, domain: bytes, problem: bytes = PROBLEM.encode()) -> PddlTask | None:
    """The checked files, or None after a refusal in one line."""
    files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
    files[0].write_bytes(domain)
    files[1].write_bytes(problem)
    try:
        return check_pddl(*files)
    except InputError as error:
        complaint = str(error)
    assert folder in complaint
    assert "\n" not in complaint
    return None


@given(damaged(DOMAIN), damaged(PROBLEM))
@settings(max_examples=examples(800), deadline=None, derandomize=True, database=None)
def test_the_check_accepts_or_explains(domain: str, problem: str) -> None:
    with TemporaryDirectory() as folder:
        task = check(folder, domain.encode(), problem.encode())
        if task is not None:
            assert all(text.startswith(b"(") for text in task.texts)


@given(damaged(DOMAIN, most=1), damaged(PROBLEM, most=1))
@settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
def test_what_passes_the_check_is_translated_or_refused(domain: str, problem: str) -> None:
    with TemporaryDirectory() as folder:
        if check(folder, domain.encode(), problem.encode()) is None:
            return
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        try:
            task = load_task(*files, cache=False)
        except (InputError, BudgetError):
            return  # any other error, an InternalError above all, fails the test
        assert task.facts(task.initial_state)


@given(st.binary(max_size=60), st.integers(0, len(DOMAIN)))
@settings(max_examples=examples(500), deadline=None, derandomize=True, database=None)
def test_bytes_in_the_middle(data: bytes, place: int) -> None:
    with TemporaryDirectory() as folder:
        check(folder, DOMAIN[:place].encode() + data + DOMAIN[place:].encode())
