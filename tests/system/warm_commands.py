"""A `bugsieve` that starts at once: each command is a fork of a process that has its modules.

Most of what a short command costs is its imports. What it does is the same: it has arguments,
folder, environment and streams of its own, and knows nothing of the commands before it.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_LOST = 70
"""The exit code of a command that ended without one."""

_CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as host:
    host.connect({address!r})
    socket.send_fds(host, [b" "], [0, 1, 2])
    host.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
    host.shutdown(socket.SHUT_WR)
    sys.exit(int(host.recv(4) or {lost}))
"""


@contextmanager
def warm_commands(folder: Path) -> Iterator[Path]:
    """The folder, in which there is a program `bugsieve` for as long as the block lasts."""
    address, program = str(folder / "socket"), folder / "bugsieve"
    program.write_text(_CLIENT.format(python=sys.executable, address=address, lost=_LOST), "utf-8")
    program.chmod(0o755)
    command = [sys.executable, "-m", "tests.system.warm_commands", address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdin is not None and host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        yield folder
        host.stdin.close()


def main(address: str) -> None:
    """Be all commands that clients ask for, until the standard input closes."""
    import bugsieve

    for module in pkgutil.walk_packages(bugsieve.__path__, "bugsieve."):
        if module.name != "bugsieve.__main__":
            import_module(module.name)
    sys.path[0] = str(Path(address).parent)  # as for a script
    gc.freeze()  # or the first collection of each fork would copy all pages
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        _serve(listener)


def _serve(listener: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        with listener.accept()[0] as client:
            if os.fork() == 0:
                listener.close()
                try:
                    client.sendall(b"%d" % _run(client))
                finally:
                    os._exit(_LOST)


def _run(client: socket.socket) -> int:
    """Become the command that the client was called as, and return its exit code."""
    from bugsieve.cli import main as run

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    streams = socket.recv_fds(client, 1, 3)[1]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with client.makefile("rb") as order:
        arguments, folder, environment = json.load(order)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    code = run(arguments)
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    main(sys.argv[1])
