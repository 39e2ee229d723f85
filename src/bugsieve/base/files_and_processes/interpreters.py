"""The one way in which we start Python: nothing is imported before `sys.path` is set.

An interpreter started with `-c` looks for modules in its current folder first, and that may be a
stranger's with a `json.py` in it. `-I` would leave out PYTHONPATH and PYTHONHASHSEED, with which
policies are started, and Python 3.10 has no `-P`. So the path comes as text in the program.
"""

from __future__ import annotations

import os
import sys

NEUTRAL_FOLDER = os.sep
"""Interpreters of our own start in this folder, and leave it when their path is set."""


def python_command(program: str, *arguments: str) -> list[str]:
    """Return the command of an interpreter that imports from our path and runs the program.

    The current folder is not on that path, unless it is on ours by its name.
    """
    path = [os.path.abspath(place) for place in sys.path if place]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!a}; {program}", *arguments]


def own_command(program: str, *arguments: str) -> list[str]:
    """Return the command of an interpreter of our own, to be started in the neutral folder."""
    try:
        here = os.getcwd()
    except FileNotFoundError:  # it is gone: what needs it will say so
        return python_command(program, *arguments)
    return python_command(f"import os; os.chdir({here!a}); {program}", *arguments)
