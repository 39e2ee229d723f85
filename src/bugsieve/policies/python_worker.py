"""The process behind `python:` policies: speaks the protocol and calls the user's function.

Started by `bugsieve.policies.python`. Imports little, so that it starts fast and leaves the memory
limit to the policy.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, TextIO

from bugsieve.policies.served import Answering, WrongAnswerError, answering, shortened
from bugsieve.policies.traces import MOST, traceback_of


class LoadError(Exception):
    """The function named on the command line cannot be had; the sentence says why."""


def main() -> None:
    """Serve the function named by the first argument until the input ends."""
    requests, replies = _claim_standard_streams()
    sys.path.insert(0, os.getcwd())
    hello = json.loads(requests.readline())
    try:
        answer = answering(hello, load_function(sys.argv[1]))
    except (LoadError, TypeError) as error:  # which say what is wrong with the function
        _reply(replies, {"error": str(error)})
        return
    _reply(replies, {"ready": True, "modules": loaded_modules()})
    for line in requests:
        batch = json.loads(line)
        answers = [_answer(answer, state) for state in batch["states"]]
        sys.stderr.flush()
        _reply(replies, {"id": batch["id"], hello.get("asks", "actions"): answers})


def load_function(target: str) -> Callable[..., Any]:
    """The function `module:name` or `path/to/file.py:name`."""
    place, _, name = target.rpartition(":")
    try:
        module = _load_file(place) if _is_file(place) else importlib.import_module(place)
    except BaseException as error:  # the module is the user's: it may raise anything, or exit
        raise LoadError(f"{place} cannot be imported: {_describe(error)}") from error
    function = getattr(module, name, None)
    if function is None:
        raise LoadError(f"{place} has no function {name!r}")
    if not callable(function):
        raise LoadError(f"{name!r} in {place} is no function")
    return function  # type: ignore[no-any-return]


def loaded_modules() -> dict[str, str]:
    """The hashes of all modules that come from elsewhere than Python, its packages and us."""
    return {
        name: _hash(file)
        for name, module in sorted(sys.modules.items())
        if isinstance(file := getattr(module, "__file__", None), str)
        and name.partition(".")[0] != "bugsieve"
        and not _is_installed(os.path.abspath(file))
    }


def _is_installed(file: str) -> bool:
    parts = file.split(os.sep)
    return file.startswith(os.path.dirname(os.__file__) + os.sep) or any(
        name in parts for name in ("site-packages", "dist-packages")
    )


def _hash(file: str) -> str:
    try:
        with open(file, "rb") as content:
            return hashlib.sha256(content.read()).hexdigest()
    except OSError:
        return ""


def _is_file(place: str) -> bool:
    return place.endswith(".py") or os.sep in place


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


def _claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Move the protocol to descriptors of its own: what the policy prints goes to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    # On the level of descriptors: what C libraries and child processes print or read must not
    # disturb the protocol either.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    kept: Any = _Kept(sys.stderr)
    sys.stdout = sys.stderr = kept
    return requests, replies


class _Kept:
    """A stream that keeps the last of what is printed in one decision."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.text = ""

    def write(self, text: str) -> int:
        self.text = (self.text + text)[-MOST:]
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _printed() -> str:
    return sys.stdout.text if isinstance(sys.stdout, _Kept) else ""


def _answer(answer: Answering, state: dict[str, Any]) -> Any:
    """The function's answer for one state; whatever it raises is told, not passed on."""
    if isinstance(sys.stdout, _Kept):
        sys.stdout.text = ""
    try:
        return answer(state)
    except WrongAnswerError as error:
        return {"error": str(error), "printed": _printed()}
    except MemoryError as error:
        return {"error": _describe(error), "out_of_memory": True}
    except (Exception, SystemExit) as error:
        trace = traceback_of(error)
        return {"error": _describe(error), "traceback": trace, "printed": _printed()}


def _describe(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "MemoryError: the memory limit is reached"
    return shortened(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def _reply(replies: BinaryIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message).encode("utf-8") + b"\n")
    replies.flush()
