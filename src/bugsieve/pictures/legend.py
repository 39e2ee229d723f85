"""Meanings of lines and signs in pictures, for those who have not read about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bugsieve.pictures.shapes import Drawing, Shape, Text

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "goal": "thick or underlined: a goal that holds",
        "open goal": "dashed or italic: a goal that does not hold",
        "moved": "dotted or bold: what the last step has changed",
        "danger": "long thick dashes: danger",
    }
)
"""By role."""


def legend(drawings: Iterable[Drawing], signs: Iterable[str] = ()) -> tuple[str, ...]:
    """The meanings of the roles and signs that occur: sentences that begin with the sign."""
    shapes = [shape for drawing in drawings for shape in drawing.shapes]
    roles = {shape.role for shape in shapes if not _is_plain(shape)}
    texts = {shape.text for shape in shapes if isinstance(shape, Text)}
    return (
        *(meaning for role, meaning in MEANINGS.items() if role in roles),
        *(meaning for meaning in signs if any(meaning[0] in text for text in texts)),
    )


def _is_plain(shape: Shape) -> bool:
    """The word `unsafe` says itself what it means."""
    return isinstance(shape, Text) and shape.role == "danger"
