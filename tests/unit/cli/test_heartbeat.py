"""Without a terminal there is a sign of life every 30 seconds, whatever is going on."""

from __future__ import annotations

import io
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from bugsieve.base.current_activity import doing
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.commands.shared import program
from bugsieve.commands.shared.campaign_display import CampaignDisplay
from bugsieve.commands.shared.heartbeat import Heartbeat
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.foreign.function_policy import FunctionPolicy
from bugsieve.tasks.search import astar
from tests.unit.clock import Clock
from tests.unit.native.chains import switches
from tests.unit.policies.line import as_task, line_task


class Pipe(io.StringIO):
    """Ends a token as soon as something is written."""

    def __init__(self, token: StopToken | None = None) -> None:
        super().__init__()
        self._token = token

    def write(self, text: str) -> int:
        if self._token is not None:
            self._token.stop()
        return super().write(text)


def test_a_line_every_30_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pipe = Clock(monkeypatch), Pipe()
    monkeypatch.setattr(sys, "stderr", pipe)
    heart = Heartbeat()
    with doing("judging state 12"):
        for seconds, said in ((29, 0), (1, 1), (29, 1), (2, 2)):
            clock.now += seconds
            heart.beat()
            assert len(pipe.getvalue().splitlines()) == said
    clock.now += 30
    heart.beat()
    assert pipe.getvalue().splitlines() == [
        "still judging state 12, 30 s",
        "still judging state 12, 61 s",
        "still at work",
    ]


def test_it_speaks_while_the_core_works(monkeypatch: pytest.MonkeyPatch) -> None:
    token = StopToken()
    monkeypatch.setattr(sys, "stderr", pipe := Pipe(token))
    task = as_task(switches(60))
    # The search would take hours: only the sign of life ends it.
    with token.active(), doing("searching"), Heartbeat(seconds=0.01), pytest.raises(Stopped):
        astar(task, task.initial_state, "blind")
    assert pipe.getvalue().startswith("still searching, ")


def test_a_campaign_tells_what_it_is_working_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock, pipe = Clock(monkeypatch), Pipe()
    monkeypatch.setattr(sys, "stderr", pipe)
    heart = Heartbeat()

    def choose(facts: frozenset[str], applicable: list[str]) -> str:
        clock.now += 31
        heart.beat()
        return applicable[0]

    task = line_task(4)
    options = CostOptions(
        task=(),
        policy="slow",
        oracles=("lookahead:1",),
        fuzz=FuzzOptions(pool_size=2, bias="uniform"),
    )
    campaign = Campaign.create(
        tmp_path / "results", options, task, policy=FunctionPolicy(task, choose)
    )
    with CampaignDisplay() as display:
        campaign.run(display.take)
    first, *rest = pipe.getvalue().splitlines()
    assert first == "still running the policy from state 0, 31 s; starting"
    assert all(line.startswith("still ") for line in rest)


def test_commands_have_one_unless_there_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    with os.fdopen(terminal, "w") as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        assert isinstance(program._signs_of_life(), nullcontext)
    os.close(ours)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(program._signs_of_life(), Heartbeat)
