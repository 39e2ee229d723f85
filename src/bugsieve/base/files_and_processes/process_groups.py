"""Foreign programs in process groups of their own, which do not outlive us.

A shell sets the limits and becomes the program: safe in threaded parents, unlike preexec_fn. First
it leaves a guard in the group. The guard waits for the end of a pipe that only we hold open, then
kills the group: even a program that hangs does not outlive us when we are killed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_NONE = "none"
_LAUNCH = """
( ( exec <"/dev/fd/$1" || exit; read _; [ "$2" = none ] || rm -rf -- "$2"; kill -9 0 ) \
>/dev/null 2>&1 & )
ulimit -c 0; [ "$3" = none ] || ulimit -v "$3"
shift 3; exec "$@"
"""


def launch_guarded(
    command: Sequence[str],
    *,
    memory_kib: int | None = None,
    folder: Path | None = None,
    **settings: Any,
) -> tuple[subprocess.Popen[bytes], int]:
    """The process, and the descriptor whose closing is the end of its group and of its folder.

    `settings` go to `subprocess.Popen`.
    """
    guarded, lifeline = os.pipe()
    memory = _NONE if memory_kib is None else str(memory_kib)
    place = _NONE if folder is None else str(folder)
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(
            ["/bin/sh", "-c", _LAUNCH, command[0], str(guarded), place, memory, *command],
            start_new_session=True,
            pass_fds=(guarded,),
            **settings,
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(guarded)
    return process, lifeline
