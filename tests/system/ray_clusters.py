"""A Ray cluster of two nodes on this machine, and the real command that uses it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.depth import IS_DEEP
from tests.hostile.processes import is_running

INSTALL = ".venv/bin/python -m pip install -r requirements/deep.txt"
OBJECT_STORE_BYTES = 80 << 20
_ROOT = Path(__file__).parents[2]
_MARK = "BUGSIEVE_TEST_CLUSTER"


def require_ray() -> None:
    """Without Ray the quick tests are skipped, and deep ones fail."""
    if find_spec("ray") is None:
        (pytest.fail if IS_DEEP else pytest.skip)(f"Ray is not installed: {INSTALL}")


@dataclass(frozen=True)
class Ended:
    """How a command has ended."""

    code: int
    output: str
    errors: str


class RayCluster:
    """Two nodes with one CPU each; the first is the head."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder.name
        self._log = folder / "ray.log"
        with open(self._log, "wb") as log:
            self._host = subprocess.Popen(
                [sys.executable, "-m", "tests.system.ray_host"],
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.address = str(self._answer({**self._node(), "include_dashboard": False}))
        self.second = self.add()

    def add(self, variables: Mapping[str, str] | None = None) -> int:
        return int(self._answer({"add": self._node(variables)}))

    def kill(self, node: int) -> None:
        """The node is gone from one moment to the next."""
        self._answer({"kill": node})

    def shutdown(self) -> None:
        self._host.communicate()

    def _node(self, variables: Mapping[str, str] | None = None) -> dict[str, Any]:
        marked = {_MARK: self.mark, **(variables or {})}
        return {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES, "env_vars": marked}

    def _answer(self, order: dict[str, Any]) -> Any:
        assert self._host.stdin is not None
        assert self._host.stdout is not None
        print(json.dumps(order), file=self._host.stdin, flush=True)
        line = self._host.stdout.readline()
        assert line, self._log.read_text()
        return json.loads(line)

    def ours(self) -> list[int]:
        """Processes on nodes that are not Ray's: those of jobs, and policies."""
        return [pid for pid in self._marked() if not _is_of_ray(_read(pid, "cmdline"))]

    def wait_until_gone(self) -> None:
        """All processes of jobs end soon, or the test never does."""
        while any(map(is_running, self.ours())):
            time.sleep(0.05)

    def _marked(self) -> Iterator[int]:
        mark = f"{_MARK}={self.mark}".encode()
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid() and mark in _read(name, "environ"):
                yield int(name)


def _read(pid: int | str, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


@contextmanager
def ray_cluster(folder: Path) -> Iterator[RayCluster]:
    """A cluster with a token."""
    token = folder / "token"
    token.write_text("5a" * 32)
    token.chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("RAY_gcs_server_port_wait_time_s", "600")  # on a busy machine
        patch.delenv("LD_PRELOAD", raising=False)
        cluster = RayCluster(folder)
        try:
            yield cluster
        finally:
            cluster.shutdown()
            cluster.wait_until_gone()


def started(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """The command in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "experiment", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> Ended:
    output, errors = process.communicate()
    return Ended(process.returncode, output, errors)


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def _is_of_ray(command: bytes) -> bool:
    """Its programs are named in their command; paths in the code of ours may lead to Ray, too."""
    return b"ray" in command.partition(b"\0-c\0")[0].lower()
