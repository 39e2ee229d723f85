"""Certificates of safety are accepted exactly where brute force says that all of it is true."""

from __future__ import annotations

import base64
import copy
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np

from bugsieve.base.errors import BugsieveError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.policies.reach import explore
from bugsieve.rooms.jani.starts.every import all_starts
from bugsieve.rooms.safety.bugs.green import SafeAnswers, safe_green
from bugsieve.rooms.safety.checker.jani_starts import start_states
from bugsieve.rooms.safety.checker.jani_terms import ModelFaultError, RefusedModelError
from bugsieve.rooms.safety.checker.safety import document_hash
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.checker.safety_green import check_safe_green
from tests.depth import examples
from tests.property.jani_models import ModelMaker
from tests.property.safety_models import ListedPolicy, _is_any, document
from tests.reference.safety import UNSAFE, System, random_system
from tests.reference.safety_greens import (
    ACTIONS,
    Claim,
    claim_of,
    decoded,
    encoded,
    is_true,
    packed,
    unpacked,
)

SYSTEMS = examples(3000, quick=150)
FORGED = examples(2000, quick=100)


def some_system(seed: int) -> tuple[System, set[int], dict[str, Any]]:
    """A system, its start states, and both as a model: listed, by a condition, or the initial."""
    random = Random(seed)
    system = random_system(random)
    starts = set(random.sample(system.states, random.randint(1, len(system.states))))
    model, kind = document(system), random.randrange(3)
    if kind == 0:
        starts = {0}
    elif kind == 1:
        values = [{"variables": [{"var": "s", "value": state}]} for state in starts]
        start = {"op": "states-values", "values": values}
        model["properties"][0]["expression"]["start"] = start
    else:
        model["properties"][0]["expression"]["start"] = _is_any(sorted(starts))
    return system, starts, model


@cache
def safe_ones(count: int) -> list[tuple[int, System, set[int], dict[str, Any], Claim]]:
    """Systems whose policy is safe."""
    found = []
    for seed in range(count):
        system, starts, model = some_system(seed)
        claim = claim_of(system, starts)
        if is_true(system, starts, claim):
            found.append((seed, system, starts, model, claim))
    return found


def named(model: Mapping[str, Any]) -> dict[str, str]:
    return {"name": model["name"], "sha256": document_hash(model)}


def is_accepted(model: dict[str, Any], certificate: Any) -> bool:
    try:
        check_safe_green(model, certificate)
    except (CertificateError, RefusedModelError):
        return False
    return True


def test_a_policy_is_certified_exactly_if_it_never_meets_danger() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(SYSTEMS):
        system, starts, written = some_system(seed)
        claim = claim_of(system, starts)
        is_safe = all(system.kinds[state] != UNSAFE for state in claim.actions)
        seen[is_safe] += 1
        assert is_true(system, starts, claim) == is_safe
        model = load_document(written, name="system")
        policy, listed = ListedPolicy(model, system.policy), all_starts(model, 100)
        assert {int(s) for (s,) in listed.tolist()} == starts
        reach = explore(model, listed, policy)
        assert (reach.way is None) == is_safe, seed
        if reach.way is not None:
            check_way(system, starts, model, reach.way)
        else:
            made = safe_green(policy, len(starts), reach)
            proven = check_safe_green(model.document, made)
            assert (proven.starts, proven.states) == (len(starts), len(claim.actions))
            assert (proven.ends, proven.acting) == (claim.ends, int(reach.acts.sum()))
            answers = SafeAnswers.of(model, made)
            told = zip(answers.states[:, 0].astype(int), answers.actions + 1, strict=True)
            assert {int(state): int(action) for state, action in told} == claim.actions
            assert made == {**encoded(claim, named(model.document)), "columns": made["columns"]}
        assert is_accepted(written, encoded(claim, named(written))) == is_safe
    assert min(seen.values()) > SYSTEMS // 10


def check_way(system: System, starts: set[int], model: Any, way: Any) -> None:
    """A run of the policy, and no longer than any other into danger."""
    states = [int(s) for (s,) in model.unpack(way.states).tolist()]
    assert states[0] in starts and system.kinds[states[-1]] == UNSAFE
    for state, action, after in zip(states, way.actions.tolist(), states[1:], strict=False):
        assert action == system.policy[state]
        assert after in system.transitions[state][action]
    level, steps = starts, 0
    while not any(system.kinds[state] == UNSAFE for state in level):
        level = {
            after
            for state in level
            if not system.is_final(state)
            for after in system.transitions[state].get(system.policy[state], ())
        }
        steps += 1
    assert steps == len(way)


def test_the_whole_space_is_explored_without_a_policy() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(examples(1000, quick=100)):
        system, starts, written = some_system(seed)
        reached, waiting = set[int](), sorted(starts)
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                if not system.is_final(state):
                    waiting += [s for after in system.transitions[state].values() for s in after]
        model = load_document(written, name="system")
        reach = explore(model, all_starts(model, 100), None)
        meets = any(system.kinds[state] == UNSAFE for state in reached)
        seen[meets] += 1
        assert (reach.way is not None) == meets
        if not meets:
            assert {int(s) for (s,) in model.unpack(reach.words).tolist()} == reached
    assert min(seen.values()) > 10


Forge = Callable[[System, Claim, Random], Claim]


def drop_state(system: System, claim: Claim, random: Random) -> Claim:
    if not claim.actions:
        return claim
    state = random.choice(sorted(claim.actions))
    rest = {s: a for s, a in claim.actions.items() if s != state}
    return replace(claim, actions=rest)


def add_state(system: System, claim: Claim, random: Random) -> Claim:
    state = random.choice([*system.states, len(system.states), -1])
    return replace(claim, actions={**claim.actions, state: random.randrange(ACTIONS + 1)})


def change_action(system: System, claim: Claim, random: Random) -> Claim:
    if not claim.actions:
        return claim
    state = random.choice(sorted(claim.actions))
    action = random.randrange(-1, ACTIONS + 2)
    return replace(claim, actions={**claim.actions, state: action})


def change_starts(system: System, claim: Claim, random: Random) -> Claim:
    return replace(claim, starts=max(0, claim.starts + random.choice((-1, 1))))


def change_ends(system: System, claim: Claim, random: Random) -> Claim:
    return replace(claim, ends=max(0, claim.ends + random.choice((-1, 1))))


FORGERIES: tuple[Forge, ...] = (
    drop_state,
    add_state,
    change_action,
    change_action,
    change_starts,
    change_ends,
)


def test_forged_certificates_are_refused_unless_they_are_true() -> None:
    seen: Counter[bool] = Counter()
    for seed, system, starts, model, claim in safe_ones(FORGED):
        for number in range(8):
            random, changed = Random(8 * seed + number), claim
            for _ in range(random.choice((1, 1, 2))):
                changed = random.choice(FORGERIES)(system, changed, random)
            truth = is_true(system, starts, changed)
            assert is_accepted(model, encoded(changed, named(model))) == truth, (seed, number)
            seen[truth] += 1
    assert seen[False] > 2 * FORGED and seen[True]


def test_certificates_of_unsafe_policies_are_refused() -> None:
    """Whatever is left out of what the policy comes to."""
    refused = 0
    for seed in range(FORGED):
        system, starts, model = some_system(seed)
        claim = claim_of(system, starts)
        dangers = [state for state in claim.actions if system.kinds[state] == UNSAFE]
        if not dangers:
            continue
        random = Random(seed)
        for _ in range(4):
            left = random.sample(sorted(claim.actions), random.randrange(len(claim.actions)))
            rest = {s: a for s, a in claim.actions.items() if s in left and s not in dangers}
            for changed in (claim, replace(claim, actions=rest)):
                assert not is_accepted(model, encoded(changed, named(model)))
                refused += 1
    assert refused > FORGED


def test_spoiled_certificates_are_refused_unless_they_are_true() -> None:
    seen: Counter[bool] = Counter()
    for seed, system, starts, model, claim in safe_ones(FORGED):
        right = encoded(claim, named(model))
        for number in range(6):
            certificate = spoiled(right, Random(8 * seed + number))
            found = decoded(certificate)
            is_about = certificate["model"] == right["model"]
            truth = is_about and found is not None and is_true(system, starts, found)
            assert is_accepted(model, certificate) == truth, (seed, number)
            seen[truth] += 1
    assert seen[False] > 2 * FORGED


def spoiled(certificate: dict[str, Any], random: Random) -> dict[str, Any]:
    changed = copy.deepcopy(certificate)
    kind = random.randrange(6)
    if kind < 2:
        key = ("states", "starts")[kind]
        changed[key] = max(0, changed[key] + random.choice((-1, 1)))
    elif kind == 2:
        changed["model"]["sha256"] = document_hash({})
    else:
        name = random.choice(("states", "actions"))
        text = changed["columns"][name]
        content = bytearray(unpacked(text[0] if name == "states" else text))
        if random.random() < 0.3 or not content:
            content.append(0)
        else:
            content[random.randrange(len(content))] ^= random.choice((1, 2, 128))
        again = packed(bytes(content))
        changed["columns"][name] = [again] if name == "states" else again
    return changed


def test_columns_are_packed_in_one_way() -> None:
    for _, _, _, model, claim in safe_ones(examples(200, quick=20)):
        right = encoded(claim, named(model))
        raw = base64.b64decode(right["columns"]["actions"])
        bomb = zlib.compress(bytes(1 << 22))
        for data in (raw + b"x", raw[:-1], b"", bomb):
            text = base64.b64encode(data).decode()
            assert not is_accepted(
                model, {**right, "columns": {**right["columns"], "actions": text}}
            )
            changed = {**right["columns"], "states": [text]}
            assert not is_accepted(model, {**right, "columns": changed})


# Start states of models with everything that the reader takes.


def start_of(maker: ModelMaker) -> Any:
    """A condition on some variables, which often says what they are."""
    random = maker.random
    parts = [maker.expression("bool", random.randint(1, 3)) for _ in range(random.randint(0, 2))]
    for kind in ("int", "real"):
        for name in maker._names[kind]:
            if not name.startswith("v") or (kind == "int" and random.random() < 0.4):
                continue
            op = random.choice(["=", "=", "≤", "≥", "<", ">"]) if kind == "int" else "="
            value = maker.expression(kind, random.choice((0, 0, 1)))
            sides = {"left": name, "right": value} if random.random() < 0.7 else {
                "left": value, "right": name,
            }  # fmt: skip
            parts.append({"op": op, **sides})
    random.shuffle(parts)
    whole: Any = True
    for part in parts:
        whole = {"op": "∧", "left": whole, "right": part}
    return {"op": "state-condition", "exp": whole}


def brute_force(model: Any) -> set[tuple[Any, ...]] | None:
    """All start states of a model without reals, by trying all values; None if it goes wrong."""
    ranges = [range(int(v.type.lower), int(v.type.upper) + 1) for v in model.variables]
    states = np.array(list(product(*ranges)), dtype=np.float64).reshape(-1, len(ranges))
    try:
        found = states[model.is_start(states)]
    except BugsieveError:
        return None
    return {tuple(row) for row in found.tolist()}


def checked_starts(model: Any) -> Any:
    """What the checker lists, or the word for why it does not."""
    try:
        return start_states(model.document, most=10_000, poll=lambda: None)
    except ModelFaultError:
        return "fault"
    except RefusedModelError:
        return "refused"


def test_start_states_are_those_of_brute_force() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(3000, quick=300)):
        maker = ModelMaker(seed)
        written = maker.model()
        if seed % 4:
            written["properties"][0]["expression"]["start"] = start_of(maker)
        try:
            model = load_document(written, name="random")
        except BugsieveError:
            continue
        is_whole = all(
            v.type.kind != "real" and v.type.upper - v.type.lower < 9 for v in model.variables
        )
        expected = brute_force(model) if is_whole else None
        checked = checked_starts(model)
        if isinstance(checked, str):
            assert expected is None or checked == "fault", seed
            seen[checked] += 1
            continue
        if expected is not None:
            assert {tuple(map(float, state)) for state in checked} == expected, seed
            seen["by brute force"] += 1
        try:
            ours = all_starts(model, 10_000)
        except BugsieveError:
            seen["ours not listed"] += 1
            continue
        assert {tuple(row) for row in ours.tolist()} == {tuple(map(float, s)) for s in checked}, (
            seed
        )
        seen["same"] += 1
    assert seen["same"] > examples(300, quick=30) and seen["by brute force"] > 10, seen
