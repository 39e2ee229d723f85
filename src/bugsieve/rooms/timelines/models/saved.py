"""A model of timelines in a form that can be stored: its files."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field

from bugsieve.rooms.timelines.models.loading import read_model
from bugsieve.rooms.timelines.models.model import Model


@dataclass(frozen=True)
class SavedModel:
    """The files of a model, each with its name, in the order in which they are read."""

    files: tuple[tuple[str, str], ...] = field(repr=False)

    @classmethod
    def of(cls, model: Model) -> SavedModel:
        """The model's texts."""
        return cls(tuple((os.path.basename(path), text) for path, text in model.texts))

    @property
    def name(self) -> str:
        """That of the first file."""
        return os.path.splitext(self.files[0][0])[0]

    @property
    def sha256(self) -> str:
        """Content hash of all files."""
        return hashlib.sha256(json.dumps(self.files).encode()).hexdigest()

    def load(self) -> Model:
        """The model, ready for use."""
        return read_model(self.files)
