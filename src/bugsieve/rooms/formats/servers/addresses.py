"""Addresses of policy servers: `HOST:PORT`, or `unix:PATH` for a socket of this machine."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import quote

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.spec_folder import located

_UNIX = "unix:"
_HOST = re.compile(r"[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]")
_LAST_PORT = (1 << 16) - 1
_LONGEST_PATH = 107
"""Bytes that the operating system takes for the name of a socket."""


@dataclass(frozen=True)
class Address:
    """A place to connect to, or to listen at; `text` is how it is shown."""

    text: str
    name: str
    """The name of a task from there."""

    @staticmethod
    def parse(text: str, *, listening: bool = False) -> Address:
        """The address; UsageError for other texts. Port 0 is any free one to listen at."""
        if text.startswith(_UNIX):
            return _socket(text.removeprefix(_UNIX))
        host, _, port = text.rpartition(":")
        lowest = 0 if listening else 1
        if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal():
            raise UsageError(
                f"{text!r} is no address of a policy server: write HOST:PORT, as in "
                "'localhost:50051', or 'unix:PATH' for a socket of this machine"
            )
        if len(port) > 5 or not lowest <= int(port) <= _LAST_PORT:
            raise UsageError(f"{text!r}: a port is a number from {lowest} to {_LAST_PORT}")
        return Address(f"{host}:{int(port)}", f"{host}:{int(port)}")

    @property
    def target(self) -> str:
        """The address for gRPC to connect to: only these two schemes, for every host."""
        return self.listening if self.is_socket else f"dns:///{self.text}"

    @property
    def listening(self) -> str:
        """The address for gRPC to listen at; it reads the text behind `unix:` as part of a URI."""
        path = self.text.removeprefix(_UNIX)
        return f"{_UNIX}{quote(os.fsencode(path))}" if self.is_socket else self.text

    @property
    def is_socket(self) -> bool:
        """Return true if it is a file of this machine."""
        return self.text.startswith(_UNIX)

    def at_port(self, port: int) -> Address:
        """The address with the port that was free."""
        if self.is_socket:
            return self
        return Address.parse(f"{self.text.rpartition(':')[0]}:{port}")


def _socket(path: str) -> Address:
    if not path or "\0" in path:
        raise UsageError("'unix:' must be followed by the path of a socket")
    place = os.path.abspath(located(path))
    if len(os.fsencode(place)) > _LONGEST_PATH:
        raise UsageError(
            f"{place!r} is too long for the name of a socket, which has at most {_LONGEST_PATH} "
            "bytes: use a shorter path"
        )
    return Address(f"{_UNIX}{place}", os.path.basename(place))
