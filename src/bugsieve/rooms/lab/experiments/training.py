"""Networks that an experiment trains before it tests them: one file each, and one that tells how.

A network without the second file is not done yet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.campaigns.store.schema import explained
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.training.options import QOptions
from bugsieve.tasks.sources import MEBIBYTE, read_regular

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.training.q_learning import Event


def network_spec(network: Path) -> str:
    """The policy that a trained network is."""
    return f"mlp:{network.absolute()}"


def files_of_network(network: str) -> tuple[str, str]:
    """Both files of a network."""
    return network, str(_record(Path(network)))


def is_trained(network: Path, document: str, options: QOptions) -> bool:
    """Return true if the network is there; InputError if it was trained for something else."""
    path = _record(network)
    if not path.exists() or not network.exists():
        return False
    try:
        record = json.loads(read_regular(path, kind="JSON", max_bytes=MEBIBYTE))
        had = record["model"], record["options"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is damaged: delete it to train the network again") from None
    model, wanted = _digest(document), json.loads(json.dumps(options.to_json()))
    if had == (model, wanted):
        return True
    what = "for another model" if had[0] != model else _difference(had[1], wanted)
    raise InputError(
        f"{network}: was trained {what}: name a new folder with -o, or delete it "
        "and the campaigns that test it"
    )


def train_network(
    network: Path, model: JaniModel, options: QOptions, on_event: Callable[[Event], None]
) -> None:
    """Train the network and write both files; KeyboardInterrupt leaves none."""
    from bugsieve.rooms.formats.networks import write_safetensors
    from bugsieve.rooms.training.q_learning import train_q

    trained = train_q(model, options, on_event)
    if trained.is_interrupted:
        raise KeyboardInterrupt
    record = {
        "model": _digest(SavedModel.of(model).document),
        "options": options.to_json(),
        "random": asdict(trained.random),
        "best": asdict(trained.best),
        "best_steps": trained.best_steps,
        "seconds": trained.seconds,
    }
    with explained(network.parent):
        make_folders(network.parent)
        write_safetensors(network, trained.network, {"options": json.dumps(options.to_json())})
        write_text(_record(network), json.dumps(record, indent=1) + "\n")


def _record(network: Path) -> Path:
    return network.with_suffix(".json")


def _digest(document: str) -> str:
    return hashlib.sha256(document.encode()).hexdigest()


def _difference(had: Any, wanted: dict[str, Any]) -> str:
    old = had if isinstance(had, dict) else {}
    for name, value in wanted.items():
        if old.get(name) != value:
            return f"with {name} {old.get(name)!r}, and now it is {value!r}"
    return "with other options"
