"""Rules files without a task: what they say, and where they are wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.file.atoms import joined_atom, split_atom
from bugsieve.rooms.rules.file.reading import read_rules
from bugsieve.rooms.rules.ltl.automaton import equivalent
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from tests.unit.rules.file.rover import ATOMS, RULES, atom, marked, rule, rules


def spoiled(old: str, new: str) -> str:
    """The rules with one place changed; the mark is in `new`."""
    assert RULES.count(old) == 1, f"{old!r} occurs {RULES.count(old)} times"
    return RULES.replace(old, new)


def test_everything_that_a_file_says() -> None:
    file = rules(RULES)
    assert list(file.atoms) == ["moving", "stowed", "samples", "near", "dark"]
    assert dict(file.atoms["near"].parameters.types) == {"?a": "waypoint", "?b": "waypoint"}
    assert dict(file.atoms["dark"].parameters.types) == {}
    first, second, third = file.rules
    assert to_text(first.formula) == "G(moving(?r) -> stowed(?r))"
    assert (first.kind, first.form, first.expect) == ("desired", "ltl", None)
    assert dict(first.forall.types) == {"?r": "rover"}
    assert str(first.position) == "rules.toml:22:11"
    assert {name: str(place) for name, place in first.atom_positions.items()} == {
        "moving(?r)": "rules.toml:22:13",
        "stowed(?r)": "rules.toml:22:27",
    }
    meant = read_ltl("G(samples(?r) -> !moving(?r))", place=Place("meant"))
    assert equivalent(second.formula, meant)
    assert second.source.startswith("Whenever samples(?r)")
    assert (third.kind, third.form, third.expect) == ("forbidden", "pattern", "violated")
    assert (third.tags, third.note) == (("arm", "soil"), "no sample without an arm")
    meant = read_ltl(
        "!moving(?r) W (moving(?r) & (!samples(?r) W stowed(?r)))", place=Place("meant")
    )
    assert equivalent(third.formula, meant)
    assert (
        third.source
        == "precedence; p = samples(?r); s = stowed(?r); q = moving(?r); scope = after"
    )


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes(b"\xef\xbb\xbf" + RULES.replace("\n", "\r\n").encode())
    file = read_rules(path)
    assert len(file.rules) == 3
    assert str(file.rules[0].position) == f"{path}:22:11"


def test_it_can_be_pickled() -> None:
    file = rules(RULES)
    again = pickle.loads(pickle.dumps(file))
    assert [item.formula for item in again.rules] == [item.formula for item in file.rules]


@pytest.mark.parametrize("name", ["charged", "moving(?r)", "near(w1,?b)"])
def test_atoms_of_formulas_split_and_join(name: str) -> None:
    assert joined_atom(*split_atom(name)) == name


def test_inline_tables_and_strings_of_many_lines_mean_the_same() -> None:
    text = (
        'format = 1\natom = [{name = "lit", is = "(lit)"}]\n'
        '[[rule]]\nid = "A"\nkind = "desired"\nltl = """\nG(\n  lit -> \\\n  \\u0021§lot)"""\n'
    )
    clean, place = marked(text)
    with pytest.raises(InputError) as caught:
        rules(clean)
    assert str(caught.value) == f"{place}there is no atom 'lot' in this file (did you mean 'lit'?)"
    assert rules(clean.replace("lot", "lit")).rules[0].id == "A"


WRONG = {
    "no TOML": ("format = 1\n[[rule§]\n", "Expected ']]' at the end of an array declaration"),
    "a string without end": ("format = 1\nx = '''a\n§", "Expected"),
    "a key twice": (spoiled('id     = "FR-2"', 'id = "x"\nid = "FR-2"§'), "Cannot overwrite"),
    "no format": ("[[rule]]\n", "rules.toml:1: a rules file begins with 'format = 1'"),
    "format 2": (spoiled("format = 1", "§format = 2"), "reads 'format = 1', not 2"),
    "format true": (spoiled("format = 1", "§format = true"), "not true"),
    "a strange key": (spoiled("format = 1", "format = 1\n§rules = 3"), "(did you mean 'rule'?)"),
    "a table": ("format = 1\n§[rule]\nid = 'x'\n", "write '[[rule]]' before each rule"),
    "no rules": ("format = 1\n", "rules.toml: has no rule"),
    "a key of an atom": (spoiled('name = "dark"', '§nam = "dark"'), "(did you mean 'name'?)"),
    "a dotted key": (spoiled('name = "dark"', '§name.x = "dark"'), "a text, not an object"),
    "no condition": (ATOMS + "§[[atom]]\nname = 'x'\n", "an atom needs the key 'is'"),
    "a number": (spoiled('name = "dark"', "§name = 3"), "'name' must be a text, not 3"),
    "an operator": (spoiled('"dark"', '"§G"'), "no atom may be called 'G'"),
    "a constant": (spoiled('"dark"', '"§true"'), "no atom may be called 'true'"),
    "no name": (spoiled('"dark"', '"§?r"'), "the name of an atom is a word"),
    "after a name": (spoiled('"dark"', '"dark§ side"'), "the name of an atom is a word"),
    "an open list": (spoiled('"dark"', '"dark§(?r"'), "the name of an atom is a word"),
    "an empty list": (spoiled('"dark"', '"dark§()"'), "has empty parentheses"),
    "no variable": (spoiled("(?r - rover)\"\nis   = \"(did", "(§r - rover)\"\nis   = \"(did"),
                    "write '?r'"),
    "a missing type": (spoiled('"dark"', '"dark(?r §-)"'), "the type after '-' is missing"),
    "a variable twice": (spoiled("?a, ?b", "?a, §?a"), "has the variable '?a' twice"),
    "an atom twice": (atom("§Dark", "(lit)"), "two atoms 'Dark' (the first on line 15)"),
    "an open condition": (spoiled('"(not (lit))"', '"§(not (lit)"'), "a '(' is never closed"),
    "a closed condition": (spoiled('"(not (lit))"', '"(not (lit))§)"'), "a ')' closes nothing"),
    "two conditions": (spoiled('"(not (lit))"', '"(lit) §(lit)"'), "one formula was expected"),
    "no ASCII": (spoiled('"(not (lit))"', '"(not (l§ït))"'), "the character 'ï' has no place"),
    "an id with a blank": (spoiled('"FR-2"', '"§FR 2"'), "the id of a rule is"),
    "no id": (spoiled('[[rule]]\nid     = "FR-2"', "§[[rule]]"), "a rule needs the key 'id'"),
    "an id twice": (spoiled('id      = "FR-3"', '§id = "FR-2"'), "two rules with the id 'FR-2'"),
    "no kind": (rule("§lit").replace("§", "").replace("[[rule]]", "§[[rule]]")
                .replace("kind = 'desired'\n", ""), "needs the key 'kind': desired or forbidden"),
    "a strange kind": (spoiled('kind    = "forbidden"', 'kind = "§forbiden"'), "'forbidden'?)"),
    "a strange expectation": (spoiled('"violated"', '"§violates"'), "(did you mean 'violated'?)"),
    "tags": (spoiled('tags = ["arm", "soil"]', "§tags = 'arm'"), "'tags' must be a list"),
    "a key of a rule": (spoiled("note =", "§notes ="), "(did you mean 'note'?)"),
    "no formula": (rule("§lit").replace("§", "").replace("[[rule]]", "§[[rule]]")
                   .replace("ltl = 'lit'\n", ""), "this has none of them"),
    "two formulas": (spoiled("english =", "ltl = 'dark'\n§english ="), "has 'ltl' and 'english'"),
    "a part of a pattern": (spoiled("ltl    =", "§p = 'dark'\nltl    ="), "belongs to 'pattern'"),
    "an open formula": (spoiled('"G(moving(?r) -> stowed(?r))"', '"G§(moving(?r)"'),
                        "this '(' is never closed"),
    "a strange sign": (spoiled("(?r) -> stowed", "(?r) §=> stowed"), "(did you mean '->'?)"),
    "an unknown atom": (spoiled("-> stowed", "-> §stoved"), "(did you mean 'stowed'?)"),
    "an unknown variable": (rule("G moving(?x) & §stowed(?r)", forall="?x - rover"),
                            "'?r' is not in 'forall' of the rule 'R'"),
    "too few arguments": (rule("G §moving"), "'moving' has 1 argument, not 0"),
    "too many arguments": (rule("dark & §moving(rover1 , rover2)"), "1 argument, not 2 as in"),
    "no atoms": (rule("§G true"), "the rule 'R' has no atoms"),
    "a strange forall": (rule("dark", forall="?r - rover §(x)"), "has no place in the typed"),
    "English without timing": (spoiled("shall immediately satisfy", "shall §satisfy"), "not when"),
    "an atom in English": (spoiled("satisfy !moving", "satisfy !§movin"), "'moving'?)"),
    "a strange pattern": (spoiled('"precedence"', '"§precedes"'), "(did you mean 'precedence'?)"),
    "a strange scope": (spoiled('"after"', '"§aftr"'), "(did you mean 'after'?)"),
    "a role too few": (RULES.replace('s = "stowed(?r)"\n', "").replace(
        '[[rule]]\nid      = "FR-4"', '§[[rule]]\nid      = "FR-4"'), "needs the key 's'"),
    "a role too many": (spoiled('q = "moving', 'r = "dark"\nq = "moving').replace("r =", "§r ="),
                        "takes no 'r', only p, s, q"),
    "a temporal role": (spoiled('p = "samples(?r)"', 'p = "§F samples(?r)"'), "a Boolean formula"),
    "an atom in a role": (spoiled('s = "stowed(?r)"', 's = "!§stoved(?r)"'), "'stowed'?)"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_place(text: str, sentence: str) -> None:
    clean, place = marked(text) if "§" in text else (text, "rules.toml")
    with pytest.raises(InputError) as caught:
        rules(clean)
    assert str(caught.value).startswith(place)
    assert sentence in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("bound", ["true", "-1", "41", "'2'", "1.0"])
def test_the_bound_of_a_pattern_is_a_small_number(bound: str) -> None:
    text = ATOMS + "[[rule]]\nid = 'R'\nkind = 'desired'\npattern = 'bounded-existence'\n"
    clean, place = marked(f"{text}p = 'dark'\n§k = {bound}\n")
    with pytest.raises(InputError) as caught:
        rules(clean)
    assert str(caught.value).startswith(f"{place}'k' must be a whole number from 0 to 40, not")
    assert (
        rules(f"{text}p = 'dark'\nk = 3\n").rules[0].source == "bounded-existence; p = dark; k = 3"
    )
