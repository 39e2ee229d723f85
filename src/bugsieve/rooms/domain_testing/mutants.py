"""First-order mutants of a domain: copies with one small mistake each, as a person might make.

Literals of conditional effects' conditions are mutated like those of preconditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from bugsieve.rooms.domain_testing.layout import readable_text
from bugsieve.rooms.domain_testing.places import (
    LiteralPlace,
    action_literals,
    action_paths,
    at,
    field_path,
    negated,
    quantified_variables,
    replaced,
)
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.execution import conjuncts, is_literal
from bugsieve.tasks.pddl.formulas import QUANTIFIERS
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    make_block,
    make_word,
    to_text,
)

KINDS = (
    "drop-precondition",
    "negate-precondition",
    "drop-effect",
    "negate-effect",
    "swap-arguments",
    "widen-parameter",
    "add-effect",
)


@dataclass(frozen=True)
class Mutant:
    """A domain with one mistake; `line` is where the original has what was changed."""

    number: int
    kind: str
    action: str
    line: int
    before: str
    after: str
    """Empty where something was dropped; `before` is empty where something was added."""
    root: Block

    @property
    def description(self) -> str:
        """The change, in one line."""
        change = {
            "drop": f"without {self.before}",
            "add": f"with the further effect {self.after}",
        }.get(self.kind.split("-")[0], f"{self.after} instead of {self.before}")
        return f"{self.action}: {change}"

    @property
    def text(self) -> str:
        """The mutant as a PDDL file."""
        return readable_text(self.root)

    def document(self, original: Document) -> Document:
        """The mutant in place of the file it was made from."""
        return Document(original.path, self.text.encode("ascii"), self.root)


@dataclass(frozen=True)
class _Draft:
    kind: str
    action: str
    line: int
    before: str
    after: str
    root: Block


def mutants_of(domain: Domain) -> list[Mutant]:
    """All first-order mutants, in the order of the file; none of them twice."""
    found: dict[str, _Draft] = {to_text(domain.document.root): _Draft("", "", 0, "", "", Block())}
    for action in domain.actions:
        for draft in _drafts(domain, action):
            found.setdefault(to_text(draft.root), draft)
    drafts = list(found.values())[1:]
    return [Mutant(number, **vars(draft)) for number, draft in enumerate(drafts, start=1)]


def _drafts(domain: Domain, action: str) -> Iterator[_Draft]:
    yield from _widened(domain, action)
    for place in action_literals(domain, action):
        yield _dropped(domain, place)
        yield _negated(domain, place)
        yield from _swapped(domain, place)
    yield from _added(domain, action)


def _draft(
    domain: Domain, place: LiteralPlace, kind: str, new: Expression | None, after: str
) -> _Draft:
    root = replaced(domain.document.root, place.path, new)
    before = to_text(place.literal)
    return _Draft(kind, place.action, place.literal.line, before, after, root)


def _part(place: LiteralPlace) -> str:
    return "effect" if place.role == "effect" else "precondition"


def _dropped(domain: Domain, place: LiteralPlace) -> _Draft:
    """Without the literal; one that stands alone becomes what is always true."""
    parent = at(domain.document.root, place.path[:-1])
    assert isinstance(parent, Block)
    truth = _truth(domain, place)
    is_listed = parent[0] in ("and", "or") and len(parent) > 2
    is_enough = parent[0] == truth[0]  # without its only part
    new = None if is_listed or is_enough else truth
    return _draft(domain, place, f"drop-{_part(place)}", new, "")


def _truth(domain: Domain, place: LiteralPlace) -> Block:
    """The empty conjunction, or under a quantifier of a condition an equality.

    Fast Downward's translator takes a quantifier over the empty conjunction to be true, also of a
    type without objects, of which nothing exists.
    """
    line = place.literal.line
    if place.role != "effect":
        for end in range(len(place.path) - 1, 0, -1):
            block = at(domain.document.root, place.path[:end])
            if isinstance(block, Block) and block[0] in QUANTIFIERS:
                variable = next(iter(quantified_variables(domain, block)))
                return make_block(
                    line, *(make_word(word, line) for word in ("=", variable, variable))
                )
    return make_block(line, make_word("and", line))


def _negated(domain: Domain, place: LiteralPlace) -> _Draft:
    new = negated(place.literal)
    return _draft(domain, place, f"negate-{_part(place)}", new, to_text(new))


def _swapped(domain: Domain, place: LiteralPlace) -> Iterator[_Draft]:
    atom = place.atom
    if atom[0] == "=":  # says the same when swapped
        return
    for first, second in combinations(range(1, len(atom)), 2):
        kinds = [place.terms.get(str(atom[index])) for index in (first, second)]
        if kinds[0] is None or kinds[0] != kinds[1] or atom[first] == atom[second]:
            continue
        items = list(atom)
        items[first], items[second] = items[second], items[first]
        swapped = make_block(atom.line, *items)
        new = swapped if place.is_positive else negated(swapped)
        yield _draft(domain, place, "swap-arguments", new, to_text(new))


def _widened(domain: Domain, action: str) -> Iterator[_Draft]:
    path = field_path(domain, action, ":parameters")
    if path is None:
        return
    parameters = domain.parameters(action)
    block = at(domain.document.root, path)
    assert isinstance(block, Block)
    for name, kind in parameters.items():
        word = next(item for item in block if item == name)
        for parent in dict.fromkeys(domain.vocabulary.types.get(kind, ())):
            if kind == ROOT_TYPE or parent == kind:
                continue
            new = _typed_list({**parameters, name: parent}, block.line)
            root = replaced(domain.document.root, path, new)
            shown = f"{name} - {kind}", f"{name} - {parent}"
            yield _Draft("widen-parameter", action, word.line, *shown, root)


def _typed_list(parameters: dict[str, str], line: int) -> Block:
    words = [word for name, kind in parameters.items() for word in (name, "-", kind)]
    return make_block(line, *(make_word(word, line) for word in words))


def _added(domain: Domain, action: str) -> Iterator[_Draft]:
    """Literals that the action needs and does not touch become wrong after it."""
    places = list(action_literals(domain, action))
    touched = {to_text(place.atom) for place in places if place.role == "effect"}
    condition = domain.actions[action].get(":precondition", Block())
    for literal in conjuncts(condition):
        if not is_literal(literal):
            continue
        opposite = negated(literal)
        atom = literal if literal[0] != "not" else opposite
        if atom[0] != "=" and to_text(atom) not in touched:
            root = _with_effect(domain, action, opposite)
            yield _Draft("add-effect", action, literal.line, "", to_text(opposite), root)


def _with_effect(domain: Domain, action: str, literal: Block) -> Block:
    root = domain.document.root
    path = field_path(domain, action, ":effect")
    line = literal.line
    if path is None:
        block_path = action_paths(domain)[action]
        block = at(root, block_path)
        assert isinstance(block, Block)
        new = make_block(block.line, *block, make_word(":effect", line), literal)
        return replaced(root, block_path, new)
    effect = at(root, path)
    assert isinstance(effect, Block)
    parts = effect[1:] if effect and effect[0] == "and" else [effect] if effect else []
    joined = make_block(effect.line, make_word("and", line), *parts, literal)
    return replaced(root, path, joined)


def changed_line(document: Document, mutant: Mutant) -> str:
    """The line of the original file in which the mutant differs."""
    lines = document.data.decode("latin-1").splitlines()
    return lines[mutant.line - 1].strip() if 0 < mutant.line <= len(lines) else ""
