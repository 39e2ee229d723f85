"""Bugs of random systems, whether claims about them are true, and changes to certificates."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from bugsieve.rooms.safety.bugs.bug import SafetyBug
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.walks.run_examiner import RunExaminer
from tests.property.safety_models import Case
from tests.reference.safety import ORDINARY, UNSAFE, System, safe_states

Certificate = dict[str, Any]
RADII = (0, 1, 2, 3, None)
ALGORITHMS = ("tarjan", "lrtdp", "lao", "vi")


def spec(algorithm: str, radius: int | None) -> str:
    return algorithm if radius is None else f"{algorithm}:{radius}"


def found_bugs(case: Case, radius: int | None, **options: Any) -> Iterator[SafetyBug]:
    """The bugs of all runs of a case, by an algorithm that depends on the case."""
    name = spec(ALGORITHMS[case.seed % 4], radius)
    examiner = RunExaminer(case.policy, [name], **options)
    for run in case.runs:
        yield from examiner.analyse(case.unsafe_run(run)).bugs


def plain_certificate(bug: SafetyBug) -> Certificate:
    """The certificate as it comes back from a file."""
    certificate: Certificate = json.loads(json.dumps(dict(bug.certificate)))
    return certificate


def accepts(checker: SafetyBugChecker, certificate: Any) -> bool:
    try:
        checker.check(certificate)
    except CertificateError:
        return False
    return True


def is_true(system: System, certificate: Certificate) -> bool:
    """Whether the claim holds of the policy that the certificate describes, by definition."""
    policy = list(system.policy)
    run = [state[0] for state in certificate["run"]["states"]]
    answers = [(row[0][0], row[1]) for row in certificate["answers"]]
    for state, action in [*answers, *zip(run, certificate["run"]["actions"], strict=False)]:
        policy[state] = -1 if action is None else action
    described = replace(system, policy=tuple(policy))
    radius = certificate["radius"]
    if radius is not None:  # more divergences than states are in a cycle, hence without end
        radius = min(radius, len(system.kinds))
    safe = safe_states(described, radius)
    steps = pairwise(run)
    into_danger = system.kinds[run[-1]] == UNSAFE and all(
        system.kinds[s] == ORDINARY and t in system.transitions[s].get(policy[s], ())
        for s, t in steps
    )
    state, action = certificate["state"][0], certificate["action"]
    claimed = into_danger and run[0] == state and policy[state] == action and state in safe
    if certificate["kind"] == "avoidable":
        return claimed
    outcome = certificate["outcome"][0]
    return claimed and outcome in system.transitions[state][action] and outcome not in safe


def mutate(random: Random, system: System, certificate: Certificate) -> Certificate:
    """The certificate with up to three small changes, anywhere."""
    changed = copy.deepcopy(certificate)
    keys = [key for key in ("safe", "unsafe", "answers") if key in changed]
    some_state = [random.choice(system.states)]
    for _ in range(random.randint(1, 3)):
        rows = changed[random.choice(keys)]
        match random.randrange(9):
            case 0:
                changed["state"] = some_state
                changed["run"]["states"][0] = some_state
            case 1:
                changed["radius"] = random.choice(RADII)
            case 2 if rows:
                rows.pop(random.randrange(len(rows)))
            case 3 if rows:
                row = random.choice(rows)
                place = random.randrange(1, len(row))
                row[place] = (row[place] or 0) + random.choice((-1, 1, 2))
            case 4 if rows:
                random.choice(rows)[0] = some_state
            case 5 if "outcome" in changed:
                changed["outcome"] = some_state
            case 6:
                changed["answers"].append([some_state, random.choice((None, 0, 1, 2))])
            case 7:
                changed["run"]["states"][random.randrange(len(changed["run"]["states"]))] = (
                    some_state
                )
            case _:
                changed["safe"].append([some_state, random.randint(0, 2), random.randint(0, 2)])
    return changed


Change = Callable[[Certificate], bool]


def setting(value: object, *keys: str) -> Change:
    """Put a value somewhere; no change if it is there already."""

    def change(certificate: Certificate) -> bool:
        part = certificate
        for key in keys[:-1]:
            part = part[key]
        before = part.get(keys[-1])
        part[keys[-1]] = value
        return type(before) is not type(value) or before != value

    return change


def _drop(*keys: str) -> Change:
    def change(certificate: Certificate) -> bool:
        part = certificate
        for key in keys[:-1]:
            part = part[key]
        if not part.get(keys[-1]):
            return False
        part[keys[-1]] = part[keys[-1]][1:]
        return True

    return change


def _twice(key: str) -> Change:
    def change(certificate: Certificate) -> bool:
        certificate[key] = certificate.get(key, []) * 2
        return bool(certificate[key])

    return change


def _other_action(certificate: Certificate) -> bool:
    certificate["action"] += 1
    certificate["run"]["actions"][0] += 1
    return True


def _without_danger(certificate: Certificate) -> bool:
    for key in ("states", "actions", "action_names"):
        certificate["run"][key].pop()
    return True


def _flat_ranks(certificate: Certificate) -> bool:
    rows = certificate.get("unsafe", [])
    is_flat = len({row[2] for row in rows}) < 2
    for row in rows:
        row[2] = 1
    return not is_flat


def _too_many_divergences(certificate: Certificate) -> bool:
    certificate["safe"][0][2] = 1 + (certificate["radius"] or 0)
    return True


def _real_state(certificate: Certificate) -> bool:
    certificate["safe"][0][0] = [float(certificate["safe"][0][0][0])]
    return True


def _flag_state(certificate: Certificate) -> bool:
    number = certificate["run"]["states"][-1][0]
    certificate["run"]["states"][-1] = [bool(number)]
    return number in (0, 1)


def _surplus_answer(certificate: Certificate) -> bool:
    """Of the unsafe state, where nobody asks the policy."""
    certificate["answers"].append([certificate["run"]["states"][-1], 0])
    return True


def _answer_of_the_run(certificate: Certificate) -> bool:
    certificate["answers"].append([certificate["state"], certificate["action"]])
    return True


def _short_rows(certificate: Certificate) -> bool:
    certificate["safe"] = [row[:2] for row in certificate["safe"]]
    return True


def _safe_outcome(certificate: Certificate) -> bool:
    """The state itself is no outcome that is lost."""
    if "outcome" not in certificate:
        return False
    certificate["outcome"] = certificate["state"]
    return True


CHANGES: dict[str, Change] = {
    "version": setting(2, "certificate"),
    "kind": setting("costly", "kind"),
    "hash": setting("0" * 64, "model", "sha256"),
    "variables": setting(["t"], "variables"),
    "action": setting(7, "action"),
    "action of the run, too": _other_action,
    "name of the action": setting("z", "action_name"),
    "names of the run": setting([], "run", "action_names"),
    "radius -1": setting(-1, "radius"),
    "radius true": setting(True, "radius"),
    "another state": setting([99], "state"),
    "the run without its first state": _drop("run", "states"),
    "the run without its last step": _without_danger,
    "the table without its first row": _drop("safe"),
    "the table twice": _twice("safe"),
    "the table with short rows": _short_rows,
    "the ranking twice": _twice("unsafe"),
    "the ranking without its first row": _drop("unsafe"),
    "flat ranks": _flat_ranks,
    "too many divergences": _too_many_divergences,
    "a real for an integer": _real_state,
    "a truth value for an integer": _flag_state,
    "a surplus answer": _surplus_answer,
    "an answer that is known": _answer_of_the_run,
    "an answer less": _drop("answers"),
    "answers twice": _twice("answers"),
    "an outcome that is safe": _safe_outcome,
    "a surplus part": setting(1, "extra"),
}
"""Changes after which no certificate proves anything."""
