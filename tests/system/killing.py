"""Campaigns of all kinds that are killed again and again, and finished at last.

As a program, it runs a campaign and says a line after each event, so that a test knows when to
kill it.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from bugsieve.base.registry import families
from bugsieve.base.seeds import Stream
from bugsieve.campaigns import session
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import Event
from bugsieve.campaigns.kind import KINDS
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from tests.unit.judging import suffixes

LONGEST_DELAY = 0.1


def command(folder: Path, given: CampaignOptions) -> list[str]:
    """The program for such a campaign."""
    return [sys.executable, "-m", __name__, given.kind, str(folder), given.to_toml()]


def created_or_opened(folder: Path, given: CampaignOptions) -> Campaign:
    """The campaign that the options describe, as far as it is."""
    begun = (folder / STORE_FILE).exists()
    if isinstance(given, SafetyOptions):
        if begun:
            return Campaign.open(folder)
        return Campaign.create(folder, given, load_model(*given.model))
    return Campaign.open(folder) if begun else Campaign.create(folder, given)


def kill_and_finish(
    folder: Path,
    given: CampaignOptions,
    is_whole: Callable[[Path], bool],
    *,
    lines: int,
    moments: list[Stream],
) -> None:
    """Kill it at these moments, after which its store must be whole, then let it finish."""
    made = 0
    for moment in moments:
        if not run_and_kill(folder, given, lines, moment):
            shutil.rmtree(folder)  # a fast machine was done before: begin again
            continue
        made += 1
        assert not (folder / STORE_FILE).exists() or is_whole(folder)
    assert made
    if not (folder / STORE_FILE).exists():
        shutil.rmtree(folder, ignore_errors=True)
    created_or_opened(folder, given).run()


def run_and_kill(folder: Path, given: CampaignOptions, lines: int, moment: Stream) -> bool:
    """Let the campaign say up to so many lines, wait a little, kill it; False if it was done."""
    process = subprocess.Popen(command(folder, given), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(moment.integer(0, lines)):
        process.stdout.readline()
    time.sleep(LONGEST_DELAY * moment.random())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def main(kind: str, folder: str, options: str) -> None:
    """Create the campaign that the options describe, or continue it."""
    oracles = cast("dict[str, str]", families.ORACLES.builtin)
    oracles[suffixes.NAME] = suffixes.PLACE  # an oracle that learns
    if kind == "rules":  # an answer takes no time, but each should be stored by itself
        setattr(session, "_COMMIT_SECONDS", 0.0)  # noqa: B010
    given: CampaignOptions = KINDS[kind].options.from_toml(options, name="options")
    created_or_opened(Path(folder), given).run(_say)


def _say(event: Event) -> None:
    print(type(event).__name__, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
