"""A Ray cluster of two nodes on this machine, and the real command that uses it."""

from __future__ import annotations

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
        from ray.cluster_utils import Cluster

        head = {**_node(), "include_dashboard": False, "env_vars": {_MARK: folder.name}}
        self.mark = folder.name
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.second: Any = self.add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self, variables: Mapping[str, str] | None = None) -> Any:
        marked = {_MARK: self.mark, **(variables or {})}
        return self._cluster.add_node(**_node(), env_vars=marked)

    def kill(self, node: Any) -> None:
        """The node is gone from one moment to the next."""
        self._cluster.remove_node(node, allow_graceful=False)

    def shutdown(self) -> None:
        self._cluster.shutdown()

    def ours(self) -> list[int]:
        """Processes on nodes that are not Ray's: those of jobs, and policies."""
        return [pid for pid in self._marked() if b"ray" not in _read(pid, "cmdline").lower()]

    def wait_until_gone(self) -> None:
        """All processes of jobs end soon, or the test never does."""
        while any(map(is_running, self.ours())):
            time.sleep(0.05)

    def _marked(self) -> Iterator[int]:
        mark = f"{_MARK}={self.mark}".encode()
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid() and mark in _read(name, "environ"):
                yield int(name)


def _node() -> dict[str, Any]:
    return {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES}


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
