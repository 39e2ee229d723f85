"""Whether a certificate of the right shape proves a bug, written down as plainly as possible."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.reference.sas import SasTask, State, parse
from tests.reference.successors import is_applicable, is_goal, successor

Certificate = dict[str, Any]


def proves_bug(text: str, certificate: Certificate) -> bool:
    """The twin of `bugsieve.checkers.cost.check`, for certificates whose types are right."""
    if hashlib.sha256(text.encode()).hexdigest() != certificate["task"]["sha256"]:
        return False
    task = parsed(text)
    state = tuple(certificate["state"])
    if not is_state(task, state) or facts_of(task, state) != certificate["facts"]:
        return False
    run = states_of_path(task, state, certificate["run"])
    plan = states_of_path(task, state, certificate["plan"])
    return (
        run is not None
        and plan is not None
        and is_goal(task, plan[-1])
        and ends_as_told(task, run, certificate["run"])
        and verdict(task, certificate, run, plan) == claimed_verdict(certificate)
    )


@lru_cache(maxsize=1024)
def parsed(text: str) -> SasTask:
    """The task of a text; read once for all its certificates."""
    return parse(text)


def claimed_verdict(certificate: Certificate) -> tuple[object, ...]:
    claimed = (certificate[key] for key in ("kind", "policy_value", "value", "gap"))
    return tuple(Fraction(str(v)) if isinstance(v, float) else v for v in claimed)


def verdict(
    task: SasTask, certificate: Certificate, run: list[State], plan: list[State]
) -> tuple[object, ...] | None:
    """Kind, values and gap of the bug; None if there is none."""
    objective, ending = certificate["objective"], certificate["run"]["ending"]
    stuck = ending in ("loop", "no action", "illegal action", "policy crash")
    if re.fullmatch("probability(:[1-9][0-9]{0,3})?", objective):
        return uncertain_verdict(task, certificate["run"], run) if stuck else None
    if certificate["run"].get("chances"):
        return None
    policy_cost, plan_cost = certificate["run"]["cost"], certificate["plan"]["cost"]
    if objective == "qualitative" and stuck:
        return "unsolved", 0, 1, 1
    if objective == "quantitative" and stuck:
        return "unsolved", None, plan_cost, None
    if objective == "quantitative" and ending == "solved" and plan_cost < policy_cost:
        return "costly", policy_cost, plan_cost, policy_cost - plan_cost
    if objective.startswith("avoid:") and ending == "condition met":
        try:
            holds = meaning(task, objective.removeprefix("avoid:"))
        except (ValueError, IndexError):
            return None
        is_cut_right = holds(run[-1]) and not any(map(holds, run[:-1]))
        if is_cut_right and not any(map(holds, plan)):
            return "avoidable", 0, 1, 1
    return None


def uncertain_verdict(
    task: SasTask, told: dict[str, Any], run: list[State]
) -> tuple[object, ...] | None:
    """The same where a probability counts: each bound must be at least the mean after it."""
    rows = told.get("chances", [])
    known = states_of_rows(task, run[0], rows)
    if known is None or rows[0] is None:
        return None
    bounds = {
        state: Fraction(1) if row is None else Fraction(row["value"], 10**12)
        for state, row in known.items()
    }
    for state, row in known.items():
        pairs = weights_of(row)
        after = [bounds.get(successor(task, state, number), Fraction(1)) for number, _ in pairs]
        weights = [Fraction(str(weight)) for _, weight in pairs]
        if sum(w * v for w, v in zip(weights, after, strict=True)) > bounds[state] * sum(weights):
            return None
    for state, number in zip(run, told["operators"], strict=False):
        if known.get(state) and number not in [n for n, _ in weights_of(known[state])]:
            return None
    last, ending = known.get(run[-1]), told["ending"]
    if last and last.get("ending", "loop") != ending:
        return None
    bound = bounds[run[0]]
    if not 0 <= bound < 1:
        return None
    return "uncertain" if bound else "unsolved", bound, 1, 1 - bound


def states_of_rows(task: SasTask, start: State, rows: list[Any]) -> dict[State, Any] | None:
    """The rows by their states, in the order in which these are met; None if they do not fit."""
    met = [start]
    for place, row in enumerate(rows):
        if place >= len(met) or not is_row(row):
            return None
        for number, _ in weights_of(row):
            in_range = 0 <= number < len(task.operators)
            if not in_range or not is_applicable(task, met[place], number):
                return None
            after = successor(task, met[place], number)
            if after not in met and not is_goal(task, after):
                met.append(after)
    return dict(zip(met, rows, strict=True)) if len(met) == len(rows) else None


def is_row(row: Any) -> bool:
    if row is None:
        return True
    numbers = [number for number, _ in weights_of(row)]
    return (
        0 <= row["value"] <= 10**12
        and len(set(numbers)) == len(numbers)
        and all(weight > 0 for _, weight in weights_of(row))
        and row.get("ending", "no action") in ("no action", "illegal action", "policy crash")
    )


def weights_of(row: Any) -> list[Any]:
    return [] if row is None else list(row.get("weights", []))


def is_state(task: SasTask, state: State) -> bool:
    return len(state) == len(task.variables) and all(
        0 <= value < variable.size for value, variable in zip(state, task.variables, strict=True)
    )


def atom(name: str) -> str | None:
    """ "(on a b)" for "Atom on(a, b)"."""
    if not name.startswith("Atom "):
        return None
    words = re.split(r"[(), ]+", name.removeprefix("Atom "))
    return f"({' '.join(word for word in words if word)})"


def facts_of(task: SasTask, state: State) -> list[str]:
    atoms = [atom(v.facts[value]) for v, value in zip(task.variables, state, strict=True)]
    return sorted({a for a in atoms if a is not None})


def states_of_path(task: SasTask, state: State, path: dict[str, Any]) -> list[State] | None:
    """The states along a path, or None if it is wrong in any way."""
    states = [state]
    for number in path["operators"]:
        if not 0 <= number < len(task.operators) or not is_applicable(task, states[-1], number):
            return None
        states.append(successor(task, states[-1], number))
    names = [f"({task.operators[number].name})" for number in path["operators"]]
    cost = sum(task.cost(number) for number in path["operators"])
    return states if names == path["actions"] and cost == path["cost"] else None


def ends_as_told(task: SasTask, states: list[State], run: dict[str, Any]) -> bool:
    ending, last = run["ending"], len(states) - 1
    goals = [step for step, state in enumerate(states) if is_goal(task, state)]
    repeated = [step for step in range(len(states)) if states.index(states[step]) < step]
    loops_as_told = (
        repeated == [last] and states.index(states[-1]) == run["loop_start"]
        if ending == "loop"
        else not repeated and run["loop_start"] is None
    )
    chosen = run["chosen"]
    if ending == "illegal action":
        exists = chosen is not None and 0 <= chosen < len(task.operators)
        chose_as_told = chosen is not None and not (
            exists and is_applicable(task, states[-1], chosen)
        )
    else:
        chose_as_told = chosen is None
    goals_as_told = {"solved": [[last]], "condition met": [[], [last]]}.get(ending, [[]])
    known = ("solved", "condition met", "loop", "no action", "illegal action", "policy crash")
    return ending in known and loops_as_told and chose_as_told and goals in goals_as_told


def meaning(task: SasTask, text: str) -> Callable[[State], bool]:
    """The condition as a function; ValueError if it is none."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    formula = _formula(task, tokens)
    if tokens:
        raise ValueError(f"{tokens} is left over")
    return formula


def _formula(task: SasTask, tokens: list[str]) -> Callable[[State], bool]:
    """The formula that the tokens begin with, which are taken away."""
    if tokens.pop(0) != "(":
        raise ValueError("a formula begins with a parenthesis")
    words: list[str] = []
    parts: list[Callable[[State], bool]] = []
    while tokens[0] != ")":
        if tokens[0] == "(":
            parts.append(_formula(task, tokens))
        else:
            words.append(tokens.pop(0))
    tokens.pop(0)
    if words == ["not"]:
        return lambda state: not parts[0](state)
    if words in (["and"], ["or"]):
        join = all if words == ["and"] else any
        return lambda state: join(part(state) for part in parts)
    name = f"({' '.join(words)})"
    if parts or all(name != atom(fact) for v in task.variables for fact in v.facts):
        raise ValueError(f"{name} is no fact")
    return lambda state: name in facts_of(task, state)
