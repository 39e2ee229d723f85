"""Bad and malicious ASNet files: what comes out is a policy that works, or one sentence."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.rooms.formats.asnets.files import load_weights, save_weights, tensors_of
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.formats.networks.safetensors import read_tensors, write_tensors
from tests.unit.policies.asnets.files import write_published, write_published_toml
from tests.unit.policies.asnets.tasks import HALL, hall, noisy_weights

ROUNDS = 150


@pytest.fixture(scope="module")
def grounding() -> Grounding:
    return ground(hall())


@pytest.fixture(scope="module")
def weights(grounding: Grounding) -> Weights:
    return noisy_weights(grounding, hidden=3)


def refusal(path: Path, grounding: Grounding) -> str:
    """The sentence on a file that holds no network for the domain."""
    with pytest.raises(InputError) as caught:
        load_weights(path, grounding.signature)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert len(message) < 1000
    return message


def attempt(path: Path, grounding: Grounding) -> bool:
    """Whether there is a network in the file; if so, it must work."""
    try:
        weights = load_weights(path, grounding.signature)
    except BugsieveError as error:
        raised = error
    else:
        policy = AsnetPolicy(grounding, weights, "asnets:damaged")
        assert len(policy.choose(grounding.task.initial_state)) == 1
        return True
    assert raised.exit_code == 4
    assert len(str(raised)) < 1000
    return False


WRITERS: dict[str, Callable[[Path, Weights, Grounding], None]] = {
    "own": lambda path, weights, grounding: save_weights(path, weights, grounding.signature),
    "published": lambda path, weights, grounding: write_published(path, weights),
    "later": lambda path, weights, grounding: write_published_toml(
        path, weights, grounding.signature, HALL
    ),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_random_damage(kind: str, tmp_path: Path, grounding: Grounding, weights: Weights) -> None:
    path = tmp_path / "net"
    WRITERS[kind](path, weights, grounding)
    whole = path.read_bytes()
    assert attempt(path, grounding)
    for number in range(ROUNDS):
        rng = Random(number)
        data = bytearray(whole[: rng.randrange(len(whole))] if number % 5 == 0 else whole)
        for _ in range(rng.randint(0, 4)):
            # Most numbers stand in the first pages; a change of a weight is none to notice.
            place = rng.randrange(min(len(data) or 1, rng.choice((100, 5000, len(whole)))))
            data[place : place + 1] = bytes([rng.choice((0, 1, 0x7F, 0x80, 0xFF))])
        path.write_bytes(data)
        attempt(path, grounding)


@pytest.mark.parametrize("kind", WRITERS)
def test_numbers_that_are_none(
    kind: str, tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    for value in (np.nan, np.inf):
        bias = weights.predicates[1]["lit"].bias
        before = bias[2].copy()
        bias[2] = value
        WRITERS[kind](tmp_path / "net", weights, grounding)
        bias[2] = before
        wanted = "predicate 'lit' of layer 1 has a weight that is no finite 32-bit float"
        assert wanted in refusal(tmp_path / "net", grounding)
        (tmp_path / "net").unlink()


def test_no_network_at_all(tmp_path: Path, grounding: Grounding) -> None:
    path = tmp_path / "net"
    for data in (
        b"",
        b"not a network",
        b"SQLite format 3\0",
        b"SQLite format 3\0" + b"\xff" * 5000,
    ):
        path.write_bytes(data)
        refusal(path, grounding)
    path.unlink()
    path.mkdir()
    assert "is a directory" in refusal(path, grounding)
    assert "there is no such file" in refusal(tmp_path / "gone", grounding)


SQL = {
    "a view": "CREATE VIEW more AS SELECT * FROM asnets_weights",
    "a trigger": "CREATE TRIGGER t INSERT ON asnets_info BEGIN DELETE FROM asnets_weights; END",
    "a table": "CREATE TABLE more (x)",
    "an index": "CREATE INDEX i ON asnets_info (parameter)",
    "a view in place of a table": "ALTER TABLE asnets_weights RENAME TO other; "
    "CREATE VIEW asnets_weights AS SELECT * FROM other",
    "a generated column": "ALTER TABLE asnets_info ADD COLUMN g AS (abs(int_value))",
}


@pytest.mark.parametrize("what", SQL)
def test_a_database_with_more_in_it(
    what: str, tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    write_published(tmp_path / "net", weights, more=SQL[what])
    assert "is no published ASNet" in refusal(tmp_path / "net", grounding)


ROWS = {
    "UPDATE asnets_info SET int_value = 1000000000 WHERE parameter = 'cfg_hidden_dimension'":
        "its cfg_hidden_dimension is 1000000000, and must be from 1 to",
    "UPDATE asnets_info SET int_value = 'many' WHERE parameter = 'cfg_num_layers'":
        "its cfg_num_layers is 0, and must be",
    "DELETE FROM asnets_info": "its cfg_hidden_dimension is 0",
    "UPDATE asnets_weights SET weights = 'text' WHERE id = 0": "weights that are no blob",
    "UPDATE asnets_weights SET weights = x'0102' WHERE id = 0": "is no list of 32-bit floats",
    "UPDATE asnets_weights SET weights = NULL WHERE id = 0": "action 'go' of layer 0 has weights",
    "UPDATE asnets_weights SET name = 'fly' WHERE name = 'go'": "it knows no action 'go' of",
    "UPDATE asnets_weights SET name = 'fly' WHERE name = 'wait' AND layer = 1":
        "it has weights for the action 'fly', which",
    "UPDATE asnets_weights SET name = 'on' WHERE name = 'lit'": "it knows no predicate 'lit' of",
    "UPDATE asnets_weights SET sig = 7 WHERE id = 0": "a row that is no part of a module",
    "UPDATE asnets_weights SET name = NULL WHERE id = 0": "a row that is no part of a module",
    "INSERT INTO asnets_weights SELECT id + 1000, layer, sig, name, idx, weights FROM "
    "asnets_weights": "is twice",
}  # fmt: skip


@pytest.mark.parametrize("sql", ROWS)
def test_rows_that_cannot_be(
    sql: str, tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    write_published(tmp_path / "net", weights, more=sql)
    assert ROWS[sql] in refusal(tmp_path / "net", grounding)


def test_a_database_that_ends_before_its_weights_do(
    tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    path = tmp_path / "net"
    write_published(path, weights, more="UPDATE asnets_weights SET weights = zeroblob(9000)")
    path.write_bytes(path.read_bytes()[:9000])
    assert "is no whole SQLite file of an ASNet" in refusal(path, grounding)


LATER: dict[str, Callable[[dict[str, Any]], object]] = {
    "its hidden_dimension is 1000000000, and must be from 1 to":
        lambda it: it["config"].update(hidden_dimension=10**9),
    "its num_layers is True": lambda it: it["config"].update(num_layers=True),
    "looks at landmarks (lmc), which ours do not": lambda it: it["config"].update(lmc=True),
    "looks at how often actions were taken": lambda it: it["config"].update(op_history=1),
    "it has no list of tables asnets.model.action_module": lambda it: it.pop("action_module"),
    "it has no table 'train_data'": lambda it: it.pop("train_data"),
    "has no text of its domain": lambda it: it["train_data"].update(domain=7),
    "the domain in it cannot be read": lambda it: it["train_data"].update(domain="(define"),
    "is for domain 'hall': its actions differ: number 2 is 'flip/2":
        lambda it: it["train_data"].update(domain=HALL.replace("action switch", "action flip")),
    "is for domain 'hall': its predicates are 8 there, and 7 here":
        lambda it: it["train_data"].update(domain=HALL.replace("(unused", "(unused) (more")),
    "action_module 1: its layer is -1": lambda it: it["action_module"][0].update(layer=-1),
    "action_module 1: its action_id is 99":
        lambda it: it["action_module"][0].update(action_id=99),
    "action_module 2: action 'go' of layer 0 is twice":
        lambda it: it["action_module"][1].update(action_id=it["action_module"][0]["action_id"]),
    "action_module 1: its weights are no base64 text":
        lambda it: it["action_module"][0].update(weights="@@@@"),
    "action_module 1: its bias are 4 bytes, not the 3 32-bit floats":
        lambda it: it["action_module"][0].update(bias="AAAAAA=="),
    "action 'go' of layer 0 has weights of the shape (1,)":
        lambda it: it["action_module"][0].update(weights="AAAAAA==", weights_size=1),
    "it knows no action 'go' of": lambda it: it.update(
        action_module=[row for row in it["action_module"] if row["action_id"] != 0]
    ),
}  # fmt: skip


@pytest.mark.parametrize("sentence", LATER)
def test_a_later_file_that_does_not_fit(
    sentence: str, tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    path = tmp_path / "net"
    write_published_toml(path, weights, grounding.signature, HALL, change=LATER[sentence])
    assert sentence in refusal(path, grounding)


def test_a_later_file_that_is_no_toml(tmp_path: Path, grounding: Grounding) -> None:
    path = tmp_path / "net"
    for data, sentence in (
        (b"[asnets]\nx = ", "is no TOML"),
        (b"[asnets]\nx = \xff", "is no UTF-8"),
        (b"[asnets]\n" + b"a." * 100_000 + b"b = 1", "a key has more than 20 parts"),
        (b"[asnets]\nx = 1", "it has no table 'model'"),
        (b"[asnets]\nmodel = 3", "it has no table 'model'"),
    ):
        path.write_bytes(data)
        assert sentence in refusal(path, grounding)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty, an ASNet file was expected"),
        (b"hello\n", "is no ASNet; give a file that Bugsieve has trained, or a published .policy"),
        (b"a text of more than eight bytes", "is no ASNet; give a file that Bugsieve has trained"),
    ],
)
def test_files_of_other_kinds(
    data: bytes, sentence: str, tmp_path: Path, grounding: Grounding
) -> None:
    (tmp_path / "net").write_bytes(data)
    assert sentence in refusal(tmp_path / "net", grounding)


def test_nothing_is_written_beside_the_file(
    tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    path = tmp_path / "net"
    write_published(path, weights)
    (tmp_path / "net-journal").write_bytes(b"hot journal")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("PRAGMA journal_mode = WAL")
    before = path.read_bytes()
    load_weights(path, grounding.signature)
    assert path.read_bytes() == before
    assert (tmp_path / "net-journal").read_bytes() == b"hot journal"
    assert {entry.name for entry in tmp_path.iterdir()} >= {"net", "net-journal"}
    assert not (tmp_path / "net-wal").exists()


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Rewrite the header of a safetensors file."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])


ABOUT = {
    "format": ("bugsieve asnet 99", "'format' is 'bugsieve asnet 99' and not"),
    "hidden": ("99999999999", "'hidden' is '99999999999', and must be a number from 1 to"),
    "layers": ("-1", "'layers' is '-1', and must be a number from 1 to"),
    "signature": ("0" * 64, "is for domain 'hall', but for another version of it: the order of"),
}


@pytest.mark.parametrize("key", ABOUT)
def test_metadata_that_is_wrong(
    key: str, tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    path = tmp_path / "net"
    save_weights(path, weights, grounding.signature)
    value, sentence = ABOUT[key]
    changed(path, lambda header: header["__metadata__"].update({key: value}))
    assert sentence in refusal(path, grounding)


def test_another_domain_is_named_with_what_differs(
    tmp_path: Path, grounding: Grounding, weights: Weights
) -> None:
    def refused(change: Callable[[dict[str, Any]], object]) -> str:
        save_weights(tmp_path / "net", weights, grounding.signature)

        def edit(header: dict[str, Any]) -> None:
            about = header["__metadata__"]
            schemas = json.loads(about["schemas"])
            change(schemas)
            about.update(signature="0" * 64, domain="castle", schemas=json.dumps(schemas))

        changed(tmp_path / "net", edit)
        return refusal(tmp_path / "net", grounding)

    assert "'castle', not for domain 'hall': it knows no action 'dim'" in refused(
        lambda schemas: schemas.pop("dim")
    )
    assert "it has an action 'fly', which is not here" in refused(
        lambda schemas: schemas.update(fly="fly/0:")
    )
    sentence = refused(lambda schemas: schemas.update(dim="dim/1: (lit ?0)"))
    assert "action 'dim' has the atoms 'dim/1: (lit ?0)' there, and 'dim/2: (at ?1)" in sentence
    assert "is no JSON object" in refused(lambda schemas: schemas.update(dim=[1]))


def test_tensors_that_do_not_fit(tmp_path: Path, grounding: Grounding, weights: Weights) -> None:
    path = tmp_path / "net"

    def refused(change: Callable[[dict[str, Any]], object]) -> str:
        save_weights(path, weights, grounding.signature)
        changed(path, lambda header: (change(header), None)[1])
        return refusal(path, grounding)

    name = "action.1.go.weight"
    assert f"has no tensor '{name}'" in refused(
        lambda header: header.update({"action.9.go.weight": header.pop(name)})
    )
    assert "follows unused bytes" in refused(lambda header: header.pop(name))
    assert "overlaps another one" in refused(lambda header: header.update(twice=header[name]))
    tensors = {**tensors_of(weights), "action.9.go.weight": np.ones((1, 1), np.float32)}
    save_weights(path, weights, grounding.signature)
    _, metadata = read_tensors(str(path), path.read_bytes())
    write_tensors(path, tensors, metadata)
    assert "has a tensor 'action.9.go.weight', which the domain does not need" in refusal(
        path, grounding
    )
    assert "action 'go' of layer 1 has weights of the shape" in refused(
        lambda header: header[name].update(shape=header[name]["shape"][::-1])
    )
    huge = [1 << 40, 1 << 20]
    assert "needs" in refused(lambda header: header[name].update(shape=huge))
    # With ten times the hidden size nothing fits any more; nothing is made before that is known.
    assert "action 'go' of layer 0 has weights" in refused(
        lambda header: header["__metadata__"].update(hidden="300")
    )
