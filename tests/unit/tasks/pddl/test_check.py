"""Every mistake in PDDL gets one sentence with file and line; good files pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.declarations import read_types
from bugsieve.tasks.pddl.reader import Document, parse
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced, write

MISTAKES_IN_DOMAIN = {
    "unknown predicate": (
        "(clear ?x) (clear ?to)",
        "(cleer ?x)",
        "9: action 'move' uses the unknown predicate 'cleer' (did you mean 'clear'?)",
    ),
    "wrong arity": (
        "(clear ?x) (clear ?to)",
        "(clear ?x ?to)",
        "9: action 'move' gives the predicate 'clear' 2 arguments, but it is declared with 1",
    ),
    "undeclared variable": (
        "(clear ?x) (clear ?to)",
        "(clear ?z)",
        "9: action 'move' uses the undeclared variable '?z'",
    ),
    "object of the problem": (
        "(clear table)",
        "(clear a)",
        "11: action 'move' uses the undeclared object 'a'",
    ),
    "undeclared type": (
        "(?x - block ?from",
        "(?x - blok ?from",
        "8: the type 'blok' of '?x' is not declared in :types (did you mean 'block'?)",
    ),
    "type of a predicate": ("(red ?x - item)", "(red ?x - colour)", "5: the type 'colour'"),
    "type of a constant": ("table - item", "table - thing", "4: the type 'thing' of 'table'"),
    "type missing": ("(red ?x - item)", "(red ?x -)", "5: the type after '-' is missing"),
    "same parameter twice": (
        "?from ?to - item)",
        "?from ?x - item)",
        "8: action 'move' has the variable '?x' twice",
    ),
    "parameter without ?": (
        "(?x - block",
        "(x - block",
        "8: action 'move' needs a variable here: write '?x'",
    ),
    "no blank after -": (
        "(?x - block",
        "(?x -block",
        "8: write '- block', with a blank after '-'",
    ),
    "no blank before -": (
        "(?x - block",
        "(?x- block",
        "8: write '?x - block', with a blank before '-'",
    ),
    "no blank after - in a predicate": (
        "(red ?x - item)",
        "(red ?x -item)",
        "5: write '- item', with a blank after '-'",
    ),
    "no blank after - in constants": (
        "table - item",
        "table -item",
        "4: write '- item', with a blank after '-'",
    ),
    "parameters not in a block": (
        ":parameters (?x - block ?from ?to - item)",
        ":parameters ?x",
        "8: the parameters of action 'move' must stand in parentheses",
    ),
    "unknown field": (":effect", ":effects", "10: action 'move' has something other than"),
    "value missing": (":parameters (?x - block ?from ?to - item)", ":parameters", "9: action"),
    "unknown section": (
        "(:constants",
        "(:constant",
        "4: unknown section ':constant' (did you mean ':constants'?)",
    ),
    "section twice": ("(:functions", "(:types block) (:functions", "6: ':types' appears twice"),
    "unknown requirement": (
        ":typing",
        ":types",
        "2: unknown requirement ':types' (did you mean ':typing'?)",
    ),
    "block as a requirement": (":typing", "(:typing)", "2: a requirement is one word"),
    "not with two arguments": (
        "(not (= ?x ?to))",
        "(not (= ?x ?to) (red ?x))",
        "9: 'not' in action 'move' must have the form (not CONDITION)",
    ),
    "word for a condition": ("(not (= ?x ?to))", "clear", "9: action 'move' has the word 'clear'"),
    "empty condition": ("(not (= ?x ?to))", "()", "9: action 'move' has an empty ()"),
    "one parenthesis too many": ("(not (= ?x ?to))", "((red ?x))", "9: action 'move' has one '('"),
    "block for a term": ("(not (= ?x ?to))", "(clear (red ?x))", "9: action 'move' has a block"),
    "effect on =": ("(clear table)", "(= ?x table)", "11: action 'move' cannot change what '='"),
    "unknown function": (
        "(weight ?x))))",
        "(height ?x))))",
        "11: action 'move' uses the unknown function 'height' (did you mean 'weight'?)",
    ),
    "reserved type": (
        "block - item item",
        "block - item item number",
        "3: the type name 'number'",
    ),
    "no action name": ("(:action move", "(:action", "7: an action needs a name"),
    "cost too large": (
        "(weight ?x))))",
        "5000000000)))",
        "11: the cost 5000000000 of action 'move' is too large, the largest is 1073741823",
    ),
}

MISTAKES_IN_PROBLEM = {
    "unknown object": ("(clear b)", "(clear c)", "4: ':init' uses the undeclared object 'c'"),
    "unknown predicate": (
        "(clear b)",
        "(clean b)",
        "4: ':init' uses the unknown predicate 'clean' (did you mean 'clear'?)",
    ),
    "wrong arity": ("(clear b)", "(clear)", "4: ':init' gives the predicate 'clear' 0 arguments"),
    "goal object": ("(on a b)", "(on a d)", "6: the goal uses the undeclared object 'd'"),
    "goal variable": ("(on a b)", "(on a ?x)", "6: the goal uses the undeclared variable '?x'"),
    "undeclared type": ("- block", "- blocks", "3: the type 'blocks' of 'a' is not declared"),
    "object twice": ("a b - block", "a b a - block", "3: the object 'a' is declared twice"),
    "object is a constant": ("a b - block", "a b table - block", "3: the object 'table'"),
    "other domain": (
        "(:domain stack)",
        "(:domain gripper)",
        "2: this problem is for the domain 'gripper'",
    ),
    "contradiction": ("(red a)", "(red a) (not (red a))", "4: ':init' says both (red a)"),
    "no goal": (" (:goal (and (on a b) (on b table)))\n", "", "1: the problem has no '(:goal"),
    "empty goal": ("(and (on a b) (on b table))", "()", "6: the goal is empty"),
    "two goals": (
        "(and (on a b) (on b table))",
        "(on a b) (on b table)",
        "6: '(:goal CONDITION)'",
    ),
    "block in init": ("(red a)", "((red a))", "4: ':init' has one '(' too many here"),
    "word in init": ("(red a)", "red", "4: ':init' lists atoms"),
    "unknown section": (
        "(:init",
        "(:initial",
        "4: unknown section ':initial' (did you mean ':init'?)",
    ),
    "odd metric": (
        "minimize",
        "minimise",
        "7: a metric is (:metric minimize (total-cost)) (did you mean 'minimize'?)",
    ),
    "value of nothing": (
        "(= (weight a) 3)",
        "(= (height a) 3)",
        "5: ':init' uses the unknown function 'height'",
    ),
    "two values": (
        "(= (weight b) 2)",
        "(= (weight b) 2) (= (weight b) 3)",
        "5: ':init' gives (weight b) two values, 2 and 3",
    ),
    "cost too large": (
        "(= (weight b) 2)",
        "(= (weight b) 1073741824)",
        "5: the cost 1073741824 of (weight b) is too large, the largest is 1073741823",
    ),
    "type in init": (
        "(red a)",
        "(red a)\n (clear light)",
        "5: ':init' has (clear light), but argument 1 of 'clear' must be of type 'item' "
        "and 'light' is of type 'colour'",
    ),
    "type in a negated atom": (
        "(red a)",
        "(not (on a light))",
        "4: ':init' has (on a light), but argument 2 of 'on' must be of type 'item'",
    ),
    "type in a value": (
        "(= (weight a) 3)",
        "(= (weight light) 3)",
        "5: ':init' has (weight light), but argument 1 of 'weight' must be of type 'item'",
    ),
    "type in the goal": (
        "(on b table)",
        "(forall (?x - block) (not (on ?x light)))",
        "6: the goal has (on ?x light), but argument 2 of 'on' must be of type 'item'",
    ),
    "supertype in init": ("(red a)", "(clear it)", "4: ':init' has (clear it), but argument 1"),
}

UNSUPPORTED_IN_DOMAIN = {
    "derived": (
        "(:action move",
        "(:derived (red ?x) (clear ?x))\n (:action move",
        "7: predicate 'red' uses derived predicates (axioms)",
    ),
    "durative": (
        "(:action move",
        "(:durative-action go :parameters ())\n (:action move",
        "7: '(:durative-action go' uses durative actions",
    ),
    "numeric effect": (
        "(clear table)",
        "(decrease (weight ?x) 1)",
        "11: action 'move' uses the numeric fluent 'weight' in 'decrease'",
    ),
    "numeric increase": (
        "(clear table)",
        "(increase (weight ?x) 1)",
        "11: action 'move' uses the numeric fluent 'weight' in 'increase'",
    ),
    "numeric condition": (
        "(not (= ?x ?to))",
        "(>= (weight ?x) 2)",
        "9: action 'move' uses the numeric fluent 'weight' in '>='",
    ),
    "numeric equality": (
        "(not (= ?x ?to))",
        "(= (weight ?x) 2)",
        "9: action 'move' uses the numeric fluent 'weight' in '='",
    ),
    "conditional cost": (
        "(increase (total-cost) (weight ?x))",
        "(when (red ?x) (increase (total-cost) 1))",
        "11: action 'move' uses a cost that depends on a condition",
    ),
    "two costs": (
        "(clear table)",
        "(increase (total-cost) 1)",
        "10: action 'move' uses several cost effects",
    ),
    "arithmetic": (
        "(weight ?x))))",
        "(+ 1 (weight ?x)))))",
        "11: action 'move' uses arithmetic in action costs",
    ),
    "total cost as a cost": (
        "(weight ?x))))",
        "(total-cost))))",
        "11: action 'move' uses the numeric fluent 'total-cost' in 'increase'",
    ),
    "fraction": ("(weight ?x))))", "1.5)))", "11: action 'move' uses fractional costs ('1.5')"),
    "object function": (
        "(weight ?x - item) - number",
        "(weight ?x - item) - item",
        "6: ':functions' uses functions whose values are objects",
    ),
    "either": (
        "(?x - block ?from",
        "(?x - (either block item) ?from",
        "8: action 'move' uses 'either' types",
    ),
    "one of": (
        "(clear table)",
        "(oneof (clear table) (red ?x))",
        "11: action 'move' uses non-deterministic effects",
    ),
    "preference": (
        "(not (= ?x ?to))",
        "(preference p (red ?x))",
        "9: action 'move' uses preferences",
    ),
    "constraints": (
        "(:action move",
        "(:constraints (and))\n (:action move",
        "7: ':constraints' uses constraints",
    ),
    "requirement": (
        ":typing",
        ":typing :timed-initial-literals",
        "2: the requirement :timed-initial-literals uses timed initial literals",
    ),
}

UNSUPPORTED_IN_PROBLEM = {
    "timed literal": ("(red a)", "(at 5 (red a))", "4: ':init' uses timed initial literals"),
    "maximise": ("minimize", "maximize", "7: ':metric' uses something other than"),
    "other metric": (
        "(:metric minimize (total-cost))",
        "(:metric minimize (total-time))",
        "7: ':metric' uses something other than minimising (total-cost)",
    ),
    "constraints": (" (:metric", " (:constraints (always (red a))) (:metric", "7: ':constraints'"),
    "fraction": ("(= (weight a) 3)", "(= (weight a) 3.5)", "5: ':init' uses fractional costs"),
    "negative": ("(= (weight a) 3)", "(= (weight a) -3)", "5: ':init' uses negative costs ('-3')"),
    "endless number": (
        "(= (weight a) 3)",
        f"(= (weight a) {'9' * 5000})",
        "5: ':init' uses a number of 5000 digits",
    ),
    "object value": ("(= (weight a) 3)", "(= (weight a) b)", "5: ':init' uses the value 'b'"),
    "numeric goal": ("(on a b)", "(> (weight a) 1)", "6: the goal uses the numeric fluent"),
    "uncertainty": ("(red a)", "(oneof (red a) (red b))", "4: ':init' uses uncertain initial"),
}


def check(folder: Path, *, domain: str = DOMAIN, problem: str = PROBLEM) -> None:
    check_pddl(*write(folder, domain, problem))


@pytest.mark.parametrize("case", MISTAKES_IN_DOMAIN)
def test_mistake_in_domain(case: str, tmp_path: Path) -> None:
    old, new, sentence = MISTAKES_IN_DOMAIN[case]
    with pytest.raises(InputError) as caught:
        check(tmp_path, domain=replaced(DOMAIN, old, new))
    assert f"domain.pddl:{sentence}" in str(caught.value)
    assert not isinstance(caught.value, UnsupportedError)


@pytest.mark.parametrize("case", MISTAKES_IN_PROBLEM)
def test_mistake_in_problem(case: str, tmp_path: Path) -> None:
    old, new, sentence = MISTAKES_IN_PROBLEM[case]
    domain, problem = DOMAIN, replaced(PROBLEM, old, new)
    if "light" in new or "it)" in new:  # objects of two more types
        domain = replaced(DOMAIN, "block - item item", "block - item item colour")
        problem = problem.replace("a b - block", "a b - block light - colour it - object")
    with pytest.raises(InputError) as caught:
        check(tmp_path, domain=domain, problem=problem)
    assert f"problem.pddl:{sentence}" in str(caught.value)
    assert not isinstance(caught.value, UnsupportedError)


@pytest.mark.parametrize("case", UNSUPPORTED_IN_DOMAIN)
def test_unsupported_feature_in_domain(case: str, tmp_path: Path) -> None:
    old, new, sentence = UNSUPPORTED_IN_DOMAIN[case]
    with pytest.raises(UnsupportedError) as caught:
        check(tmp_path, domain=replaced(DOMAIN, old, new))
    assert f"domain.pddl:{sentence}" in str(caught.value)


@pytest.mark.parametrize("case", UNSUPPORTED_IN_PROBLEM)
def test_unsupported_feature_in_problem(case: str, tmp_path: Path) -> None:
    old, new, sentence = UNSUPPORTED_IN_PROBLEM[case]
    with pytest.raises(UnsupportedError) as caught:
        check(tmp_path, problem=replaced(PROBLEM, old, new))
    assert f"problem.pddl:{sentence}" in str(caught.value)


def test_swapped_files_are_recognised(tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    with pytest.raises(InputError, match="swap them, the domain comes first"):
        check_pddl(problem, domain)
    with pytest.raises(InputError, match="is a domain file where the problem was expected"):
        check_pddl(domain, domain)
    with pytest.raises(InputError, match="is a problem file where the domain was expected"):
        check_pddl(problem, problem)


@pytest.mark.parametrize("text", ["(hello)", "(define)", "(define domain)", "(define (model m))"])
def test_blocks_that_are_no_definition(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"domain\.pddl:1: "):
        check(tmp_path, domain=text)


def test_two_actions_of_one_name(tmp_path: Path) -> None:
    action = DOMAIN[DOMAIN.index(" (:action") : DOMAIN.rindex(")")]
    domain = DOMAIN[: DOMAIN.rindex(")")] + action + ")"
    with pytest.raises(
        InputError, match=r"12: there are two actions 'move' \(the first on line 7"
    ):
        check(tmp_path, domain=domain)


@pytest.mark.parametrize(
    "types",
    [
        "block - item item",
        "block - part part - thing thing - item item",
        "block - colour block - item item colour",
    ],
)
def test_subtypes_fit_where_supertypes_are_declared(types: str, tmp_path: Path) -> None:
    check(tmp_path, domain=replaced(DOMAIN, "block - item item", types))


@pytest.mark.parametrize(
    ("types", "cycle"),
    [
        ("item - item", "item - item"),
        ("item block - item item - block", "item - item"),
        ("block - item item - block", "block - item - block"),
        ("block - item item - part part - item", "item - part - item"),
        ("part - item block - part item - block", "part - item - block - part"),
    ],
)
def test_types_below_themselves(types: str, cycle: str, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=f"the type '{cycle.split()[0]}' is below itself: {cycle}$"
    ):
        check(tmp_path, domain=replaced(DOMAIN, "block - item item", types))


def test_long_chains_of_types_are_no_work() -> None:
    chain = " ".join(f"t{n} - t{n + 1}" for n in range(20_000))
    text = f"(:types {chain})".encode()
    document = Document("d", text, parse(text, "d"))
    assert len(read_types(document, document.root)) == 20_002


def test_one_of_several_declared_types_is_enough(tmp_path: Path) -> None:
    domain = replaced(DOMAIN, "block - item item", "block - item item colour shape")
    domain = replaced(domain, "(red ?x - item)", "(red ?x - (either colour item))")
    problem = replaced(PROBLEM, "a b - block", "a b - block light - colour cube - shape")
    check(tmp_path, domain=domain, problem=replaced(problem, "(red a)", "(red a) (red light)"))
    with pytest.raises(InputError, match=r"4: .*must be of type 'colour' or 'item' and 'cube' is"):
        check(tmp_path, domain=domain, problem=replaced(problem, "(red a)", "(red cube)"))


def test_costs_without_a_metric_may_have_any_size(tmp_path: Path) -> None:
    problem = replaced(PROBLEM, " (:metric minimize (total-cost))\n", "")
    check(tmp_path, problem=replaced(problem, "(= (weight b) 2)", "(= (weight b) 5000000000)"))


def test_functions_without_arguments_need_no_parentheses(tmp_path: Path) -> None:
    check(tmp_path, problem=replaced(PROBLEM, "(= (total-cost) 0)", "(= total-cost 0)"))


def test_good_files_tell_objects_and_atoms(tmp_path: Path) -> None:
    problem = check_pddl(*write(tmp_path)).problem
    assert problem.name == "two"
    assert problem.objects == {"table": "item", "a": "block", "b": "block"}
    assert problem.atoms == {"(on a table)", "(on b a)", "(clear b)", "(clear table)", "(red a)"}
    assert problem.values == {"(total-cost)": "0", "(weight a)": "3", "(weight b)": "2"}
