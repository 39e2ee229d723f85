"""One summary of what a folder of several campaigns holds: problems, an experiment, or others."""

from __future__ import annotations

from pathlib import Path

from bugsieve.campaigns.python_calls.problems import ProblemCampaigns, is_problem_set
from bugsieve.campaigns.several.index import missing_lines, read_index
from bugsieve.campaigns.several.several import JointSummary, joint_summary


def missing_in(directory: Path, summary: JointSummary) -> list[str]:
    """Lines on the shards of an experiment that are missing."""
    index = None if is_problem_set(directory) else read_index(directory)
    if index is None or not any(entry.shard for entry in index.entries.values()):
        return []
    return list(missing_lines(index, summary.unfinished))


def joint_of(directory: Path) -> JointSummary:
    """The summary of all."""
    if is_problem_set(directory):
        return ProblemCampaigns.open(directory).summary()
    index = read_index(directory)
    entries = {} if index is None else index.entries
    errors = {name: entry.error for name, entry in entries.items()}
    return joint_summary(directory, errors)
