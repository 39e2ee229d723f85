"""The models of a safety experiment: generated, or given as JANI or PDDL files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bugsieve.base.errors import InputError
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.rooms.jani.fond.loading import condition_text
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.lab.experiments.checked_values import (
    checked_keys,
    checked_text,
    placed,
)
from bugsieve.rooms.lab.experiments.instances import (
    Instance,
    generated_instances,
    given_instances,
    parameter_sets,
    refuse_keys,
)
from bugsieve.rooms.safety.campaign.models import PROPERTY_PARTS, load_files
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import MODEL_FILE
from bugsieve.rooms.zoo.model_domains import MODEL_DOMAINS, generate_model

_SOURCES = {
    "generator": ("generator", "parameters", "seeds"),
    "model": ("model", "property", *PROPERTY_PARTS, "property_name", "constants"),
    "domain": ("domain", "problems", "unsafe"),
}
"""The sources of a model, and the keys that describe each."""
_WORDS = {"generator": "a generator", "model": "files", "domain": "files in PDDL"}
_OF_SOURCES = tuple(dict.fromkeys(key for keys in _SOURCES.values() for key in keys))
_KEYS = ("label", "policies", "oracles", *_OF_SOURCES)


@dataclass(frozen=True)
class ModelInstance(Instance):
    """A model of the grid; its texts are its files."""

    file_names: ClassVar[tuple[str, ...]] = (MODEL_FILE,)
    noun: ClassVar[str] = "model"

    document: str = ""
    """The model with its property and constants, as JSON: what campaigns keep."""
    property_name: str | None = None
    constants: tuple[str, ...] = ()
    """As in the options of a campaign."""

    def is_subject(self, saved: Any) -> bool:
        """Return true if a campaign with this subject tests it."""
        return isinstance(saved, SavedModel) and saved.json() == json.loads(self.document)

    def named_in(self, options: CampaignOptions, files: tuple[str, ...]) -> CampaignOptions:
        """The options with this as their subject, which is in these files."""
        assert isinstance(options, SafetyOptions)
        return replace(
            options,
            model=files,
            property_name=self.property_name,
            constants=self.constants,
        )


def read_models(entry: Any, place: str, base: Path) -> list[Instance]:
    """The models of one [[models]] table; paths in it are relative to `base`."""
    checked_keys(entry, _KEYS, place)
    sources = [source for source in _SOURCES if source in entry]
    if len(sources) != 1:
        raise InputError(
            f"{place}: needs a 'generator', or a 'model' file, "
            "or a 'domain' file in PDDL with its 'problems'"
        )
    (source,) = sources
    foreign = [key for key in _OF_SOURCES if key not in _SOURCES[source]]
    refuse_keys(entry, foreign, place, f"a model with {_WORDS[source]}")
    if source == "generator":
        return generated_instances(entry, place, MODEL_DOMAINS.check, _generated)
    return (_jani if source == "model" else _fond)(entry, place, base)


def _generated(label: str, name: str, seed: int, values: Mapping[str, Any]) -> Instance:
    made = generate_model(name, seed=seed, **values)
    document = SavedModel.of(load_document(made.document, name=made.name)).document
    return ModelInstance(label, made.name, (made.text.encode(),), document=document)


def _jani(entry: Mapping[str, Any], place: str, base: Path) -> list[Instance]:
    parts = [key for key in PROPERTY_PARTS if key in entry]
    if parts and (len(parts) < len(PROPERTY_PARTS) or "property" in entry):
        raise InputError(
            f"{place}: a property has one file ('property'), or three: "
            "'start', 'goal' and 'unsafe'"
        )
    keys = ["model", *(["property"] if "property" in entry else parts)]
    paths = [base / checked_text(entry[key], f"{place}: {key}") for key in keys]
    if paths[0].suffix.lower() == ".pddl":
        raise InputError(f"{place}: PDDL is given as a 'domain' file with its 'problems'")
    label = checked_text(entry.get("label", paths[0].stem), f"{place}: label")
    property_name = entry.get("property_name")
    if property_name is not None:
        checked_text(property_name, f"{place}: property_name")
    instances: list[Instance] = []
    for values in parameter_sets(entry.get("constants", {}), f"{place}: constants"):
        with placed(place):
            constants = _constants(values)
            model = load_files([*map(str, paths)], constants, property_name)
        instances.append(
            ModelInstance(
                label,
                "-".join([paths[0].stem, *(text.replace("=", "-") for text in constants)]),
                tuple(path.read_bytes() for path in paths),
                tuple(str(path.absolute()) for path in paths),
                SavedModel.of(model).document,
                property_name,
                constants,
            )
        )
    return instances


def _fond(entry: Mapping[str, Any], place: str, base: Path) -> list[Instance]:
    if "unsafe" not in entry:
        raise InputError(f"{place}: say what is 'unsafe': a condition in PDDL, or its file")
    unsafe = checked_text(entry["unsafe"], f"{place}: unsafe")
    with placed(place):
        danger = condition_text(unsafe, name="unsafe:", base=base)
    shown = unsafe if unsafe == danger else str((base / unsafe).absolute())
    instances: list[Instance] = []
    for task in given_instances(entry, place, base):
        files = (*(task.files or ()), shown)
        with placed(place):
            document = SavedModel.of(load_files(files, (), None)).document
        texts = (*task.texts, danger.encode())
        instances.append(ModelInstance(task.domain, task.name, texts, files, document))
    return instances


def _constants(values: Mapping[str, Any]) -> tuple[str, ...]:
    for name, value in values.items():
        if not isinstance(value, (bool, int, float)):
            raise InputError(f"the constant {name!r} must be a number or true or false")
    return tuple(f"{name}={json.dumps(value)}" for name, value in values.items())
