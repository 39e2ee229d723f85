"""The families by which languages plug themselves into the room of rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bugsieve.base.errors import InputError
from bugsieve.base.registry.members import MemberTable
from bugsieve.rooms.rules.commands.parts import PARTS, CommandPart
from bugsieve.rooms.rules.file.atom_forms import ATOM_FORMS, AtomForm
from bugsieve.rooms.rules.store.languages import LANGUAGES, SubjectLanguage, language_of
from tests.unit.rules.file.rover import atom, marked, rule, rules


def keep_members(
    monkeypatch: pytest.MonkeyPatch, table: MemberTable[AtomForm], *names: str
) -> None:
    """Leave the members of these names alone in the table."""
    builtin = {name: table.family.builtin[name] for name in names}
    monkeypatch.setattr(table, "family", replace(table.family, builtin=builtin))


def test_every_member_is_what_its_family_holds() -> None:
    assert all(isinstance(form, AtomForm) for form in ATOM_FORMS.values())
    assert all(isinstance(language, SubjectLanguage) for language in LANGUAGES.values())
    wanted = [name for name in vars(CommandPart) if not name.startswith("_")]
    assert len(wanted) == 5
    for part in PARTS.values():
        assert all(callable(getattr(part, name)) for name in wanted)


def test_languages_are_told_apart_by_the_name_of_the_first_file() -> None:
    suffixes = [language.suffix for language in LANGUAGES.values()]
    assert len(set(suffixes)) == len(suffixes)
    for language in LANGUAGES.values():
        assert language_of(f"a{language.suffix}") is language
        assert language_of(language.first_file) is language
    assert language_of("folder.nddl/file") is LANGUAGES["pddl"]


def test_pddl_says_what_is_wrong_where_no_language_begins_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_members(monkeypatch, ATOM_FORMS, "pddl", "jani")
    clean, place = marked(rule("G dark", atoms=atom("x", "§level(B) > 1")))
    with pytest.raises(InputError) as caught:
        rules(clean)
    assert str(caught.value).startswith(place)
