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


@dataclass(frozen=True)
class OfAnotherKind:
    """Generated instances by their folders, a command in their folder, and what it must find."""

    name: str
    instances: dict[str, str]
    command: str
    bugs: int
    digest: str


LINE = {"line": "one-way-line --length 6 --packages 1"}
SMALL = {"small": "visitall --width 2 --height 2", "other": "visitall --width 3 --height 2"}
OTHER_KINDS = [
    OfAnotherKind(
        "rules",
        {},
        "rules rover/rover.pddl rover/one-rover.pddl rover/rules.toml",
        0,
        "549bf71a9f9dbb9b",
    ),
    OfAnotherKind(
        "violated rules",
        {},
        "rules rover/rover-faulty.pddl rover/two-rovers.pddl rover/rules.toml",
        2,
        "865d5ec35ed64bb9",
    ),
    OfAnotherKind(
        "measurement",
        {"blocks": "blocksworld --blocks 4 --seed 2"},
        "measure blocks --policy greedy:hff --tests 100 --escalate-to 0",
        46,
        "582a5a1987eee015",
    ),
    OfAnotherKind(
        "of a model", LINE, "measure line --policy random:2 --tests 100", 12, "caf6b1c2782a3c92"
    ),
    OfAnotherKind(
        "tested whole",
        {"balls": "gripper --balls 2"},
        "test balls --policy random:1 --whole yes --escalate-to 0",
        23,
        "9c687f7b2c5c668d",
    ),
    OfAnotherKind(
        "whole without bugs",
        {"balls": "gripper --balls 2"},
        "test balls --policy optimal --whole yes",
        0,
        "bd45957162f3ea95",
    ),
    OfAnotherKind(
        "safe model",
        LINE,
        "safety line --policy random:1 --walks 9 --whole no",
        3,
        "9e0cfdcb088dcb20",
    ),
    OfAnotherKind(
        "training",
        SMALL,
        "train asnets small/domain.pddl small/problem.pddl --validate other/problem.pddl"
        " --inits 1 --start-epochs 1 --main-epochs 1 --steps 2 --hidden 2 --pool-size 2",
        0,
        "d5b490e261685a02",
    ),
]
SENTENCES = ("reason", "words", "sentence", "text", "summary")
"""What is worded for people, which may be put better."""


def wordless(data: Any) -> Any:
    """The data without sentences, times and places of files, numbers rounded."""
    if isinstance(data, dict):
        left_out = (*SENTENCES, "seconds", "folder", "library")
        kept = (key for key in data if not key.endswith("seconds") and key not in left_out)
        return {key: wordless(data[key]) for key in kept}
    if isinstance(data, float):
        return round(data, 3)  # of a training, whose sums may differ in their last bits
    return [wordless(part) for part in data] if isinstance(data, list) else data


def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What is exported, the causes, and what explains the first bugs."""
    capsys.readouterr()
    exported = folder.with_suffix(".json")
    assert main(["export", str(folder), "--json", str(exported)]) == 0
    capsys.readouterr()
    assert main(["status", str(folder), "--json"]) == 0
    said = [json.loads(exported.read_text("utf-8")), json.loads(capsys.readouterr().out)]
    for bug in sorted(path.stem for path in (folder / "bugs").iterdir())[:3]:
        assert main(["explain", str(folder), bug, "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    return said


@pytest.mark.parametrize("made", OTHER_KINDS, ids=lambda made: made.name)
def test_digest_of_all_that_is_told(
    made: OfAnotherKind,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "example", "-o", "rover"]) == 0
    for folder, instance in made.instances.items():
        assert main(["generate", *instance.split(), "-o", folder]) == 0
    assert main([*made.command.split(), "-o", "campaign"]) in (0, 1)
    data = wordless(told(Path("campaign"), capsys))
    text = json.dumps(data, sort_keys=True).replace(str(tmp_path), "")
    bugs = len([*Path("campaign", "bugs").iterdir()])
    assert (bugs, hashlib.sha256(text.encode()).hexdigest()[:16]) == (made.bugs, made.digest)
