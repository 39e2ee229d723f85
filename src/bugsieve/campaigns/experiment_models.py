"""The models of a safety experiment: generated, or given as JANI files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bugsieve.basis.errors import InputError
from bugsieve.campaigns.checked_values import (
    checked_integers,
    checked_keys,
    checked_text,
    placed,
)
from bugsieve.campaigns.experiment_instances import Instance, check_source, parameter_sets
from bugsieve.domains.jani import generate_model, model_generator
from bugsieve.results.safety.folder import MODEL_FILE
from bugsieve.tasks.jani.loading import load_document, load_model
from bugsieve.tasks.jani.model import JaniModel

_GENERATED = ("generator", "parameters", "seeds")
_GIVEN = ("model", "property", "property_name", "constants")
_KEYS = ("label", "policies", "oracles", *_GENERATED, *_GIVEN)


@dataclass(frozen=True)
class ModelInstance(Instance):
    """A model of the grid; its texts are its files."""

    file_names: ClassVar[tuple[str, ...]] = (MODEL_FILE,)

    document: str = ""
    """The model with its property and constants, as JSON: what campaigns keep."""
    property_name: str | None = None
    constants: tuple[str, ...] = ()
    """As in the options of a campaign."""


def read_models(entry: Any, place: str, base: Path) -> list[Instance]:
    """The models of one [[models]] table; paths in it are relative to `base`."""
    checked_keys(entry, _KEYS, place)
    if ("generator" in entry) == ("model" in entry):
        raise InputError(f"{place}: needs a 'generator', or a 'model' file")
    check_source(entry, _GENERATED, _GIVEN, place, "a model")
    return _generated(entry, place) if "generator" in entry else _given(entry, place, base)


def _generated(entry: Mapping[str, Any], place: str) -> list[Instance]:
    name = checked_text(entry["generator"], f"{place}: generator")
    label = checked_text(entry.get("label", name), f"{place}: label")
    seeds = checked_integers(entry.get("seeds", [0]), f"{place}: seeds")
    instances: list[Instance] = []
    with placed(place):
        model_generator(name)
        for values in parameter_sets(entry.get("parameters", {}), f"{place}: parameters"):
            for seed in seeds:
                made = generate_model(name, seed=seed, **values)
                document = document_text(load_document(made.document, name=made.name))
                texts = (made.text.encode(),)
                instances.append(ModelInstance(label, made.name, texts, document=document))
    return instances


def _given(entry: Mapping[str, Any], place: str, base: Path) -> list[Instance]:
    keys = [key for key in ("model", "property") if key in entry]
    paths = [base / checked_text(entry[key], f"{place}: {key}") for key in keys]
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
                document_text(model),
                property_name,
                constants,
            )
        )
    return instances


def _constants(values: Mapping[str, Any]) -> tuple[str, ...]:
    for name, value in values.items():
        if not isinstance(value, (bool, int, float)):
            raise InputError(f"the constant {name!r} must be a number or true or false")
    return tuple(f"{name}={json.dumps(value)}" for name, value in values.items())


def load_files(
    files: list[str], constants: tuple[str, ...], property_name: str | None
) -> JaniModel:
    """The model of these files: the model, and its property if that has a file of its own."""
    pairs = [text.partition("=") for text in constants]
    values = {name: json.loads(value) for name, _, value in pairs}
    return load_model(files[0], *files[1:], constants=values, property_name=property_name)


def document_text(model: JaniModel) -> str:
    """The model as campaigns keep it."""
    return json.dumps(model.document, ensure_ascii=False)
