"""Which bias finds most bugs per question to the policy, for policies whose answers are slow.

Prints a row per case and bias with the bugs, the questions and their ratio, and last the geometric
mean of each bias relative to `policy-quality`.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import bugsieve
from benchmarks.tasks import ROOT
from bugsieve.pipeline.biases import BIASES, DEFAULT_BIAS
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.zoo.domains import generate

PROGRAM = f"cmd:{sys.executable} {ROOT / 'examples' / 'cmd_policy.py'}"
CASES: tuple[tuple[str, dict[str, int], str], ...] = (
    ("transport", {"seed": 3}, PROGRAM),
    ("blocksworld", {"seed": 2, "blocks": 8}, PROGRAM),
    ("gripper", {"seed": 1, "balls": 8}, PROGRAM),
    ("blocksworld", {"seed": 2, "blocks": 8}, "asnets:blocksworld"),
    ("satellite", {"seed": 1}, "hill-climbing:hadd"),
)


def bugs_and_calls(task: bugsieve.Task, policy: str, bias: str, folder: Path) -> tuple[int, int]:
    """Return what a campaign without a search for the rest finds, and what it asks."""
    options = bugsieve.CostOptions(
        task=(), policy=policy, escalate_to=0, fuzz=FuzzOptions(bias=bias, novelty=2)
    )
    summary = bugsieve.Campaign.create(folder, options, subject=task).run()
    return summary.bugs, summary.policy_calls


def main() -> None:
    """Run every bias on every case."""
    argparse.ArgumentParser(prog="python -m benchmarks.bugs_per_call", description=__doc__)
    ratios: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        for number, (domain, parameters, policy) in enumerate(CASES):
            made = generate(domain, **parameters)
            files = [Path(name) / f"{part}-{number}.pddl" for part in ("domain", "problem")]
            for file, text in zip(files, (made.domain, made.problem), strict=True):
                file.write_text(text)
            task = bugsieve.load_task(*files)
            for bias in BIASES:
                folder = Path(name) / f"{number}-{bias}"
                bugs, calls = bugs_and_calls(task, policy, bias, folder)
                ratios[bias].append(bugs / calls)
                shown = f"{made.name:<30}{policy.split(':')[0]:<15}{bias:<16}"
                print(f"{shown}{bugs:6}{calls:8}{bugs / calls:8.3f}", flush=True)
    usual = ratios[DEFAULT_BIAS]
    for bias, found in ratios.items():
        logs = [math.log(max(own, 1e-9) / base) for own, base in zip(found, usual, strict=True)]
        print(f"{bias:<16}{math.exp(sum(logs) / len(logs)):6.2f} of {DEFAULT_BIAS}")


if __name__ == "__main__":
    main()
