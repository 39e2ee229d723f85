"""Reads rules files; everything that can be wrong without a task is found here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast, get_args

from bugsieve.base.errors import InputError
from bugsieve.base.wording import shown_value
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, read_atom, read_parameters
from bugsieve.rooms.rules.file.binding import BoundRules, bind
from bugsieve.rooms.rules.file.patterns import PATTERN_KEYS, TextPlace, read_pattern
from bugsieve.rooms.rules.file.rules import (
    Form,
    Kind,
    RuleDeclaration,
    atom_positions,
    check_atoms,
)
from bugsieve.rooms.rules.file.source import PlacedText, Source, read_source
from bugsieve.rooms.rules.file.tables import TomlTable
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.reader import read_ltl
from bugsieve.rooms.rules.scale import Expectation
from bugsieve.tasks.grounded.task import Task

FORMAT = 1
FILE_KEYS = ("format", "atom", "rule")
ATOM_KEYS = ("name", "is")
FORMS: tuple[Form, ...] = ("ltl", "english", "pattern")
RULE_KEYS = ("id", "kind", "forall", *FORMS, *PATTERN_KEYS, "expect", "tags", "note")

_ID = re.compile(r"[^\s\[\],]{1,100}")


@dataclass(frozen=True)
class RulesFile:
    """The rules of a file and the atoms they are about."""

    path: str
    atoms: Mapping[str, AtomDeclaration]
    rules: tuple[RuleDeclaration, ...]

    def bind(self, task: Task) -> BoundRules:
        """The rules in a task from PDDL, or an InputError that names what does not fit it."""
        return bind(task, self.atoms, self.rules, file=self.path)


def read_rules(path: str | os.PathLike[str]) -> RulesFile:
    """The rules file, or an InputError that names line, column and the nearest name."""
    return rules_of(read_source(path))


def rules_of(source: Source) -> RulesFile:
    """The rules file that a text is."""
    table = TomlTable(source, (), source.content)
    table.check_keys(FILE_KEYS, "a rules file")
    _check_format(table)
    atoms = _read_atoms(table.tables("atom"))
    rules: dict[str, RuleDeclaration] = {}
    for item in table.tables("rule"):
        rule = _read_rule(item, atoms)
        if rules.setdefault(rule.id, rule) is not rule:
            raise item.error("id", f"there are two rules with the id '{rule.id}'")
    if not rules:
        raise InputError(f"{source.name}: has no rule; each begins with '[[rule]]'")
    return RulesFile(source.name, atoms, tuple(rules.values()))


def _check_format(table: TomlTable) -> None:
    value = table.content.get("format")
    if value is None:
        raise InputError(f"{table.source.name}:1: a rules file begins with 'format = {FORMAT}'")
    if isinstance(value, bool) or value != FORMAT:
        raise table.error(
            "format", f"this version reads 'format = {FORMAT}', not {shown_value(value)}"
        )


def _read_atoms(tables: Sequence[TomlTable]) -> dict[str, AtomDeclaration]:
    atoms: dict[str, AtomDeclaration] = {}
    first: dict[str, AtomDeclaration] = {}
    for table in tables:
        table.check_keys(ATOM_KEYS, "an atom")
        atom = read_atom(table.text("name", "an atom"), table.text("is", "an atom"))
        before = first.setdefault(atom.name.lower(), atom)
        if before is not atom:
            raise InputError(
                f"{atom.position}: there are two atoms '{atom.name}' (the first on line "
                f"{before.position.line}); names differ in more than their case"
            )
        atoms[atom.name] = atom
    return atoms


class _Written(NamedTuple):
    """A rule as written: the formula, its form, and the texts it stands in."""

    form: Form
    formula: Formula
    source: str
    texts: Sequence[PlacedText]


def _read_rule(table: TomlTable, atoms: Mapping[str, AtomDeclaration]) -> RuleDeclaration:
    table.check_keys(RULE_KEYS, "a rule")
    written = _written(table)
    kind = table.choice("kind", get_args(Kind), "a rule")
    if kind is None:
        raise table.error("kind", f"a rule needs the key 'kind': {' or '.join(get_args(Kind))}")
    forall = table.optional_text("forall") or PlacedText(table.source, "", 0, [0])
    rule = RuleDeclaration(
        id=_read_id(table.text("id", "a rule")),
        kind=cast(Kind, kind),
        forall=read_parameters(forall, 0, len(forall.value), "'forall'"),
        formula=written.formula,
        form=written.form,
        source=written.source,
        position=written.texts[0].position(),
        atom_positions=atom_positions(written.formula, written.texts, form=written.form),
        expect=cast("Expectation | None", table.choice("expect", get_args(Expectation), "a rule")),
        tags=_read_tags(table),
        note=_value(table.optional_text("note")),
    )
    check_atoms(rule, atoms)
    return rule


def _read_id(text: PlacedText) -> str:
    if not _ID.fullmatch(text.value) or not text.value.isprintable():
        raise text.error(
            0,
            "the id of a rule is 1 to 100 characters without blanks, commas and brackets, not "
            f"{text.value[:40]!r}",
        )
    return text.value


def _read_tags(table: TomlTable) -> tuple[str, ...]:
    tags = table.content.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise table.error("tags", '\'tags\' must be a list of texts, as in ["power", "arm"]')
    return tuple(tags)


def _value(text: PlacedText | None) -> str:
    return "" if text is None else text.value


def _written(table: TomlTable) -> _Written:
    """The formula of a rule, which has exactly one of the forms."""
    given = [form for form in FORMS if form in table.content]
    if len(given) != 1:
        found = " and ".join(map(repr, given)) if given else "none of them"
        place = given[1] if given else "ltl"
        raise table.error(
            place, f"a rule has exactly one of {', '.join(map(repr, FORMS))}; this has {found}"
        )
    form = given[0]
    if form == "pattern":
        return _Written(form, *read_pattern(table))
    for key in PATTERN_KEYS:
        if key in table.content:
            raise table.error(key, f"{key!r} belongs to 'pattern', which this rule does not have")
    text = table.text(form, "a rule")
    read = read_ltl if form == "ltl" else read_sentence
    return _Written(form, read(text.value, place=TextPlace.of(text)), text.value, (text,))
