"""Makes campaigns on disks of many sizes, each too small; run in a mount namespace of its own."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path

from bugsieve import cli
from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.pipeline.pool.options import FuzzOptions
from tests.property.strategies import wide_task
from tests.unit.policies.line import as_task

KIB = (20, 60, 100, 140, 180, 220, 240, 260, 280, 300, 400, 800)


def main(place: str) -> None:
    """Fill each disk, then make room and go on."""
    for size in KIB:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", place], check=True)
        folder = Path(place, "campaign")
        print(size, *fill(folder), sep="\t", flush=True)
        if (folder / STORE_FILE).exists():
            subprocess.run(["mount", "-o", "remount,size=100m", place], check=True)
            summary = Campaign.open(folder, stop=StopRules(max_bugs=5)).run()
            assert summary.reason is not None
            if size == KIB[-1]:
                report(folder)
        subprocess.run(["umount", place], check=True)


def report(folder: Path) -> None:
    """Write pages where there is no room, and where there is some."""
    with contextlib.suppress(OSError), open(folder.parent / "filler", "wb", buffering=0) as filler:
        while True:
            filler.write(bytes(1 << 12))
    for page in (folder.parent / "page.html", Path(sys.argv[2], "page.html")):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = cli.main(["report", str(folder), "-o", str(page)])
        print("report", code, said.getvalue().strip(), sep="\t", flush=True)


def fill(folder: Path) -> tuple[str, str]:
    """Whether there is a campaign in the end, and the sentence that it stopped with."""
    fuzz = FuzzOptions(pool_size=10**6, novelty=0)
    options = CostOptions(task=(), policy="random", oracles=("lookahead",), fuzz=fuzz)
    task = as_task(wide_task(1, variables=12, operators=60))
    try:
        Campaign.create(folder, options, subject=task).run()
    except InputError as error:
        return str((folder / STORE_FILE).exists()), str(error)
    return "True", "the disk was large enough"


if __name__ == "__main__":
    main(sys.argv[1])
