"""Programs that crash, hang, lie, flood and devour: each is reported as what it is, in the state
where it does so, and the other states get their runs, whatever the size of the batches."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.decisions import Ending
from bugsieve.policies.foreign.command import CommandPolicy
from bugsieve.policies.foreign.foreign import ForeignPolicy
from bugsieve.policies.foreign.python import PythonPolicy
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.runs import Run, run_policy
from tests.hostile.processes import is_running, wait_until_gone
from tests.unit.policies.line import at, line_task

PLACES = 8
TROUBLE = 3  # the place where the programs misbehave
MEMORY_MB = 200
BATCH_SIZES = (1, 256)

# Walks to the right; {evil} runs before the answer to a batch with the place of trouble in it.
PROGRAM = """
import ctypes, json, os, signal, sys, time

def say(message):
    print(json.dumps(message), flush=True)

def choose(state):
    return next((a for a in state["applicable"] if a.startswith("(right")), None)

sys.stdin.readline()
{greeting}
for line in sys.stdin:
    batch = json.loads(line)
    actions = [choose(state) for state in batch["states"]]
    for row, state in enumerate(batch["states"]):
        if "(at p3)" in state["facts"]:
            {evil}
    say({{"id": batch["id"], "actions": actions}})
"""


@dataclass(frozen=True)
class Evil:
    """One way to misbehave, and how it must be reported."""

    name: str
    code: str
    ending: Ending
    detail: str
    """A regular expression for the whole detail."""

    def limits(self, *, batch_size: int = 256) -> WorkerLimits:
        """A short deadline only where it must pass: a busy machine may be slow."""
        deadline = 1.0 if self.ending is Ending.POLICY_HANG else 100.0
        return WorkerLimits(deadline, startup=100.0, memory_mb=MEMORY_MB, batch_size=batch_size)


CRASH, HANG, ILLEGAL = Ending.POLICY_CRASH, Ending.POLICY_HANG, Ending.ILLEGAL_ACTION
EVILS = [
    Evil("sleep forever", "time.sleep(1e6)", HANG, r"no answer within 1 s"),
    Evil("busy forever", "while True: pass", HANG, r"no answer within 1 s"),
    Evil("exit", "sys.exit(3)", CRASH, r"ended with exit code 3"),
    Evil("exit with success", "sys.exit(0)", CRASH, r"ended with exit code 0"),
    Evil("last words", "sys.exit('I give up')", CRASH, r"ended with exit code 1: I give up"),
    Evil("raise", "1 / 0", CRASH, r"ended with exit code 1: ZeroDivisionError: division by zero"),
    Evil("segfault", "ctypes.string_at(0)", CRASH, r"killed by SIGSEGV"),
    Evil("abort", "os.abort()", CRASH, r"killed by SIGABRT"),
    Evil("print garbage", "print('bla', flush=True)", CRASH, r'answered no JSON: "bla"'),
    Evil(
        "print binary",
        "os.write(1, bytes([0, 255, 10]))",
        CRASH,
        r'answered no JSON: "[^"\x00\n]+"',
    ),
    Evil("no object", "say([1, 2])", CRASH, r'answered "\[1, 2\]", which is no JSON object'),
    Evil(
        "inapplicable action",
        "actions[row] = '(right p6)'",
        ILLEGAL,
        r'"\(right p6\)" is not applicable',
    ),
    Evil("unknown action", "actions[row] = '(fly)'", ILLEGAL, r'"\(fly\)" is no action of the .*'),
    Evil("odd answer", "actions[row] = 17", CRASH, r"answered 17, which is neither .*"),
    Evil("own error", "actions[row] = {'error': 'help'}", CRASH, r"help"),
    Evil("too few", "actions = actions[:-1]", CRASH, r"answered 0 actions for 1 state"),
    Evil("too many", "actions += ['(right p0)']", CRASH, r"answered 2 actions for 1 state"),
    Evil("wrong batch", "batch['id'] += 1", CRASH, r"answered batch \d+ instead of batch \d+"),
    Evil(
        "flood output",
        "while True: os.write(1, b'x' * 65536)",
        CRASH,
        r"flooded its output: over \d+ bytes and no end of line",
    ),
    Evil("flood lines", "while True: print('{}')", CRASH, r"answered batch None instead of .*"),
    Evil(
        "flood stderr",
        "[os.write(2, b'y' * 65536) for _ in range(200)]; sys.exit(5)",
        CRASH,
        r"ended with exit code 5: y{200}…",
    ),
    Evil(
        "eat memory",
        "hoard = [bytearray(10**7) for _ in range(10**4)]",
        CRASH,
        r"ended with exit code 1 at its memory limit of 200 MB: MemoryError",
    ),
    Evil(
        "eat memory in small bites",
        "hoard = [[i] for i in range(10**9)]",
        CRASH,
        r"ended with exit code 1 at its memory limit of 200 MB: MemoryError",
    ),
    Evil("close output", "os.close(1); time.sleep(1e6)", CRASH, r"closed its output"),
    Evil(
        "leave a child behind",
        "os.fork() and os._exit(4); time.sleep(1e6)",
        CRASH,
        r"ended with exit code 4",
    ),
]


def command(tmp_path: Path, text: str) -> list[str]:
    program = tmp_path / "policy.py"
    program.write_text(text)
    return [sys.executable, str(program)]


def program(evil: str, *, greeting: str = "say({'ready': True})") -> str:
    return PROGRAM.format(evil=evil, greeting=greeting)


def run_everywhere(policy: ForeignPolicy[Any]) -> list[Run]:
    """Runs from all places: those before the trouble run into it, those after it succeed."""
    with policy:
        return run_policy(policy.task, policy, at(*range(PLACES)))


def check_runs(runs: list[Run], evil: Evil) -> None:
    for place, run in enumerate(runs[: TROUBLE + 1]):
        assert (run.ending, len(run.actions)) == (evil.ending, TROUBLE - place)
        assert re.fullmatch(evil.detail, run.detail), run.detail
    for place, run in enumerate(runs[TROUBLE + 1 :], TROUBLE + 1):
        assert (run.ending, run.cost) == (Ending.SOLVED, PLACES - 1 - place)


@pytest.mark.parametrize("batch_size", BATCH_SIZES)
@pytest.mark.parametrize("evil", EVILS, ids=lambda evil: evil.name)
def test_the_right_state_is_blamed(evil: Evil, batch_size: int, tmp_path: Path) -> None:
    limits = evil.limits(batch_size=batch_size)
    arguments = command(tmp_path, program(evil.code))
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments, limits=limits))
    check_runs(runs, evil)


def test_a_program_sees_no_children_that_it_did_not_start(tmp_path: Path) -> None:
    """Waiting for all children must not wait for our guard."""
    waits = "say({'ready': True})\ntry: os.wait()\nexcept ChildProcessError: pass"
    arguments = command(tmp_path, program("pass", greeting=waits))
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments))
    assert [run.ending for run in runs] == [Ending.SOLVED] * PLACES


FUNCTION_EVILS = [
    Evil("raise", "raise KeyError('x')", CRASH, r"KeyError: 'x'"),
    Evil("sys.exit", "sys.exit(3)", CRASH, r"SystemExit: 3"),
    Evil("os._exit", "os._exit(3)", CRASH, r"ended with exit code 3: not even so"),
    Evil("segfault", "os.kill(os.getpid(), signal.SIGSEGV)", CRASH, r"killed by SIGSEGV: .*"),
    Evil("endless", "while True: pass", HANG, r"no answer within 1 s"),
    Evil("recursion", "return choose(facts, applicable)", CRASH, r"RecursionError: .*"),
    Evil("wrong type", "return 5", CRASH, r"returned 5, neither an action name nor None"),
    Evil("unknown", "return '(fly)'", ILLEGAL, r'"\(fly\)" is no action of the task'),
    Evil("illegal", "return '(left p7)'", ILLEGAL, r'"\(left p7\)" is not applicable'),
    Evil("none", "return None", Ending.NO_ACTION, r"none of 2 applicable chosen"),
    Evil("memory", "return str(bytearray(10**9))", CRASH, r"MemoryError: the memory limit .*"),
    Evil("input", "return input()", CRASH, r"EOFError: .*"),
]


@pytest.mark.parametrize("evil", FUNCTION_EVILS, ids=lambda evil: evil.name)
def test_python_functions_that_misbehave(evil: Evil, tmp_path: Path) -> None:
    module = tmp_path / "walker.py"
    module.write_text(
        textwrap.dedent("""
        import os, signal, sys

        def choose(facts, applicable):
            print("what a policy prints must not disturb anyone")
            os.write(1, b"not even so")
            if "(at p3)" in facts:
                EVIL
            return next(a for a in applicable if a.startswith("(right"))
        """).replace("EVIL", evil.code)
    )
    policy = PythonPolicy(line_task(PLACES), f"{module}:choose", limits=evil.limits())
    check_runs(run_everywhere(policy), evil)


GREETINGS = [
    Evil("exit", "sys.exit(2)", CRASH, r"at its start: ended with exit code 2"),
    Evil("hang", "time.sleep(1e6)", HANG, r"at its start: no answer within 1 s"),
    Evil("garbage", "print('hi', flush=True)", CRASH, r'at its start: answered no JSON: "hi"'),
    Evil("not ready", "say({'ready': False})", CRASH, r"at its start: answered .* instead of .*"),
]


@pytest.mark.parametrize("evil", GREETINGS, ids=lambda evil: evil.name)
def test_failing_at_the_start_is_reported_for_every_state(evil: Evil, tmp_path: Path) -> None:
    arguments = command(tmp_path, program("pass", greeting=evil.code))
    limits = WorkerLimits(startup=evil.limits().deadline)
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments, limits=limits))
    assert {run.ending for run in runs[:-1]} == {evil.ending}
    assert re.fullmatch(evil.detail, runs[0].detail), runs[0].detail
    assert runs[-1].ending is Ending.SOLVED  # the goal: nobody needs to be asked


EXCUSES = [
    ("pass", "sys.exit(2)", MEMORY_MB, True),
    ("sys.exit(3)", "say({'ready': True})", MEMORY_MB, False),
    ("hoard = [bytearray(10**7) for _ in range(10**4)]", "say({'ready': True})", MEMORY_MB, True),
    ("raise MemoryError", "say({'ready': True})", None, False),
    ("actions[row] = {'error': 'help'}", "say({'ready': True})", MEMORY_MB, False),
]


@pytest.mark.parametrize(("evil", "greeting", "memory_mb", "excused"), EXCUSES)
def test_what_our_limits_or_a_failed_start_did_is_no_fault_of_a_decision(
    evil: str, greeting: str, memory_mb: int | None, excused: bool, tmp_path: Path
) -> None:
    arguments = command(tmp_path, program(evil, greeting=greeting))
    limits = WorkerLimits(100.0, memory_mb=memory_mb)
    with CommandPolicy(line_task(PLACES), arguments, limits=limits) as policy:
        failure = policy.decide(at(TROUBLE)).failures[0]
    assert (failure.ending, failure.excused) == (CRASH, excused)


@pytest.mark.parametrize(
    ("memory_mb", "error", "excused"),
    [
        (MEMORY_MB, "MemoryError", True),
        (None, "MemoryError", False),
        (MEMORY_MB, "OSError", False),
    ],
)
def test_a_memory_error_of_a_function_is_put_down_to_our_limit(
    memory_mb: int | None, error: str, excused: bool, tmp_path: Path
) -> None:
    module = tmp_path / "raiser.py"
    module.write_text(f"def choose(facts, applicable):\n    raise {error}\n")
    limits = WorkerLimits(100.0, memory_mb=memory_mb)
    with PythonPolicy(line_task(PLACES), f"{module}:choose", limits=limits) as policy:
        failure = policy.decide(at(0)).failures[0]
    assert (failure.ending, failure.excused) == (CRASH, excused)


def test_a_program_may_refuse_the_task(tmp_path: Path) -> None:
    arguments = command(tmp_path, program("pass", greeting="say({'error': 'only for ferry'})"))
    with pytest.raises(PolicyError, match="only for ferry"):
        CommandPolicy(line_task(PLACES), arguments)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("no_such_module:choose", "no_such_module cannot be imported: ModuleNotFoundError"),
        ("json:no_such_function", "json has no function 'no_such_function'"),
        ("json:__name__", "is no function"),
        ("broken.py:choose", "broken.py cannot be imported: SyntaxError"),
        ("quits.py:choose", "quits.py cannot be imported: SystemExit"),
    ],
)
def test_functions_that_cannot_be_had(
    target: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text("def choose(:\n")
    (tmp_path / "quits.py").write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolicyError, match=re.escape(sentence)):
        PythonPolicy(line_task(PLACES), target)


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    plain = tmp_path / "policy.py"
    plain.write_text("")
    for name, sentence in (("no-such-program", "there is no policy program"), (plain, "chmod")):
        with pytest.raises(PolicyError, match=sentence):
            CommandPolicy(line_task(PLACES), [str(name)])


@pytest.mark.parametrize("argument", ["", "  ", "'unclosed"])
def test_commands_that_make_no_sense(argument: str) -> None:
    from bugsieve.policies.registry import make_policy

    with pytest.raises(UsageError):
        make_policy(f"cmd:{argument}", line_task(PLACES))


def test_slow_is_not_hung(tmp_path: Path) -> None:
    """Each state takes a fifth of the deadline: batches are too slow, single states are not."""
    arguments = command(tmp_path, program("pass").replace("def choose(state):", SLOW_CHOOSE))
    limits = WorkerLimits(deadline=1.5, startup=100.0)
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments, limits=limits))
    assert [run.ending for run in runs] == [Ending.SOLVED] * PLACES


SLOW_CHOOSE = "def choose(state):\n    time.sleep(0.3)"


def test_a_program_that_tires_is_restarted(tmp_path: Path) -> None:
    """It ends after every third question, and no state is blamed for it."""
    arguments = command(tmp_path, program("pass") + "    if batch['id'] % 3 == 0: sys.exit(9)\n")
    limits = WorkerLimits(deadline=20.0, batch_size=1)
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments, limits=limits))
    assert [run.ending for run in runs] == [Ending.SOLVED] * PLACES


def test_lenient_about_names(tmp_path: Path) -> None:
    text = (
        program("pass").replace("return next(", "return odd(next(").replace("None)", "None))", 1)
    )
    odd = 'def odd(name):\n    return " " + name.strip("()").upper().replace(" ", "   ")\n'
    arguments = command(tmp_path, odd + text)
    runs = run_everywhere(CommandPolicy(line_task(PLACES), arguments))
    assert [run.ending for run in runs] == [Ending.SOLVED] * PLACES


def pids_from(path: Path, count: int) -> list[int]:
    """The process ids that the program has written, once they are all there."""
    while True:
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        if len(lines) >= count:
            return [int(line) for line in lines]
        time.sleep(0.02)


FAMILY = """
import json, os, sys, time
child = os.fork()
if child == 0:
    time.sleep(1e6)
with open({path!r}, "w") as file:
    file.write(f"{{os.getpid()}}\\n{{child}}\\n")
print(json.dumps({{"ready": True}}), flush=True)
time.sleep(1e6)
"""


def test_closing_kills_the_whole_family(tmp_path: Path) -> None:
    pid_file = tmp_path / "pids"
    policy = CommandPolicy(line_task(PLACES), command(tmp_path, FAMILY.format(path=str(pid_file))))
    pids = pids_from(pid_file, 2)
    assert all(map(is_running, pids))
    policy.close()
    wait_until_gone(pids)


OWNER = """
import sys
from bugsieve.policies.foreign.command import CommandPolicy
from bugsieve.policies.runs import run_policy
from tests.unit.policies.line import at, line_task
policy = CommandPolicy(line_task(8), sys.argv[2:])
if sys.argv[1] == "run":
    run_policy(policy.task, policy, at(0))
"""


def start_owner(mode: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([os.getcwd(), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, mode, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
    )


def test_the_end_of_the_interpreter_kills_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pids"
    owner = start_owner("leave", command(tmp_path, FAMILY.format(path=str(pid_file))))
    _, errors = owner.communicate()
    assert (owner.returncode, errors) == (0, b"")
    wait_until_gone(pids_from(pid_file, 2))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_our_own_end_kills_it(end: signal.Signals, tmp_path: Path) -> None:
    pid_file = tmp_path / "pids"
    owner = start_owner("run", command(tmp_path, FAMILY.format(path=str(pid_file))))
    pids = pids_from(pid_file, 2)
    time.sleep(0.5)  # most likely it is waiting for an answer now; any other moment is as good
    owner.send_signal(end)
    _, errors = owner.communicate()
    assert owner.returncode == -end
    assert (b"KeyboardInterrupt" in errors) == (end is signal.SIGINT)
    wait_until_gone(pids)
