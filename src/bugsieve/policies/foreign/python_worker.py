"""The process behind `python:` policies: speaks the protocol and calls the user's function.

Started by `bugsieve.policies.foreign.python`. Imports little, so that it starts fast and leaves
the memory limit to the policy.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from importlib.machinery import PathFinder
from typing import Any, BinaryIO, TextIO

from bugsieve.base.registry.functions import LoadError, described, is_file, load_function
from bugsieve.policies.foreign.worker_answers import (
    Answering,
    Binding,
    WrongAnswerError,
    answering,
)
from bugsieve.policies.traces import MOST, traceback_of


def main() -> None:
    """Serve a policy of planning tasks."""
    serve(answering)


def serve(binding: Binding) -> None:
    """Serve the function named by the first argument until the input ends."""
    requests, replies = _claim_standard_streams()
    if _is_of_current_folder(sys.argv[1]):
        sys.path.insert(0, os.getcwd())
    hello = json.loads(requests.readline())
    try:
        answer = binding(hello, load_function(sys.argv[1]))
    except (LoadError, TypeError) as error:  # which say what is wrong with the function
        _reply(replies, {"error": str(error)})
        return
    _reply(replies, {"ready": True, "modules": loaded_modules()})
    for line in requests:
        batch = json.loads(line)
        answers = [_answer(answer, state) for state in batch["states"]]
        sys.stderr.flush()
        _reply(replies, {"id": batch["id"], hello.get("asks", "actions"): answers})


def _is_of_current_folder(target: str) -> bool:
    """Return true if the target's module or file is in the current folder or below it.

    Otherwise the folder may be a stranger's, in which a `random.py` waits for other policies.
    """
    here, place = os.getcwd(), target.rpartition(":")[0]
    if is_file(place):
        names = (os.path.abspath(place), os.path.realpath(place))
        return any(name.startswith(os.path.join(here, "")) for name in names)
    top = place.partition(".")[0]
    return top not in sys.modules and PathFinder.find_spec(top, [here]) is not None


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
    """The function's answer for one state; all that it raises is told, not passed on."""
    if isinstance(sys.stdout, _Kept):
        sys.stdout.text = ""
    try:
        return answer(state)
    except WrongAnswerError as error:
        return {"error": str(error), "printed": _printed()}
    except MemoryError as error:
        return {"error": described(error), "out_of_memory": True}
    except (Exception, SystemExit) as error:
        trace = traceback_of(error)
        return {"error": described(error), "traceback": trace, "printed": _printed()}


def _reply(replies: BinaryIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message).encode("utf-8") + b"\n")
    replies.flush()
