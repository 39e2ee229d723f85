"""Checks that a policy is safe from all start states of a model: the green of safety testing.

It builds on `jani_interpreter` and `jani_starts`, hence shares no code with the engine. A
certificate is a JSON object:

- `safe` (the version), `model` (name and hash of the document), `policy`, `variables`;
- `starts`, `states`, `ends`: how many states a run may start in, how many the policy may come to
  from there, and in how many of these the run ends since the policy gives no applicable action;
- `columns`: bytes, compressed by zlib and written in base64. `states` has one column for each
  variable, of which the rows ascend together, and `actions` one for all: 0 where the policy is
  not asked (at the goal, and where no action is applicable) or gives no action, else the number
  of its action and one more. A column has first the most significant bytes of all its rows: one
  byte for a truth value, else eight, of a whole number with 2^63 added or of an IEEE number.

What the policy does is taken as claimed. The rest is proven: no state is unsafe, all start states
are listed, with every state all outcomes of the policy's action are, and nothing else is listed.

`python -I -m bugsieve.rooms.safety.checker.safety_green MODEL.jani GREEN.json` checks a file.
"""

from __future__ import annotations

import base64
import binascii
import math
import sys
import zlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from bugsieve.checkers.cost import read_json, visible
from bugsieve.rooms.safety.checker.jani_interpreter import JaniInterpreter, ModelFaultError, State
from bugsieve.rooms.safety.checker.jani_starts import start_states
from bugsieve.rooms.safety.checker.safety import document_hash
from bugsieve.rooms.safety.checker.safety_claims import GOAL, UNSAFE, CertificateError

VERSION = 1
MOST_STATES = 1_000_000
MOST_BYTES = 1 << 28
"""Of all columns of states."""

_KEYS = ("safe", "model", "policy", "variables", "starts", "states", "ends", "columns")
_POLL_EVERY = 100
_WIDTH = 8

Poll = Callable[[], None]


class SafeGreen(NamedTuple):
    """The content of an accepted certificate."""

    starts: int
    states: int
    ends: int
    acting: int
    """States in which an action of the policy is taken."""
    policy: str


def check_safe_green(
    document: Mapping[str, Any], certificate: Mapping[str, Any], *, poll: Poll = lambda: None
) -> SafeGreen:
    """Return what the certificate proves of the policy, else raise CertificateError.

    RefusedModelError where the document holds what the checker does not understand, or more start
    states than it lists. `poll` is called on the way, again and again; it may raise to end it.
    """
    head = _read_head(document, certificate)
    model = JaniInterpreter(document)
    if certificate["variables"] != model.variables:
        _fail("'variables' are not those of the model")
    rows = _Rows(model, head)
    starts = start_states(document, most=head.states, poll=poll)
    if len(starts) != head.starts:
        _fail(f"there are {len(starts)} start states, not {head.starts}")
    try:
        return _Proof(model, head, rows, poll).check(starts)
    except ModelFaultError as fault:
        _fail(str(fault))


def said_of(green: SafeGreen) -> str:
    """Return what was proven, as in "is safe from all 3 start states"."""
    starts = "the only start state" if green.starts == 1 else f"all {green.starts} start states"
    return f"is safe from {starts}"


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


# The content of the certificate.


class _Head(NamedTuple):
    policy: str
    starts: int
    states: int
    ends: int
    columns: Sequence[Any]
    actions: Any


def _read_head(document: Mapping[str, Any], certificate: Any) -> _Head:
    _require_keys(certificate, "the certificate", _KEYS)
    if type(certificate["safe"]) is not int or certificate["safe"] != VERSION:
        _fail(f"'safe' must be {VERSION}, the only version of such certificates that is known")
    _require_keys(certificate["model"], "'model'", ("name", "sha256"))
    if not isinstance(certificate["model"]["name"], str):
        _fail("the name of the model must be a text")
    if certificate["model"]["sha256"] != document_hash(document):
        _fail("the certificate is about another model")
    if not isinstance(certificate["policy"], str):
        _fail("'policy' must be a text")
    for key in ("starts", "states", "ends"):
        if type(certificate[key]) is not int or not 0 <= certificate[key] <= MOST_STATES:
            _fail(f"'{key}' must be a whole number up to {MOST_STATES}")
    columns = certificate["columns"]
    _require_keys(columns, "'columns'", ("states", "actions"))
    if not isinstance(columns["states"], list):
        _fail("the columns of states must be a list")
    if len(columns["states"]) * certificate["states"] * _WIDTH > MOST_BYTES:
        _fail("the certificate has more than the checker takes")
    starts, states, ends = (certificate[key] for key in ("starts", "states", "ends"))
    parts = columns["states"], columns["actions"]
    return _Head(certificate["policy"], starts, states, ends, *parts)


def _require_keys(value: Any, what: str, keys: Sequence[str]) -> None:
    if not isinstance(value, Mapping) or set(value) != set(keys):
        _fail(f"{what} must be an object with the keys {', '.join(keys)}")


def _content(text: Any, name: str, size: int) -> bytes:
    """Return the bytes of a column, which must be so many."""
    if not isinstance(text, str):
        _fail(f"the column {name} must be a text")
    decoder = zlib.decompressobj()
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        content = decoder.decompress(packed, size + 1)
    except (zlib.error, binascii.Error, UnicodeEncodeError):
        _fail(f"the column {name} cannot be unpacked")
    if len(content) != size or not decoder.eof or decoder.unused_data:
        _fail(f"the column {name} is not as long as the states need")
    return content


def _whole(text: Any, name: str, count: int) -> Sequence[int]:
    return [number - 2**63 for number in _words(text, name, count, "Q")]


def _words(text: Any, name: str, count: int, code: str) -> array[Any]:
    """The numbers of a column, most significant bytes first."""
    content = _content(text, name, count * _WIDTH)
    found = array(code)
    block = bytearray(len(content))
    for place in range(_WIDTH):
        block[place::_WIDTH] = content[place * count : (place + 1) * count]
    found.frombytes(block)
    if sys.byteorder == "little":
        found.byteswap()
    return found


class _Rows:
    """The states of a certificate, in ascending order."""

    def __init__(self, model: JaniInterpreter, head: _Head) -> None:
        kinds = model.types
        if len(head.columns) != len(kinds):
            _fail("there must be a column of states for each variable")
        parts = [
            self._column(text, str(number), kind, head.states)
            for number, (text, kind) in enumerate(zip(head.columns, kinds, strict=True))
        ]
        self.states: list[State] = list(zip(*parts, strict=True)) if parts else [()] * head.states
        if not all(one < other for one, other in pairwise(self.states)):
            _fail("the states are not in ascending order, each once")
        try:
            for state in self.states:
                model.check_state(state)
        except ValueError as error:
            _fail(str(error))

    @staticmethod
    def _column(text: Any, name: str, kind: type[Any], count: int) -> Sequence[Any]:
        if kind is bool:
            truths = _content(text, name, count)
            if truths.count(0) + truths.count(1) != count:
                _fail(f"the column {name} must have a 0 or a 1 for each state")
            return [value == 1 for value in truths]
        if kind is int:
            return _whole(text, name, count)
        reals = _words(text, name, count, "d")
        if any(math.copysign(1, value) < 0 for value in reals if value == 0):
            _fail(f"the column {name} has a zero with a sign")
        return reals


# The proof.


class _Proof:
    def __init__(self, model: JaniInterpreter, head: _Head, rows: _Rows, poll: Poll) -> None:
        self.model, self.head, self.poll = model, head, poll
        self.rows = {state: row for row, state in enumerate(rows.states)}
        self.actions = _whole(head.actions, "of actions", head.states)
        self.ends = self.acting = 0

    def check(self, starts: set[State]) -> SafeGreen:
        """Return if all holds that the module says of a certificate."""
        reached = bytearray(len(self.rows))
        waiting: list[State] = []
        self._reach(starts, reached, waiting)
        done = 0
        while waiting:
            if done % _POLL_EVERY == 0:
                self.poll()
            done += 1
            self._reach(self._outcomes(waiting.pop()), reached, waiting)
        if 0 in reached:
            _fail(f"state {reached.index(0)} is not reached from the start states")
        if self.ends != self.head.ends:
            _fail(f"{self.ends} states are ends without an action, not {self.head.ends}")
        head = self.head
        return SafeGreen(head.starts, head.states, head.ends, self.acting, head.policy)

    def _reach(
        self, states: set[State] | Sequence[State], reached: bytearray, waiting: list[State]
    ) -> None:
        for state in states:
            row = self.rows.get(state)
            if row is None:
                _fail(f"the state {list(state)} can be reached, but is not listed")
            if not reached[row]:
                reached[row] = 1
                waiting.append(state)

    def _outcomes(self, state: State) -> Sequence[State]:
        """The states after the policy's action; none where the run ends."""
        action, kind = self.actions[self.rows[state]], self.model.kind(state)
        if kind == UNSAFE:
            _fail(f"the state {list(state)} is unsafe")
        if not 0 <= action <= len(self.model.actions):
            _fail(f"the action in the state {list(state)} is not one of the model's")
        outcomes = () if kind == GOAL or not action else self.model.outcomes(state, action - 1)
        if outcomes:
            self.acting += 1
        elif kind != GOAL and self.model.transitions(state):
            self.ends += 1
        elif action:
            _fail(f"an action is claimed in the state {list(state)}, where the run ends")
        return outcomes


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a JSON file; 0 if it is proven, else 4."""
    if len(arguments) != 2:
        print(
            "usage: python -I -m bugsieve.rooms.safety.checker.safety_green MODEL.jani GREEN.json",
            file=sys.stderr,
        )
        return 4
    try:
        document, certificate = (read_json(Path(name).read_text("utf-8")) for name in arguments)
        green = check_safe_green(document, certificate)
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        print(f"rejected: {visible(str(error))}", file=sys.stderr)
        return 4
    print(f"accepted: the policy {said_of(green)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
