"""Checks the certificates of safety bugs with nothing but the model's document.

It builds on `safety_claims` (what proofs must say) and `jani_interpreter` (what the model does),
hence shares no code with the engine. A certificate is a JSON object:

- `model` (name and hash of the document), `policy`, `radius`, `variables`, `state`, `action`;
- `network`, the hash of what a policy computes that is a network;
- `run`: the policy's way from the state to danger;
- `safe`: rows of state, action and divergences, by which danger is avoided;
- a fault also has `outcome` and `unsafe`: rows of state, budget and rank of a losing region;
- `answers`: what the policy does in further states, where divergences from it count.

`python -I -m bugsieve.rooms.safety.checker.safety MODEL.jani BUG.json` checks a file.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from bugsieve.checkers.cost import read_json, visible
from bugsieve.rooms.safety.checker.jani_interpreter import (
    JaniInterpreter,
    ModelFaultError,
    RefusedModelError,
)
from bugsieve.rooms.safety.checker.safety_claims import CertificateError, Proven, State, check

VERSION = 1
ID_LENGTH = 12

COMPLAINTS = (CertificateError, RefusedModelError)
"""The errors that a check may raise."""

_KEYS = (
    *("certificate", "kind", "model", "policy", "radius", "variables", "state", "action"),
    *("action_name", "run", "safe", "answers"),
)
_FAULT_KEYS = ("outcome", "unsafe")
_POLL_EVERY = 100  # states, of some microseconds each
_MOST_PROVEN = 200_000  # states, some hundred bytes each
_BUG_KEYS = {"id", "kind", "oracle", "found_in", "certificate"}


def check_safety_bug(document: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Return if the bug (as `SafetyBug.to_json` writes it) is proven, else CertificateError.

    RefusedModelError if the document holds what the interpreter does not understand.
    """
    checker = SafetyBugChecker(document)
    certificate = _member(data, "certificate")
    if set(data) != _BUG_KEYS:
        _fail(f"a bug has the keys {', '.join(sorted(_BUG_KEYS))}")
    checker.check(certificate)
    if data["kind"] != certificate["kind"] or data["id"] != bug_id(certificate):
        _fail("'kind' or 'id' of the bug belong to another certificate")


def bug_id(certificate: Mapping[str, Any]) -> str:
    """The same for every proof of the claim that the certificate is about.

    It is the same for every file of a network, too.
    """
    policy = certificate.get("network", certificate["policy"])
    parts = [certificate["model"]["sha256"], policy]
    parts += [certificate[key] for key in ("kind", "state", "action", "radius")]
    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:ID_LENGTH]


def document_hash(document: Any) -> str:
    """The SHA-256 of JSON data, however deep, that does not depend on the order of keys."""
    digest = hashlib.sha256()
    todo = [document]
    while todo:
        part = todo.pop()
        if isinstance(part, Mapping):
            digest.update(b"{%d" % len(part))
            for key in sorted(part, reverse=True):
                todo += [part[key], key]
        elif isinstance(part, (list, tuple)):
            digest.update(b"[%d" % len(part))
            todo += reversed(part)
        else:
            digest.update(json.dumps(part).encode("ascii") + b",")
    return digest.hexdigest()


class SafetyBugChecker:
    """Checks certificates about one model, and remembers what the model does.

    `poll` is called on the way, again and again; it may raise to end the work.
    """

    def __init__(
        self, document: Mapping[str, Any], *, poll: Callable[[], None] = lambda: None
    ) -> None:
        self.model = JaniInterpreter(document)
        self._poll = poll
        self._sha256 = document_hash(document)
        self._about: tuple[Any, ...] | None = None
        self._proven = Proven()
        self._said: dict[State, int | None] = {}

    def check(self, certificate: Mapping[str, Any]) -> None:
        """Return if the certificate proves its claim alone, else raise CertificateError."""
        self._check(certificate, {}, None).check_all_used(certificate["answers"])

    def check_next(self, certificate: Mapping[str, Any]) -> None:
        """The same of one that may lack rows that accepted ones had: these are proven already.

        What is proven is forgotten where the policy or the radius is another one.
        """
        about = tuple(certificate.get(key) for key in ("policy", "network", "radius"))
        if about != self._about:
            self.forget()
            self._about = about
        model = self._check(certificate, self._said, self._proven)
        if certificate["radius"] is not None:
            # Without a radius no proof depends on what the policy does beside its run.
            self._said.update(model.answers)

    @property
    def is_full(self) -> bool:
        """True once so much is remembered of accepted certificates that it should be forgotten."""
        return len(self._proven) > _MOST_PROVEN

    def forget(self) -> None:
        """Remember nothing of accepted certificates: the next one must stand alone."""
        self._about, self._proven, self._said = None, Proven(), {}

    def _check(
        self,
        certificate: Mapping[str, Any],
        said: Mapping[State, int | None],
        proven: Proven | None,
    ) -> _AnsweringModel:
        self._check_head(certificate)
        run = self._run(certificate)
        answers = self._answers(certificate["answers"], run, said)
        model = _AnsweringModel(self.model, answers, said, self._poll)
        parts = {"radius": certificate["radius"], "state": certificate["state"]}
        proof = {"kind": "safe", **parts, "table": self._rows(certificate["safe"], "safe")}
        if certificate["kind"] == "fault":
            proof = self._fault(certificate, parts, proof)
        try:
            check(model, {"kind": "run", "states": run["states"], "actions": run["actions"]})
            check(model, proof, proven)
        except ModelFaultError as fault:
            _fail(str(fault))
        if proven is not None:
            proven.learn(proof)
        return model

    def _check_head(self, certificate: Mapping[str, Any]) -> None:
        if not isinstance(certificate, Mapping):
            _fail("a certificate must be an object")
        kind = certificate.get("kind")
        if kind not in ("fault", "avoidable"):
            _fail("'kind' must be fault or avoidable")
        keys = {*_KEYS, *_FAULT_KEYS} if kind == "fault" else set(_KEYS)
        if set(certificate) - {"network"} != keys:
            _fail(f"a certificate of kind {kind!r} has the keys {', '.join(sorted(keys))}")
        if type(certificate["certificate"]) is not int or certificate["certificate"] != VERSION:
            _fail(f"'certificate' must be {VERSION}, the only version there is")
        model = certificate["model"]
        if not isinstance(model, Mapping) or set(model) != {"name", "sha256"}:
            _fail("'model' must have a name and a hash")
        if not isinstance(model["name"], str) or not isinstance(certificate["policy"], str):
            _fail("the names of model and policy must be texts")
        key = certificate.get("network", "0" * 64)
        if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{64}", key):
            _fail("'network' must be a SHA-256")
        if model["sha256"] != self._sha256:
            _fail("the certificate is about another model")
        if certificate["variables"] != self.model.variables:
            _fail("'variables' are not those of the model")

    def _run(self, certificate: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run, once it is known to begin with the claimed decision under its right name."""
        run = certificate["run"]
        if not isinstance(run, Mapping) or set(run) != {"states", "actions", "action_names"}:
            _fail("'run' must have states, actions and action_names")
        states, actions = _list(run["states"], "states"), _list(run["actions"], "actions")
        for state in states:
            self._state(state)
        names = [self._action_name(action) for action in actions]
        if run["action_names"] != names:
            _fail("the names of the run's actions are not those of their numbers")
        if not actions or len(states) != len(actions) + 1:
            _fail("a run has a step and one state more than actions")
        if not _same(states[0], certificate["state"]) or not _same(
            actions[0], certificate["action"]
        ):
            _fail("the run does not begin with the claimed decision")
        if certificate["action_name"] != names[0]:
            _fail("'action_name' is not the name of the action")
        return run

    def _fault(
        self, certificate: Mapping[str, Any], parts: Mapping[str, Any], safe: Mapping[str, Any]
    ) -> dict[str, Any]:
        outcome = certificate["outcome"]
        self._state(outcome)
        ranking = self._rows(certificate["unsafe"], "unsafe")
        unsafe = {"kind": "unsafe", **parts, "state": outcome, "ranking": ranking}
        action = certificate["action"]
        claim = {"kind": "fault", **parts, "action": action, "outcome": outcome}
        return {**claim, "safe": safe, "unsafe": unsafe}

    def _answers(
        self, rows: Any, run: Mapping[str, Any], said: Mapping[State, int | None]
    ) -> dict[State, int | None]:
        """The policy's actions: first along the run, then in the other states.

        `said` is what accepted certificates say; this one must not contradict them.
        """
        answers: dict[State, int | None] = {}
        for state, action in zip(run["states"], run["actions"], strict=False):
            if answers.setdefault(tuple(state), action) != action:
                _fail("the run has two decisions for one state")
        for row in _list(rows, "answers"):
            if len(_list(row, "answers")) != 2:
                _fail("a row of 'answers' has two parts")
            state, action = self._state(row[0]), row[1]
            if state in answers:
                _fail("'answers' repeat what is known")
            if action is not None and (type(action) is not int or action < 0):
                _fail("an answer is an action or null")
            answers[state] = action
        if any(said.get(state, action) != action for state, action in answers.items()):
            _fail("the policy does something else in an earlier certificate")
        return answers

    def _rows(self, rows: Any, key: str) -> list[Any]:
        for row in _list(rows, key):
            if len(_list(row, key)) != 3:
                _fail(f"a row of {key!r} has three parts")
        states = [row[0] for row in rows]
        self._poll()
        # One by one only where that finds something: the sentence names the first.
        if {*map(type, states)} - {list} or not self.model.are_states(states):
            for state in states:
                self._state(state)
        return list(rows)

    def _state(self, value: Any) -> State:
        try:
            return self.model.check_state(_list(value, "state"))
        except ValueError as error:
            _fail(str(error))

    def _action_name(self, action: Any) -> str:
        if type(action) is not int or not 0 <= action < len(self.model.actions):
            _fail("an action of the run is not one of the model's")
        return self.model.actions[action]


class _AnsweringModel:
    """The model together with what the certificate says of the policy."""

    def __init__(
        self,
        model: JaniInterpreter,
        answers: Mapping[State, int | None],
        said: Mapping[State, int | None],
        poll: Callable[[], None],
    ) -> None:
        self.kind = model.kind
        self._model = model
        self.answers = answers
        self._said = said
        self._used: set[State] = set()
        self._poll = poll
        self._asked = 0

    def transitions(self, state: State) -> Mapping[int, Sequence[State]]:
        """The outcomes of each applicable action."""
        self._asked += 1
        if self._asked % _POLL_EVERY == 0:
            self._poll()
        return self._model.transitions(state)

    def policy(self, state: State) -> int | None:
        """The answer in the certificate; the proof fails where there is none."""
        if state in self.answers:
            self._used.add(state)
            return self.answers[state]
        if state not in self._said:
            _fail(f"the certificate lacks the policy's answer in the state {list(state)}")
        return self._said[state]

    def check_all_used(self, rows: list[Any]) -> None:
        """Answers that prove nothing do not belong into a certificate."""
        for state, _ in rows:
            if tuple(state) not in self._used:
                _fail(f"the answer in the state {state} proves nothing")


def _same(one: Any, other: Any) -> bool:
    """Equal, and of the same types, too."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _member(data: Any, key: str) -> Any:
    if not isinstance(data, Mapping) or key not in data:
        _fail(f"a bug must be an object with {key!r}")
    return data[key]


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(f"{key!r} must be a list")
    return value


def main(arguments: Sequence[str]) -> int:
    """Check the bug in a JSON file; 0 if it is proven, else 4."""
    if len(arguments) != 2:
        print(
            "usage: python -I -m bugsieve.rooms.safety.checker.safety MODEL.jani BUG.json",
            file=sys.stderr,
        )
        return 4
    try:
        document, bug = (read_json(Path(name).read_text("utf-8")) for name in arguments)
        check_safety_bug(document, bug)
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        print(f"rejected: {visible(str(error))}", file=sys.stderr)
        return 4
    print("accepted: the certificate proves a bug")
    return 0


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
