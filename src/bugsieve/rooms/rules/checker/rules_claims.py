"""The content of a certificate of flight rules, once its types are known to be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from bugsieve.checkers.cost import CertificateError
from bugsieve.rooms.rules.checker.rules_explored import is_satisfiable
from bugsieve.rooms.rules.checker.rules_formulas import ATOM_NAME, RESERVED, VIEWS, Formulas
from bugsieve.rooms.rules.checker.rules_progression import Obligations, Progression, are_equivalent

VERSION = 1
MAX_STATES = 1_000_000
MAX_STEPS = 1_000_000
EQUIVALENCE_STEPS = 200_000
MAX_EQUIVALENCE_ATOMS = 10

_KEYS = ("certificate", "kind", "task", "rule", "claim", "view", "formula", "atoms")
_FLAGS = ("with_goal", "lasso")
REFUTATION = "refutation"
RESTS = ("rerun", "letters")
_PROOFS = {
    "facts": ("by", "facts"),
    "pairs": ("by", "pairs"),
    "states": ("by", "states"),
    "rerun": ("by",),
}


class Trace(NamedTuple):
    """Operators from the initial state on; a lasso goes back to the state `loop_start`."""

    operators: list[int]
    actions: list[str]
    loop_start: int | None
    rest: str = ""
    """Of a refutation: how it is proven that nothing after the trace keeps the rule."""


class Proof(NamedTuple):
    """That there is no trace: by facts, pairs (of facts), states or a rerun."""

    by: str
    rows: list[list[int]]


class Claim(NamedTuple):
    """The formula that a trace satisfies, or that none does."""

    digest: str
    formulas: Formulas
    root: int
    """The formula, in normal form."""
    wanted: int
    """The formula that the claim names, in normal form."""
    kept: int
    """Of a refutation: the rule itself, in normal form; else as `wanted`."""
    atoms: dict[str, Any]
    """The conditions of the formula's atoms, and of the rule's that it lacks, as JSON."""
    with_goal: bool
    lasso: bool
    content: Trace | Proof


def read_claim(certificate: Any) -> Claim:
    """The claim of the certificate; CertificateError if it makes none."""
    kind = certificate.get("kind") if isinstance(certificate, Mapping) else "none"
    if type(kind) is not str or kind not in ("trace", "none"):
        _fail("'kind' must be there, and be 'trace' or 'none'")
    last = "trace" if kind == "trace" else "proof"
    is_refutation = kind == "trace" and certificate.get("claim") == REFUTATION
    more = ("rest",) if is_refutation else ()
    whole = mapping(certificate, "the certificate", (*_KEYS, *_FLAGS, last, *more))
    if type(whole["certificate"]) is not int or whole["certificate"] != VERSION:
        _fail(f"'certificate' must be {VERSION}, the only version of certificates that is known")
    task = mapping(whole["task"], "'task'", ("name", "sha256"))
    text(task["name"], "the task's name")
    with_goal, lasso = (flag(whole[key], f"'{key}'") for key in _FLAGS)
    if with_goal and lasso:
        _fail("a lasso does not end, so 'with_goal' must be false")
    formulas = Formulas()
    root, wanted, kept, names = _formulas(whole, formulas)
    content = _trace(whole["trace"], lasso) if last == "trace" else _proof(whole["proof"], lasso)
    if is_refutation:
        if with_goal or lasso or whole["view"] != "neutral":
            _fail("a refutation is of traces that end anywhere, so 'view' must be neutral")
        content = _refutation(content, whole["rest"])
    return Claim(
        digest=text(task["sha256"], "the task's SHA-256"),
        formulas=formulas,
        root=root,
        wanted=wanted,
        kept=kept,
        atoms=_atoms(whole["atoms"], formulas.atoms(root, wanted, kept), names),
        with_goal=with_goal,
        lasso=lasso,
        content=content,
    )


def _formulas(whole: Mapping[str, Any], formulas: Formulas) -> tuple[int, int, int, set[str]]:
    """The formula, what it should be, what a refutation is of, and the names of all atoms that
    may be defined."""
    claim, view = text(whole["claim"], "'claim'"), text(whole["view"], "'view'")
    if view not in VIEWS:
        _fail(f"'view' must be one of {', '.join(VIEWS)}")
    read = formulas.read(text(whole["formula"], "'formula'"), "'formula'")
    root = formulas.normal(read)
    rule_text = text(whole["rule"], "'rule'")
    if claim not in ("violation", "satisfaction", REFUTATION):
        if not 0 < len(claim) <= 200 or any(word in claim.lower() for word in ("viol", "satisf")):
            _fail("'claim' must be 'violation', 'satisfaction', 'trap' or say something else")
        # The formula is taken as it is; one that comes of no rule has none to name.
        if claim != "trap" and not rule_text:
            return root, root, root, formulas.atoms(read)
        rule = formulas.read(rule_text, "'rule'")
        return root, root, root, formulas.atoms(read, rule)
    if whole["lasso"] is True and view != "neutral":
        _fail("lassos are infinite, so 'view' must be neutral")
    rule = formulas.read(rule_text, "'rule'")
    pushed = formulas.pushed(rule, negated=claim != "satisfaction")
    wanted = formulas.normal(formulas.in_view(pushed, view))
    kept = formulas.normal(formulas.pushed(rule)) if claim == REFUTATION else wanted
    return root, wanted, kept, formulas.atoms(read, rule)


def _atoms(value: Any, needed: set[str], known: set[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        _fail("'atoms' must be an object")
    for name in value:
        if type(name) is not str or not ATOM_NAME.fullmatch(name) or name in RESERVED:
            _fail("'atoms' has a key that is no name of an atom")
        if name not in known:
            _fail(f"'atoms' has {name[:80]}, which the formula and the rule lack")
    missing = sorted(needed - set(value))
    if missing:
        _fail(f"'atoms' lacks {missing[0][:80]}")
    return dict(value)


def _trace(value: Any, lasso: bool) -> Trace:
    whole = mapping(value, "'trace'", ("operators", "actions", "loop_start"))
    operators = numbers(whole["operators"], "the operators of the trace")
    actions = whole["actions"]
    if type(actions) is not list or not all(type(action) is str for action in actions):
        _fail("the actions of the trace must be a list of texts")
    if len(operators) != len(actions):
        _fail(f"the trace has {len(operators)} operators but {len(actions)} actions")
    if len(operators) > MAX_STEPS:
        _fail(f"the trace has more than {MAX_STEPS} steps")
    start = whole["loop_start"]
    if lasso and (type(start) is not int or not 0 <= start < len(operators)):
        _fail("the loop_start of a lasso must be the number of a state before the last one")
    if not lasso and start is not None:
        _fail("a trace that is no lasso must have no loop_start")
    return Trace(operators, actions, start)


def _refutation(trace: Trace | Proof, rest: Any) -> Trace:
    by = mapping(rest, "'rest'", ("by",))["by"]
    if type(by) is not str or by not in RESTS or not isinstance(trace, Trace):
        _fail(f"'by' of 'rest' must be one of {', '.join(RESTS)}")
    return trace._replace(rest=by)


def _proof(value: Any, lasso: bool) -> Proof:
    by = value.get("by") if isinstance(value, Mapping) else None
    if type(by) is not str or by not in _PROOFS:
        _fail(f"'proof' must be an object whose 'by' is one of {', '.join(_PROOFS)}")
    whole = mapping(value, "'proof'", _PROOFS[by])
    if by == "rerun":
        return Proof(by, [])
    if lasso:
        _fail("that there is no lasso is proven by a rerun alone")
    rows = whole[by]
    if type(rows) is not list:
        _fail(f"'{by}' of the proof must be a list")
    if by == "states" and len(rows) > MAX_STATES:
        _fail(f"the proof has more than {MAX_STATES} states")
    return Proof(by, [numbers(row, f"each of the {by} of the proof") for row in rows])


def check_formula(claim: Claim, poll: Callable[[], None]) -> None:
    """The formula is the one that the claim is about, or says the same of every trace."""
    formulas, root, wanted = claim.formulas, claim.root, claim.wanted
    if root == wanted:
        return
    names = sorted(formulas.atoms(root, wanted))
    if len(names) > MAX_EQUIVALENCE_ATOMS:
        _fail("'formula' is not what the claim says, in the form that the checker gives it")
    # Formulas that agree on finite traces may differ on infinite words, as `F G p` and `G F p`.
    if claim.lasso:
        differ = formulas.normal(formulas.make("!", formulas.make("<->", root, wanted)))
        obligations = Obligations(formulas, differ, names)
        is_same = not is_satisfiable(obligations, len(names), EQUIVALENCE_STEPS)
    else:
        one, other = (Progression(formulas, f, names, poll) for f in (root, wanted))
        is_same = are_equivalent(one, other, len(names), EQUIVALENCE_STEPS)
    if not is_same:
        _fail("'formula' is not what the rule, the claim and the view say")


def check_rows(proof: Proof, sizes: Sequence[int]) -> None:
    """The rows are states of a task whose variables have these sizes, or facts in a row."""
    width = {"facts": 2, "pairs": 4, "states": len(sizes), "rerun": 0}[proof.by]
    for row in proof.rows:
        if len(row) != width:
            _fail(f"a row of the proof must have {width} numbers")
        facts = enumerate(row) if proof.by == "states" else zip(row[::2], row[1::2], strict=True)
        for variable, value in facts:
            if not (0 <= variable < len(sizes) and 0 <= value < sizes[variable]):
                _fail("the proof has a fact that the task lacks")


def mapping(value: Any, what: str, keys: Sequence[str]) -> dict[str, Any]:
    """The object, which must have these keys and no others."""
    if not isinstance(value, Mapping):
        _fail(f"{what} must be an object")
    missing = [key for key in keys if key not in value]
    if missing:
        _fail(f"{what} lacks {missing[0]!r}")
    unknown = [key for key in value if key not in keys]
    if unknown:
        key = unknown[0][:40] if isinstance(unknown[0], str) else ""
        _fail(f"{what} has the unknown key '{key}'")
    return dict(value)


def text(value: Any, what: str) -> str:
    """The value, which must be a text."""
    if type(value) is not str:
        _fail(f"{what} must be a text")
    return str(value)


def flag(value: Any, what: str) -> bool:
    """The value, which must be true or false."""
    if type(value) is not bool:
        _fail(f"{what} must be true or false")
    return bool(value)


def numbers(value: Any, what: str) -> list[int]:
    """The value, which must be a list of numbers, none of them a bool."""
    if type(value) is not list or not all(type(n) is int and abs(n) < 2**31 for n in value):
        _fail(f"{what} must be a list of whole numbers")
    return list(value)


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
