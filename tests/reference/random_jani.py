"""Random JANI documents of integers and Booleans that stay within their bounds."""

from __future__ import annotations

from random import Random
from typing import Any

Json = Any

INTEGERS = ("x", "y")
BOOLEANS = ("b",)
UPPER = 4


def random_document(random: Random) -> Json:
    """A model with a property: several edges per action, several outcomes per edge."""
    edges = [
        _edge(random, f"a{action}")
        for action in range(random.randint(2, 4))
        for _ in range(random.randint(1, 3))
    ]
    variables = [{"name": n, "type": _bounded(), "initial-value": 0} for n in INTEGERS]
    variables += [{"name": n, "type": "bool", "initial-value": False} for n in BOOLEANS]
    actions = sorted({edge["action"] for edge in edges})
    return {
        "jani-version": 1,
        "name": "random",
        "type": "mdp",
        "actions": [{"name": name} for name in actions],
        "constants": [{"name": "k", "type": "int", "value": random.randint(1, 3)}],
        "variables": variables,
        "automata": [
            {
                "name": "automaton",
                "locations": [{"name": "place"}],
                "initial-locations": ["place"],
                "edges": edges,
            }
        ],
        "system": {
            "elements": [{"automaton": "automaton"}],
            "syncs": [{"synchronise": [name], "result": name} for name in actions],
        },
        "properties": [{"name": "safety", "expression": _safety(random)}],
    }


def _safety(random: Random) -> Json:
    unsafe = _binary("∧", _test(random), _test(random))
    return {
        "op": "PA",
        "start": {"op": "state-condition", "exp": True},
        "objective": {"op": "objective", "goal": {"op": "state-condition", "exp": _goal(random)}},
        "reach": {"op": "state-condition", "exp": unsafe},
    }


def _goal(random: Random) -> Json:
    return False if random.random() < 0.3 else _binary("∧", _test(random), _test(random))


def _edge(random: Random, action: str) -> Json:
    count = random.randint(1, 3)
    return {
        "action": action,
        "location": "place",
        "guard": {"exp": _guard(random)},
        "destinations": [
            {
                "location": "place",
                "probability": {"exp": _binary("/", 1, count)},
                "assignments": _assignments(random),
            }
            for _ in range(count)
        ],
    }


def _guard(random: Random) -> Json:
    parts = [_test(random) for _ in range(random.randint(1, 2))]
    return parts[0] if len(parts) == 1 else _binary(random.choice("∧∨"), *parts)


def _assignments(random: Random) -> Json:
    names = [n for n in (*INTEGERS, *BOOLEANS) if random.random() < 0.6]
    return [{"ref": name, "value": _value(random, name)} for name in names]


def _value(random: Random, name: str) -> Json:
    if name in BOOLEANS:
        return random.choice([True, False, {"op": "¬", "exp": name}, _test(random)])
    step = random.choice([1, 1, -1, 2, -2, "k"])
    moved = _binary("+", random.choice([*INTEGERS, name]), step)
    around = _binary("min", UPPER, _binary("max", 0, moved))
    return random.choice(
        [
            around,
            around,
            around,
            random.randint(0, UPPER),
            {"op": "ite", "if": _test(random), "then": around, "else": name},
        ]
    )


def _test(random: Random) -> Json:
    if random.random() < 0.25:
        name: Json = random.choice(BOOLEANS)
        return name if random.random() < 0.5 else {"op": "¬", "exp": name}
    left = random.choice(INTEGERS)
    right = random.choice([random.randint(0, UPPER), "k", *INTEGERS])
    return _binary(random.choice(["=", "≠", "<", "≤", ">", "≥"]), left, right)


def _bounded() -> Json:
    return {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": UPPER}


def _binary(operator: str, left: Json, right: Json) -> Json:
    return {"op": operator, "left": left, "right": right}
