"""Policy servers that hang, lie, die, change their task or send what is no message: each is an
ending of the run it concerns, or one sentence, and what was found before is kept."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.cli import main
from bugsieve.policies.decisions import Ending
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.registry import brought_task, make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.servers import phrm
from tests.unit.policies.line import at, line_task
from tests.unit.policies.servers.serving import Answers, free_address, serving, walking

LINE = line_task(8)
TROUBLE = 3
PATIENT = WorkerLimits(100.0)
HASTY = WorkerLimits(1.0, startup=100.0)
CRASH, HANG, ILLEGAL = Ending.POLICY_CRASH, Ending.POLICY_HANG, Ending.ILLEGAL_ACTION


@pytest.fixture(autouse=True)
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def troubled(trouble: Callable[[], int | bytes]) -> Answers:
    """Walks to the right, but for the place of trouble."""
    good = walking(LINE)

    def operator(state: list[int]) -> int | bytes:
        assert good.operator is not None
        return trouble() if state[0] == TROUBLE else good.operator(state)

    return Answers(good.task, operator)


def raising() -> NoReturn:
    raise RuntimeError("no\x1b[31m idea\n" + "x" * 5000)


LIES: dict[str, tuple[Callable[[], int | bytes], Ending, str]] = {
    "unknown operator": (lambda: 14, ILLEGAL, "there is no action with id 14"),
    "largest operator": (lambda: (1 << 31) - 1, ILLEGAL, "there is no action with id 2147483647"),
    "error code": (lambda: -2, ILLEGAL, "there is no action with id -2"),
    "beyond 32 bits": (
        lambda: b"\x08" + b"\xff" * 8 + b"\x01",
        ILLEGAL,
        "there is no action with",
    ),
    "inapplicable operator": (lambda: 6, ILLEGAL, '"(right p6)" is not applicable'),
    "no operator": (lambda: -1, Ending.NO_ACTION, ""),
    "empty answer": (lambda: b"", CRASH, "it has no operator"),
    "another field": (lambda: b"\x10\x01", CRASH, "it has no operator"),
    "text": (lambda: b"\x0a\x02hi\x08", CRASH, "it ends in the middle of a number"),
    "garbage": (lambda: b"\xff" * 30, CRASH, "a number has more than 10 bytes"),
    "flood": (lambda: b"\x08\x01" * (9 << 20), CRASH, "it answered RESOURCE_EXHAUSTED"),
    "exception": (raising, CRASH, "it answered UNKNOWN: Exception calling application: no"),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_are_endings_of_their_runs(name: str) -> None:
    trouble, ending, detail = LIES[name]
    with (
        serving(troubled(trouble)) as address,
        make_policy(f"phrm:{address}", LINE, limits=PATIENT) as policy,
    ):
        runs = run_policy(LINE, policy, at(0, 5, 3))
    assert [run.ending for run in runs] == [ending, Ending.SOLVED, ending]
    assert runs[0].detail.startswith(detail)
    assert runs[0].detail.isprintable() and len(runs[0].detail) < 300


def test_a_hang_is_an_ending_where_others_are_answered() -> None:
    release = threading.Event()

    def wait() -> int:
        release.wait()
        return TROUBLE

    with (
        serving(troubled(wait)) as address,
        make_policy(f"phrm:{address}", LINE, limits=HASTY) as policy,
    ):
        try:
            runs = run_policy(LINE, policy, at(2, 5))
        finally:
            release.set()
    assert [run.ending for run in runs] == [HANG, Ending.SOLVED]
    assert runs[0].detail == "no answer within 1 s"


def test_a_server_that_is_stuck_for_good_ends_the_work() -> None:
    release = threading.Event()
    answers = troubled(lambda: -1)
    with (
        serving(answers) as address,
        make_policy(f"phrm:{address}", LINE, limits=WorkerLimits(0.5, startup=2.0)) as policy,
    ):
        answers.operator = lambda state: int(release.wait())
        answers.task = lambda: str(release.wait())
        try:
            with pytest.raises(PolicyError, match="gives no answer: no answer within 2 s; start"):
                policy.choose(at(0))
        finally:
            release.set()


def test_the_end_of_our_time_is_no_hang() -> None:
    release = threading.Event()
    token = StopToken()

    def stop() -> int:
        token.stop()
        release.wait()
        return 0

    with (
        serving(troubled(stop)) as address,
        make_policy(f"phrm:{address}", LINE, limits=PATIENT) as policy,
    ):
        try:
            with token.active(), pytest.raises(Stopped):
                policy.choose(at(TROUBLE))
        finally:
            release.set()


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(PolicyError, match=r"cannot be reached \(.*\): start it first"):
        brought_task(f"phrm:{free_address()}")


def test_a_server_that_died() -> None:
    limits = WorkerLimits(2.0, startup=2.0)
    with serving(walking(LINE)) as address:
        policy = make_policy(f"phrm:{address}", LINE, limits=limits)
        assert policy.choose(at(0)).tolist() == [0]
    with policy, pytest.raises(PolicyError, match="start it again.*what was found is kept"):
        policy.choose(at(1))


def test_a_server_that_was_started_again_goes_on() -> None:
    address = free_address()
    with serving(walking(LINE), address):
        policy = make_policy(f"phrm:{address}", LINE, limits=PATIENT)
        assert policy.choose(at(0)).tolist() == [0]
    with serving(walking(LINE), address), policy:
        assert policy.choose(at(1, 2)).tolist() == [1, 2]


def test_another_task_after_another_start() -> None:
    """A connection may come back unseen, but before a bug counts the task is looked at."""
    address = free_address()
    with serving(walking(LINE), address):
        policy = make_policy(f"phrm:{address}", LINE, limits=PATIENT)
    refused = pytest.raises(PolicyError, match="serves another task than before")
    with serving(walking(line_task(9)), address), policy, refused:
        policy.decide_anew(at(1))  # type: ignore[attr-defined]


def test_another_task_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrm, "_QUESTIONS_PER_CHECK", 2)
    answers = walking(LINE)
    with (
        serving(answers) as address,
        make_policy(f"phrm:{address}", LINE, limits=PATIENT) as policy,
    ):
        assert policy.choose(at(0, 1)).tolist() == [0, 1]
        answers.task = line_task(9).to_sas
        with pytest.raises(PolicyError, match="serves another task than before"):
            policy.choose(at(2))
        with pytest.raises(PolicyError, match="serves another task than before"):
            policy.decide_anew(at(2))  # type: ignore[attr-defined]


TASKS: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "none": (lambda: b"", "gives no task: it has no task"),
    "garbage": (lambda: b"\xff" * 30, "gives no task: a number has more than 10 bytes"),
    "empty": (lambda: "", "the task of the policy server at .*:1: "),
    "prose": (lambda: "Once upon a time", "the task of the policy server at .*:1: "),
    "half": (lambda: LINE.to_sas()[:200], "the task of the policy server at .*:[0-9]+: "),
    "NUL": (lambda: LINE.to_sas() + "\0", "has a NUL byte"),
    "no UTF-8": (lambda: b"\x0a\x03\xff\xfe\xfd", "the task of the policy server at .*:1: "),
    "raises": (raising, "gives no task: it answered UNKNOWN"),
}


@pytest.mark.parametrize("name", TASKS)
def test_tasks_that_are_none(name: str) -> None:
    task, sentence = TASKS[name]
    with serving(Answers(task, None)) as address, pytest.raises(PolicyError, match=sentence) as e:
        brought_task(f"phrm:{address}", limits=PATIENT)
    assert len(str(e.value)) < 500


def test_a_server_without_tasks() -> None:
    refused = pytest.raises(PolicyError, match="gives no task: it has no GetFDRTaskFD")
    with serving(Answers(None, None)) as address, refused:
        brought_task(f"phrm:{address}", limits=PATIENT)


def test_an_axiom_in_the_task() -> None:
    text = LINE.to_sas().removesuffix("0\n") + "1\nbegin_rule\n0\n0 0 1\nend_rule\n"
    refused = pytest.raises(PolicyError, match="the task of the policy server at")
    with serving(Answers(lambda: text, None)) as address, refused:
        brought_task(f"phrm:{address}", limits=PATIENT)


def test_what_is_no_server(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no socket")
    with pytest.raises(PolicyError, match="cannot be reached"):
        brought_task(f"phrm:unix:{tmp_path}/file", limits=PATIENT)


DISTRIBUTIONS: dict[str, tuple[list[tuple[int, float]] | bytes, str]] = {
    "not a number": ([(0, math.nan)], "it answered nan as a probability"),
    "negative": ([(0, -0.5), (1, 1.5)], "it answered -0.5 as a probability"),
    "infinite": ([(0, math.inf)], "it answered inf as a probability"),
    "too much": ([(0, 1.0), (1, 1.0)], "it answered probabilities whose sum is 2"),
    "too little": ([(0, 0.5)], "it answered probabilities whose sum is 0.5"),
    "twice": ([(0, 0.5), (0, 0.5)], "it answered two probabilities for one operator"),
    "no probability": (b"\x0a\x02\x08\x01", "an operator has no probability"),
    "a text": (b"\x0a\x05\x08\x01\x12\x01x", "an operator has no probability"),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_that_are_none(name: str) -> None:
    answer, sentence = DISTRIBUTIONS[name]
    with (
        serving(Answers(LINE.to_sas, None, lambda state: answer)) as address,
        make_policy(f"phrm:{address},probabilities", LINE, limits=PATIENT) as policy,
    ):
        (run,) = run_policy(LINE, policy, at(0))
    assert run.ending is CRASH
    assert run.detail == sentence


def test_an_operator_of_a_distribution_that_there_is_not() -> None:
    with (
        serving(Answers(LINE.to_sas, None, lambda state: [(99, 1.0)])) as address,
        make_policy(f"phrm:{address},probabilities", LINE, limits=PATIENT) as policy,
    ):
        (run,) = run_policy(LINE, policy, at(0))
    assert run.ending is ILLEGAL


def test_a_campaign_outlives_its_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was found before the server died is kept, and the campaign goes on to the same end."""
    whole, cut, address = tmp_path / "whole", tmp_path / "cut", free_address()
    with serving(going_left(), address):
        assert main(_test(address, whole)) == 1
    dying = going_left()
    with serving(dying, address):
        asked = [0]
        good = dying.operator
        assert good is not None

        def change_later(state: list[int]) -> int | bytes:
            asked[0] += 1
            if asked[0] > 12:
                dying.task = line_task(9).to_sas
                raise RuntimeError("dying")
            return good(state)

        dying.operator = change_later
        capsys.readouterr()
        assert main(_test(address, cut)) == 4
        assert "serves another task than before" in capsys.readouterr().err
    with serving(going_left(), address):
        assert main(["resume", str(cut)]) == 1
    bugs = [{path.name for path in (folder / "bugs").iterdir()} for folder in (whole, cut)]
    assert bugs[0] == bugs[1] != set()


def going_left() -> Answers:
    """Walks to the right, but to the left in the middle of the line."""
    last = int(LINE.domain_sizes[0]) - 1

    def operator(state: list[int]) -> int:
        (place,) = state
        return last + place - 1 if place == TROUBLE else min(place, last - 1)

    return Answers(LINE.to_sas, operator)


def _test(address: str, folder: Path) -> list[str]:
    return ["test", "--policy", f"phrm:{address}", "-o", str(folder), "--deadline", "100"]


def test_a_server_that_only_a_folder_names_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(going_left()) as address:
        assert main(_test(address, tmp_path / "results")) == 1
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a stranger's"))
        capsys.readouterr()
        assert main(["resume", str(tmp_path / "results")]) == 4
        said = capsys.readouterr().err
        assert f"it would connect to {address}; say --trust-policy" in said
        assert main(["resume", str(tmp_path / "results"), "--trust-policy"]) == 1
    with pytest.raises(UsageError, match="write HOST:PORT"):
        make_policy("phrm:xds:///evil:7", LINE)
