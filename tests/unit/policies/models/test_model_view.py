"""The view of a model that policy functions get: every attribute of it is documented."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from bugsieve.rooms.jani.policies.model_view import ModelView, VariableView

PAGE = Path(__file__).parents[4] / "docs" / "policies.md"


def test_every_attribute_is_documented() -> None:
    text = PAGE.read_text("utf-8")
    names = [f"`model.{field.name}`" for field in fields(ModelView)]
    names += [f"`variable.{field.name}`" for field in fields(VariableView)]
    assert [name for name in names if name not in text] == []
