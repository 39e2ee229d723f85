"""Atoms of rules files: conditions with names and typed parameters, not yet about any task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bugsieve.rooms.rules.file.atom_forms import ATOM_FORMS, AtomForm, OtherCondition
from bugsieve.rooms.rules.file.source import PlacedText, Position
from bugsieve.tasks.pddl.conditions import read_condition
from bugsieve.tasks.pddl.declarations import typed_list, variables
from bugsieve.tasks.pddl.reader import Block, Document, make_block, make_word, tokens

MAX_CONDITION_DEPTH = 100
"""Of the conditions of atoms, also when those of other atoms are put in."""

RESERVED = frozenset({"X", "N", "F", "G", "U", "W", "R", "M", "true", "false"})
"""Words of formulas, which no atom may be called."""

_NAME = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*")
_WORD = re.compile(r"[()]|\?[^\s(),?]*|[^\s(),?]+")


@dataclass(frozen=True)
class Parameters:
    """A typed list of variables, `?r - rover ?w - waypoint`."""

    types: Mapping[str, str]
    """Variable, in lower case, to its type as it was written, in order."""
    document: Document
    """The list alone, for what is found wrong with its types later."""

    @property
    def words(self) -> Block:
        """The words of the list."""
        return self.document.root


@dataclass(frozen=True)
class AtomDeclaration:
    """An `[[atom]]`: a name, its parameters, and a condition."""

    name: str
    parameters: Parameters
    position: Position
    condition: Document | OtherCondition
    """Of PDDL, whose root is the condition, or of another language."""
    condition_position: Position

    @property
    def elsewhere(self) -> str:
        """The subject of the atom, if that is not PDDL."""
        return "" if isinstance(self.condition, Document) else self.condition.about


def read_atom(name: PlacedText, condition: PlacedText) -> AtomDeclaration:
    """The atom that two texts declare, or an InputError that names the character."""
    match = _NAME.match(name.value)
    called = match.group() if match else ""
    if called in RESERVED:
        raise name.error(0, f"no atom may be called {called!r}, which is a word of formulas")
    parameters = _parameters_of(name, called)
    meaning = _form_of(condition).read(condition)
    if not isinstance(meaning, Document):
        _check_variables(meaning, parameters, condition, called)
    return AtomDeclaration(called, parameters, name.position(), meaning, condition.position())


def split_atom(name: str) -> tuple[str, tuple[str, ...]]:
    """The atom of a formula as its name and arguments: `moving(?r)` is ("moving", ("?r",))."""
    plain, bracket, arguments = name.partition("(")
    return plain, tuple(arguments.removesuffix(")").split(",")) if bracket else ()


def joined_atom(name: str, arguments: Sequence[str]) -> str:
    """The inverse of `split_atom`."""
    return f"{name}({','.join(arguments)})" if arguments else name


def read_parameters(text: PlacedText, start: int, end: int, owner: str) -> Parameters:
    """The typed list between two characters; commas count as blanks."""
    found = _WORD.finditer(text.value, start, end)
    words = [make_word(match.group(), match.start()) for match in found]
    strange = next((word for word in words if not word.isascii() or word in "()"), None)
    if strange is not None:
        raise text.error(
            strange.line, f"{strange[:40]!r} has no place in the typed variables of {owner}"
        )
    lower = make_block(start, *(make_word(word.lower(), word.line) for word in words))
    document = Document(text.source.name, b"", lower, text.where)
    mentioned = {kind for entry in typed_list(document, lower) for kind in entry.types}
    types = variables(document, lower, {*mentioned, "object"}, owner)
    written = {kind.lower(): kind for kind in words}
    return Parameters(
        {name: str(written.get(kind, kind)) for name, kind in types.items()}, document
    )


def _parameters_of(text: PlacedText, called: str) -> Parameters:
    rest = text.value[len(called) :]
    if not called or (rest and (rest[0] != "(" or not rest.endswith(")"))):
        raise text.error(
            len(called),
            "the name of an atom is a word of letters, digits, '_' and '-', with its typed "
            f"variables in parentheses if it has any, as in 'moving(?r - rover)', not "
            f"{text.value[:40]!r}",
        )
    if not rest:
        return read_parameters(text, len(called), len(called), called)
    found = read_parameters(text, len(called) + 1, len(text.value) - 1, f"the atom {called!r}")
    if not found.types:
        raise text.error(len(called), f"{called!r} has empty parentheses; write the name alone")
    return found


def _form_of(text: PlacedText) -> AtomForm:
    """The first language whose texts begin like this; PDDL, which says what is wrong, for none."""
    stripped = text.value.lstrip()
    return next((form for form in ATOM_FORMS.values() if form.begins(stripped)), PDDL_ATOMS)


def _read_pddl(text: PlacedText) -> Document:
    _reject_non_ascii(text)
    return read_condition(
        text.value, name=text.source.name, max_depth=MAX_CONDITION_DEPTH, where=text.where
    )


def _reject_non_ascii(text: PlacedText) -> None:
    for start, token in tokens(text.value):
        strange = next((place for place, sign in enumerate(token) if not sign.isascii()), None)
        if strange is not None:
            raise text.error(
                start + strange,
                f"the character {token[strange]!r} has no place in a PDDL condition",
            )


PDDL_ATOMS = AtomForm(lambda text: text.startswith(("(", ")", ";")), _read_pddl)


def _check_variables(
    condition: OtherCondition, parameters: Parameters, text: PlacedText, called: str
) -> None:
    for variable in condition.variables:
        if variable not in parameters.types:
            raise text.error(
                text.value.lower().index(variable),
                f"the variable '{variable}' is no parameter of the atom {called!r}",
            )
