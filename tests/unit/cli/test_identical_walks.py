"""`bugsieve safety` says so where all its walks were alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.tasks.jani.small import write

LEFT = dict.fromkeys(range(1, 6), "left")
RIGHT = dict.fromkeys(LEFT, "right")
BACK_AND_FORTH = {**RIGHT, 5: "left"}
NOTHING: dict[int, str] = {}
MORE_STARTS = "start in more states (another start condition or problem)"
UNIFORM = ", or try --choice uniform where actions have several outcomes"


@pytest.mark.parametrize(
    ("starts", "choices", "options", "hint"),
    [
        ((3,), LEFT, [], f"20 walks gave one run; to see others, {MORE_STARTS}{UNIFORM}"),
        ((3,), LEFT, ["--choice", "uniform"], None),
        ((2, 3), LEFT, [], None),
        ((3,), LEFT, ["--walks", "1"], None),
        (
            (3,),
            NOTHING,
            ["--choice", "uniform"],
            f"20 walks began in one state and ended alike after 0 steps; to see others, "
            f"{MORE_STARTS}",
        ),
        ((3, 4), RIGHT, [], None),
        (
            (3,),
            RIGHT,
            [],
            "20 walks began in one state and ended alike after 3 steps; "
            f"to see others, {MORE_STARTS}{UNIFORM}",
        ),
        ((5,), BACK_AND_FORTH, ["--choice", "uniform"], None),
    ],
)
def test_hint(
    starts: tuple[int, ...],
    choices: dict[int, str],
    options: list[str],
    hint: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = write(tmp_path, ledge(starts=starts))
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"rows": [[[x], action] for x, action in choices.items()]}))
    folder = tmp_path / "results"
    arguments = [str(model), "--policy", f"table:{table}", "--walks", "20", "-o", str(folder)]
    main(["safety", *arguments, *options])
    last = capsys.readouterr().out.splitlines()[-1]
    if hint is None:
        assert not last.startswith("hint: ")
    else:
        assert last.startswith(f"hint: {hint}")
        assert ("--choice" in last) == (UNIFORM in hint)
