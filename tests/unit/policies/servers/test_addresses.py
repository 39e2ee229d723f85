from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.formats.servers.addresses import Address


@pytest.mark.parametrize("text", ["localhost:50051", "10.0.0.1:1", "[::1]:65535", "xds:77"])
def test_hosts(text: str) -> None:
    address = Address.parse(text)
    assert address.text == text
    assert address.target == f"dns:///{text}"  # no scheme of the text's own


def test_sockets_are_found_from_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = Address.parse("unix:my #1%41.sock")
    assert address.text == f"unix:{tmp_path}/my #1%41.sock"
    assert address.target == address.listening == f"unix:{tmp_path}/my%20%231%2541.sock"
    assert address.name == "my #1%41.sock"


def test_a_free_port() -> None:
    assert Address.parse("127.0.0.1:0", listening=True).at_port(7).text == "127.0.0.1:7"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("localhost", "write HOST:PORT"),
        (":7", "write HOST:PORT"),
        ("host:port", "write HOST:PORT"),
        ("host:²", "write HOST:PORT"),
        ("a/b:7", "write HOST:PORT"),
        ("dns:///host:7", "write HOST:PORT"),
        ("::1:7", "write HOST:PORT"),
        ("host:0", "from 1 to 65535"),
        ("host:65536", "from 1 to 65535"),
        ("host:" + "9" * 5000, "from 1 to 65535"),
        ("unix:", "the path of a socket"),
        ("unix:" + "x" * 200, "too long for the name of a socket"),
    ],
)
def test_what_is_no_address(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Address.parse(text)
