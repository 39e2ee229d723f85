"""The connection to a Ray cluster: one that is there, or one that we start on this machine.

Tokens are always asked for, unless the user says that the cluster is open: all who can talk to a
cluster can run programs on it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.cluster.builds import Build, prober, this_build

INSTALL = "pip install 'bugsieve[ray]'"

_OBJECT_STORE_BYTES = 128 << 20
_KNOCK_SECONDS = 10.0
_MODE, _TOKEN, _TOKEN_PATH = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
_ALWAYS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Our own reports tell what Ray would print of dead nodes.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
    # Nodes of ours are there for the jobs, which get as much of them as on this machine alone.
    "RAY_worker_niceness": "0",
}


@dataclass(frozen=True)
class ClusterOptions:
    """The address of the cluster."""

    address: str = ""
    """Of its head, as host:port; empty for one that we start here, and end with the block."""
    is_open: bool = False
    """True if a cluster without tokens will do."""
    cpus: int | None = None
    """Of a cluster that we start: as many as there are here."""


@contextlib.contextmanager
def connected(options: ClusterOptions) -> Iterator[None]:
    """Connect this process to the cluster, all of whose nodes have the same Bugsieve as we.

    UsageError if Ray is not installed, a token is missing or wrong, or a node differs.
    """
    _check_address(options)
    with contextlib.ExitStack() as stack:
        variables = dict(_ALWAYS)
        if options.address:
            variables |= _known_token(options)
        else:
            variables |= stack.enter_context(_own_token())
        stack.enter_context(_environment(variables))
        ray = _imported()
        if options.address:
            _knock(options.address)
        stack.callback(ray.shutdown)
        with _without_chatter():
            _connect(ray, options)
        _compare(ray, this_build())
        yield


def _check_address(options: ClusterOptions) -> None:
    if options.is_open and not options.address:
        raise UsageError("--ray-open is for the ADDRESS of a cluster that you have started")
    host, colon, port = options.address.rpartition(":")
    is_place = colon and port.isdecimal() and "/" not in host
    if options.address and not is_place:
        raise UsageError(
            f"--ray {options.address}: name the head as HOST:PORT, and run this on a machine that "
            "is part of the cluster"
        )


def _imported() -> Any:
    try:
        import ray
    except ImportError:
        raise UsageError(f"--ray needs Ray: install it with {INSTALL}") from None
    return ray


def _knock(address: str) -> None:
    """Raise an InputError if the address does not answer: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(f"--ray {address}: nobody answers there ({error})") from None


def _known_token(options: ClusterOptions) -> dict[str, str]:
    """The settings that say where the token of a cluster is that others have started."""
    if options.is_open:
        return {_MODE: "disabled"}
    path = os.environ.get(_TOKEN_PATH) or os.path.expanduser("~/.ray/auth_token")
    if not os.environ.get(_TOKEN) and not os.path.isfile(path):
        raise UsageError(
            f"--ray {options.address}: there is no token for this cluster: put it into {path} or "
            f"name its file in {_TOKEN_PATH}; say --ray-open if the cluster has none, and anybody "
            "may run programs there"
        )
    return {_MODE: "token"}


@contextlib.contextmanager
def _own_token() -> Iterator[dict[str, str]]:
    """A token for a cluster of our own, in a file that other users cannot read."""
    folder = tempfile.mkdtemp(prefix="bugsieve-token-")
    path = Path(folder, "token")
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        yield {_MODE: "token", _TOKEN: "", _TOKEN_PATH: str(path)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables, remove those that are empty; afterwards all is as it was."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set({name: value or "" for name, value in before.items()})


def _set(variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value:
            os.environ[name] = value


def _connect(ray: Any, options: ClusterOptions) -> None:
    quiet = {"log_to_driver": False, "logging_level": "CRITICAL", "configure_logging": True}
    try:
        if options.address:
            ray.init(address=options.address, **quiet)
            return
        ray.init(
            address="local",
            num_cpus=options.cpus or len(os.sched_getaffinity(0)),
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE_BYTES,
            **quiet,
        )
    except (ray.exceptions.RayError, ValueError, RuntimeError, OSError) as error:
        why = " ".join(f"{error} {error.__cause__ or ''}".split())
        if "authenticat" in why.lower():
            sentence = f"--ray {options.address}: the cluster does not take our token"
            raise UsageError(sentence) from None
        sentence = f"--ray {options.address}: there is no cluster to use ({why[:300]})"
        raise InputError(sentence) from None


@contextlib.contextmanager
def _without_chatter() -> Iterator[None]:
    """Keep what Ray's compiled part writes to the error stream from the user: we say it better."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _compare(ray: Any, build: Build) -> None:
    """UsageError for the first node that has another Bugsieve than we."""
    for node, found in _builds(ray):
        difference = build.difference(found) if isinstance(found, Build) else found
        if difference:
            raise UsageError(f"--ray: the node {node} {difference}")


def _builds(ray: Any) -> Iterator[tuple[str, Build | str]]:
    """The Bugsieve of each node with CPUs, or the reason why it has none."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            where = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ask = ray.remote(num_cpus=0, max_retries=0)(prober())
            name = f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"
            asked[name] = ask.options(scheduling_strategy=where).remote()
    for name, reference in asked.items():
        try:
            yield name, Build(*ray.get(reference))
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None) or error
            yield name, f"cannot run Bugsieve ({' '.join(str(cause).split())[:200]})"
