"""Our messages are those of Google's library, and broken ones are noticed."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bugsieve.rooms.formats.networks.protobuf import WireError
from bugsieve.rooms.formats.servers import messages
from tests.unit.policies.servers.published import message

INTS = st.integers(-(1 << 31), (1 << 31) - 1)


@given(st.lists(st.integers(0, (1 << 16) - 1)))
def test_states(values: list[int]) -> None:
    theirs = message("RequestFDRStateOperator")
    theirs.state.val.extend(values)
    theirs.state.SetInParent()
    assert messages.state_request(values) == theirs.SerializeToString()
    assert messages.read_state(theirs.SerializeToString()) == values


@given(INTS)
def test_operators(operator: int) -> None:
    theirs = message("ResponseFDRStateOperator")
    theirs.operator = operator
    assert messages.operator_reply(operator) == theirs.SerializeToString()
    assert messages.read_operator(theirs.SerializeToString()) == operator


@given(st.lists(st.tuples(INTS, st.floats(0, 1, width=32))))
def test_distributions(distribution: list[tuple[int, float]]) -> None:
    theirs = message("ResponseFDRStateOperatorsProb")
    for operator, probability in distribution:
        theirs.operator.add(operator=operator, prob=probability)
    assert messages.distribution_reply(distribution) == theirs.SerializeToString()
    assert messages.read_distribution(theirs.SerializeToString()) == distribution


def test_tasks() -> None:
    theirs = message("ResponseFDRTaskFD")
    theirs.task = "begin_version\n3\nend_version\n" * 100
    assert messages.task_reply(theirs.task.encode()) == theirs.SerializeToString()
    assert messages.read_task(theirs.SerializeToString()) == theirs.task.encode()


@pytest.mark.parametrize("data", [b"", b"\x08", b"\x0a\x05ab", b"\xff" * 11, b"\x12\x00"])
def test_what_is_no_message(data: bytes) -> None:
    for read in (messages.read_task, messages.read_state, messages.read_operator):
        with pytest.raises(WireError):
            read(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (messages.read_task, messages.read_state, messages.read_operator):
        with contextlib.suppress(WireError):
            read(data)
    with contextlib.suppress(WireError):
        messages.read_distribution(data)
