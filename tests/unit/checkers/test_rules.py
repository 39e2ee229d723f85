"""The checker of flight rules on a small task: what it accepts, reads, imports and says."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import bugsieve.rooms.rules.checker.rules as rules_module
from bugsieve.rooms.rules.checker.rules import CertificateError, Checker, check, main
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, render

FOLDER = Path(rules_module.__file__).parent


def rover(operators: int = 5) -> SasTask:
    """A rover that stands or goes, and stows its arm only where it stands; more doing nothing."""
    variables = (
        SasVariable("rover", ("Atom standing(r)", "Atom going(r)")),
        SasVariable("arm", ("Atom stowed(r)", "NegatedAtom stowed(r)")),
        SasVariable("sample", ("Atom sampled(r)", "NegatedAtom sampled(r)")),
    )
    known = [
        SasOperator("go r", ((1, 0),), (SasEffect((), 0, 0, 1),), 1),
        SasOperator("stop r", (), (SasEffect((), 0, 1, 0),), 1),
        SasOperator("unstow r", ((0, 0),), (SasEffect((), 1, 0, 1),), 1),
        SasOperator("stow r", (), (SasEffect((), 1, 1, 0),), 1),
        SasOperator("sample r", ((1, 1),), (SasEffect((), 2, 1, 0),), 1),
    ]
    more = [
        SasOperator(f"wait r {i}", ((0, i % 2), (1, i // 2 % 2)), (), 1)
        for i in range(operators - len(known))
    ]
    return SasTask(False, variables, (), (0, 0, 1), ((2, 0),), (*known, *more))


TASK = rover()
TEXT = render(TASK)
ATOMS: dict[str, Any] = {
    "moving(r)": ["fact", 0, 1],
    "stowed(r)": ["fact", 1, 0],
    "samples": ["did", [4]],
}
ALL_FACTS = [[v, a] for v in range(3) for a in range(2)]
PAIRS = [
    [*one, *other]
    for one in ALL_FACTS
    for other in ALL_FACTS
    if one == other or (one[0] < other[0] and (one, other) != ([0, 1], [1, 1]))
]


def certificate(kind: str = "none", text: str = TEXT, **changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = (
        {"proof": {"by": "facts", "facts": ALL_FACTS}}
        if kind == "none"
        else {"trace": {"operators": [], "actions": [], "loop_start": None}}
    )
    made = {
        "certificate": 1,
        "kind": kind,
        "task": {"name": "rover", "sha256": hashlib.sha256(text.encode()).hexdigest()},
        "rule": "G(moving(r) -> stowed(r))",
        "claim": "violation",
        "view": "strong",
        "formula": "F(moving(r) & !stowed(r))",
        "atoms": {name: ATOMS[name] for name in ("moving(r)", "stowed(r)")},
        "with_goal": False,
        "lasso": False,
        **content,
    }
    return {**made, **changes}


def trap(formula: str, **changes: Any) -> dict[str, Any]:
    names = [name for name in ATOMS if name in formula]
    atoms = {name: ATOMS[name] for name in names}
    return certificate(claim="trap", rule=formula, formula=formula, atoms=atoms, **changes)


def trace(formula: str, operators: list[int], loop_start: int | None = None) -> dict[str, Any]:
    actions = [f"({TASK.operators[o].name})" for o in operators]
    content = {"operators": operators, "actions": actions, "loop_start": loop_start}
    return trap(formula, kind="trace", trace=content, lasso=loop_start is not None) | {
        "view": "neutral"
    }


def without(content: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key not in keys}


def rejection(changed: Any, text: str = TEXT) -> str:
    with pytest.raises(CertificateError) as caught:
        check(text, changed)
    return str(caught.value)


STATES = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PROOFS = {
    "facts": {"by": "facts", "facts": ALL_FACTS},
    "pairs": {"by": "pairs", "pairs": PAIRS},
    "rerun": {"by": "rerun"},
    "states": {"by": "states", "states": STATES},
}


@pytest.mark.parametrize("by", PROOFS)
@pytest.mark.parametrize(
    ("formula", "with_goal"),
    [
        ("F(moving(r) & !stowed(r))", False),
        ("F(moving(r) & X(samples | !stowed(r)))", False),
        ("F(samples & stowed(r))", False),
        ("N(moving(r) & !stowed(r)) & X true", False),
        ("G(!samples & stowed(r))", True),
    ],
)
def test_every_proof_of_what_is_so(by: str, formula: str, with_goal: bool) -> None:
    proven = trap(formula, with_goal=with_goal, proof=PROOFS[by])
    if by == "facts" and with_goal:
        # All facts are too many here: with the arm stowed no sample is reached.
        proven["proof"] = {"by": "facts", "facts": [[0, 0], [0, 1], [1, 0], [2, 1]]}
    check(TEXT, proven)


def test_sets_of_facts_prove_less_than_pairs() -> None:
    formula = "F(moving(r) & X samples)"
    assert "do not exclude" in rejection(trap(formula, proof=PROOFS["facts"]))
    check(TEXT, trap(formula, proof=PROOFS["pairs"]))


@pytest.mark.parametrize("by", PROOFS)
@pytest.mark.parametrize(
    "formula",
    ["F(moving(r))", "X X(samples)", "moving(r) | N(!stowed(r))", "F(samples)", "true"],
)
def test_no_proof_of_what_is_not_so(by: str, formula: str) -> None:
    rejection(trap(formula, proof=PROOFS[by]))


def test_the_engine_may_write_the_formula_otherwise() -> None:
    check(TEXT, certificate(formula="!G(!(moving(r) & !stowed(r)))"))
    check(TEXT, certificate(formula="true U (!stowed(r) & moving(r))"))
    sentence = "'formula' is not what the rule, the claim and the view say"
    assert rejection(certificate(formula="G(moving(r) & !stowed(r))")) == sentence
    assert rejection(certificate(view="weak")) == sentence
    assert rejection(certificate(claim="satisfaction")) == sentence


def test_traces() -> None:
    check(TEXT, trace("F(moving(r))", [0]))
    check(TEXT, trace("X X samples & G(samples -> !stowed(r))", [2, 4]))
    assert rejection(trace("F(moving(r))", [2])) == "the trace does not satisfy the formula"
    assert (
        rejection(trace("F(moving(r))", [1])) == "step 1 of the trace: (stop r) is not applicable"
    )
    far = trace("F(moving(r))", [0])
    far["trace"]["operators"] = [9]
    assert rejection(far) == "step 1 of the trace: there is no operator 9"
    other = trace("F(moving(r))", [0])
    other["trace"]["actions"] = ["(stop r)"]
    assert rejection(other) == "step 1 of the trace: operator 0 is (go r), not (stop r)"
    goal = trace("F(moving(r))", [0]) | {"with_goal": True}
    assert rejection(goal) == "the trace does not end in a goal state"


def test_lassos() -> None:
    check(TEXT, trace("G F(moving(r))", [0, 1], 0))
    check(TEXT, trace("F G(!samples)", [0, 1], 0))
    assert "not satisfy" in rejection(trace("F G(moving(r))", [0, 1], 0))
    assert "not the one that loop_start says" in rejection(trace("G F(moving(r))", [0], 0))
    # In the second round the state at loop_start is one into which `sample` did not lead.
    task = render(
        SasTask(
            False,
            (SasVariable("v", ("a", "b")),),
            (),
            (0,),
            ((0, 1),),
            (
                SasOperator("sample r", (), (SasEffect((), 0, -1, 1),), 1),
                SasOperator("wait", ((0, 1),), (), 1),
            ),
        )
    )
    lasso = trap("F did & G(did -> X G !did)") | {
        "task": {"name": "", "sha256": hashlib.sha256(task.encode()).hexdigest()},
        "atoms": {"did": ["did", [0]]},
        "kind": "trace",
        "lasso": True,
        "view": "neutral",
        "trace": {"operators": [0, 1], "actions": ["(sample r)", "(wait)"], "loop_start": 1},
    }
    del lasso["proof"]
    check(task, lasso)


def test_there_is_no_lasso() -> None:
    proof = {"by": "rerun"}
    check(TEXT, trap("G F(moving(r) & !stowed(r))", lasso=True, proof=proof))
    check(TEXT, trap("G F samples", lasso=True, proof=proof))
    assert "there is a lasso" in rejection(trap("F samples", lasso=True, proof=proof))
    assert "there is a lasso" in rejection(trap("G stowed(r)", lasso=True, proof=proof))
    only = trap("G stowed(r)", lasso=True, proof=PROOFS["facts"])
    assert rejection(only) == "that there is no lasso is proven by a rerun alone"


def refutation(operators: list[int], by: Any = "rerun", **changes: Any) -> dict[str, Any]:
    """That who has taken the sample cannot keep a rule which asks for another one."""
    rule = "G(samples -> X F samples)"
    atoms = {"samples": ATOMS["samples"]}
    names = [f"({TASK.operators[number].name})" for number in operators]
    found = certificate("trace", rule=rule, claim="refutation", view="neutral", atoms=atoms)
    found |= {"formula": f"!({rule})", "rest": {"by": by}}
    found["trace"] = {"operators": operators, "actions": names, "loop_start": None}
    return {**found, **changes}


@pytest.mark.parametrize("by", ["rerun", "letters"])
def test_refutations(by: str) -> None:
    check(TEXT, refutation([2, 4], by))
    check(TEXT, refutation([2, 4, 3, 0], by))
    # Here the rule is kept as the trace ends; and there the sample can still be taken again.
    assert rejection(refutation([2], by)) == "the trace does not satisfy the formula"
    again = SasTask(
        *(False, TASK.variables, (), TASK.initial, TASK.goal),
        (*TASK.operators, SasOperator("drop r", (), (SasEffect((), 2, 0, 1),), 1)),
    )
    text = render(again)
    digest = {"name": "rover", "sha256": hashlib.sha256(text.encode()).hexdigest()}
    sentence = rejection(refutation([2, 4], by, task=digest), text)
    assert "for ever" in sentence or "there is a lasso" in sentence


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (refutation([2, 4], by="facts"), "'by' of 'rest' must be one of rerun, letters"),
        (refutation([2, 4], by=["rerun"]), "'by' of 'rest' must be one of rerun, letters"),
        (refutation([2, 4], rest={}), "'rest' lacks 'by'"),
        (refutation([2, 4], rest={"by": "rerun", "x": 1}), "'rest' has the unknown key 'x'"),
        (without(refutation([2, 4]), "rest"), "the certificate lacks 'rest'"),
        (refutation([2, 4], claim="violation"), "the certificate has the unknown key 'rest'"),
        (refutation([2, 4], with_goal=True), "a refutation is of traces that end anywhere"),
        (refutation([2, 4], view="strong"), "a refutation is of traces that end anywhere"),
        (refutation([2, 4], rule="F G !samples"), "'formula' is not what the rule"),
        (refutation([2, 4], rule=""), "'rule'"),
    ],
)
def test_faults_of_refutations_are_named(changed: dict[str, Any], sentence: str) -> None:
    assert sentence in rejection(changed)


def test_budgets_end_with_a_sentence() -> None:
    proof = certificate(proof={"by": "rerun"})
    with pytest.raises(CertificateError, match="more than 2 pairs"):
        check(TEXT, proof, budget=2)
    with pytest.raises(CertificateError, match="more than 2 states"):
        check(TEXT, trap("G F samples", lasso=True, proof={"by": "rerun"}), budget=2)


def test_poll_is_called_on_the_way() -> None:
    class StopError(Exception):
        """Ends the work."""

    def stop() -> None:
        raise StopError

    for proof in PROOFS.values():
        with pytest.raises(StopError):
            Checker(TEXT, poll=stop).check(certificate(proof=proof))


def test_many_operators_take_about_a_second() -> None:
    text = render(rover(5_000))
    started = time.process_time()
    atoms = dict(ATOMS)
    formula = "F(moving(r) & X F(!stowed(r) & X(samples & moving(r))))"
    check(text, certificate(text=text, claim="trap", rule=formula, formula=formula, atoms=atoms))
    assert time.process_time() - started < 5


NO_STAND = [pair for pair in PAIRS if pair != [0, 0, 1, 1]]
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"certificate": 2}, "'certificate' must be 1"),
    ({"certificate": True}, "'certificate' must be 1"),
    ({"kind": "some"}, "'kind' must be there, and be 'trace' or 'none'"),
    ({"more": 1}, "the certificate has the unknown key 'more'"),
    ({"task": {"name": "x", "sha256": "0"}}, "belongs to another task"),
    ({"task": {"name": 1, "sha256": "0"}}, "the task's name must be a text"),
    ({"rule": "G("}, "'rule' ends where a formula is expected"),
    ({"rule": None}, "'rule' must be a text"),
    ({"formula": "F(x"}, "'formula' has a '(' that nothing closes"),
    ({"view": "strange"}, "'view' must be one of strong, neutral, weak"),
    ({"claim": "Violation"}, "'claim' must be"),
    ({"claim": ""}, "'claim' must be"),
    ({"with_goal": 1}, "'with_goal' must be true or false"),
    ({"with_goal": True, "lasso": True}, "a lasso does not end"),
    ({"lasso": True}, "lassos are infinite, so 'view' must be neutral"),
    ({"atoms": []}, "'atoms' must be an object"),
    ({"atoms": {"moving(r)": True}}, "'atoms' lacks stowed(r)"),
    ({"atoms": {**ATOMS}}, "'atoms' has samples, which the formula and the rule lack"),
    ({"atoms": {"X": True}}, "no name of an atom"),
    ({"atoms": {"moving(r)": ["fact", 0, 2], "stowed(r)": True}}, "a fact that the task lacks"),
    ({"atoms": {"moving(r)": ["fact", 0], "stowed(r)": True}}, "a variable and a value"),
    ({"atoms": {"moving(r)": ["fact", 0, True], "stowed(r)": True}}, "a variable and a value"),
    ({"atoms": {"moving(r)": ["not"], "stowed(r)": True}}, "has 'not' with 0 parts"),
    ({"atoms": {"moving(r)": ["xor"], "stowed(r)": True}}, "has 'xor' with 0 parts"),
    ({"atoms": {"moving(r)": [], "stowed(r)": True}}, "must be true, false or a list"),
    ({"atoms": {"moving(r)": ["did", [5]], "stowed(r)": True}}, "an operator that the task lacks"),
    ({"atoms": {"moving(r)": ["did", 5], "stowed(r)": True}}, "'did' has one list"),
    ({"proof": None}, "'proof' must be an object whose 'by' is one of"),
    ({"proof": {"by": "magic"}}, "'proof' must be an object whose 'by' is one of"),
    ({"proof": {"by": "rerun", "facts": []}}, "'proof' has the unknown key 'facts'"),
    ({"proof": {"by": "facts", "facts": 1}}, "'facts' of the proof must be a list"),
    ({"proof": {"by": "facts", "facts": [[0]]}}, "a row of the proof must have 2 numbers"),
    ({"proof": {"by": "facts", "facts": [[0, 2**70]]}}, "must be a list of whole numbers"),
    ({"proof": {"by": "facts", "facts": [[0, 7]]}}, "the proof has a fact that the task lacks"),
    ({"proof": {"by": "facts", "facts": []}}, "the facts lack one of the initial state"),
    ({"proof": {"by": "facts", "facts": [[0, 0], [1, 0], [2, 1]]}}, "which an operator adds"),
    ({"proof": {"by": "pairs", "pairs": []}}, "the pairs lack a pair of the initial state"),
    ({"proof": {"by": "pairs", "pairs": [[0, 0, 0, 1]]}}, "two values of variable 0 at once"),
    ({"proof": {"by": "pairs", "pairs": [[0, 0, 1, 0]]}}, "not listed as one that is possible"),
    (
        {"proof": {"by": "pairs", "pairs": NO_STAND}},
        "leads out of the listed pairs",
    ),
    ({"proof": {"by": "states", "states": [[0, 0]]}}, "a row of the proof must have 3 numbers"),
    ({"proof": {"by": "states", "states": [[0, 0, 9]]}}, "a fact that the task lacks"),
]


@pytest.mark.parametrize(("changes", "sentence"), FAULTS)
def test_faults_are_named(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in rejection(certificate(**changes))


@pytest.mark.parametrize("key", ["rule", "formula", "atoms", "proof", "lasso"])
def test_missing_keys_are_named(key: str) -> None:
    assert rejection(without(certificate(), key)) == f"the certificate lacks '{key}'"


def test_states_that_lead_on_must_be_listed() -> None:
    states = [[0, 0, 1], [1, 0, 1]]
    proof = {"by": "states", "states": states}
    check(TEXT, certificate(proof=proof))  # from the others no relaxed way leads to a violation
    assert "may lead on" in rejection(trap("F(samples)", proof=proof))


def test_proofs_need_not_speak_of_what_the_rule_cannot_notice() -> None:
    inside = {
        "facts": [fact for fact in ALL_FACTS if fact[0] < 2],
        "pairs": [pair for pair in PAIRS if max(pair[0], pair[2]) < 2],
        "states": [[0, 0, 1], [1, 0, 1], [0, 1, 1]],
    }
    for by, rows in inside.items():
        check(TEXT, certificate(proof={"by": by, by: rows}))
        # With X, or where the goal counts, the sample belongs to it.
        for changes in ({"with_goal": True}, {"formula": "X F(moving(r) & !stowed(r))"}):
            made = {**certificate(proof={"by": by, by: rows}), **changes}
            if by != "states":
                assert "lack" in rejection({**made, "claim": "trap"})


def test_what_was_done_counts_whatever_it_changed() -> None:
    # Taking a sample changes nothing that moving depends on, and is seen all the same.
    formula = "F(!moving(r) & samples)"
    check(TEXT, trace(formula, [2, 4]))
    for proof in PROOFS.values():
        rejection(trap(formula, proof=proof))


def lamp(*effects: SasEffect, initial: tuple[int, ...] = (0, 0)) -> str:
    """A lamp, a guard, and a button with these effects."""
    variables = (
        SasVariable("lamp", ("NegatedAtom lit()", "Atom lit()")),
        SasVariable("guard", ("NegatedAtom guard()", "Atom guard()")),
        SasVariable("other", ("NegatedAtom other()", "Atom other()")),
    )
    operators = (
        SasOperator("press", (), effects, 1),
        SasOperator("wait", (), (SasEffect((), 2, -1, 1),), 1),
    )
    return render(SasTask(False, variables, (), (*initial, 0), ((2, 1),), operators))


def never_lit(text: str, facts: list[list[int]]) -> dict[str, Any]:
    return certificate(
        text=text,
        claim="trap",
        rule="F lit",
        formula="F lit",
        atoms={"lit": ["fact", 0, 1]},
        proof={"by": "facts", "facts": facts},
    )


def test_conditions_of_effects_belong_to_what_a_rule_depends_on() -> None:
    text = lamp(SasEffect(((1, 1),), 0, -1, 1))
    check(text, never_lit(text, [[0, 0], [1, 0]]))
    text = lamp(SasEffect(((1, 1),), 0, -1, 1), initial=(0, 1))
    assert "lack" in rejection(never_lit(text, [[0, 0], [1, 0], [1, 1]]), text)


def test_an_effect_is_overwritten_only_by_one_that_fires() -> None:
    off_again = SasEffect(((1, 1),), 0, -1, 0)
    text = lamp(SasEffect((), 0, -1, 1), off_again)
    rejection(never_lit(text, [[0, 0], [1, 0]]), text)
    text = lamp(SasEffect(((1, 1),), 0, -1, 1), off_again, initial=(0, 1))
    check(text, never_lit(text, [[0, 0], [1, 1]]))  # of two that fire the later one wins


def test_two_effects_at_once_are_a_pair() -> None:
    text = lamp(SasEffect((), 0, -1, 1), SasEffect((), 1, -1, 1))
    facts = [[v, a] for v in range(2) for a in range(2)]
    pairs = [[*one, *other] for one in facts for other in facts if one[0] < other[0]]
    pairs += [[*one, *one] for one in facts]
    made = never_lit(text, []) | {"rule": "F(lit & guard)", "formula": "F(lit & guard)"}
    made["atoms"] = {"lit": ["fact", 0, 1], "guard": ["fact", 1, 1]}
    for left in (pairs, [pair for pair in pairs if pair != [0, 1, 1, 1]]):
        rejection({**made, "proof": {"by": "pairs", "pairs": left}}, text)


def test_it_imports_the_standard_library_and_its_neighbours_only() -> None:
    for path in sorted(FOLDER.glob("rules*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = node.module or ""
                is_ours = module.startswith(
                    ("bugsieve.rooms.rules.checker.rules", "bugsieve.checkers.cost")
                )
                assert is_ours or module.split(".")[0] in sys.stdlib_module_names, module


def test_it_runs_alone(tmp_path: Path) -> None:
    task, proof = tmp_path / "task.sas", tmp_path / "proof.json"
    task.write_text(TEXT, encoding="utf-8", newline="")
    proof.write_text(json.dumps(certificate()), encoding="utf-8")
    command = [sys.executable, "-S", "-E", str(FOLDER / "rules.py"), str(task), str(proof)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "accepted: the certificate proves its claim\n"


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, proof = tmp_path / "task.sas", tmp_path / "proof.json"
    task.write_text(TEXT, encoding="utf-8", newline="")
    proof.write_text('{"kind": 1, "kind": 2}', encoding="utf-8")
    assert main([str(task), str(proof)]) == 4
    assert "the key 'kind' is there twice" in capsys.readouterr().err
    assert main([str(task)]) == 4
    assert "usage" in capsys.readouterr().err
    assert main([str(task), str(tmp_path / "none")]) == 4
