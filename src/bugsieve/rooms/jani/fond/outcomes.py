"""Splits actions with non-deterministic effects into one deterministic action per outcome.

The choices of an effect are independent: `(and (oneof a b) (oneof c d))` has four outcomes. A
`probabilistic` effect is a choice among the effects whose probability is above zero, and nothing
at all where they sum to less than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    Word,
    make_block,
    make_word,
    to_text,
)

MAX_OUTCOMES = 1000
ACTED = "[acted]"
"""A predicate that every action makes true and no condition reads."""

_REQUIREMENTS = (":non-deterministic", ":probabilistic-effects")
_CHOICES = ("oneof", "probabilistic")
_MAX_DIGITS = 100


def split_actions(document: Document) -> Document:
    """A domain with actions `move[1]`, `move[2]`, … in the place of a non-deterministic `move`.

    Every action also makes an atom of ours true: the translator may drop actions that change
    nothing, but doing nothing is an outcome. In a problem, this atom is the goal: the translator
    drops tasks whose goal is out of reach, but they can be unsafe. Everything else stays as it is,
    right or wrong, for the checks that follow.
    """
    root = make_block(document.root.line)
    for item in document.root:
        root.extend(_split(document, item))
    return Document(document.path, to_text(root).encode(), root)


def base_name(operator: str) -> str:
    """The name of the action that an operator is an outcome of: "(move a b)" of "move[2] a b"."""
    action, _, arguments = operator.strip("()").partition(" ")
    action = action.partition("[")[0]
    return f"({action} {arguments})" if arguments else f"({action})"


def _split(document: Document, item: Expression) -> list[Expression]:
    if isinstance(item, Word) or not item:
        return [item]
    if item[0] == ":requirements":
        return [make_block(item.line, *(label for label in item if label not in _REQUIREMENTS))]
    if item[0] == ":goal" and len(item) == 2:
        return [make_block(item.line, item[0], _mark(item.line))]
    if item[0] == ":predicates":
        return [make_block(item.line, *item, _mark(item.line))]
    if item[0] != ":action" or len(item) < 2 or not isinstance(item[1], Word):
        return [item]
    if "[" in item[1]:
        raise document.error(item[1], f"the name of action '{item[1]}' may not contain '['")
    return _split_action(document, item, item[1])


def _split_action(document: Document, action: Block, name: Word) -> list[Expression]:
    key = make_word(":effect", action.line)
    place = next((k for k in range(2, len(action)) if action[k] == key), len(action))
    given: Expression = make_block(action.line)
    if place < len(action):
        if place + 1 == len(action):
            return [action]  # nothing follows: the checks will say so
        given = action[place + 1]
    effects = _Splitter(document, f"action '{name}'").outcomes(given)
    split: list[Expression] = []
    for number, effect in enumerate(effects, 1):
        own = name if len(effects) == 1 else make_word(f"{name}[{number}]", name.line)
        marked = _all_of(action.line, [*_parts(document, effect), _mark(action.line)])
        before, after = action[2:place], action[place + 2 :]
        split.append(make_block(action.line, action[0], own, *before, key, marked, *after))
    return split


def _parts(document: Document, effect: Expression) -> list[Expression]:
    """The effect as a conjunction of universal conditional literals, all that translators take."""
    if isinstance(effect, Word):
        return [effect]
    if not effect or effect[0] == "and":
        return [part for item in effect[1:] for part in _parts(document, item)]
    if effect[0] == "when" and len(effect) == 3:
        condition = effect[1]
        return [_under(document, effect, condition, part) for part in _parts(document, effect[2])]
    # Quantifiers stay outside, conditions inside: (forall (when (literal))) is the normal form.
    if effect[0] == "forall" and len(effect) == 3:
        return [make_block(effect.line, *effect[:2], part) for part in _parts(document, effect[2])]
    return [effect]


def _under(document: Document, place: Block, condition: Expression, part: Expression) -> Block:
    """The part of an effect under a further condition."""
    line = place.line
    if isinstance(part, Block) and part and part[0] == "when":
        return make_block(line, part[0], _all_of(line, [condition, part[1]]), part[2])
    if isinstance(part, Block) and part and part[0] == "forall":
        if not _variables(part[1]).isdisjoint(_variables(condition)):
            raise document.error(
                place, "a condition and a 'forall' under it share a variable name"
            )
        return make_block(line, *part[:2], _under(document, place, condition, part[2]))
    return make_block(line, make_word("when", line), condition, part)


def _variables(item: Expression) -> set[str]:
    """The variables in a formula."""
    found: set[str] = set()
    pending: list[Expression] = [item]
    while pending:
        part = pending.pop()
        if isinstance(part, Block):
            pending.extend(part)
        elif part.startswith("?"):
            found.add(str(part))
    return found


def _all_of(line: int, parts: list[Expression]) -> Block:
    return make_block(line, make_word("and", line), *parts)


def _mark(line: int) -> Block:
    return make_block(line, make_word(ACTED, line))


class _Splitter:
    """Finds the outcomes of the effect of one action; files are at most 200 levels deep."""

    def __init__(self, document: Document, owner: str) -> None:
        self._document = document
        self._owner = owner

    def outcomes(self, effect: Expression) -> list[Expression]:
        """Deterministic effects, one of which happens."""
        if isinstance(effect, Word) or not effect or not _has_choice(effect):
            return [effect]
        tag = effect[0]
        if tag == "oneof":
            if len(effect) < 2:
                raise self._document.error(effect, f"'oneof' in {self._owner} has no outcomes")
            return self._limited(effect, [o for part in effect[1:] for o in self.outcomes(part)])
        if tag == "probabilistic":
            return self._probabilistic(effect)
        if tag == "and":
            return self._conjunction(effect)
        if tag == "when" and len(effect) == 3:
            return [
                make_block(effect.line, tag, effect[1], outcome)
                for outcome in self.outcomes(effect[2])
            ]
        if tag == "forall":
            raise self._document.unsupported(effect, self._owner, "a choice inside 'forall'")
        return [effect]  # malformed: the checks will say so

    def _conjunction(self, effect: Block) -> list[Expression]:
        choices = [self.outcomes(part) for part in effect[1:]]
        # Counted before the product is made, which could be huge.
        count = 1
        for choice in choices:
            count *= len(choice)
            self._check_count(effect, count)
        return [make_block(effect.line, effect[0], *parts) for parts in product(*choices)]

    def _probabilistic(self, effect: Block) -> list[Expression]:
        parts = effect[1:]
        if not parts or len(parts) % 2:
            raise self._document.error(
                effect, f"'probabilistic' in {self._owner} needs pairs of probability and effect"
            )
        total = Fraction(0)
        found: list[Expression] = []
        for weight, part in zip(parts[::2], parts[1::2], strict=True):
            probability = self._probability(weight)
            total += probability
            if probability > 0:
                found += self.outcomes(part)
        if total > 1:
            raise self._document.error(
                effect, f"the probabilities in {self._owner} sum to {float(total):g}, not to 1"
            )
        if total < 1:
            found.append(_all_of(effect.line, []))
        return self._limited(effect, found)

    def _probability(self, weight: Expression) -> Fraction:
        try:
            if isinstance(weight, Word) and len(weight) <= _MAX_DIGITS and "e" not in weight:
                probability = Fraction(weight)
                if 0 <= probability <= 1:
                    return probability
        except (ValueError, ZeroDivisionError):
            pass
        raise self._document.error(weight, f"a probability in {self._owner} must be from 0 to 1")

    def _limited(self, effect: Block, found: list[Expression]) -> list[Expression]:
        self._check_count(effect, len(found))
        return found

    def _check_count(self, effect: Block, count: int) -> None:
        if count > MAX_OUTCOMES:
            raise self._document.unsupported(
                effect, self._owner, f"more than {MAX_OUTCOMES} outcomes"
            )


def _has_choice(effect: Expression) -> bool:
    pending: list[Expression] = [effect]
    while pending:
        item = pending.pop()
        if isinstance(item, Block) and item:
            if item[0] in _CHOICES:
                return True
            pending.extend(_inner(item))
    return False


def _inner(item: Block) -> Sequence[Expression]:
    """The effects inside an effect: conditions have no choices."""
    return item[1:] if item[0] == "and" else item[2:]
