"""Ways to spoil a certificate. Each changes a copy in place; None means that it has no effect."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.reference.certificates import facts_of, parsed
from tests.reference.sas import SasTask, render


@dataclass
class Forgery:
    """A certificate under change, with the text of the task it is shown with."""

    random: Random
    text: str
    task: SasTask
    certificate: dict[str, Any]

    def path(self, name: str) -> dict[str, Any]:
        """The run or the plan."""
        part: dict[str, Any] = self.certificate[name]
        return part

    def set_operators(self, name: str, operators: list[int]) -> None:
        """Replace a path, with the names of its actions."""
        path = self.path(name)
        path["operators"] = operators
        path["actions"] = [f"({self.task.operators[number].name})" for number in operators]

    def any_used(self) -> int:
        """An operator of the run or the plan."""
        used: list[int] = [*self.path("run")["operators"], *self.path("plan")["operators"]]
        return self.random.choice(used)

    def repair_costs(self) -> None:
        """Make the costs, values and gap agree with the paths, as a careful forger would."""
        certificate = self.certificate
        for name in ("run", "plan"):
            path = self.path(name)
            path["cost"] = sum(self.task.cost(number) for number in path["operators"])
        if certificate["objective"] == "quantitative":
            certificate["value"] = certificate["plan"]["cost"]
        if certificate["kind"] == "costly":
            certificate["policy_value"] = certificate["run"]["cost"]
            certificate["gap"] = certificate["policy_value"] - certificate["value"]

    def show_with(self, task: SasTask) -> None:
        """Show the certificate with a changed task, whose hash it then has."""
        self.task, self.text = task, render(task)
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        self.certificate["task"] = {**self.certificate["task"], "sha256": digest}


Mutation = Callable[[Forgery], object]


def _drop(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        operators = list(forgery.path(path)["operators"])
        if not operators:
            return None
        del operators[forgery.random.randrange(len(operators))]
        forgery.set_operators(path, operators)
        return True

    return mutate


def _swap(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        operators = list(forgery.path(path)["operators"])
        if len(set(operators)) < 2:
            return None
        one, other = forgery.random.sample(range(len(operators)), 2)
        operators[one], operators[other] = operators[other], operators[one]
        forgery.set_operators(path, operators)
        return True

    return mutate


def _replace(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        operators = list(forgery.path(path)["operators"])
        if not operators:
            return None
        place = forgery.random.randrange(len(operators))
        operators[place] = forgery.random.randrange(len(forgery.task.operators))
        forgery.set_operators(path, operators)
        return True

    return mutate


def _add(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        operators = list(forgery.path(path)["operators"])
        place = forgery.random.randint(0, len(operators))
        operators.insert(place, forgery.random.randrange(len(forgery.task.operators)))
        forgery.set_operators(path, operators)
        return True

    return mutate


def _truncate(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        operators = list(forgery.path(path)["operators"])
        if not operators:
            return None
        forgery.set_operators(path, operators[: forgery.random.randrange(len(operators))])
        return True

    return mutate


def _renumber(path: str) -> Mutation:
    """Another operator under the old name."""

    def mutate(forgery: Forgery) -> object:
        operators = forgery.path(path)["operators"]
        if not operators:
            return None
        place = forgery.random.randrange(len(operators))
        count = len(forgery.task.operators)
        operators[place] = forgery.random.choice([-1, count, *range(count)])
        return True

    return mutate


def _rename(path: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        actions = forgery.path(path)["actions"]
        if not actions:
            return None
        actions[forgery.random.randrange(len(actions))] += "x"
        return True

    return mutate


def _careful(mutation: Mutation) -> Mutation:
    """The same, with all costs put right afterwards."""

    def mutate(forgery: Forgery) -> object:
        changed = mutation(forgery)
        forgery.repair_costs()
        return changed

    return mutate


def _shift(*keys: str) -> Mutation:
    """Another number, or another kind of nothing."""

    def mutate(forgery: Forgery) -> object:
        part = forgery.certificate
        for key in keys[:-1]:
            part = part[key]
        old = part[keys[-1]]
        choices = [0, 1] if old is None else [old + 1, old - 1, None]
        if keys[-1] == "cost" and old is not None:
            choices.remove(None)
        part[keys[-1]] = forgery.random.choice(choices)
        return True

    return mutate


def _choose(choices: tuple[str, ...], *keys: str) -> Mutation:
    def mutate(forgery: Forgery) -> object:
        part = forgery.certificate
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = forgery.random.choice([c for c in choices if c != part[keys[-1]]])
        return True

    return mutate


def _state_value(forgery: Forgery) -> object:
    state = forgery.certificate["state"]
    variable = forgery.random.randrange(len(state))
    state[variable] = (state[variable] + 1) % forgery.task.variables[variable].size
    return True


def _state_and_facts(forgery: Forgery) -> object:
    _state_value(forgery)
    state = tuple(forgery.certificate["state"])
    forgery.certificate["facts"] = facts_of(forgery.task, state)
    return True


def _state_out_of_range(forgery: Forgery) -> object:
    state = forgery.certificate["state"]
    variable = forgery.random.randrange(len(state))
    state[variable] = forgery.random.choice([-1, forgery.task.variables[variable].size])
    return True


def _state_shape(forgery: Forgery) -> object:
    state = forgery.certificate["state"]
    if forgery.random.random() < 0.5:
        state.append(0)
    else:
        state.pop()
    return True


def _facts(forgery: Forgery) -> object:
    facts = forgery.certificate["facts"]
    change = forgery.random.randrange(3)
    if change == 0:
        facts.append("(invented)")
    elif change == 1:
        facts.pop()
    elif len(facts) > 1:
        facts.reverse()
    else:
        return None
    return True


def _run_as_plan(forgery: Forgery) -> object:
    forgery.certificate["plan"] = {
        key: forgery.certificate["run"][key] for key in ("operators", "actions", "cost")
    }
    return True


def _chosen(forgery: Forgery) -> object:
    choices = [None, -1, *range(len(forgery.task.operators) + 1)]
    forgery.path("run")["chosen"] = forgery.random.choice(choices)
    return True


def _condition(forgery: Forgery) -> object:
    if forgery.certificate["kind"] != "avoidable":
        return None
    objective = forgery.certificate["objective"]
    condition = objective.removeprefix("avoid:")
    changed = forgery.random.choice(
        [
            f"(not {condition})",
            f"(and {condition} (at-0 x0))",
            f"(or {condition} (at-0 x1))",
            "(unheard of)",
            condition[:-1],
            f"{condition})",
            "",
        ]
    )
    forgery.certificate["objective"] = f"avoid:{changed}"
    return True


def _foreign_task(forgery: Forgery) -> object:
    forgery.text = render(replace(forgery.task, metric=not forgery.task.metric))
    return True


def _hash(forgery: Forgery) -> object:
    forgery.certificate["task"]["sha256"] = "0" * 64
    return True


def _goal(forgery: Forgery) -> object:
    task = forgery.task
    variable = forgery.random.randrange(len(task.variables))
    goal = dict(task.goal)
    goal[variable] = forgery.random.randrange(task.variables[variable].size)
    forgery.show_with(replace(task, goal=tuple(sorted(goal.items()))))
    return True


def _task_costs(forgery: Forgery) -> object:
    task = forgery.task
    number = forgery.any_used()
    operators = list(task.operators)
    operators[number] = replace(operators[number], cost=operators[number].cost + 1)
    forgery.show_with(replace(task, operators=tuple(operators)))
    return True


def _effect(forgery: Forgery) -> object:
    task = forgery.task
    number = forgery.any_used()
    operators = list(task.operators)
    effects = list(operators[number].effects)
    if not effects:
        return None
    last = effects[-1]
    size = task.variables[last.variable].size
    effects[-1] = replace(last, after=(last.after + 1) % size)
    operators[number] = replace(operators[number], effects=tuple(effects))
    forgery.show_with(replace(task, operators=tuple(operators)))
    return True


def _in_row(change: Callable[[Forgery, dict[str, Any]], object]) -> Mutation:
    """A change of one state's words about the policy, where its probabilities count."""

    def mutate(forgery: Forgery) -> object:
        rows = [row for row in forgery.path("run").get("chances", ()) if row is not None]
        return change(forgery, forgery.random.choice(rows)) if rows else None

    return mutate


def _row_value(forgery: Forgery, row: dict[str, Any]) -> object:
    row["value"] = forgery.random.choice([-1, 0, row["value"] // 2, row["value"] + 1, 10**12])
    return True


def _row_weight(forgery: Forgery, row: dict[str, Any]) -> object:
    if "weights" not in row:
        return None
    pair = forgery.random.choice(row["weights"])
    pair[1] = forgery.random.choice([0, -pair[1], 1000 * pair[1], pair[1] / 1000])
    return True


def _row_operator(forgery: Forgery, row: dict[str, Any]) -> object:
    if "weights" not in row:
        return None
    count = len(forgery.task.operators)
    forgery.random.choice(row["weights"])[0] = forgery.random.choice([-1, *range(count + 1)])
    return True


def _row_ending(forgery: Forgery, row: dict[str, Any]) -> object:
    row.pop("weights", None)
    row["ending"] = forgery.random.choice(ENDINGS)
    return True


def _row_lost(forgery: Forgery) -> object:
    rows = forgery.path("run").get("chances")
    if not rows:
        return None
    place = forgery.random.randrange(len(rows))
    if forgery.random.random() < 0.5:
        del rows[place]
    else:
        rows[place] = None
    return True


KINDS = ("unsolved", "costly", "avoidable", "uncertain", "implied")
OBJECTIVES = ("quantitative", "qualitative", "avoid:(at-0 x0)", "probability", "fastest")
ENDINGS = (
    *("solved", "loop", "no action", "illegal action", "policy crash"),
    *("step limit", "policy hang", "condition met", "bored"),
)

MUTATIONS: dict[str, Mutation] = {
    **{f"{path}: {name}": make(path) for path in ("run", "plan") for name, make in (
        ("an action dropped", _drop),
        ("two actions swapped", _swap),
        ("an action replaced", _replace),
        ("an action added", _add),
        ("cut short", _truncate),
        ("another operator under the same name", _renumber),
        ("an action renamed", _rename),
    )},
    **{f"{path}: {name}, costs put right": _careful(make(path)) for path in ("run", "plan")
       for name, make in (
        ("an action dropped", _drop),
        ("two actions swapped", _swap),
        ("an action replaced", _replace),
        ("an action added", _add),
        ("cut short", _truncate),
    )},
    "run: cost": _shift("run", "cost"),
    "plan: cost": _shift("plan", "cost"),
    "run: ending": _choose(ENDINGS, "run", "ending"),
    "run: loop_start": _shift("run", "loop_start"),
    "run: chosen": _chosen,
    "plan: the policy's own run": _run_as_plan,
    "plan: the policy's own run, costs put right": _careful(_run_as_plan),
    "policy_value": _shift("policy_value"),
    "value": _shift("value"),
    "gap": _shift("gap"),
    "kind": _choose(KINDS, "kind"),
    "objective": _choose(OBJECTIVES, "objective"),
    "objective: condition": _condition,
    "chances: a value": _in_row(_row_value),
    "chances: a weight": _in_row(_row_weight),
    "chances: another operator": _in_row(_row_operator),
    "chances: an ending": _in_row(_row_ending),
    "chances: a row lost": _row_lost,
    "state: a value": _state_value,
    "state: a value with its fact": _state_and_facts,
    "state: a value out of range": _state_out_of_range,
    "state: too short or too long": _state_shape,
    "facts": _facts,
    "task: another text": _foreign_task,
    "task: hash": _hash,
    "task: goal, hash put right": _goal,
    "task: costs, hash put right": _task_costs,
    "task: an effect, hash put right": _effect,
}  # fmt: skip


def forge(
    name: str, text: str, certificate: dict[str, Any], random: Random
) -> tuple[str, dict[str, Any]] | None:
    """The text and the spoilt certificate; None if the mutation changed nothing."""
    forgery = Forgery(random, text, parsed(text), _copied(certificate))
    if MUTATIONS[name](forgery) is None:
        return None
    if forgery.certificate == certificate and forgery.text == text:
        return None
    return forgery.text, forgery.certificate


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _paths(value: Any) -> list[tuple[str | int, ...]]:
    """The keys to every part of a certificate."""
    if isinstance(value, dict):
        items: list[tuple[str | int, Any]] = list(value.items())
    else:
        items = list(enumerate(value[:1])) if isinstance(value, list) else []
    return [(key, *rest) for key, item in items for rest in [(), *_paths(item)]]


FREE = (("policy",), ("task", "name"), ("run", "detail"))
"""Any text will do here: no checker can know it."""

WRONG_VALUES: tuple[Any, ...] = (
    *(True, False, math.nan, math.inf, 1.0, 0.5, None, "1", "", [], {}, [None], [True]),
    *(10**30, -(10**5000), {"a": 1}, [[]], "\ud800", (1, 2), b"1", object()),
)


def misshapen(
    certificate: dict[str, Any],
    random: Random,
    *,
    free: tuple[tuple[str | int, ...], ...] = FREE,
) -> list[dict[str, Any]]:
    """Certificates with a part missing, a part too much, or a part of another type."""
    found = []
    for path in _paths(certificate):
        without, beyond = _copied(certificate), _copied(certificate)
        owner, owner_beyond = without, beyond
        for key in path[:-1]:
            owner, owner_beyond = owner[key], owner_beyond[key]
        if isinstance(owner, dict):
            del owner[path[-1]]
            owner_beyond["surplus"] = None
            found += [without, beyond]
        for wrong in random.sample(WRONG_VALUES, 5):
            spoilt = _copied(certificate)
            owner = spoilt
            for key in path[:-1]:
                owner = owner[key]
            if not _same(owner[path[-1]], wrong) and not (path in free and isinstance(wrong, str)):
                owner[path[-1]] = wrong
                found.append(spoilt)
    return found


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other
