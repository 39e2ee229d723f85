"""The runner of jobs on a Ray cluster, with its options of `bugsieve experiment`."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bugsieve.commands.shared.options import Options
    from bugsieve.rooms.lab.experiments.grid import Grid
    from bugsieve.rooms.lab.experiments.jobs import AnyCrew


def add_options(options: Options) -> None:
    """Add where the cluster is, and whether it may be open."""
    options.add(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="run the campaigns on the nodes of a Ray cluster, whose head is at HOST:PORT; "
        "without ADDRESS on one that is started here",
    )
    options.add(
        "--ray-open",
        action="store_true",
        help="take a cluster that has no token, so that anybody who reaches it can run programs",
    )


def taken_file(args: argparse.Namespace) -> str | None:
    """Say that --ray has taken the file for an address, if it has a value."""
    if not args.ray:
        return None
    return f"--ray takes {args.ray!r} for the ADDRESS: name the file before --ray"


def crew(args: argparse.Namespace, grid: Grid) -> AbstractContextManager[AnyCrew] | None:
    """Return the crew on the cluster; None without --ray."""
    if args.ray is None:
        if args.ray_open:
            raise UsageError("--ray-open is for --ray ADDRESS")
        return None
    if args.shard is not None:
        raise UsageError("--shard is for machines without Ray, which spreads the campaigns itself")
    return _connected_crew(args, grid)


@contextmanager
def _connected_crew(args: argparse.Namespace, grid: Grid) -> Iterator[AnyCrew]:
    from bugsieve.rooms.cluster.connection import ClusterOptions, connected
    from bugsieve.rooms.cluster.ray_crew import RayCrew

    cluster = ClusterOptions(args.ray, args.ray_open, args.workers)
    most = args.workers if args.ray else None
    with connected(cluster), RayCrew(most=most, files=grid.files) as found:
        yield found
