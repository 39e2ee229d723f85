"""What was found out about a culprit, as it is kept with a bug, and read back from anybody.

A note is data: what follows from the task is worked out again, and a note whose plan does not
hold, or that belongs to another certificate or other limits, counts as none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np

from bugsieve.basis.errors import BugsieveError
from bugsieve.basis.foreign_json import Row, fitting
from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives.objective import path_states
from bugsieve.bugs.cost.certificate import from_json_number
from bugsieve.faults.blame import BOUND, EXACT, NO_SINGLE_DECISION, Answer, Blame, made_blame
from bugsieve.faults.regret import Suspect
from bugsieve.search import Limits

NAME = "blame"

_VERSION = 1
_SHAPE = {
    "version": int,
    "of": str,
    "expansions": (int, None),
    "index": int,
    "sure": str,
    "run": [int],
    "plan": [int],
    "suspects": [Row(int, (int, float, None))],
}


def note_of(found: Blame, certificate: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The note to keep of a blame."""
    return {
        "version": _VERSION,
        "of": _digest(certificate),
        "expansions": limits.expansions,
        "index": found.index,
        "sure": found.sure,
        "run": list(found.run),
        "plan": list(found.plan),
        "suspects": [
            [one.index, None if one.regret == inf else one.regret] for one in found.suspects
        ],
    }


def blame_of_note(
    note: Any, bench: Bench, certificate: Mapping[str, Any], limits: Limits
) -> Blame | None:
    """The blame of a note; None unless it is one for this certificate and these limits."""
    found = kept_blame(note, bench, certificate)
    return found if found is not None and note["expansions"] == limits.expansions else None


def kept_blame(note: Any, bench: Bench, certificate: Mapping[str, Any]) -> Blame | None:
    """The blame of a note, whatever its limits were; None unless it is one for the certificate."""
    try:
        data = fitting(note, _SHAPE)
        if (data["version"], data["of"]) != (_VERSION, _digest(certificate)):
            return None
        answer = _answer(data)
        return (
            made_blame(bench, certificate, answer) if _holds(bench, certificate, answer) else None
        )
    except (BugsieveError, ValueError, LookupError):
        return None


def _answer(data: Mapping[str, Any]) -> Answer:
    suspects = tuple(
        Suspect(index, inf if regret is None else regret) for index, regret in data["suspects"]
    )
    return Answer(data["index"], data["sure"], tuple(data["run"]), tuple(data["plan"]), suspects)


def _holds(bench: Bench, certificate: Mapping[str, Any], answer: Answer) -> bool:
    """Whether the plan leads from the decision to the goal, and so does better than the run."""
    last, operators = len(answer.run), tuple(certificate["run"]["operators"])
    indices = (answer.index, *(one.index for one in answer.suspects))
    is_sane = (
        answer.sure in (EXACT, BOUND, NO_SINGLE_DECISION)
        and answer.run[: len(operators)] == operators
        and all(0 <= index <= last for index in indices)
        and all(one.regret > 0 for one in answer.suspects)
    )
    if not is_sane or not answer.plan:
        return False
    start = np.array(certificate["state"], dtype=np.uint16)
    better = answer.run[: answer.index] + answer.plan
    path_states(bench.task, start, answer.run)
    if not bench.task.is_goal(path_states(bench.task, start, better)[-1:])[0]:
        return False
    value = bench.objective.plan_value(start, better)
    return bench.objective.is_bug(from_json_number(certificate["policy_value"]), value)


def _digest(certificate: Mapping[str, Any]) -> str:
    text = json.dumps(certificate, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
