"""The registry of members: names, specs, lists, and members of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.family import Family
from bugsieve.base.registry.members import MemberInfo, MemberTable, member_for
from bugsieve.base.registry.outside_access import CODE, NOTHING, OutsideAccess, together
from tests.other_package import install

HERE = __name__
GROUP = "bugsieve.biases"  # any that is open
FAMILY = Family("animal", {"cat": f"{HERE}:Cat", "names": "bugsieve.base.names"}, group=GROUP)
CLOSED = Family("animal", {"cat": f"{HERE}:Cat"})


class Cat:
    """A small predator.

    It sleeps much.
    """

    usage = "cat[:NAME]"
    examples = ("cat", "cat:tom")

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        if argument == "dog":
            raise UsageError("a cat is no dog")

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        return OutsideAccess(files=(argument or "couch",))


class Lynx(Cat):
    """Larger, and from another package."""


class Wolf:
    """Tells what it does itself."""

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        return OutsideAccess(connections=("forest",))


ENTRIES = {
    "wolf": f"{HERE}:Wolf",
    "lynx": f"{HERE}:Lynx",
    "cat": f"{HERE}:Wolf",
    "bat": "no_such_module:Bat",
}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemberTable[type]:
    install(tmp_path, monkeypatch, {GROUP: ENTRIES})
    return MemberTable(FAMILY)


def test_specs_have_a_name_and_perhaps_an_argument() -> None:
    table: MemberTable[type] = MemberTable(CLOSED)
    assert table.parse(" cat ") == ("cat", Cat, None)
    assert table.parse("cat:") == ("cat", Cat, "")
    assert table.parse("cat : a:b ") == ("cat", Cat, "a:b")
    with pytest.raises(UsageError, match="the spec of an animal must be a text, got 3"):
        table.parse(3)  # type: ignore[arg-type]


def test_a_member_is_found_by_the_type_of_the_subject() -> None:
    class Whole:
        subject_type = int

    class Flag:
        subject_type = bool

    members: dict[str, type[Flag | Whole]] = {"flag": Flag, "whole": Whole}
    assert member_for(members, True) is Flag
    assert member_for(members, 7) is Whole
    assert member_for(members, "7") is None


def test_arguments_are_checked_by_the_member() -> None:
    table: MemberTable[type] = MemberTable(CLOSED)
    table.check("cat:tom")
    with pytest.raises(UsageError, match="a cat is no dog"):
        table.check("cat:dog")


def test_names_are_those_of_the_family_and_of_plugins(table: MemberTable[type]) -> None:
    assert list(table) == ["cat", "names", "bat", "lynx", "wolf"]
    assert len(table) == 5
    assert "wolf" in table and "dog" not in table
    assert list(MemberTable[type](CLOSED)) == ["cat"], "closed to other packages"


def test_built_in_members_come_first(table: MemberTable[type]) -> None:
    assert table["cat"] is Cat
    assert table["wolf"] is Wolf
    assert table["names"].__name__ == "bugsieve.base.names", "a whole module"


def test_unknown_names_get_the_nearest(table: MemberTable[type]) -> None:
    with pytest.raises(UsageError) as caught:
        table.check("wolff:3")
    assert str(caught.value) == (
        "there is no animal 'wolff' (did you mean 'wolf'?); there are cat, names, bat, lynx, wolf"
    )
    with pytest.raises(UsageError, match="there is no pet 'x'"):
        MemberTable[type](Family("animal", {}, title="pet")).parse("x")


def test_names_of_a_neighbour_are_sent_there() -> None:
    for ours in FAMILIES.values():
        for other in FAMILIES.values():
            if other.noun != ours.noun or other is ours:
                continue
            (name, *_) = other.builtin.keys() - ours.builtin.keys()
            with pytest.raises(
                UsageError, match=f"is for {other.subject}, not for {ours.subject}"
            ):
                MemberTable[type](ours).parse(name)


def test_each_member_has_a_line_and_plugins_their_package(table: MemberTable[type]) -> None:
    cat, _, bat, lynx, wolf = table.infos()
    assert cat == MemberInfo("cat", "cat[:NAME]", "A small predator.")
    assert cat.text == "A small predator."
    assert (lynx.usage, lynx.package) == ("lynx", "other-package"), "not the usage of another"
    assert wolf.usage == "wolf", "it says no usage"
    assert wolf.text == "Tells what it does itself. [other-package]"
    assert bat.package == "other-package"
    assert "'bat' of no_such_module:Bat cannot be loaded: No module named" in bat.text
    assert "\n" not in bat.text


def test_what_cannot_be_loaded_is_the_packages_fault(table: MemberTable[type]) -> None:
    with pytest.raises(InputError, match="animal 'bat' of no_such_module:Bat cannot be loaded"):
        table.parse("bat")
    with pytest.raises(PolicyError):
        MemberTable[type](FAMILY, error=PolicyError).parse("bat")


def test_examples_are_those_of_the_member_or_its_name() -> None:
    family = Family("animal", {"cat": f"{HERE}:Cat", "wolf": f"{HERE}:Wolf"})
    assert MemberTable[type](family).examples() == ["cat", "cat:tom", "wolf"]


def test_a_plugin_that_declares_nothing_counts_as_code(table: MemberTable[type]) -> None:
    assert table.reach_of("cat:sofa") == OutsideAccess(files=("sofa",))
    assert table.reach_of("names") == NOTHING
    assert table.reach_of("wolf") == OutsideAccess(connections=("forest",))
    assert table.reach_of("lynx") == CODE, "what it inherits says nothing about what it adds"


def test_reaches_are_joined() -> None:
    one = OutsideAccess(programs=("b",), files=("x", "y"))
    other = OutsideAccess(programs=("a", "b"), connections=("host",), runs_code=True)
    assert one | other == OutsideAccess(("a", "b"), ("host",), ("x", "y"), True)
    assert together(()) == NOTHING
    assert one | NOTHING == one
