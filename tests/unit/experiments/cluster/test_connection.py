"""Which clusters are refused before anything is connected or started."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.cli import main
from bugsieve.rooms.cluster.connection import ClusterOptions, _own_token, connected
from tests.unit.experiments.experiments import read
from tests.unit.experiments.test_shared_pools import GRID


@pytest.fixture(autouse=True)
def no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_AUTH_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def refused(options: ClusterOptions, sentence: str) -> None:
    before = dict(os.environ)
    with pytest.raises(UsageError, match=sentence), connected(options):
        pass
    assert dict(os.environ) == before


def test_an_address_without_a_token() -> None:
    refused(ClusterOptions("head:6379"), "no token for this cluster.*say --ray-open if")


def test_addresses() -> None:
    for address in ("ray://head:10001", "head", "head:", "auto", "head:6379/x", "head:port"):
        refused(ClusterOptions(address), "name the head as HOST:PORT")
    refused(ClusterOptions(is_open=True), "--ray-open is for the ADDRESS")


def test_nobody_is_there() -> None:
    pytest.importorskip("ray")
    for address in ("127.0.0.1:1", "127.0.0.1:99999", "no-such-host.invalid:6379"):
        with (
            pytest.raises(InputError, match=f"--ray {address}: nobody answers there"),
            connected(ClusterOptions(address, is_open=True)),
        ):
            pass


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for options in (ClusterOptions(), ClusterOptions("head:6379", is_open=True)):
        refused(options, r"--ray needs Ray: install it with pip install 'bugsieve\[ray\]'")


def test_our_token_is_for_us_alone() -> None:
    tokens = set()
    for _ in range(2):
        with _own_token() as variables:
            path = Path(variables["RAY_AUTH_TOKEN_PATH"])
            assert variables["RAY_AUTH_MODE"] == "token"
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
            tokens.add(path.read_text())
        assert not path.parent.exists()
    assert {len(token) for token in tokens} == {64}
    assert len(tokens) == 2


def test_the_file_is_no_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "--ray", "grid.toml"]) == 4
    assert "name the file before --ray" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--ray-open"], "--ray-open is for --ray ADDRESS"),
        (["--ray", "--shard", "1/2"], "--shard is for machines without Ray"),
        (["--ray", "head:6379"], "there is no token for this cluster"),
    ],
)
def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    read(tmp_path, GRID)
    folder = tmp_path / "out"
    assert main(["experiment", str(tmp_path / "grid.toml"), "-o", str(folder), *arguments]) == 4
    assert sentence in capsys.readouterr().err
    assert not folder.exists()
