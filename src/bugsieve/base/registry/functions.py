"""Functions that specs name: `module:function` or `path/to/file.py:function`.

Loading one runs the user's code; the process behind `python:` policies imports this, so it imports
little itself.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located

_LONGEST = 200


class LoadError(Exception):
    """The function cannot be had; the sentence says why."""


def checked_target(argument: str | None, example: str) -> str:
    """The function that an argument names; UsageError unless it is `place:name`."""
    place, _, name = (argument or "").rpartition(":")
    if not place or not name.isidentifier():
        raise UsageError(
            f"'python:{argument or ''}' must name a module or file and a function, "
            f"as in 'python:my_{example}' or 'python:./my_{example.replace(':', '.py:')}'"
        )
    if place.endswith(".py") and not os.path.isfile(located(place)):
        raise UsageError(f"'python:{argument}': there is no file {place!r}")
    return f"{place}:{name}"


def function_reach(argument: str | None) -> OutsideAccess:
    """The reach of `python:argument`: code, and the file that holds it."""
    place = (argument or "").rpartition(":")[0]
    return OutsideAccess(files=(place,) if place.endswith(".py") else (), runs_code=True)


def is_file(place: str) -> bool:
    """Return true if the part before the function's name is a file and not a module."""
    return place.endswith(".py") or os.sep in place


def load_function(target: str) -> Callable[..., Any]:
    """The function `module:name` or `path/to/file.py:name`."""
    place, _, name = target.rpartition(":")
    try:
        module = _load_file(place) if is_file(place) else importlib.import_module(place)
    except BaseException as error:  # the module is the user's: it may raise anything, or exit
        raise LoadError(f"{place} cannot be imported: {described(error)}") from error
    function = getattr(module, name, None)
    if function is None:
        raise LoadError(f"{place} has no function {name!r}")
    if not callable(function):
        raise LoadError(f"{name!r} in {place} is no function")
    return function  # type: ignore[no-any-return]


def _load_file(path: str) -> Any:
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles of the module look themselves up there
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    return module


def described(error: BaseException) -> str:
    """The error that the user's code raised, in one line that is not too long."""
    if isinstance(error, MemoryError):
        return "MemoryError: the memory limit is reached"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
