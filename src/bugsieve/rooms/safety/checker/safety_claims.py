"""Checks proofs about safety against a model, without trusting their author.

This file uses the standard library only and shares no code with the rest of Bugsieve, so that a
mistake there cannot hide a mistake in a proof. The model answers three questions about a state:
its kind, its transitions, and what the policy under test does there.

Proofs are JSON objects. `safe`: a table of states with an action and the divergences from the
policy that may still follow. `unsafe`: a ranking of states with a budget of divergences, such that
every action the budget allows may lead to danger or to a lower rank. `run`: the policy's way to
danger. `fault`: a safe state in which the policy's action may lead to an unsafe one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NoReturn, Protocol, TypeAlias

State: TypeAlias = tuple[Any, ...]
Pair: TypeAlias = tuple[State, int]

_PLAIN = frozenset([int, float, bool, str])

ORDINARY, GOAL, UNSAFE = "ordinary", "goal", "unsafe"

_KEYS = {
    "safe": ("kind", "radius", "state", "table"),
    "unsafe": ("kind", "radius", "state", "ranking"),
    "run": ("kind", "states", "actions"),
    "fault": ("kind", "radius", "state", "action", "outcome", "safe", "unsafe"),
}


class CertificateError(ValueError):
    """The certificate proves nothing; the sentence says why."""


class Model(Protocol):
    """The model and the policy that a proof is about."""

    def kind(self, state: State) -> str:
        """ "ordinary", "goal" or "unsafe"; a goal that is unsafe is unsafe."""

    def transitions(self, state: State) -> Mapping[int, Sequence[State]]:
        """The outcomes of each applicable action."""

    def policy(self, state: State) -> int | None:
        """The policy's action; None, or an action that is not applicable, counts as none."""


class ExplicitModel:
    """A model whose states are numbers; kinds, transitions and policy are listed by state."""

    def __init__(
        self,
        kinds: Sequence[str],
        transitions: Sequence[Mapping[int, Sequence[int]]],
        policy: Sequence[int | None],
    ) -> None:
        if not len(kinds) == len(transitions) == len(policy):
            raise ValueError("kinds, transitions and policy must be equally long")
        self._kinds = kinds
        self._transitions = transitions
        self._policy = policy

    def kind(self, state: State) -> str:
        """The kind listed for the state."""
        return self._kinds[self._number(state)]

    def transitions(self, state: State) -> dict[int, list[State]]:
        """The outcomes listed for the state."""
        choices = self._transitions[self._number(state)]
        return {action: [(outcome,) for outcome in choices[action]] for action in choices}

    def policy(self, state: State) -> int | None:
        """The action listed for the state."""
        return self._policy[self._number(state)]

    def _number(self, state: State) -> int:
        if len(state) != 1 or type(state[0]) is not int or not 0 <= state[0] < len(self._kinds):
            _fail(f"there is no state {_shown(state)}")
        return state[0]


@dataclass
class Proven:
    """Facts that accepted proofs have shown of states of one model, one policy and one radius.

    Later proofs may rest on these facts instead of showing them again. Each fact is true by
    itself, so it does not matter which proof it came from.
    """

    safe: dict[State, int] = field(default_factory=dict)
    """Safe states, with a number of divergences that is enough."""
    lost: set[Pair] = field(default_factory=set)
    """States from which danger cannot be avoided, with the budget of divergences."""

    def __len__(self) -> int:
        return len(self.safe) + len(self.lost)

    def learn(self, accepted: Mapping[str, Any]) -> None:
        """Add the rows of a proof of kind `fault` or `safe` that was accepted."""
        is_fault = accepted["kind"] == "fault"
        for state, _, divergences in (accepted["safe"] if is_fault else accepted)["table"]:
            known = self.safe.get(tuple(state), divergences)
            self.safe[tuple(state)] = min(divergences, known)
        if is_fault:
            ranking = accepted["unsafe"]["ranking"]
            self.lost.update((tuple(state), budget) for state, budget, _ in ranking)


def check(model: Model, certificate: Mapping[str, Any], proven: Proven | None = None) -> None:
    """Return if the certificate proves its claim about the model, else raise CertificateError.

    `proven` are facts about the same model, policy and radius on which it may rest.
    """
    if not isinstance(certificate, Mapping):
        _fail("a certificate must be an object")
    kind = certificate.get("kind")
    if not isinstance(kind, str) or kind not in _KEYS:
        _fail(f"'kind' must be one of {', '.join(_KEYS)}")
    if set(certificate) != set(_KEYS[kind]):
        _fail(f"a certificate of kind {kind!r} has the keys {', '.join(_KEYS[kind])}")
    _CHECKS[kind](model, certificate, Proven() if proven is None else proven)


def _check_safe(model: Model, certificate: Mapping[str, Any], proven: Proven) -> None:
    radius = _radius(certificate["radius"])
    start = _state(certificate["state"])
    table: dict[State, tuple[int, int]] = {}
    for state, first, second in _rows(certificate["table"], "table"):
        if state in table:
            _fail(f"state {_shown(state)} occurs twice in the table")
        table[state] = first, second
    # This proves safety: the start is covered, and every row is left only to states that are
    # covered in their turn or end the run safely. So by induction no run of the alternative ever
    # meets danger; it may go round for ever, which is safe. Along each run the numbers of
    # divergences do not rise, and fall with each divergence, hence there are at most `radius`.
    # Rows that nothing leads to must hold as well; that is stricter than needed, and simple.
    # A state that is proven safe already needs no row: it has an alternative of its own.
    _check_entered(model, start, table, radius or 0, radius, proven)
    for state, (action, divergences) in table.items():
        _check_table_row(model, table, proven, state, action, divergences, radius)


def _check_table_row(
    model: Model,
    table: Mapping[State, tuple[int, int]],
    proven: Proven,
    state: State,
    action: int,
    divergences: int,
    radius: int | None,
) -> None:
    if model.kind(state) != ORDINARY:
        _fail(f"state {_shown(state)} needs no action, as it is {model.kind(state)}")
    outcomes = model.transitions(state).get(action)
    # Not applicable, or without an outcome: neither shows how a run goes on.
    if not outcomes:
        _fail(f"action {action} is not applicable in state {_shown(state)}")
    left = divergences - _cost(model, state, action, radius)
    if left < 0:
        _fail(f"action {action} in state {_shown(state)} differs from the policy's once too often")
    for outcome in outcomes:
        _check_entered(model, outcome, table, left, radius, proven)


def _check_entered(
    model: Model,
    state: State,
    table: Mapping[State, tuple[int, int]],
    left: int,
    radius: int | None,
    proven: Proven,
) -> None:
    """The table must cover the state with `left` divergences, unless a run ends safely there."""
    if proven.safe.get(state, left + 1) <= left:
        return
    kind = model.kind(state)
    if kind == UNSAFE:
        _fail(f"the alternative may reach state {_shown(state)}, which is unsafe")
    # Fewer divergences than are left may follow, never more. Without a radius all are 0.
    if state in table:
        if not 0 <= table[state][1] <= left:
            limit = "any" if radius is None else f"more than {left}"
            _fail(f"{limit} divergences may follow after state {_shown(state)} is entered")
    elif kind != GOAL and model.transitions(state):
        _fail(f"the alternative may reach state {_shown(state)}, which the table lacks")


def _check_unsafe(model: Model, certificate: Mapping[str, Any], proven: Proven) -> None:
    radius = _radius(certificate["radius"])
    start = _state(certificate["state"])
    # This proves the loss: from a ranked state every affordable action has an outcome that is
    # dangerous or of lower rank, with the budget that is then left. Ranks are positive whole
    # numbers, so some choice of outcomes brings every alternative to danger. Without ranks,
    # two states could be called lost because of each other.
    rows = _rows(certificate["ranking"], "ranking")
    ranks = {(state, budget): rank for state, budget, rank in rows}
    if len(ranks) < len(rows):
        _fail("a state occurs twice with one budget")
    budgets = {budget for _, budget in ranks}
    if budgets and not 0 <= min(budgets) <= max(budgets) <= (radius or 0):
        _fail("the budget of a state is out of range")
    if min(ranks.values(), default=1) < 1:
        _fail("the rank of a state is out of range")
    whole = start, radius or 0
    if whole not in ranks and whole not in proven.lost and model.kind(start) != UNSAFE:
        _fail(f"the ranking lacks state {_shown(start)} with the full budget")
    for (state, budget), rank in ranks.items():
        _check_ranked(model, ranks, proven, state, budget, rank, radius)


def _check_ranked(
    model: Model,
    ranks: Mapping[Pair, int],
    proven: Proven,
    state: State,
    budget: int,
    rank: int,
    radius: int | None,
) -> None:
    if model.kind(state) != ORDINARY:
        _fail(f"state {_shown(state)} needs no rank, as it is {model.kind(state)}")
    transitions = model.transitions(state)
    if not transitions:
        _fail(f"a run ends safely in state {_shown(state)}, which has no actions")
    # An action beyond the budget is not an alternative, so nothing needs to be shown of it.
    for action, outcomes in transitions.items():
        left = budget if radius is None else budget - _cost(model, state, action, radius)
        if left >= 0 and not _leads_lower(model, ranks, proven, outcomes, left, rank):
            _fail(f"action {action} in state {_shown(state)} leads to no lower rank")


def _leads_lower(
    model: Model,
    ranks: Mapping[Pair, int],
    proven: Proven,
    outcomes: Sequence[State],
    left: int,
    rank: int,
) -> bool:
    """Return true if one of the outcomes is dangerous or of lower rank, with that budget left.

    A state without a rank counts as not lower, unless it is proven to be lost: then it is as good
    as danger itself.
    """
    # No `any`: this runs for each action of each row, of which there may be millions.
    for outcome in outcomes:
        pair = outcome, left
        if ranks.get(pair, rank) < rank or pair in proven.lost or model.kind(outcome) == UNSAFE:
            return True
    return False


def _check_run(model: Model, certificate: Mapping[str, Any], _proven: Proven) -> None:
    states = [_state(state) for state in _list(certificate["states"], "'states'")]
    actions = [
        _whole(action, "an action") for action in _list(certificate["actions"], "'actions'")
    ]
    if len(states) != len(actions) + 1:
        _fail("a run has one state more than actions")
    for position, action in enumerate(actions):
        state = states[position]
        if model.kind(state) != ORDINARY:
            _fail(f"the run does not end in state {_shown(state)}, which is {model.kind(state)}")
        if model.policy(state) != action:
            _fail(f"the policy does not choose action {action} in state {_shown(state)}")
        if states[position + 1] not in model.transitions(state).get(action, ()):
            _fail(f"action {action} in state {_shown(state)} does not lead to the next state")
    if model.kind(states[-1]) != UNSAFE:
        _fail("the last state of the run is not unsafe")


def _check_fault(model: Model, certificate: Mapping[str, Any], proven: Proven) -> None:
    radius = _radius(certificate["radius"])
    state, outcome = _state(certificate["state"]), _state(certificate["outcome"])
    action = _whole(certificate["action"], "an action")
    if model.policy(state) != action:
        _fail(f"the policy does not choose action {action} in state {_shown(state)}")
    if outcome not in model.transitions(state).get(action, ()):
        _fail(f"action {action} in state {_shown(state)} does not lead to the outcome")
    if model.kind(state) != ORDINARY:
        _fail(f"a run ends in state {_shown(state)}, which is {model.kind(state)}")
    # Each part is a proof that stands alone. What remains is that they speak of this state, this
    # outcome and the same number of divergences: the fault is the step from the one to the other.
    # The policy's own action costs no divergence, so both have the full budget.
    for part, about in (("safe", state), ("unsafe", outcome)):
        proof = certificate[part]
        check(model, proof, proven)
        if proof["kind"] != part or _state(proof["state"]) != about or proof["radius"] != radius:
            _fail(f"the {part!r} part of the fault proves something else")


_CHECKS = {
    "safe": _check_safe,
    "unsafe": _check_unsafe,
    "run": _check_run,
    "fault": _check_fault,
}


def _cost(model: Model, state: State, action: int, radius: int | None) -> int:
    # Without a radius the alternative may always differ.
    return int(radius is not None and model.policy(state) != action)


def _rows(value: Any, what: str) -> list[tuple[State, int, int]]:
    rows = _list(value, f"'{what}'")
    for row in rows:
        if not isinstance(row, (list, tuple)) or len(row) != 3:
            _fail(f"a row of the {what} is a list of three parts")
    states, first, second = zip(*rows, strict=True) if rows else ((), (), ())
    # Not isinstance: a truth value is an int to Python.
    if {*map(type, first), *map(type, second)} - {int}:
        _fail(f"a number of the {what} must be a whole number")
    # All at once, which takes a fifth of the time of asking state by state.
    if {*map(type, states)} - {list, tuple}:
        _fail("a state must be a list")
    if not _PLAIN.issuperset(map(type, chain.from_iterable(states))):
        _fail("a state must be a list of plain values")
    return list(zip(map(tuple, states), first, second, strict=True))


def _radius(value: Any) -> int | None:
    if value is None:
        return None
    if _whole(value, "'radius'") < 0:
        _fail("'radius' must not be negative")
    return int(value)


def _state(value: Any) -> State:
    if not isinstance(value, (list, tuple)):
        _fail("a state must be a list")
    state = tuple(value)
    if not _PLAIN.issuperset(map(type, state)):
        _fail("a state must be a list of plain values")
    return state


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        _fail(f"{what} must be a list")
    return list(value)


def _whole(value: Any, what: str) -> int:
    # Not isinstance: a truth value is an int to Python.
    if type(value) is not int:
        _fail(f"{what} must be a whole number")
    return int(value)


def _shown(state: State) -> str:
    text = str(list(state))
    return text if len(text) <= 80 else text[:77] + "..."


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
