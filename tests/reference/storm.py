"""What the model checker Storm says about JANI documents with one automaton.

`ask_storm` runs `python -m tests.reference.storm` as a process of its own, because Storm brings
its own threads and prints. A state is safe exactly if Pmin(not goal U unsafe) is 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Json = Any
STARTED = "started"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class StormAnswer:
    """Safety of each reachable state, by its values in the order of the variables."""

    safe: dict[tuple[float, ...], bool]
    states: int
    seconds: float
    """CPU time that building the model took."""


def is_installed() -> bool:
    """Whether Storm can be asked."""
    return find_spec("stormpy") is not None


def ask_storm(
    documents: Sequence[Json],
    starts: Sequence[Sequence[Mapping[str, Json]]],
    *,
    check: bool = True,
) -> list[StormAnswer]:
    """One answer per document, from its own start states; without `check` only sizes and times."""
    if check:
        documents = [merged(document) for document in documents]
    prepared = [
        storm_document(document, states)
        for document, states in zip(documents, starts, strict=True)
    ]
    request = json.dumps({"documents": prepared, "check": check})
    done = subprocess.run(
        [sys.executable, "-m", "tests.reference.storm"],
        input=request, capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"Storm failed: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    answers = json.loads(done.stdout.splitlines()[-1])
    return [
        StormAnswer(
            {tuple(state): safe for state, safe in item["safe"]}, item["states"], item["seconds"]
        )
        for item in answers
    ]


def merged(document: Json) -> Json:
    """The document with one edge per label, as one action has the outcomes of all its edges.

    An edge's outcomes have probability 0 where its guard fails; any other number will do.
    """
    (automaton,) = document["automata"]
    groups: dict[tuple[str, str], list[Json]] = {}
    for edge in automaton["edges"]:
        groups.setdefault((edge["location"], edge["action"]), []).append(edge)
    edges = [_merged_edge(group) for group in groups.values()]
    return {**document, "automata": [{**automaton, "edges": edges}]}


def _merged_edge(group: Sequence[Json]) -> Json:
    if len(group) == 1:
        return group[0]
    guards = [_guard(edge) for edge in group]
    enabled = _fold("+", [_ite(guard, 1, 0) for guard in guards])
    destinations = [
        {**destination, "probability": {"exp": _binary("/", _ite(guard, probability, 0), enabled)}}
        for edge, guard in zip(group, guards, strict=True)
        for destination, probability in _probabilities(edge)
    ]
    return {**group[0], "guard": {"exp": _fold("∨", guards)}, "destinations": destinations}


def _probabilities(edge: Json) -> list[tuple[Json, Json]]:
    return [(d, d.get("probability", {"exp": 1})["exp"]) for d in edge["destinations"]]


def _guard(edge: Json) -> Json:
    return edge.get("guard", {"exp": True})["exp"]


def _ite(condition: Json, then: Json, otherwise: Json) -> Json:
    return {"op": "ite", "if": condition, "then": then, "else": otherwise}


def _binary(operator: str, left: Json, right: Json) -> Json:
    return {"op": operator, "left": left, "right": right}


def _fold(operator: str, parts: Sequence[Json]) -> Json:
    whole = parts[0]
    for part in parts[1:]:
        whole = _binary(operator, whole, part)
    return whole


def storm_document(document: Json, starts: Sequence[Mapping[str, Json]]) -> Json:
    """As Storm wants it: an mdp with the question as its property, and one silent edge per start
    from a location of its own, which counts as neither goal nor unsafe.
    """
    (automaton,) = document["automata"]
    location = automaton["initial-locations"][0]
    first = [_first_edge(location, {**start, STARTED: True}) for start in starts]
    changed = {
        "name": automaton["name"],
        "locations": [{"name": place["name"]} for place in automaton["locations"]]
        + [{"name": "origin"}],
        "initial-locations": ["origin"],
        "edges": [*first, *(_with_shares(edge) for edge in automaton["edges"])],
    }
    variables = [
        {"name": v["name"], "type": v["type"], "initial-value": starts[0][v["name"]]}
        for v in document["variables"]
    ]
    variables.append({"name": STARTED, "type": "bool", "initial-value": False})
    kept = {key: document[key] for key in ("jani-version", "name", "actions", "system")}
    return {
        **kept,
        "type": "mdp",
        "features": ["derived-operators"],
        "constants": document.get("constants", []),
        "variables": variables,
        "automata": [changed],
        "properties": [_question(document["properties"][0]["expression"])],
    }


def _first_edge(location: str, values: Mapping[str, Json]) -> Json:
    assignments = [{"ref": name, "value": value} for name, value in values.items()]
    destination = {"location": location, "assignments": assignments}
    return {"location": "origin", "destinations": [destination]}


def _with_shares(edge: Json) -> Json:
    """Every outcome with a probability, which a non-deterministic model may leave out."""
    destinations = edge["destinations"]
    share = {"exp": 1 / len(destinations)}
    return {
        **{key: value for key, value in edge.items() if key != "comment"},
        "destinations": [
            {
                "location": d["location"],
                "assignments": d.get("assignments", []),
                "probability": d.get("probability", share),
            }
            for d in destinations
        ],
    }


def _question(safety: Json) -> Json:
    goal, unsafe = (
        _binary("∧", STARTED, condition["exp"])
        for condition in (safety["objective"]["goal"], safety["reach"])
    )
    until = {"op": "U", "left": {"op": "¬", "exp": goal}, "right": unsafe}
    values = {"op": "Pmin", "exp": until}
    expression = {"op": "filter", "fun": "max", "values": values, "states": {"op": "initial"}}
    return {"name": "danger", "expression": expression}


def _answer(document: Json, check: bool) -> Json:
    import stormpy

    model, properties = stormpy.parse_jani_model_from_string(json.dumps(document))
    question = properties[0]
    options = stormpy.BuilderOptions([question.get_raw_formula()] if check else [])
    options.set_build_state_valuations(check)
    start = time.process_time()
    built = stormpy.build_model(model, options=options)
    seconds = time.process_time() - start
    safe = _verdicts(document, built, question) if check else []
    # The origin is no state of the model.
    return {"safe": safe, "states": built.nr_states - 1, "seconds": seconds}


def _verdicts(document: Json, built: Any, question: Any) -> list[tuple[list[float], bool]]:
    import stormpy

    result = stormpy.model_checking(built, question)
    names = [v["name"] for v in document["variables"] if v["name"] != STARTED]
    (origin,) = built.initial_states
    verdicts = []
    for state in range(built.nr_states):
        if state == origin:
            continue
        values = json.loads(str(built.state_valuations.to_json(state)))
        verdicts.append(([float(values[name]) for name in names], result.get_value(state) == 0))
    return verdicts


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    answers = [_answer(document, request["check"]) for document in request["documents"]]
    print()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
