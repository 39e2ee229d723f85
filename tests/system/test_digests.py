"""What campaigns find is the same whatever becomes of the code that runs them.

Each digest is of all that a campaign exports but its times: pools or walks, runs, verdicts and
bugs, with the certificates of the bugs. A change of one means that users get other results from
the same seed, which must be intended and said in the changelog.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bugsieve.cli import main


@dataclass(frozen=True)
class Recorded:
    """A campaign on a generated instance, and the digest of what it finds.

    Those of cost testing insert all that walks meet, as papers/000 does.
    """

    instance: str
    arguments: str
    bugs: int
    digest: str

    @property
    def command(self) -> str:
        return "safety" if self.instance.split()[0] in MODELS else "test"


LEFT_OUT = ("level", "cause", "causes", "line")
MODELS = ("one-way-line", "two-way-line", "bouncing-ball", "nd-blocksworld", "n-puzzle")
WALKS = "--policy random"
SEARCHES = "--oracle lookahead --oracle aras --oracle planner:gbfs-20000"

CAMPAIGNS = [
    Recorded(
        "transport --seed 3",
        f"--policy greedy:hff --pool-size 40 {SEARCHES}",
        27,
        "210b3a62c5a982e0",
    ),
    Recorded(
        "blocksworld --blocks 4 --seed 1",
        "--policy greedy:hff --objective qualitative --pool-size 60 --bias heuristic:hadd"
        " --oracle undo-qual --oracle perfect --oracle any:lookahead:1+planner:ehc",
        46,
        "4e8abdff2c3e50fc",
    ),
    Recorded(
        "gripper --balls 3",
        "--policy random:4 --pool-size 50 --novelty 2 --separate --workers 2 --bias loopiness"
        f" --seed 5 {SEARCHES}",
        35,
        "f9b664f1b24a4ad3",
    ),
    Recorded(
        "spanner --spanners 4 --nuts 2 --locations 3",
        "--policy hill-climbing:hadd --pool-size 80 --max-bugs 4 --bias surface --novelty 1"
        " --oracle bounds --oracle planner:gbfs-500 --oracle best-of:lookahead:3+perfect",
        4,
        "6aab613bde16006f",
    ),
    Recorded(
        "blocksworld --blocks 4 --seed 2",
        "--policy greedy:hff --pool-size 40 --bias detour --objective"
        " 'avoid:(and (ontable b1) (ontable b2) (ontable b3))'"
        " --oracle lookahead --oracle planner:astar-lmcut",
        7,
        "8b8c2ddcf4e8189d",
    ),
    Recorded(
        "visitall --seed 2",
        "--policy lazy --pool-size 30 --stale-rounds 6 --oracle inv-quant --oracle aras",
        14,
        "26a63d6729ea97f6",
    ),
    Recorded(
        "one-way-line --length 6 --packages 2",
        f"{WALKS} --walks 60 --alone 12",
        14,
        "4d20ba2684eb3dff",
    ),
    Recorded(
        "two-way-line --length 6 --packages 2",
        f"{WALKS}:3 --walks 40 --choice sampling --oracle vi --oracle tarjan:1 --seed 2",
        15,
        "26f63508f9f5635c",
    ),
    Recorded(
        "bouncing-ball",
        f"{WALKS} --walks 12 --shared-runs 4 --oracle tarjan --oracle lao:1 --expansions 3000",
        12,
        "d6f818fb1b474c10",
    ),
    Recorded(
        "nd-blocksworld --blocks 4",
        f"{WALKS} --walks 40 --proof-rows 200 --oracle lao",
        14,
        "0495c456bc36f4c8",
    ),
    Recorded("n-puzzle", f"{WALKS}:1 --walks 40 --choice uniform --seed 7", 6, "10e0b3eb4eb75944"),
    Recorded(
        "one-way-line --length 9 --packages 3",
        f"{WALKS}:2 --walks 300 --max-bugs 7 --shared-runs 3 --oracle tarjan:2 --oracle tarjan",
        7,
        "5724bc666bcec01c",
    ),
]


def timeless(data: Any) -> Any:
    """The data without the times in it, the levels of verdicts, which are all of level 0, and the
    causes of bugs and their lines, which follow from the certificates."""
    if isinstance(data, dict):
        assert not data.get("level")
        kept = (key for key in data if not key.endswith("seconds") and key not in LEFT_OUT)
        return {key: timeless(data[key]) for key in kept}
    return [timeless(part) for part in data] if isinstance(data, list) else data


def with_stopped(walks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Walks as digests have them: one word and a flag for those that end for want of an action."""
    words = ("dead end", "no action", "illegal action")
    flags = [walk["outcome"] in words for walk in walks]
    return [
        {**walk, "outcome": "exhausted" if flag else walk["outcome"], "stopped": flag}
        for walk, flag in zip(walks, flags, strict=True)
    ]


def contents(folder: Path) -> tuple[int, str]:
    """The number of bugs of a campaign, and the digest of all that it found."""
    exported = folder.with_suffix(".json")
    assert main(["export", str(folder), "--json", str(exported)]) == 0
    tables = timeless(json.loads(exported.read_text("utf-8")))
    if "walks" in tables:
        tables["walks"] = with_stopped(tables["walks"])
    bugs = [json.loads(path.read_text("utf-8")) for path in sorted((folder / "bugs").iterdir())]
    text = json.dumps([tables, bugs], sort_keys=True)
    return len(bugs), hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("recorded", CAMPAIGNS, ids=lambda r: f"{r.command} {r.instance}")
def test_digest(recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, *parameters = recorded.instance.split()
    task, folder = tmp_path / "task", tmp_path / "campaign"
    assert main(["generate", domain, *parameters, "-o", str(task)]) == 0
    subject = task / "model.jani" if recorded.command == "safety" else task
    arguments = [*shlex.split(recorded.arguments), "-o", str(folder)]
    if recorded.command == "test":
        arguments += ["--escalate-to", "0", "--insert", "all"]
    assert main([recorded.command, str(subject), *arguments]) in (0, 1)
    assert contents(folder) == (recorded.bugs, recorded.digest)
