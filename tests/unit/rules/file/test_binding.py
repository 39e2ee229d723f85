"""Rules in a task: instances, ground atoms, folding, warnings, and what does not fit."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.rooms.rules.file.binding import MAX_INSTANCES, joined
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.tasks.grounded.loading import load_task
from tests.unit.rules.file.rover import (
    ATOMS,
    DOMAIN,
    PROBLEM,
    RULES,
    atom,
    bound,
    marked,
    rover_task,
    rule,
    rules,
    written,
)


def condition(name: str, is_: str, *, objects: str = "") -> object:
    """What an atom without or with given objects means in the task."""
    plain = name.partition("(")[0]
    used = f"{plain}({objects})" if objects else plain
    return bound(rule(f"G {used}", atoms=atom(name, is_))).atoms[used].condition


def fact(text: str) -> tuple[str, int, int]:
    ((variable, value),) = rover_task().places(text)
    return "fact", variable, value


def test_instances_in_the_order_of_the_objects() -> None:
    found = bound(RULES).rules
    assert [item.id for item in found] == [
        f"FR-{number}[rover{rover}]" for number in (2, 3, 4) for rover in (1, 2)
    ]
    assert {(item.rule, item.objects) for item in found[:2]} == {
        ("FR-2", ("rover1",)),
        ("FR-2", ("rover2",)),
    }
    assert to_text(found[1].formula) == "G(moving(rover2) -> stowed(rover2))"
    assert (found[4].kind, found[4].expect, found[4].tags) == (
        "forbidden",
        "violated",
        ("arm", "soil"),
    )
    assert found[4].note and str(found[0].position) == "rules.toml:22:11"


def test_several_variables_and_objects_by_name() -> None:
    text = rule("G(moving(?r) -> near(?w,W3))", forall="?r - rover, ?w - waypoint")
    found = bound(text).rules
    assert [item.id for item in found[2:4]] == ["R[rover1,w3]", "R[rover2,w1]"]
    assert to_text(found[3].unfolded) == "G(moving(rover2) -> near(w1,w3))"


def test_ground_conditions() -> None:
    atoms = bound(RULES).atoms
    assert atoms["moving(rover1)"].pddl == "(exists (?x ?y - waypoint) (going rover1 ?x ?y))"
    ways = ("w1 w2", "w2 w3", "w3 w1")
    assert set(atoms["moving(rover1)"].condition[1:]) == {  # type: ignore[index]
        fact(f"(going rover1 {way})") for way in ways
    }
    assert atoms["stowed(rover1)"].condition == ("and", fact("(stowed cam)"), fact("(stowed arm)"))
    assert atoms["stowed(rover2)"].condition == fact("(stowed drill)")


def test_did_means_all_operators_of_the_name() -> None:
    task = rover_task()
    meant = bound(RULES).atoms["samples(rover1)"]
    assert meant.pddl == "(did take-sample rover1 *)"
    wanted = [
        number
        for number, name in enumerate(task.operator_names)
        if name.startswith("(take-sample rover1 ")
    ]
    assert len(wanted) > 3  # operators with a disjunction share their name
    assert meant.condition == ("did", tuple(wanted))
    assert condition("d", "(did stow *)") == (
        "did",
        tuple(n for n, name in enumerate(task.operator_names) if name.startswith("(stow ")),
    )
    assert condition("d(?i - instrument)", "(did stow ?i)", objects="cam") == (
        "did",
        task.operator_ids("(stow cam)"),
    )


@pytest.mark.parametrize(
    ("is_", "meaning"),
    [
        ("(path w1 w2)", True),
        ("(path w2 w1)", False),
        ("(exists (?x - waypoint) (path ?x ?x))", False),
        ("(= w1 w1)", True),
        ("(not (= w1 w2))", True),
        ("(and)", True),
        ("(imply (path w2 w1) (lit))", True),
        ("(did take-sample rover1 w1)", None),
        ("(forall (?r - lander) (idle ?r))", False),
    ],
)
def test_what_never_changes_is_folded(is_: str, meaning: bool | None) -> None:
    found = condition("x", is_)
    assert found is meaning if meaning is not None else isinstance(found, tuple)


def test_conditions_are_flat_and_without_repetitions() -> None:
    once = fact("(stowed cam)")
    nested = "(and (stowed cam) (and (stowed cam) (not (not (stowed arm)))))"
    assert condition("x", nested) == ("and", once, fact("(stowed arm)"))
    assert condition("x", "(not (not (stowed cam)))") == once
    assert condition("x", "(or (stowed cam) (or (stowed cam)))") == once


def test_folded_atoms_leave_the_formula_and_are_told() -> None:
    text = rule("G((near(?a,?b) & moving(rover1)) -> stowed(rover1))", forall="?a ?b - waypoint")
    found = bound(text)
    assert found.folded["near(w1,w1)"] is False and found.folded["near(w1,w2)"] is True
    assert to_text(found.rules[0].formula) == "true"
    assert to_text(found.rules[0].unfolded).startswith("G(near(w1,w1)")
    assert to_text(found.rules[1].formula) == "G(moving(rover1) -> stowed(rover1))"
    (warning,) = (text for text in found.warnings if "tautology" in text)
    assert warning.endswith(
        "satisfies R[w1,w1], R[w2,w2], R[w3,w3] once atoms that never change are folded"
    )


@pytest.mark.parametrize(
    ("ltl", "warning"),
    [
        ("G dark | F !dark", "a tautology: every finite trace satisfies R"),
        ("G dark & F !dark", "a contradiction: no finite trace satisfies R"),
        ("G(dark -> dark)", "a tautology: every finite trace satisfies R"),
    ],
)
def test_tautologies_and_contradictions_are_warnings(ltl: str, warning: str) -> None:
    clean, place = marked(rule(f"§{ltl}", atoms=ATOMS.replace("(not (lit))", "(stowed cam)")))
    assert f"{place}{warning}" in bound(clean).warnings


def test_other_warnings() -> None:
    text = rule("G dark", forall="?v - lander")
    assert any("no atom of 'R' uses the variable '?v'" in text for text in bound(text).warnings)
    assert any("no rule uses the atom 'samples'" in text for text in bound(text).warnings)
    never = atom("calls", "(did call base)")
    clean, place = marked(
        rule("G calls", atoms=never.replace("(did call base)", "§(did call base)"))
    )
    found = bound(clean)
    assert (
        f"{place}the action 'call' has no operators in this task, so (did call base) never holds"
        in (found.warnings)
    )
    assert found.folded["calls"] is False


def test_a_type_without_objects_is_a_warning(tmp_path: Path) -> None:
    domain = DOMAIN.replace("lander - vehicle", "lander drone - vehicle")
    task = load_task(*written(tmp_path, domain))
    found = rules(
        rule("G idle(?d)", forall="?d - drone", atoms=atom("idle(?v - vehicle)", "(idle ?v)"))
    ).bind(task)
    assert found.rules == ()
    assert any(
        "'R' has no instance, because two-rovers has no object of type 'drone'" in text
        for text in found.warnings
    )


def test_atoms_may_use_atoms_without_catching_their_variables() -> None:
    atoms = atom("alone(?x - rover)", "(forall (?r - rover) (imply (moving ?r) (= ?r ?x)))")
    found = bound(rule("G alone(rover1)", atoms=atoms))
    moves = bound(RULES).atoms["moving(rover2)"].condition
    assert found.atoms["alone(rover1)"].condition == ("not", moves)
    assert "?x-1" in found.atoms["alone(rover1)"].pddl
    exit_ = atom("exit(?a - waypoint)", "(exists (?x - waypoint) (path ?a ?x))")
    some = f"{exit_}[[atom]]\nname = 'some'\nis = '(exists (?x - waypoint) (exit ?x))'\n"
    assert bound(rule("G some", atoms=some)).folded["some"] is True  # no path leads back at once
    shadow = atom("any(?r - rover)", "(exists (?r - rover) (moving ?r))")
    both = bound(rule("G any(rover1)", atoms=shadow)).atoms["any(rover1)"].condition
    assert len(both) == 7  # type: ignore[arg-type]


def test_a_predicate_goes_before_an_atom_of_its_name() -> None:
    assert condition("y(?i - instrument)", "(stowed ?i)", objects="cam") == fact("(stowed cam)")


WRONG = {
    "a predicate": (atom("x", "(not (§stoved cam))"), "(did you mean 'stowed'?)"),
    "an atom": (atom("x", "(§movin rover1)"), "(did you mean 'moving'?)"),
    "an object": (atom("x", "(stowed §cm)"), "undeclared object 'cm' (did you mean 'cam'?)"),
    "a variable": (atom("x(?item - rover)", "(stowed §?itm)"), "(did you mean '?item'?)"),
    "too many": (atom("x", "(and §(lit w1))"), "'lit' 1 argument, but it is declared with 0"),
    "too few": (atom("x", "§(moving)"), "'moving' 0 arguments, but it is declared with 1"),
    "a type of an object": (atom("x", "(stowed §w1)"), "and 'w1' is of type 'waypoint'"),
    "a type of a variable": (atom("x(?r - rover)", "(stowed §?r)"), "'?r' is of type 'rover'"),
    "a type in an atom": (atom("x", "(exists (?w - waypoint) (moving §?w))"), "'waypoint'"),
    "an unknown type": (atom("x(?r - §rovr)", "(lit)"), "(did you mean 'rover'?)"),
    "a type of a quantifier": (atom("x", "(exists (?w - §waypont) (lit))"), "'waypoint'?)"),
    "an action": (atom("x", "(did §take-smple rover1 *)"), "(did you mean 'take-sample'?)"),
    "no action": (atom("x", "§(did)"), "the form (did ACTION ARGUMENT ...)"),
    "arguments of an action": (atom("x", "§(did stow * *)"), "but it is declared with 1"),
    "a type in an action": (atom("x", "(did stow §rover1)"), "must be of type 'instrument'"),
    "an object in an action": (atom("x", "(did stow §camm)"), "(did you mean 'cam'?)"),
    "a star elsewhere": (atom("x", "(stowed §*)"), "undeclared object '*'"),
    "a junction": (atom("x", "§(not (lit) (lit))"), "must have the form (not CONDITION)"),
    "numbers": (atom("x", "§(> (fuel) 3)"), "the numeric fluent 'fuel' in '>'"),
    "a circle of one": (atom("x", "(or (lit) §(x))"), "in a circle: 'x' -> 'x'"),
    "an object in a rule": (rule("G §moving(rover3)"), "no object of two-rovers (did you"),
    "a type in a rule": (rule("G §moving(w1)"), "of type 'waypoint' where '?r - rover' belongs"),
    "a wider type": (rule("G §moving(?v)", forall="?v - vehicle"), "has '?v' of type 'vehicle'"),
    "a type of forall": (rule("dark", forall="?r - §rovr"), "(did you mean 'rover'?)"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_the_task_is_said_with_its_place(text: str, sentence: str) -> None:
    clean, place = marked(text)
    complete = clean if "[[rule]]" in clean else rule("G dark", atoms=clean)
    with pytest.raises(InputError) as caught:
        bound(complete)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(place), str(caught.value)


def test_a_circle_names_the_first_of_its_atoms() -> None:
    more = "".join(
        f"[[atom]]\nname = '{name}'\nis = '(not {mark}({used}))'\n"
        for name, mark, used in (("a", "", "b"), ("b", "§", "c"), ("c", "", "d"), ("d", "", "b"))
    )
    clean, place = marked(ATOMS + more)
    with pytest.raises(InputError) as caught:
        bound(rule("G dark", atoms=clean))
    assert (
        str(caught.value) == f"{place}atoms use each other in a circle: 'b' -> 'c' -> 'd' -> 'b'"
    )


def test_a_predicate_called_did_is_refused(tmp_path: Path) -> None:
    domain = DOMAIN.replace("(lit) (idle", "(lit) (did ?i - instrument) (idle")
    task = load_task(*written(tmp_path, domain))
    with pytest.raises(UnsupportedError, match="'did' beside a predicate of that name, which"):
        rules(RULES).bind(task)


def test_too_many_instances(tmp_path: Path) -> None:
    names = " ".join(f"v{number}" for number in range(200))
    problem = PROBLEM.replace("w1 w2 w3", f"w1 w2 w3 {names}")
    task = load_task(*written(tmp_path, problem=problem))
    text = rule("G near(?a,?b)", forall="?a ?b - waypoint")
    with pytest.raises(UnsupportedError, match=f"more than {MAX_INSTANCES} instances"):
        rules(text).bind(task)


def test_tasks_from_sas_have_no_types(tmp_path: Path) -> None:
    path = tmp_path / "task.sas"
    rover_task().write_sas(path)
    with pytest.raises(UsageError, match=r"rules\.toml: rules need a task from PDDL files"):
        rules(RULES).bind(load_task(path))


def test_rules_of_several_files_are_joined() -> None:
    first, second = bound(RULES), bound(rule("G dark & F dark"))
    both = joined(first, second)
    assert both.rules == (*first.rules, *second.rules)
    assert set(both.atoms) == {*first.atoms, *second.atoms}
    assert both.warnings == (*first.warnings, *second.warnings)
    with pytest.raises(InputError, match=r"toml:20:8: the id 'R' is taken, see rules\.toml:20:8"):
        joined(second, second)
    other = bound(
        rule("G dark", atoms=ATOMS.replace("(not (lit))", "(lit)")).replace("'R'", "'S'")
    )
    with pytest.raises(InputError, match="the atom 'dark' means two things"):
        joined(second, other)


def test_bound_rules_can_be_pickled() -> None:
    found = bound(RULES)
    assert pickle.loads(pickle.dumps(found)) == found
