"""The JSON lines that Bugsieve and a foreign policy exchange; pure functions, no processes.

Every message is one line of UTF-8 JSON. Bugsieve speaks first, once per process:

    {"bugsieve": 1, "task": {"name": "blocks-4", "objects": {"a": "block", …},
                             "static": ["(next f1 f2)", …], "goal": ["(on a b)", …]}}

and the program answers `{"ready": true}`, or `{"error": "only for blocksworld"}` to refuse the
task. Then, for each batch of states,

    {"id": 7, "states": [{"facts": ["(on a b)", …], "applicable": ["(unstack a b)", …]}, …]}

asks for one applicable action per state, in order; null stands for "no action":

    {"id": 7, "actions": ["(unstack a b)", null, …]}

Instead of one action, an answer may be a distribution, an object with a weight for each of some
actions:

    {"id": 7, "actions": [{"(unstack a b)": 0.75, "(pick-up c)": 0.25}, …]}

`facts` holds what can change; what cannot was listed under `static`. An answer may also be an
object `{"error": "sentence"}`: the policy then counts as crashed in that state alone. With
`"out_of_memory": true` in it, the memory limit is held to be the cause, and the state is not a
bug; texts `"traceback"` and `"printed"` are kept with it. Beside `"ready"` there may be
`"modules"`, an object of names and hashes: what else decides how the program answers.

About a model, the first line has `model` instead of `task`, and states have `values` instead of
`facts`:

    {"bugsieve": 1, "model": {"name": "lift", "actions": ["up", "down"], "variables":
                              [{"name": "floor", "type": "int", "lower": 0, "upper": 9}, …]}}
    {"id": 7, "states": [{"values": {"floor": 3, …}, "applicable": ["up", "down"]}, …]}

A program that values states or makes whole plans is told so in the first line by `"asks":
"values"` or `"asks": "plans"`. Its states have `facts` alone, and it answers

    {"id": 7, "values": [3, 0.5, null, …]}
    {"id": 7, "plans": [["(unstack a b)", "(put-down a)"], [], null, …]}

A value is a number, the lower the better, or null where the goal is out of reach; a plan is a list
of actions, or null for "no plan".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bugsieve.base.wording import counted
from bugsieve.policies.traces import trace_text
from bugsieve.policies.worker import printable

VERSION = 1

_REPLY_BASE_BYTES = 1 << 20


class ProtocolError(ValueError):
    """A line is not a valid reply; the sentence quotes it."""


class MiscountError(ProtocolError):
    """A reply to several states that has more or fewer actions."""


class RefusalError(Exception):
    """The program says that it cannot serve this; the sentence is the program's own."""


class View(Protocol):
    """The task or model that a program is to serve, as it is told at the start."""

    @property
    def subject(self) -> str:
        """The field of the first line that holds it: `task` or `model`."""
        ...

    def message(self) -> dict[str, Any]:
        """The value of that field."""
        ...


class StateQuestion(Protocol):
    """One state as a foreign policy sees it."""

    def message(self) -> dict[str, Any]:
        """Its entry in the line of a batch."""
        ...


@dataclass(frozen=True)
class Question:
    """A state of a planning task: what is true of all that can change."""

    facts: tuple[str, ...]
    applicable: tuple[str, ...]

    def message(self) -> dict[str, Any]:
        """Its entry in the line of a batch."""
        return {"facts": self.facts, "applicable": self.applicable}


@dataclass(frozen=True)
class ModelQuestion:
    """A state of a model: the values of its variables by name."""

    values: Mapping[str, bool | int | float]
    applicable: tuple[str, ...]

    def message(self) -> dict[str, Any]:
        """Its entry in the line of a batch."""
        return {"values": self.values, "applicable": self.applicable}


@dataclass(frozen=True)
class StateError:
    """A reply for one state that is not an action: the policy crashed there."""

    detail: str
    out_of_memory: bool = False
    trace: str = ""


@dataclass(frozen=True)
class BareQuestion:
    """A state of a planning task, without what is applicable there."""

    facts: tuple[str, ...]

    def message(self) -> dict[str, Any]:
        """Its entry in the line of a batch."""
        return {"facts": self.facts}


Plan = tuple[str, ...]
NamedWeights = dict[str, float]
"""A distribution: actions by name, each with its weight."""
Answer = str | float | Plan | NamedWeights | None | StateError


@dataclass(frozen=True)
class WorkerQuestion:
    """The question to a program about each state."""

    noun: str
    """The field of its reply has the plural."""
    read: Callable[[Any], Answer]
    """Reads a single answer."""
    bytes_per_state: int = 1 << 16
    most_at_once: int = 1 << 20
    """States in one message, if the limits of the program allow more."""

    @property
    def field(self) -> str:
        """The field of a reply."""
        return f"{self.noun}s"


def hello_line(view: View, asked: WorkerQuestion | None = None) -> bytes:
    """The line that opens a conversation; actions are asked for unless it says otherwise."""
    asks = {} if asked is None or asked is ACTIONS else {"asks": asked.field}
    return _line({"bugsieve": VERSION, **asks, view.subject: view.message()})


def batch_line(number: int, questions: Sequence[StateQuestion]) -> bytes:
    """The line that asks for one action per state."""
    return _line({"id": number, "states": [question.message() for question in questions]})


def max_reply_bytes(states: int, asked: WorkerQuestion | None = None) -> int:
    """Length above which a reply to so many states is a flood."""
    return _REPLY_BASE_BYTES + (asked or ACTIONS).bytes_per_state * states


def check_ready(line: bytes) -> dict[str, str]:
    """The modules beside `{"ready": true}`; RefusalError or ProtocolError if it is not ready."""
    reply = _parse_object(line)
    if isinstance(reply.get("error"), str):
        raise RefusalError(printable(reply["error"]))
    if reply.get("ready") is not True:
        raise ProtocolError(f'answered {_quote(line)} instead of {{"ready": true}}')
    modules = reply.get("modules")
    return {name: str(key) for name, key in modules.items()} if isinstance(modules, dict) else {}


def parse_answers(
    line: bytes, *, number: int, states: int, asked: WorkerQuestion | None = None
) -> list[Answer]:
    """The answers to batch `number`, exactly one per state; ProtocolError otherwise."""
    reply = _parse_object(line)
    got = reply.get("id")
    # Not isinstance: true would pass for batch 1.
    if type(got) is not int or got != number:
        raise ProtocolError(f"answered batch {_show(got)} instead of batch {number}")
    asked = asked or ACTIONS
    answers = reply.get(asked.field)
    if not isinstance(answers, list):
        raise ProtocolError(f'answered {_quote(line)}, in which "{asked.field}" is no list')
    if len(answers) != states:
        given = counted(len(answers), asked.noun)
        raise MiscountError(f"answered {given} for {counted(states, 'state')}")
    return [_state_error(answer) or asked.read(answer) for answer in answers]


def _state_error(value: Any) -> StateError | None:
    """The crash that an answer tells of, if it does."""
    if not isinstance(value, dict) or not isinstance(value.get("error"), str):
        return None
    trace = trace_text(_text(value.get("traceback")), _text(value.get("printed")))
    return StateError(printable(value["error"]), value.get("out_of_memory") is True, trace)


def _action(value: Any) -> Answer:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and all(type(w) in (int, float) for w in value.values()):
        try:
            return {action: float(weight) for action, weight in value.items()}
        except OverflowError:
            return StateError("answered a weight that is too large")
    return StateError(f"answered {_show(value)}, which is neither an action nor null")


def _value(value: Any) -> Answer:
    if value is None:
        return math.inf
    if type(value) not in (int, float):
        return StateError(f"answered {_show(value)}, which is neither a number nor null")
    try:
        number = float(value)
    except OverflowError:
        return StateError("answered a number that is too large")
    return StateError("answered NaN, which ranks nothing") if math.isnan(number) else number


def _plan(value: Any) -> Answer:
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(action, str) for action in value):
        return tuple(value)
    return StateError(f"answered {_show(value)}, which is neither a list of actions nor null")


ACTIONS = WorkerQuestion("action", _action)
VALUES = WorkerQuestion("value", _value)
PLANS = WorkerQuestion("plan", _plan, bytes_per_state=1 << 22, most_at_once=16)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):  # malformed, not UTF-8, or nested without end
        raise ProtocolError(f"answered no JSON: {_quote(line)}") from None
    if not isinstance(value, dict):
        raise ProtocolError(f"answered {_quote(line)}, which is no JSON object")
    return value


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("utf-8") + b"\n"


def _quote(line: bytes) -> str:
    return f'"{printable(line[:400].decode("utf-8", errors="replace"), limit=80)}"'


def _show(value: Any) -> str:
    try:
        return printable(repr(value)[:400], limit=80)
    except RecursionError:
        return "a deeply nested value"
