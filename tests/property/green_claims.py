"""Claims of greens on random tasks, of optimal policies and of others, and forged ones."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

from tests.property.strategies import ANY, CONDITIONAL, LONG, TINY, all_states, seeded_task
from tests.reference.greens import Claim, Row, encoded, packed, unpacked
from tests.reference.sas import SasTask, State, render
from tests.reference.search import goal_distances as searched_distances
from tests.reference.successors import applicable, is_goal, successor

SHAPES = (
    replace(ANY, costs=(0, 1)),
    replace(LONG, costs=(0, 0, 1)),
    TINY,
    replace(CONDITIONAL, costs=(0, 1, 2)),
    ANY,
)

Policy = dict[State, int]

goal_distances = lru_cache(maxsize=4)(searched_distances)


def some_task(seed: int) -> SasTask:
    """A task, often with circles of zero cost, conditional effects, dead ends or no plan."""
    return seeded_task(seed, SHAPES[seed % len(SHAPES)])


def best_policy(task: SasTask) -> Policy:
    """A fresh copy of a policy that is optimal from everywhere."""
    return dict(_best_policy(task))


@lru_cache(maxsize=4)
def _best_policy(task: SasTask) -> Policy:
    """A policy that is optimal from everywhere: of the cheapest ways a shortest one."""
    distances = goal_distances(task, task.initial)
    level = {state for state in distances if is_goal(task, state)}
    policy: Policy = {}
    while True:  # the states from which one more step is needed
        found: Policy = {}
        for state in distances.keys() - level - policy.keys():
            for operator in applicable(task, state):
                after, value = successor(task, state, operator), distances[state]
                known = after in policy or after in level
                if known and value == task.cost(operator) + (distances[after] or 0):
                    found.setdefault(state, operator)
        if not found:
            return policy
        policy.update(found)


def greedy_policy(task: SasTask, random: Random) -> Policy:
    """A policy that attains all costs, but may go round in circles of zero cost."""
    distances = goal_distances(task, task.initial)
    policy: Policy = {}
    for state, value in distances.items():
        best = [
            operator
            for operator in applicable(task, state)
            if (after := distances[successor(task, state, operator)]) is not None
            and value == task.cost(operator) + after
        ]
        if value is not None and best and not is_goal(task, state):
            policy[state] = random.choice(best)
    return policy


def noisy_policy(task: SasTask, random: Random, noise: float = 0.1) -> Policy:
    """An optimal policy that sometimes does anything that can be done."""
    policy = best_policy(task)
    for state in sorted(policy):
        if random.random() < noise:
            policy[state] = random.choice(applicable(task, state))
    return policy


def some_policy(task: SasTask, seed: int) -> Policy:
    """One of the three."""
    random = Random(seed)
    kind = random.randrange(3)
    return (
        best_policy(task)
        if kind == 0
        else greedy_policy(task, random)
        if kind == 1
        else noisy_policy(task, random)
    )


def run_of(task: SasTask, policy: Policy, state: State) -> tuple[int, ...] | None:
    """The policy's actions from the state to the goal; None if it never gets there."""
    run: list[int] = []
    while not is_goal(task, state):
        if state not in policy or len(run) > len(policy):
            return None
        run.append(policy[state])
        state = successor(task, state, policy[state])
    return tuple(run)


def claim_of(
    task: SasTask, policy: Policy, *, objective: str, follows_plans: bool = False
) -> Claim | None:
    """The claim that the policy is fine, right about all else; None if no plan exists at all."""
    distances = goal_distances(task, task.initial)
    if distances[task.initial] is None:
        return None
    rows: dict[State, Row | None] = dict.fromkeys(distances)
    for state, value in distances.items():
        if value is None or is_goal(task, state):
            continue
        run = run_of(task, policy, state)
        # Who goes round and wants to be believed claims the steps of a plan.
        plan = run or run_of(task, best_policy(task), state) or ()
        cost = value if objective == "quantitative" else 0
        if follows_plans:
            rows[state] = Row(cost, plan=plan)
        else:
            rows[state] = Row(cost, policy.get(state, 0), len(plan))
    lost = frozenset(state for state, value in distances.items() if value is None)
    return Claim(objective, 1000, rows, lost, follows_plans)


# Forgeries of what is said.

Forge = Callable[[SasTask, Claim, Random], Claim]


def _changed(claim: Claim, random: Random, change: Callable[[Row], Row]) -> Claim:
    """A change of one state in which the policy acts."""
    acting = sorted(state for state, row in claim.rows.items() if row is not None)
    if not acting:
        return claim
    state = random.choice(acting)
    row = claim.rows[state]
    assert row is not None
    return replace(claim, rows={**claim.rows, state: change(row)})


def _all_changed(claim: Claim, change: Callable[[Row], Row]) -> Claim:
    rows = {state: None if row is None else change(row) for state, row in claim.rows.items()}
    return replace(claim, rows=rows)


def drop_state(task: SasTask, claim: Claim, random: Random) -> Claim:
    state = random.choice(sorted(claim.rows))
    rest = {s: row for s, row in claim.rows.items() if s != state}
    return replace(claim, rows=rest, lost=claim.lost - {state}) if rest else claim


def add_state(task: SasTask, claim: Claim, random: Random) -> Claim:
    """A state that is not reached, called lost."""
    others = [state for state in all_states(task) if state not in claim.rows]
    if not others:
        return claim
    state = random.choice(others)
    lost = frozenset() if is_goal(task, state) else frozenset([state])
    return replace(claim, rows={**claim.rows, state: None}, lost=claim.lost | lost)


def call_lost(task: SasTask, claim: Claim, random: Random) -> Claim:
    """A state that has a plan is called lost; or its neighbours, too."""
    acting = sorted(state for state, row in claim.rows.items() if row is not None)
    if not acting:
        return claim
    chosen = frozenset(random.sample(acting, random.choice((1, 1, len(acting)))))
    rows = {state: None if state in chosen else row for state, row in claim.rows.items()}
    return replace(claim, rows=rows, lost=claim.lost | chosen)


def call_found(task: SasTask, claim: Claim, random: Random) -> Claim:
    """A lost state is said to have a plan."""
    if not claim.lost:
        return claim
    state = random.choice(sorted(claim.lost))
    row = Row(random.randrange(9), random.randrange(len(task.operators)), random.randint(1, 9))
    return replace(claim, rows={**claim.rows, state: row}, lost=claim.lost - {state})


def change_cost(task: SasTask, claim: Claim, random: Random) -> Claim:
    by = random.choice((-1, 1, 1 << 40))
    return _changed(claim, random, lambda row: replace(row, cost=max(0, row.cost + by)))


def change_all_costs(task: SasTask, claim: Claim, random: Random) -> Claim:
    by = random.choice((-1, 1))
    return _all_changed(claim, lambda row: replace(row, cost=max(0, row.cost + by)))


def change_action(task: SasTask, claim: Claim, random: Random) -> Claim:
    action = random.randrange(len(task.operators) + 2)
    return _changed(claim, random, lambda row: replace(row, action=action))


def change_steps(task: SasTask, claim: Claim, random: Random) -> Claim:
    by = random.choice((-1, 1, 1000))
    return _changed(claim, random, lambda row: replace(row, steps=max(0, row.steps + by)))


def change_all_steps(task: SasTask, claim: Claim, random: Random) -> Claim:
    return _all_changed(claim, lambda row: replace(row, steps=row.steps + 1))


def lower_limit(task: SasTask, claim: Claim, random: Random) -> Claim:
    longest = max((max(r.steps, len(r.plan)) for r in claim.rows.values() if r), default=1)
    return replace(claim, step_limit=max(1, longest - random.choice((0, 1))))


def change_plan(task: SasTask, claim: Claim, random: Random) -> Claim:
    def change(row: Row) -> Row:
        plan = list(row.plan)
        place = random.randrange(len(plan) + 1)
        plan[place : place + random.randrange(2)] = [
            random.randrange(len(task.operators)) for _ in range(random.randrange(2))
        ]
        return replace(row, plan=tuple(plan))

    return _changed(claim, random, change)


def go_round(task: SasTask, claim: Claim, random: Random) -> Claim:
    """Actions that attain all costs, with the steps of the shortest of the cheapest plans."""
    policy = greedy_policy(task, random)
    rows = {
        state: row if row is None or state not in policy else replace(row, action=policy[state])
        for state, row in claim.rows.items()
    }
    return replace(claim, rows=rows)


def other_objective(task: SasTask, claim: Claim, random: Random) -> Claim:
    other = "qualitative" if claim.objective == "quantitative" else "quantitative"
    return replace(claim, objective=other)


OF_ALL: tuple[Forge, ...] = (
    drop_state,
    add_state,
    call_lost,
    call_found,
    change_cost,
    change_all_costs,
    lower_limit,
    other_objective,
)
OF_ACTIONS: tuple[Forge, ...] = (change_action, change_steps, change_all_steps, go_round)
OF_PLANS: tuple[Forge, ...] = (change_plan,)


def forged(task: SasTask, claim: Claim, seed: int) -> Claim:
    """The claim with one or two changes, which may leave it true."""
    random = Random(seed)
    for _ in range(random.choice((1, 1, 2))):
        more = OF_PLANS if claim.follows_plans else OF_ACTIONS
        claim = random.choice((*OF_ALL, *more))(task, claim, random)
    return claim


# Forgeries of how it is said.


def spoiled(certificate: dict[str, Any], seed: int) -> dict[str, Any]:
    """The certificate with some bytes, numbers or the task's hash changed."""
    random = Random(seed)
    copy = {**certificate, "columns": dict(certificate["columns"])}
    kind = random.randrange(8)
    if kind == 0:
        copy["with_plan"] = max(1, copy["with_plan"] + random.choice((-1, 1)))
    elif kind == 1:
        copy["states"] = max(1, copy["states"] + random.choice((-1, 1)))
    elif kind == 2:
        copy["task"] = {**copy["task"], "sha256": hashlib.sha256(b"another").hexdigest()}
    else:
        name = random.choice(sorted(copy["columns"]))
        content = bytearray(unpacked(copy["columns"][name]))
        _spoil(content, random)
        copy["columns"][name] = packed(bytes(content))
    return copy


def _spoil(content: bytearray, random: Random) -> None:
    kind = random.randrange(5)
    if kind == 0 or not content:
        content.append(random.randrange(3))
    elif kind == 1:
        content.pop()
    elif kind == 2:
        content[:0] = bytes(len(content))
    else:
        content[random.randrange(len(content))] = random.choice((0, 1, 2, 3, 255))


def unreadable(certificate: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The certificate with each column packed in ways that nobody writes."""
    for name, text in certificate["columns"].items():
        raw = base64.b64decode(text)
        bomb = zlib.compress(bytes(1 << 22))
        for data in (raw + b"x", raw[:-1], b"", raw[:2] + b"\0" + raw[3:], bomb):
            changed = base64.b64encode(data).decode()
            yield {**certificate, "columns": {**certificate["columns"], name: changed}}
        for changed in (text + "\n", text[:-1], "ä" + text, " " + text):
            yield {**certificate, "columns": {**certificate["columns"], name: changed}}


def certificate_of_claim(task: SasTask, claim: Claim) -> tuple[str, dict[str, Any]]:
    """The text of the task, and the certificate."""
    return render(task), encoded(task, claim)
