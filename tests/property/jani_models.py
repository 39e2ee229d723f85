"""Random JANI models with everything the reader takes, and random states of theirs."""

from __future__ import annotations

from random import Random
from typing import Any

Json = Any

BOUNDS = {"int": (-2, 5), "real": (-8.5, 8.5)}
ACTIONS = ["a", "b", "c"]


class ModelMaker:
    """Draws one model after the other; expressions are well typed, but may fail in a state."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._names: dict[str, list[str]] = {"bool": ["flag"], "int": ["five"], "real": ["half"]}

    def model(self) -> Json:
        """A model with one to three automata and a property of its own."""
        variables = [self._variable(f"v{k}") for k in range(self.random.randint(1, 5))]
        transients = [self._transient(f"t{k}") for k in range(self.random.randint(0, 2))]
        for variable in variables + transients:
            self._names[_kind(variable["type"])].append(variable["name"])
        assignable = variables + transients
        count = self.random.choice([1, 1, 2, 3])
        automata = [self._automaton(f"A{k}", assignable, transients) for k in range(count)]
        return {
            "jani-version": 1,
            "name": "random",
            "type": "mdp",
            "actions": [{"name": name} for name in ACTIONS],
            "constants": [
                {"name": "five", "type": "int", "value": 5},
                {"name": "half", "type": "real", "value": {"op": "/", "left": 1, "right": 2}},
                {"name": "flag", "type": "bool", "value": True},
            ],
            "functions": [self._function()],
            "variables": variables + transients,
            "automata": automata,
            "system": self._system(count),
            "properties": [{"name": "p", "expression": self._property()}],
        }

    def _variable(self, name: str) -> Json:
        kind = self.random.choice(["int", "int", "real", "bool"])
        declared: Json = kind
        if kind != "bool" and self.random.random() < 0.8:
            lower, upper = BOUNDS[kind]
            declared = {
                "kind": "bounded", "base": kind, "lower-bound": lower, "upper-bound": upper,
            }  # fmt: skip
        return {"name": name, "type": declared, "initial-value": self._literal(kind)}

    def _transient(self, name: str) -> Json:
        return {**self._variable(name), "transient": True}

    def _function(self) -> Json:
        self._names["int"].append("x")
        self._names["real"].append("y")
        body = self.expression("real", 2, calls=False)
        self._names["int"].remove("x")
        self._names["real"].remove("y")
        parameters = [{"name": "x", "type": "int"}, {"name": "y", "type": "real"}]
        return {"name": "f", "type": "real", "parameters": parameters, "body": body}

    def _automaton(self, name: str, variables: list[Json], transients: list[Json]) -> Json:
        locations = [f"l{k}" for k in range(self.random.choice([1, 1, 2, 3]))]
        edges = [self._edge(locations, variables) for _ in range(self.random.randint(1, 5))]
        return {
            "name": name,
            "locations": [self._location(location, transients) for location in locations],
            "initial-locations": [locations[0]],
            "edges": edges,
        }

    def _location(self, name: str, transients: list[Json]) -> Json:
        location: Json = {"name": name}
        if transients and self.random.random() < 0.5:
            chosen = self.random.choice(transients)
            value = self._literal(_kind(chosen["type"]))
            location["transient-values"] = [{"ref": chosen["name"], "value": value}]
        return location

    def _edge(self, locations: list[str], variables: list[Json]) -> Json:
        edge: Json = {
            "location": self.random.choice(locations),
            "destinations": [
                self._destination(locations, variables)
                for _ in range(self.random.choice([1, 1, 2, 3]))
            ],
        }
        # A certain destination comes first, so that the edge never lacks one.
        edge["destinations"][0].pop("probability", None)
        if self.random.random() < 0.8:
            edge["action"] = self.random.choice(ACTIONS)
        if self.random.random() < 0.6:
            edge["guard"] = {"exp": self._guard(variables)}
        return edge

    def _guard(self, variables: list[Json]) -> Json:
        """Often a test of a variable first, as such tests are looked up instead of evaluated."""
        rest = self.expression("bool", 2)
        integers = [v["name"] for v in variables if _kind(v["type"]) == "int"]
        if not integers or self.random.random() < 0.3:
            return rest
        name, limit = self.random.choice(integers), self.random.randint(-3, 6)
        sides = [name, limit]
        self.random.shuffle(sides)
        op = self.random.choice(["=", "≤", "<", "≥", ">", "≠"])
        test: Json = {"op": op, "left": sides[0], "right": sides[1]}
        if self.random.random() < 0.2:
            test = {"op": "¬", "exp": test}
        return {"op": "∧", "left": test, "right": rest}

    def _destination(self, locations: list[str], variables: list[Json]) -> Json:
        chosen = self.random.sample(variables, self.random.randint(0, min(3, len(variables))))
        destination: Json = {
            "location": self.random.choice(locations),
            "assignments": [self._assignment(variable) for variable in chosen],
        }
        draw = self.random.random()
        if draw < 0.3:
            destination["probability"] = {"exp": self.random.choice([0, 0.5, 1, 0.0])}
        elif draw < 0.4:
            choice = {"op": "ite", "if": self.expression("bool", 1), "then": 0.0, "else": 0.25}
            destination["probability"] = {"exp": choice}
        return destination

    def _assignment(self, variable: Json) -> Json:
        kind = _kind(variable["type"])
        value = self.expression(kind, 3)
        if kind in BOUNDS and self.random.random() < 0.8:  # mostly within the bounds
            lower, upper = BOUNDS[kind]
            raised = {"op": "max", "left": value, "right": lower}
            value = {"op": "min", "left": raised, "right": upper}
        assignment = {"ref": variable["name"], "value": value}
        if self.random.random() < 0.3:
            assignment["index"] = self.random.randint(0, 2)
        return assignment

    def _system(self, count: int) -> Json:
        syncs = []
        for _ in range(self.random.randint(1, 4)):
            vector = [self.random.choice([*ACTIONS, None]) for _ in range(count)]
            if all(action is None for action in vector):
                vector[0] = "a"
            sync: Json = {"synchronise": vector}
            if self.random.random() < 0.9:
                sync["result"] = self.random.choice(ACTIONS)
            syncs.append(sync)
        return {"elements": [{"automaton": f"A{k}"} for k in range(count)], "syncs": syncs}

    def _property(self) -> Json:
        goal = {"op": "state-condition", "exp": self.expression("bool", 3)}
        return {
            "op": "PA",
            "start": {"op": "initial"},
            "objective": {"op": "objective", "goal": goal},
            "reach": {"op": "state-condition", "exp": self.expression("bool", 3)},
        }

    def _literal(self, kind: str) -> Any:
        if kind == "bool":
            return self.random.random() < 0.5
        if kind == "int":
            return self.random.randint(-2, 5)
        return self.random.choice([-8.5, -1.0, -0.0, 0.0, 0.1, 0.5, 2.75, 8.5])

    def expression(self, kind: str, depth: int, *, calls: bool = True) -> Json:
        """A random expression of a kind."""
        if depth == 0 or self.random.random() < 0.15:
            if self.random.random() < 0.6:
                return self.random.choice(self._names[kind])
            return 2**62 if kind == "int" and self.random.random() < 0.04 else self._literal(kind)

        def part(of: str) -> Json:
            return self.expression(of, depth - 1, calls=calls)

        if self.random.random() < 0.12:
            condition = part("bool")
            return {"op": "ite", "if": condition, "then": part(kind), "else": part(kind)}
        if kind == "bool":
            return self._condition(part)
        if kind == "int":
            return self._integer(part)
        return self._real(part, calls)

    def _condition(self, part: Any) -> Json:
        op = self.random.choice(["∧", "∨", "⇒", "¬", "=", "≠", "<", "≤", ">", "≥"])
        if op == "¬":
            return {"op": op, "exp": part("bool")}
        if op in "∧∨⇒":
            return {"op": op, "left": part("bool"), "right": part("bool")}
        if op in "=≠" and self.random.random() < 0.3:
            return {"op": op, "left": part("bool"), "right": part("bool")}
        numbers = [part(self.random.choice(["int", "real"])) for _ in range(2)]
        return {"op": op, "left": numbers[0], "right": numbers[1]}

    def _integer(self, part: Any) -> Json:
        op = self.random.choice(["+", "-", "*", "%", "min", "max", "pow", "abs", "sgn", "floor",
                                 "ceil", "trc"])  # fmt: skip
        if op in ("floor", "ceil", "trc", "sgn"):
            return {"op": op, "exp": part(self.random.choice(["int", "real"]))}
        if op == "abs":
            return {"op": op, "exp": part("int")}
        return {"op": op, "left": part("int"), "right": part("int")}

    def _real(self, part: Any, calls: bool) -> Json:
        op = self.random.choice(["+", "-", "*", "/", "min", "max", "pow", "log", "abs", "sin",
                                 "cosh", "acos", "call", "constant"])  # fmt: skip
        if op == "constant":
            return {"constant": self.random.choice(["e", "π"])}
        if op == "call" and calls:
            return {"op": "call", "function": "f", "args": [part("int"), part("int")]}
        if op in ("abs", "call"):
            return {"op": "abs", "exp": part("real")}
        if op in ("sin", "cosh", "acos"):
            return {"op": op, "exp": part(self.random.choice(["int", "real"]))}
        kinds = ["real", self.random.choice(["int", "real"])]
        self.random.shuffle(kinds)
        return {"op": op, "left": part(kinds[0]), "right": part(kinds[1])}

    def state(self, model: Json) -> dict[str, Any]:
        """Values of the variables, and the locations of the automata as `@0`, `@1`, …."""
        values = {
            v["name"]: self._value(v["type"]) for v in model["variables"] if not v.get("transient")
        }
        for number, automaton in enumerate(model["automata"]):
            values[f"@{number}"] = self.random.choice(automaton["locations"])["name"]
        return values

    def _value(self, declared: Json) -> Any:
        kind = _kind(declared)
        if kind == "int" and not isinstance(declared, dict) and self.random.random() < 0.2:
            return self.random.choice([-(2**53), 2**53, 2**40, 10**6])
        return self._literal(kind)


def _kind(declared: Json) -> str:
    return str(declared["base"] if isinstance(declared, dict) else declared)
