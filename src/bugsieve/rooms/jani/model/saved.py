"""A model in a form that can be stored and sent to other processes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.allowances import allow_for, allowance
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel


@dataclass(frozen=True)
class SavedModel:
    """The model with its property and constants."""

    name: str
    document: str = field(repr=False)
    """As JSON."""
    actions: tuple[str, ...]
    """Names of the model's actions, by number."""

    @classmethod
    def of(cls, model: JaniModel) -> SavedModel:
        """The model as it is now."""
        return cls(model.name, json.dumps(model.document, ensure_ascii=False), model.actions)

    @property
    def sha256(self) -> str:
        """The hash of the document, as it is written here."""
        return hashlib.sha256(self.document.encode("utf-8", "surrogatepass")).hexdigest()

    def json(self) -> dict[str, Any]:
        """The model as JSON data."""
        document: dict[str, Any] = json.loads(self.document)
        return document

    def load(self, *, source: str) -> JaniModel:
        """The model, ready for use; `source` names it in errors."""
        with allowance(source):
            allow_for(len(self.document))
            return load_document(self.json(), name=source)


def has_probabilities(model: SavedModel) -> bool:
    """Return true if outcomes of a model differ in how likely they are, as far as it says so."""
    if '"probability"' not in model.document:  # most have none, and documents may be large
        return False
    edges = (edge for part in model.json()["automata"] for edge in part["edges"])
    return any(_is_weighed(edge["destinations"]) for edge in edges)


def _is_weighed(destinations: list[dict[str, Any]]) -> bool:
    weights = [item.get("probability", {}).get("exp", 1) for item in destinations]
    positive = [weight for weight in weights if weight not in (0, 1)]
    return any(weight != positive[0] for weight in positive)
