"""Rules as a file declares them: a formula over atoms of the file, for all objects of types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.base.wording import counted
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, Parameters, split_atom
from bugsieve.rooms.rules.file.source import PlacedText, Position
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.scale import Expectation

Kind: TypeAlias = Literal["desired", "forbidden"]
Form: TypeAlias = Literal["ltl", "english", "pattern", "constraint"]


@dataclass(frozen=True)
class RuleDeclaration:
    """A `[[rule]]`, or a constraint of PDDL."""

    id: str
    kind: Kind
    forall: Parameters
    formula: Formula
    """Over atoms whose arguments are objects or variables of `forall`."""
    form: Form
    source: str
    """The formula as it was written."""
    position: Position
    """The position where that begins."""
    atom_positions: Mapping[str, Position]
    """The position of each atom's first occurrence."""
    expect: Expectation | None = None
    tags: tuple[str, ...] = ()
    note: str = ""


def atom_positions(
    formula: Formula, texts: Sequence[PlacedText], *, form: Form
) -> dict[str, Position]:
    """The position of each atom's first occurrence in the texts, or their beginning."""
    return {name: _first_place(name, texts, form) for name in atoms_of(formula)}


def _first_place(name: str, texts: Sequence[PlacedText], form: Form) -> Position:
    plain, arguments = split_atom(name)
    inside = r"\s*,\s*".join(map(re.escape, arguments))
    rest = rf"\(\s*{inside}\s*\)" if arguments else r"(?![A-Za-z0-9_(]|-(?!>))"
    pattern = re.compile(rf"(?<![A-Za-z0-9_?-]){re.escape(plain)}{rest}")
    for text in texts:
        found = list(pattern.finditer(text.value))
        # A word of a sentence may be spelled like an atom without arguments.
        if len(found) == 1 or (found and (arguments or form != "english")):
            return text.position(found[0].start())
    return texts[0].position()


def check_atoms(rule: RuleDeclaration, atoms: Mapping[str, AtomDeclaration]) -> None:
    """Raise unless the formula has atoms, and all of them are declared and used rightly."""
    if not rule.atom_positions:
        raise InputError(f"{rule.position}: the rule '{rule.id}' has no atoms, it says nothing")
    for name, position in rule.atom_positions.items():
        sentence = next(_objections(name, rule, atoms), None)
        if sentence is not None:
            raise InputError(f"{position}: {sentence}")


def _objections(
    name: str, rule: RuleDeclaration, atoms: Mapping[str, AtomDeclaration]
) -> Iterator[str]:
    plain, arguments = split_atom(name)
    if plain not in atoms:
        yield f"there is no atom {plain[:80]!r} in this file{suggest(plain[:80], atoms)}"
        return
    wanted = len(atoms[plain].parameters.types)
    if len(arguments) != wanted:
        yield (
            f"the atom '{plain}' has {counted(wanted, 'argument')}, not {len(arguments)} as in "
            f"'{name[:80]}'"
        )
    yield from _unbound(arguments, rule)


def _unbound(arguments: Iterable[str], rule: RuleDeclaration) -> Iterator[str]:
    for argument in arguments:
        if argument.startswith("?") and argument.lower() not in rule.forall.types:
            yield (
                f"the variable '{argument}' is not in 'forall' of the rule '{rule.id}'"
                f"{suggest(argument, rule.forall.types)}"
            )
