"""PDDL3: `:constraints` of a domain and a problem, read as desired rules.

Callers load the task with `tasks.fdr.worlds.load_world`: every other command refuses such files,
since plans would not be held to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NoReturn

from bugsieve.base.names import suggest
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, Parameters, joined_atom
from bugsieve.rooms.rules.file.reading import RulesFile
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.formula import (
    Formula,
    atom,
    atoms_of,
    conjunction,
    disjunction,
    finally_,
    globally,
    negation,
    weak_until,
)
from bugsieve.tasks.pddl.declarations import ROOT_TYPE, typed_list, variables
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    Word,
    make_block,
    make_word,
    parse,
    to_text,
)
from bugsieve.tasks.pddl.summary import PddlTexts

SECTION = ":constraints"
FORMS = {
    "always": "(always CONDITION)",
    "sometime": "(sometime CONDITION)",
    "at-most-once": "(at-most-once CONDITION)",
    "sometime-after": "(sometime-after CONDITION CONDITION)",
    "sometime-before": "(sometime-before CONDITION CONDITION)",
    "at": "(at end CONDITION)",
}
_MAX_DIVIDED_DEPTH = 50  # deeper formulas stay one atom
_PLAIN = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")
_WORD = re.compile(r"[^\s()]+")

TIMED = ("within", "hold-during", "hold-after", "always-within")


def constraint_rules(texts: PddlTexts, *, domain: str, problem: str) -> RulesFile:
    """The constraints of two files as rules, perhaps none; `domain` and `problem` name the files.

    Their ids are those of the file they are in, as `domain-constraint-1` and
    `problem-constraint-1`.
    """
    reader = _Reader()
    for kind, path, data in zip(texts._fields, (domain, problem), texts, strict=True):
        reader.read(kind, Document(path, data, parse(data, path)))
    atoms = {declaration.name: declaration for declaration in reader.atoms}
    return RulesFile(problem, atoms, tuple(reader.rules))


@dataclass(frozen=True)
class _Part:
    """A part of a section, under the variables of the quantifiers around it."""

    item: Expression
    words: tuple[Expression, ...] = ()


@dataclass
class _Reader:
    atoms: list[AtomDeclaration] = field(default_factory=list)
    rules: list[RuleDeclaration] = field(default_factory=list)

    def read(self, kind: str, document: Document) -> None:
        parts = [_Part(item) for item in _section(document)]
        constraints = [item for part in parts for item in _constraints(document, part)]
        for number, part in enumerate(constraints, start=1):
            self._add(f"{kind}-constraint-{number}", document, part)

    def _add(self, name: str, document: Document, part: _Part) -> None:
        block = part.item
        assert isinstance(block, Block)
        forall = _parameters(document, block, part.words)
        conditions = block[2:] if block[0] == "at" else block[1:]
        atoms = _Atoms(name, document, forall)
        formula = _formula(str(block[0]), [atoms.formula(item) for item in conditions])
        self.atoms += atoms.found.values()
        position = Position(document.path, block.line)
        self.rules.append(
            RuleDeclaration(
                id=name,
                kind="desired",
                forall=forall,
                formula=formula,
                form="constraint",
                source=to_text(block),
                position=position,
                atom_positions=dict.fromkeys(atoms_of(formula), position),
            )
        )


@dataclass
class _Atoms:
    """Divides the conditions of a constraint into atoms, so that each can be covered."""

    prefix: str
    document: Document
    forall: Parameters
    found: dict[str, AtomDeclaration] = field(default_factory=dict)
    """By the condition."""

    def formula(self, item: Expression, depth: int = 0) -> Formula:
        if isinstance(item, Block) and depth < _MAX_DIVIDED_DEPTH:
            parts = item[1:]
            if item[:1] == ["not"] and len(parts) == 1:
                return negation(self.formula(parts[0], depth + 1))
            if item[:1] == ["imply"] and len(parts) == 2:
                return _implies(*(self.formula(part, depth + 1) for part in parts))
            if item[:1] in (["and"], ["or"]) and len(parts) > 1:
                join = conjunction if item[0] == "and" else disjunction
                return join([self.formula(part, depth + 1) for part in parts])
        return self._atom(item)

    def _atom(self, item: Expression) -> Formula:
        text = to_text(item)
        if text not in self.found:
            words = set(_WORD.findall(text))
            used = {name: kind for name, kind in self.forall.types.items() if name in words}
            parameters = replace(self.forall, types=used)
            self.found[text] = _declaration(self._name(item), parameters, self.document, item)
        declaration = self.found[text]
        return atom(joined_atom(declaration.name, tuple(declaration.parameters.types)))

    def _name(self, item: Expression) -> str:
        """A name for the predicate or quantifier, with a number where it has been used before."""
        first = item[0] if isinstance(item, Block) and item else ""
        word = first if isinstance(first, Word) and _PLAIN.fullmatch(first) else "part"
        name = f"{self.prefix}-{word}"
        taken = {declaration.name for declaration in self.found.values()}
        numbered = (f"{name}-{number}" for number in count(2))
        return name if name not in taken else next(new for new in numbered if new not in taken)


def _section(document: Document) -> list[Expression]:
    """The content of the sections of constraints."""
    found = [part for part in document.root if isinstance(part, Block) and part[:1] == [SECTION]]
    return [item for section in found for item in section[1:] if item != []]


def _constraints(document: Document, whole: _Part) -> Iterator[_Part]:
    """The constraints that `and` and `forall` join, in order."""
    pending = [whole]
    while pending:
        part = pending.pop()
        block = _block(document, part.item)
        if block[0] == "and":
            pending += (replace(part, item=item) for item in reversed(block[1:]))
        elif block[0] == "forall":
            pending.append(_under_quantifier(document, block, part.words))
        else:
            _check_form(document, block)
            yield replace(part, item=block)


def _block(document: Document, item: Expression) -> Block:
    if isinstance(item, Word) or not item or not isinstance(item[0], Word):
        raise document.error(
            item,
            f"'{SECTION}' has no constraint here, such as {FORMS['always']}",
        )
    return item


def _under_quantifier(document: Document, block: Block, words: tuple[Expression, ...]) -> _Part:
    if len(block) != 3 or not isinstance(block[1], Block):
        raise document.error(block, "'forall' must have the form (forall (?VARIABLE ...) ...)")
    own = block[1]
    is_open = bool(own) and (len(own) < 2 or own[-2] != "-")
    # Later names must not give their type to these.
    end = (make_word("-", own.line), make_word(ROOT_TYPE, own.line)) if is_open else ()
    return _Part(block[2], (*words, *own, *end))


def _check_form(document: Document, block: Block) -> None:
    tag = str(block[0])
    if tag in TIMED or tag == "preference":
        what = "preferences" if tag == "preference" else f"the timed constraint '{tag}'"
        raise document.unsupported(block, f"'{SECTION}'", what)
    if tag not in FORMS:
        _reject(document, block, tag)
    is_end = tag != "at" or (len(block) > 1 and block[1] == "end")
    if not is_end or len(block) != FORMS[tag].count(" ") + 1:
        raise document.error(block, f"'{tag}' in '{SECTION}' must have the form {FORMS[tag]}")


def _reject(document: Document, block: Block, tag: str) -> NoReturn:
    known = (*FORMS, *TIMED, "and", "forall", "preference")
    raise document.error(
        block,
        f"'{SECTION}' has no constraint '{tag}'{suggest(tag, known)}; there are "
        f"{', '.join(FORMS.values())}, and, forall",
    )


def _parameters(document: Document, block: Block, words: Sequence[Expression]) -> Parameters:
    """The variables of all quantifiers around a constraint."""
    own = make_block(block.line, *words)
    mentioned = {kind for entry in typed_list(document, own) for kind in entry.types}
    types = variables(document, own, {*mentioned, ROOT_TYPE}, f"'forall' in '{SECTION}'")
    return Parameters(types, replace(document, root=own))


def _declaration(
    name: str, parameters: Parameters, document: Document, condition: Expression
) -> AtomDeclaration:
    if isinstance(condition, Word):
        raise document.error(
            condition,
            f"'{SECTION}' has the word '{condition}' where a condition in parentheses belongs",
        )
    position = Position(document.path, condition.line)
    return AtomDeclaration(name, parameters, position, replace(document, root=condition), position)


def _formula(tag: str, names: Sequence[Formula]) -> Formula:
    """The meaning of a constraint on a finite trace; see Gerevini and others on PDDL3."""
    if len(names) == 1:
        (condition,) = names
        return {
            "always": globally(condition),
            "sometime": finally_(condition),
            "at-most-once": globally(_implies(condition, _once(condition))),
            # The last state is the only one after which the condition cannot come again.
            "at": globally(finally_(condition)),
        }[tag]
    trigger, condition = names
    if tag == "sometime-after":
        return globally(_implies(trigger, finally_(condition)))
    # Strictly before: the condition must have held in an earlier state.
    return weak_until(negation(trigger), condition & negation(trigger))


def _implies(left: Formula, right: Formula) -> Formula:
    return Formula("implies", (left, right))


def _once(condition: Formula) -> Formula:
    return weak_until(condition, globally(negation(condition)))
