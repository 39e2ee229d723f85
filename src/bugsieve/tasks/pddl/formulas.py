"""Checks conditions and effects: every name is declared, every feature is one we handle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.tasks.pddl.declarations import ROOT_TYPE, Signature, Vocabulary, variables
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word, to_text

COST_FUNCTION = "total-cost"
QUANTIFIERS = ("forall", "exists")
JUNCTIONS = ("and", "or", "not", "imply")

_MAX_DIGITS = 100  # Python refuses to read very long numbers

_FORMS = {"not": (1, "(not CONDITION)"), "imply": (2, "(imply CONDITION CONDITION)")}
EQUALITY = ((ROOT_TYPE,),) * 2
_COMPARISONS = frozenset({"<", ">", "<=", ">="})
_NUMERIC_EFFECTS = frozenset({"assign", "decrease", "scale-up", "scale-down"})
_FOREIGN_CONDITIONS = {
    "preference": "preferences",
    "when": "'when' in a condition",
    "always": "trajectory constraints",
    "sometime": "trajectory constraints",
    "within": "trajectory constraints",
}
_FOREIGN_EFFECTS = {
    "oneof": "non-deterministic effects outside 'bugsieve safety'",
    "probabilistic": "probabilistic effects outside 'bugsieve safety'",
    "or": "disjunctive effects",
    "exists": "existential effects",
}


@dataclass(frozen=True)
class FormulaScope:
    """The place of a formula: its file, its owner ("action 'move'"), and the terms in reach."""

    document: Document
    vocabulary: Vocabulary
    owner: str
    terms: Mapping[str, str]
    """Objects and variables to their types."""
    checks_types: bool = False
    """True if objects must have the declared types; actions cast, ':init' and goals do not."""
    checks_variables: bool = False
    """True if variables must be able to stand for an object of the declared types."""
    find_atom: Callable[[str], object] | None = None
    """Raises an InputError for a ground atom that is never true, where that is a mistake."""
    check_leaf: Callable[[FormulaScope, Block], bool] | None = None
    """Returns true if a part is something other than an atom, and has been checked."""

    def inside(self, block: Block) -> FormulaScope:
        """The scope under a quantifier whose variables are `block`."""
        own = variables(self.document, block, self.vocabulary.types, self.owner)
        return replace(self, terms={**self.terms, **own})


def check_condition(scope: FormulaScope, item: Expression) -> None:
    """Raise unless `item` is a condition of the supported fragment, of any depth."""
    pending = [(scope, item)]
    while pending:
        pending += reversed(_checked_parts(*pending.pop()))


def _checked_parts(scope: FormulaScope, item: Expression) -> list[tuple[FormulaScope, Expression]]:
    """Check all but the parts of a condition, which are returned with the scopes they are in."""
    block = _block(scope, item, "a condition")
    tag = _tag(scope, block)
    if tag in QUANTIFIERS:
        return [(_quantified(scope, block), block[2])]
    if tag in JUNCTIONS:
        if tag in _FORMS:
            _expect(scope, block, *_FORMS[tag])
        return [(scope, part) for part in block[1:]]
    _check_atom_condition(scope, block, tag)
    return []


def _check_atom_condition(scope: FormulaScope, block: Block, tag: Word) -> None:
    if scope.check_leaf is not None and scope.check_leaf(scope, block):
        return
    numeric = tag in _COMPARISONS or (tag == "=" and any(_is_numeric(arg) for arg in block[1:]))
    if numeric:
        raise scope.document.unsupported(block, scope.owner, _numeric(block))
    if tag in _FOREIGN_CONDITIONS and tag not in scope.vocabulary.predicates:
        raise scope.document.unsupported(block, scope.owner, _FOREIGN_CONDITIONS[tag])
    if tag == "=":
        check_arguments(scope, block, "predicate", EQUALITY)
    elif scope.find_atom is None or not _is_ground(block):
        check_atom(scope, block)
    else:
        _find_atom(scope.find_atom, scope.document, block)


def _find_atom(find: Callable[[str], object], document: Document, block: Block) -> None:
    try:
        find(to_text(block))
    except InputError as error:
        raise document.error(block, str(error)) from None


def _is_ground(block: Block) -> bool:
    """Return true if the block is words alone, and none of them a variable."""
    return not any(isinstance(item, Block) or item.startswith("?") for item in block)


def check_effect(scope: FormulaScope, item: Expression) -> None:
    """Raise unless `item` is an effect of the supported fragment."""
    costs = _check_effect(scope, item, conditional=False)
    if costs > 1:
        raise scope.document.unsupported(item, scope.owner, "several cost effects in one action")


def _check_effect(scope: FormulaScope, item: Expression, *, conditional: bool) -> int:
    """Check the effect and count its cost effects."""
    block = _block(scope, item, "an effect")
    tag = _tag(scope, block)
    if tag == "and":
        return sum(_check_effect(scope, part, conditional=conditional) for part in block[1:])
    if tag == "forall":
        return _check_effect(_quantified(scope, block), block[2], conditional=True)
    if tag == "when":
        _expect(scope, block, 2, "(when CONDITION EFFECT)")
        if block[1] != []:
            check_condition(scope, block[1])
        return _check_effect(scope, block[2], conditional=True)
    if tag == "increase" or tag in _NUMERIC_EFFECTS:
        _check_cost(scope, block, conditional=conditional)
        return 1
    _check_literal_effect(scope, block, tag)
    return 0


def _check_literal_effect(scope: FormulaScope, block: Block, tag: Word) -> None:
    if tag in _FOREIGN_EFFECTS and tag not in scope.vocabulary.predicates:
        raise scope.document.unsupported(block, scope.owner, _FOREIGN_EFFECTS[tag])
    if tag == "not":
        _expect(scope, block, 1, "(not (PREDICATE ARGUMENT ...))")
        block = _block(scope, block[1], "a predicate with its arguments")
        tag = _tag(scope, block)
    if tag == "=":
        raise scope.document.error(block, f"{scope.owner} cannot change what '=' means")
    check_atom(scope, block)


def _check_cost(scope: FormulaScope, block: Block, *, conditional: bool) -> None:
    """Accept only `(increase (total-cost) AMOUNT)` directly under the action as an action cost."""
    document = scope.document
    if block[0] != "increase" or len(block) < 2 or _function_name(block[1]) != COST_FUNCTION:
        raise document.unsupported(block, scope.owner, _numeric(block))
    if conditional:
        raise document.unsupported(block, scope.owner, "a cost that depends on a condition")
    _expect(scope, block, 2, "(increase (total-cost) AMOUNT)")
    amount = block[2]
    if isinstance(amount, Word) and is_number(amount):
        check_number(document, amount, scope.owner)
    elif _function_name(amount) == COST_FUNCTION:
        raise document.unsupported(block, scope.owner, _numeric(block))
    else:
        check_function(scope, amount)


def check_atom(scope: FormulaScope, block: Block) -> None:
    """Raise unless the block is a declared predicate with as many terms in reach."""
    predicates = scope.vocabulary.predicates
    name = block[0]
    if not isinstance(name, Word) or name not in predicates:
        raise scope.document.error(
            name,
            f"{scope.owner} uses the unknown predicate '{name}'"
            f"{suggest(str(name), predicates)}, declare it in :predicates of the domain",
            "unknown-predicate",
        )
    check_arguments(scope, block, "predicate", predicates[name])


def check_function(scope: FormulaScope, item: Expression) -> None:
    """Raise unless the item is a declared function with as many terms in reach."""
    name = _function_name(item)
    functions = scope.vocabulary.functions
    if name in ("+", "-", "*", "/"):
        raise scope.document.unsupported(item, scope.owner, "arithmetic in action costs")
    if name is None or name not in functions:
        raise scope.document.error(
            item,
            f"{scope.owner} uses the unknown function '{name or ''}'"
            f"{suggest(name or '', functions)}, declare it in :functions of the domain",
            "unknown-function",
        )
    if isinstance(item, Block):
        check_arguments(scope, item, "function", functions[name])


def check_arguments(scope: FormulaScope, block: Block, kind: str, signature: Signature) -> None:
    """Raise unless what follows the first word are terms in reach that fit the signature."""
    given = len(block) - 1
    if given != len(signature):
        raise scope.document.error(
            block,
            f"{scope.owner} gives the {kind} '{block[0]}' {_count(given)}, "
            f"but it is declared with {len(signature)}",
            "wrong-arity",
        )
    for position, accepted in enumerate(signature, start=1):
        term = block[position]
        own = None if isinstance(term, Block) else scope.terms.get(term)
        if own is None:
            raise _bad_term(scope, term)
        if own not in accepted:
            _check_type(scope, block, position, accepted)


def _count(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"


def _bad_term(scope: FormulaScope, term: Expression) -> InputError:
    if isinstance(term, Block):
        return scope.document.error(
            term,
            f"{scope.owner} has a block in parentheses where an object or variable belongs",
        )
    kind = "variable" if term.startswith("?") else "object"
    return scope.document.error(
        term,
        f"{scope.owner} uses the undeclared {kind} '{term}'{suggest(term, scope.terms)}",
        f"unknown-{kind}",
    )


def _check_type(
    scope: FormulaScope, block: Block, position: int, accepted: tuple[str, ...]
) -> None:
    """Raise if types are checked and the term cannot have one that is accepted in its place."""
    term = str(block[position])
    kind = scope.terms[term]
    if term.startswith("?"):
        if not scope.checks_variables or scope.vocabulary.overlaps(kind, accepted):
            return
    elif not scope.checks_types or scope.vocabulary.fits(kind, accepted):
        return
    wanted = " or ".join(f"'{name}'" for name in accepted)
    raise scope.document.error(
        block[position],
        f"{scope.owner} has {to_text(block)}, but argument {position} of '{block[0]}' must be "
        f"of type {wanted} and '{term}' is of type '{kind}'",
        "type-mismatch",
    )


def check_number(document: Document, amount: Word, owner: str) -> None:
    """Raise unless the word is a whole number that is not negative, and of sane length."""
    if len(amount) > _MAX_DIGITS:
        raise document.unsupported(amount, owner, f"a number of {len(amount)} digits")
    if not amount.isdigit():
        kind = "negative costs" if amount.startswith("-") else "fractional costs"
        raise document.unsupported(amount, owner, f"{kind} ('{amount}')")


def is_number(word: Word) -> bool:
    """Return true if the word is a PDDL number of any kind."""
    return word.lstrip("-").replace(".", "", 1).isdigit()


def _is_numeric(item: Expression) -> bool:
    return isinstance(item, Block) or is_number(item)


def _function_name(item: Expression) -> str | None:
    if isinstance(item, Word):
        return str(item)
    return str(item[0]) if item and isinstance(item[0], Word) else None


def _numeric(block: Block) -> str:
    """Names the numeric feature and the fluent: what the user has to look for."""
    functions = [str(part[0]) for part in block[1:] if isinstance(part, Block) and part]
    fluent = f" '{functions[0]}'" if functions else ""
    return f"the numeric fluent{fluent} in '{block[0]}'"


def _quantified(scope: FormulaScope, block: Block) -> FormulaScope:
    _expect(scope, block, 2, f"({block[0]} (?VARIABLE ...) ...)")
    if not scope.vocabulary.types:
        raise scope.document.error(
            block,
            f"'{block[0]}' in {scope.owner} needs the objects of the task and their types, which "
            "only PDDL files tell: load the task from those, or write out what it stands for",
        )
    if not isinstance(block[1], Block):
        raise scope.document.error(
            block,
            f"'{block[0]}' in {scope.owner} needs its variables in parentheses first",
        )
    return scope.inside(block[1])


def _block(scope: FormulaScope, item: Expression, kind: str) -> Block:
    if isinstance(item, Word):
        raise scope.document.error(
            item,
            f"{scope.owner} has the word '{item}' where {kind} in parentheses belongs",
        )
    if not item:
        raise scope.document.error(item, f"{scope.owner} has an empty () where {kind} belongs")
    return item


def _tag(scope: FormulaScope, block: Block) -> Word:
    tag = block[0]
    if isinstance(tag, Block):
        raise scope.document.error(
            tag, f"{scope.owner} has one '(' too many here: a name must follow '('"
        )
    return tag


def _expect(scope: FormulaScope, block: Block, arguments: int, form: str) -> None:
    if len(block) != arguments + 1:
        raise scope.document.error(
            block, f"'{block[0]}' in {scope.owner} must have the form {form}"
        )
