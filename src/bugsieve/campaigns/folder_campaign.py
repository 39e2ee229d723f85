"""What campaigns of all kinds share: a folder that one process holds, and how a run ends."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from bugsieve.basis.arguments import require_function
from bugsieve.basis.closing import Closing
from bugsieve.basis.errors import UsageError
from bugsieve.campaigns.events import Event, Finished, Listener
from bugsieve.campaigns.stop_rules import require_utf8
from bugsieve.results.folder import check_free
from bugsieve.results.lock import FolderLock
from bugsieve.results.rows import CampaignHeader
from bugsieve.results.safety.rows import SafetyHeader
from bugsieve.results.schema import explained

INTERRUPTED = "interrupted"

Outcome = TypeVar("Outcome")


class FolderCampaign(Closing, Generic[Outcome]):
    """A campaign that this process may run; holds its folder until it is run or closed."""

    def __init__(self, directory: Path, lock: FolderLock) -> None:
        self.directory = directory
        self._lock = lock

    def run(self, on_event: Listener | None = None) -> Outcome:
        """Work until there is a reason to stop, then close; what is stored is kept, come what may.

        Ctrl-C and errors are passed on. Whatever ends the run, the campaign can be opened again.
        """
        if on_event is not None:
            require_function(on_event, "on_event", "of one event, or None")
        listener = _ignore if on_event is None else on_event
        try:
            self._work(listener)
        except KeyboardInterrupt:
            listener(Finished(INTERRUPTED))
            raise
        finally:
            self.close()
        return self._outcome()

    def close(self) -> None:
        """Let go of the folder, and of what the campaign needs to run."""
        self._lock.close()

    @abstractmethod
    def _work(self, listener: Listener) -> None:
        """Work on the store until there is a reason to stop."""

    @abstractmethod
    def _outcome(self) -> Outcome:
        """What the campaign has done so far, read from its store."""


def make_folder(folder: Path, fill: Callable[[], None]) -> FolderLock:
    """Make the folder of a new campaign and fill it; returns the lock on it."""
    require_utf8(folder.name)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(folder)
    try:
        check_free(folder)
        fill()
    except BaseException:
        lock.close()
        raise
    return lock


def check_policy_given(
    header: CampaignHeader | SafetyHeader, folder: Path, policy: object | None
) -> None:
    """A campaign goes on with the policy it began with: a Python object if that was one."""
    if header.policy_is_object and policy is None:
        raise UsageError(
            f"{folder}: tests the Python object {header.policy}: open it in Python with policy=…"
        )
    if policy is not None and not header.policy_is_object:
        raise UsageError(f"{folder}: makes its policy from the spec {header.policy!r} by itself")


def _ignore(event: Event) -> None:
    """Nobody listens."""
