"""Small models to vary: a counter that may slip, and parts to build others from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel

Json = Any


def binary(op: str, left: Json, right: Json) -> Json:
    return {"op": op, "left": left, "right": right}


def bounded(lower: Json, upper: Json, base: str = "int") -> Json:
    return {"kind": "bounded", "base": base, "lower-bound": lower, "upper-bound": upper}


def variable(name: str, kind: Json, initial: Json = None, **more: Json) -> Json:
    declared = {"name": name, "type": kind, **more}
    return declared if initial is None else {**declared, "initial-value": initial}


def condition(expression: Json) -> Json:
    return {"op": "state-condition", "exp": expression}


def safety(unsafe: Json = False, goal: Json = False, start: Json = None) -> Json:
    expression = {
        "op": "PA",
        "start": {"op": "initial"} if start is None else start,
        "objective": {"op": "objective", "goal": condition(goal)},
        "reach": condition(unsafe),
    }
    return {"name": "safety", "expression": expression}


def edge(
    *outcomes: Mapping[str, Json],
    action: str | None = "go",
    guard: Json = True,
    source: str = "l",
    target: str = "l",
) -> Json:
    """An edge whose outcomes are given as assigned values by name."""
    destinations = [
        {
            "location": target,
            "assignments": [{"ref": name, "value": value} for name, value in outcome.items()],
        }
        for outcome in outcomes
    ]
    made = {"location": source, "guard": {"exp": guard}, "destinations": destinations}
    return made if action is None else {**made, "action": action}


def automaton(*edges: Json, name: str = "main", locations: tuple[str, ...] = ("l",)) -> Json:
    return {
        "name": name,
        "locations": [{"name": location} for location in locations],
        "initial-locations": [locations[0]],
        "edges": list(edges),
    }


def model(*automata: Json, variables: list[Json] | None = None, **more: Json) -> Json:
    """A model in which automata take their actions alone, unless `system` says otherwise."""
    actions = sorted({e["action"] for a in automata for e in a["edges"] if "action" in e})
    elements = [{"automaton": a["name"]} for a in automata]
    syncs = [
        {"synchronise": [name if k == n else None for k in range(len(automata))], "result": name}
        for n, a in enumerate(automata)
        for name in sorted({e["action"] for e in a["edges"] if "action" in e})
    ]
    return {
        "jani-version": 1,
        "name": "small",
        "type": "mdp",
        "actions": [{"name": name} for name in actions],
        "variables": [variable("x", bounded(0, 5), 0)] if variables is None else variables,
        "automata": list(automata),
        "system": {"elements": elements, "syncs": syncs},
        "properties": [safety()],
        **more,
    }


def simple(
    *edges: Json, unsafe: Json = False, goal: Json = False, start: Json = None, **more: Json
) -> Json:
    """A model of one automaton with these edges."""
    return model(automaton(*edges), properties=[safety(unsafe, goal, start)], **more)


def counter() -> Json:
    """`go` adds 1 or 2 to x as long as it is below 4; 3 is unsafe, 5 the goal."""
    step = edge({"x": binary("+", "x", 1)}, {"x": binary("+", "x", 2)}, guard=binary("<", "x", 4))
    return simple(step, unsafe=binary("=", "x", 3), goal=binary("=", "x", 5))


def write(folder: Path, document: Json, name: str = "model.jani") -> Path:
    path = folder / name
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def load(folder: Path, document: Json, **options: Any) -> JaniModel:
    return load_model(write(folder, document), **options)


def successors(loaded: JaniModel, *state: float) -> dict[str, list[list[float]]]:
    """Outcomes by action of one state."""
    found = loaded.expand([list(state)])
    return {
        loaded.actions[action]: found.outcomes[begin:end].tolist()
        for action, begin, end in zip(
            found.actions, found.outcome_offsets, found.outcome_offsets[1:], strict=False
        )
    }
