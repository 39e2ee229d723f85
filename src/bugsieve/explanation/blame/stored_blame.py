"""Blame as it is kept with a bug, and read back from any source.

A note is sealed by the user who searched. Only a new search could tell from the task if a decision
is the culprit for certain, and how large regrets are. So a note of another user, or one for
another certificate or other limits, does not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import inf
from typing import Any

from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting
from bugsieve.base.trust.user_signatures import is_sealed, seal_of
from bugsieve.explanation.blame.blame import Blame, BlameAnswer, made_blame
from bugsieve.explanation.blame.regret import Suspect
from bugsieve.pipeline.bench import Bench
from bugsieve.tasks.search import Limits

NAME = "blame"

_VERSION = 2
_SHAPE = {
    "version": int,
    "of": str,
    "expansions": (int, None),
    "index": int,
    "sure": str,
    "run": [int],
    "plan": [int],
    "suspects": [FixedList(int, (int, float, None))],
    "seal": str,
}


def note_of(found: Blame, certificate: Mapping[str, Any], limits: Limits) -> Any:
    """The note to keep of a blame; None where there is no key to seal it."""
    note = {
        "version": _VERSION,
        "of": digest_of(certificate),
        "expansions": limits.expansions,
        "index": found.index,
        "sure": found.sure,
        "run": list(found.run),
        "plan": list(found.plan),
        "suspects": [
            [one.index, None if one.regret == inf else one.regret] for one in found.suspects
        ],
    }
    seal = seal_of(_bytes(note))
    return None if seal is None else {**note, "seal": seal}


def blame_of_note(
    note: Any, bench: Bench, certificate: Mapping[str, Any], limits: Limits
) -> Blame | None:
    """The blame of a note; None unless we made it for this certificate and these limits."""
    found = kept_blame(note, bench, certificate)
    return found if found is not None and note["expansions"] == limits.expansions else None


def kept_blame(note: Any, bench: Bench, certificate: Mapping[str, Any]) -> Blame | None:
    """The same for any limits."""
    try:
        data = dict(fitting(note, _SHAPE))
        seal = data.pop("seal")
    except ValueError:
        return None
    if (data["version"], data["of"]) != (_VERSION, digest_of(certificate)):
        return None
    if not is_sealed(_bytes(data), seal):
        return None
    return made_blame(bench, certificate, _answer(data))


def _answer(data: Mapping[str, Any]) -> BlameAnswer:
    suspects = tuple(
        Suspect(index, inf if regret is None else regret) for index, regret in data["suspects"]
    )
    return BlameAnswer(
        data["index"], data["sure"], tuple(data["run"]), tuple(data["plan"]), suspects
    )


def digest_of(certificate: Mapping[str, Any]) -> str:
    """The SHA-256 of a certificate."""
    return hashlib.sha256(_bytes(certificate)).hexdigest()


def _bytes(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True).encode()
