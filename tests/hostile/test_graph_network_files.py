"""Random damage to graph networks: what comes out is a network or one sentence of ours."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bugsieve.base.errors import BugsieveError
from bugsieve.rooms.formats.gnn.network import read_graph_network
from tests.hostile.test_network_files import DAMAGES, ROUNDS
from tests.unit.policies.gnn.checkpoints import random_checkpoint
from tests.unit.policies.networks.files import pth, write

WHOLE = random_checkpoint({"on": 2, "clear": 1}, width=2, iterations=1)
KEY = b"X\x10\x00\x00\x00hyper_parameters"


def attempt(path: Path) -> bool:
    """Whether there is a network in the file; if so, the core takes it."""
    try:
        network = read_graph_network(path)
    except BugsieveError as error:
        raised = error
    else:
        network.core()
        return True
    assert raised.exit_code == 4
    assert "\n" not in str(raised) and len(str(raised)) < 1000
    return False


def pickled(data: bytes) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("net/data.pkl")


def test_damaged_files(tmp_path: Path) -> None:
    whole, rng = WHOLE.data(), Random(1)
    assert attempt(write(tmp_path, "net.ckpt", whole))
    refused = 0
    for number in range(2 * ROUNDS):
        data = bytearray(whole)
        DAMAGES[number % len(DAMAGES)](data, rng)
        refused += not attempt(write(tmp_path, "net.ckpt", bytes(data)))
    assert refused > ROUNDS


def test_damaged_pickles(tmp_path: Path) -> None:
    """The checksums of an archive would catch the damage before the pickle is looked at."""
    whole, rng = pickled(WHOLE.data()), Random(2)
    refused = 0
    for number in range(2 * ROUNDS):
        data = bytearray(whole)
        DAMAGES[number % len(DAMAGES)](data, rng)
        made = pth(WHOLE.tensors, pickle=bytes(data))
        refused += not attempt(write(tmp_path, "net.ckpt", made))
    assert refused > ROUNDS


SHARED = b")q\x00" + b"h\x00h\x00\x86q\x00" * 60 + b"h\x00"  # tuples that share their parts


@pytest.mark.parametrize(
    "parameters",
    [
        b"N", b"]", b")", b"}", SHARED,
        b"}X\x0a\x00\x00\x00predicates" + SHARED + b"s",
        b"}X\x0a\x00\x00\x00predicates](" + SHARED + SHARED + b"es",
        b"}X\x0a\x00\x00\x00predicates](" + SHARED + b"K\x01\x86" + SHARED + b"es",
        b"}X\x0a\x00\x00\x00predicates]q\x07h\x07as",  # a list in itself
        b"cos\nsystem\n(X\x04\x00\x00\x00truetR",
    ],
)  # fmt: skip
def test_parameters_that_are_traps(tmp_path: Path, parameters: bytes) -> None:
    content = b"\x80\x02}(" + KEY + parameters + b"u."
    assert not attempt(write(tmp_path, "net.ckpt", pth({}, pickle=content)))


def test_widths_that_are_traps(tmp_path: Path) -> None:
    whole = pickled(WHOLE.data())
    width = b"hidden_sizeq"
    assert width in whole
    place = whole.index(width) + len(width) + 1
    assert whole[place : place + 2] == b"K\x02"
    for number in (b"J\xff\xff\xff\x7f", b"\x8a\x20" + b"\x7f" * 32, b"\x8a\x00", b"M\x00\x10"):
        content = whole[:place] + number + whole[place + 2 :]
        made = pth(WHOLE.tensors, pickle=content)
        assert not attempt(write(tmp_path, "net.ckpt", made))
