"""The JSON lines of foreign policies."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from bugsieve.policies.protocol import (
    PLANS,
    VALUES,
    ModelQuestion,
    ProtocolError,
    Question,
    RefusalError,
    StateError,
    batch_line,
    check_ready,
    hello_line,
    parse_answers,
)
from bugsieve.policies.task_view import TaskView
from bugsieve.rooms.jani.policies.model_view import ModelView


def test_hello_describes_the_task_on_one_line() -> None:
    view = TaskView("t\n1", {"a": "block"}, frozenset({"(s b)", "(s a)"}), ("(on a b)",))
    line = hello_line(view)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    message = json.loads(line)
    assert message["bugsieve"] == 1
    assert message["task"]["static"] == ["(s a)", "(s b)"]
    assert TaskView.from_message(message["task"]) == view


def test_batches_carry_facts_and_actions() -> None:
    line = batch_line(7, [Question(("(p)",), ("(a)", "(b)")), Question((), ())])
    assert json.loads(line) == {
        "id": 7,
        "states": [
            {"facts": ["(p)"], "applicable": ["(a)", "(b)"]},
            {"facts": [], "applicable": []},
        ],
    }


def test_answers_are_actions_nulls_and_errors() -> None:
    reply = b'{"id": 1, "actions": ["(a)", null, {"error": "no idea"}, 5], "extra": 0}'
    answers = parse_answers(reply, number=1, states=4)
    assert answers[:3] == ["(a)", None, StateError("no idea")]
    assert answers[3] == StateError("answered 5, which is neither an action nor null")


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (b"hello", 'answered no JSON: "hello"'),
        (b"", 'answered no JSON: ""'),
        (b"\xff\xfe", "answered no JSON"),
        (b"[" * 100_000, "answered no JSON"),
        (b"[1]", "no JSON object"),
        (b'{"actions": ["(a)"]}', "answered batch None instead of batch 3"),
        (b'{"id": 2, "actions": ["(a)"]}', "answered batch 2 instead of batch 3"),
        (b'{"id": true, "actions": ["(a)"]}', "answered batch True instead of batch 3"),
        (b'{"id": 3}', '"actions" is no list'),
        (b'{"id": 3, "actions": {"0": "(a)"}}', '"actions" is no list'),
        (b'{"id": 3, "actions": []}', "answered 0 actions for 1 state"),
        (b'{"id": 3, "actions": ["(a)", "(b)"]}', "answered 2 actions for 1 state"),
    ],
)
def test_what_is_no_answer(reply: bytes, sentence: str) -> None:
    with pytest.raises(ProtocolError) as error:
        parse_answers(reply, number=3, states=1)
    assert sentence in str(error.value)


def test_the_greeting() -> None:
    check_ready(b'{"ready": true}')
    with pytest.raises(RefusalError, match="only for gripper"):
        check_ready(b'{"error": "only for gripper"}')
    for line in (b'{"ready": 1}', b"{}", b"ready", b'{"ready": "yes"}'):
        with pytest.raises(ProtocolError):
            check_ready(line)


def test_the_lines_in_the_documentation() -> None:
    text = (Path(__file__).parents[3] / "docs" / "policies.md").read_text(encoding="utf-8")
    lines = list(map(json.loads, re.findall(r"```json\n(.*)\n```", text)))
    hello, batch, answer, value_hello, values, plans, model_hello, model_batch = lines
    assert json.loads(hello_line(TaskView.from_message(hello["task"]))) == hello
    (state,) = batch["states"]
    question = Question(tuple(state["facts"]), tuple(state["applicable"]))
    assert json.loads(batch_line(batch["id"], [question])) == batch
    reply = json.dumps(answer).encode()
    assert parse_answers(reply, number=batch["id"], states=1) == state["applicable"]
    asked = TaskView.from_message(value_hello["task"])
    assert json.loads(hello_line(asked, VALUES)) == value_hello
    reply = json.dumps(values).encode()
    assert parse_answers(reply, number=7, states=3, asked=VALUES) == [3.0, 0.5, math.inf]
    first, *others = parse_answers(json.dumps(plans).encode(), number=7, states=3, asked=PLANS)
    assert first == tuple(plans["plans"][0]) and others == [(), None]
    view = ModelView.from_message(model_hello["model"])
    assert json.loads(hello_line(view)) == model_hello
    (state,) = model_batch["states"]
    assert state["values"].keys() == {variable.name for variable in view.variables}
    assert set(state["applicable"]) <= set(view.actions)
    about = ModelQuestion(state["values"], tuple(state["applicable"]))
    assert json.loads(batch_line(model_batch["id"], [about])) == model_batch
