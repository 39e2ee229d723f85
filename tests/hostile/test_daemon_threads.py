"""A daemon thread inside the core does not spoil the end of the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# When Python clears the module, it is ending already; there the main thread lets go of the GIL for
# so long that the daemon must ask for it.
PROGRAM = """
import threading, time
from bugsieve import _native
from tests.unit.native.chains import native, switches

import numpy as np

class Lingers:
    def __del__(self, sleep=time.sleep):
        sleep(0.3)

lingers = Lingers()
task = native(switches(60))
states = np.tile(task.initial_state, (1_000_000, 1))
heuristic = _native.Heuristic(task, "lmcut")
started = threading.Event()

def work():
    started.set()
    {work}

threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.1)
print("the end")
"""


@pytest.mark.parametrize(
    "work",
    [
        "_native.astar(task, task.initial_state, 'blind')",
        "_native.lookahead(task, task.initial_state, 40)",
        "_native.explore_exact_costs(task)",
        "heuristic.evaluate(states)",
        "while True: task.applicable(states[:1000])",
    ],
)
def test_the_main_thread_ends_during_a_long_call(work: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(work=work)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")
