"""PDDL atoms as text: "(on a b)" as users write them, "Atom on(a, b)" as SAS files do."""

from __future__ import annotations

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl.reader import words_of as words_of

_PREFIX = "Atom "


def from_sas_name(name: str) -> str | None:
    """The PDDL atom of a SAS value name, or None for negated and "none of those" values."""
    if not name.startswith(_PREFIX):
        return None
    predicate, bracket, arguments = name[len(_PREFIX) :].partition("(")
    if not bracket or not arguments.endswith(")"):
        return None
    words = [predicate.strip(), *(word.strip() for word in arguments[:-1].split(", "))]
    return "(" + " ".join(word for word in words if word).lower() + ")"


def normalised(text: str) -> str:
    """An atom as users may write it, in lower case and with single spaces."""
    stripped = text.strip()
    inner = stripped[1:-1] if stripped.startswith("(") and stripped.endswith(")") else ""
    words = inner.lower().split()
    if not words or "(" in inner or ")" in inner:
        raise InputError(f"{text!r} is not an atom, which has the form (PREDICATE OBJECT ...)")
    return "(" + " ".join(words) + ")"
