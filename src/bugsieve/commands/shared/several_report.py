"""What is shown of several campaigns together: of problems, of a folder, of an experiment."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared.campaign_report import jsonable, verdict_json

if TYPE_CHECKING:
    from bugsieve.campaigns.several.several import JointSummary


def joint_json(directory: Path, summary: JointSummary) -> str:
    """The same for programs: the summary, and causes and bugs of each campaign by its folder."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.campaigns.store.causes import cause_rows

    causes: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name in summary.parts:
        kind = kind_in(directory / name)
        with kind.records(directory / name) as records:
            causes[name] = cause_rows(records)
            found[name] = kind.wording.found(records).json()
    report = {"folder": str(directory), **jsonable(asdict(summary))}
    report |= {"verdict": verdict_json(summary), "causes": causes, "found": found}
    return json.dumps(report, indent=2, allow_nan=False)
