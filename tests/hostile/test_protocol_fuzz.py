"""Arbitrary replies to the JSON protocol: an answer per state or one clean error, nothing else."""

from __future__ import annotations

import json
import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.policies.decisions import Ending
from bugsieve.policies.foreign.command import CommandPolicy
from bugsieve.policies.protocol import (
    ProtocolError,
    RefusalError,
    StateError,
    check_ready,
    parse_answers,
)
from bugsieve.policies.runs import run_policy
from tests.depth import examples
from tests.unit.policies.line import at, line_task

MANY = settings(max_examples=examples(2000), deadline=None, derandomize=True, database=None)
SOME = settings(MANY, max_examples=examples(700))  # nested values take long to draw

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=5,
)
near_misses = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 3) | anything,
        "actions": st.lists(st.text(max_size=5) | anything, max_size=4) | anything,
        "ready": st.booleans() | anything,
        "error": st.text(max_size=300) | anything,
    },
)


def check(line: bytes, states: int) -> None:
    """The whole contract of the reply parser."""
    try:
        answers = parse_answers(line, number=1, states=states)
    except ProtocolError as error:
        assert_one_short_line(str(error))
        return
    assert len(answers) == states
    for answer in answers:
        assert answer is None or isinstance(answer, str | dict | StateError)
        if isinstance(answer, dict):  # weights of actions, whatever they are
            assert all(type(weight) is float for weight in answer.values())
        if isinstance(answer, StateError):
            assert_one_short_line(answer.detail)


def assert_one_short_line(sentence: str) -> None:
    assert len(sentence) < 400
    assert sentence.isprintable()


@MANY
@given(line=st.binary(max_size=200), states=st.integers(0, 4))
def test_arbitrary_bytes(line: bytes, states: int) -> None:
    check(line, states)


@SOME
@given(value=anything | near_misses, states=st.integers(0, 4))
def test_arbitrary_json(value: Any, states: int) -> None:
    check(json.dumps(value).encode(), states)


@MANY
@given(data=st.data(), states=st.integers(0, 4))
def test_good_replies_with_one_byte_changed(data: st.DataObject, states: int) -> None:
    line = bytearray(json.dumps({"id": 1, "actions": ["(move a b)"] * states}).encode())
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] = data.draw(st.integers(0, 255))
    check(bytes(line), states)


@SOME
@given(line=st.binary(max_size=100) | near_misses.map(lambda v: json.dumps(v).encode()))
def test_arbitrary_greetings(line: bytes) -> None:
    try:
        check_ready(line)
    except (ProtocolError, RefusalError) as error:
        assert_one_short_line(str(error))
    else:
        assert json.loads(line)["ready"] is True


def test_hostile_documents() -> None:
    documents = [
        b"[" * 10_000_000,
        b'{"id":' * 200_000,
        b'{"id": 1, "actions": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"id": 1, "actions": [' + b"9" * 1_000_000 + b"]}",
        b'{"id": 1e999, "actions": [NaN]}',
        b'{"id": 1, "actions": ["\\ud800"]}',
        b'{"id": 1, "actions": [{"error": "' + b"x\\n" * 100_000 + b'"}]}',
        b"\xef\xbb\xbf" + b'{"id": 1, "actions": [null]}',
        '{"id": 1, "actions": [null]}'.encode("utf-16"),
        b'{"id": 1, "id": 1, "actions": [], "actions": [null]}',
    ]
    for document in documents:
        check(document, 1)


@settings(MANY, max_examples=25)
@given(
    replies=st.lists(st.binary(max_size=30) | near_misses.map(lambda v: json.dumps(v).encode()))
)
def test_a_real_process_that_says_anything(replies: list[bytes]) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"\n".join(replies))
        file.flush()
        script = """echo '{"ready": true}'; cat "$0" """
        task = line_task(4)
        with CommandPolicy(task, ["/bin/sh", "-c", script, file.name]) as policy:
            runs = run_policy(task, policy, at(0, 1, 2, 3))
    assert runs[3].ending is Ending.SOLVED
    for run in runs[:3]:
        assert run.ending is not Ending.POLICY_HANG
        assert_one_short_line(run.detail)
