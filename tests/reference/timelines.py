"""Plans of tiny timeline models by trying all sets of tokens, and all ways to keep a rule.

It works on the model as it was read, not on texts; the checker of plans has its own reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from bugsieve.rooms.timelines.models.model import (
    MASTER,
    Between,
    Body,
    Branch,
    Choose,
    Constant,
    Field,
    Link,
    Local,
    Member,
    Model,
    Object,
    OneOf,
    Subgoal,
    Sum,
    Term,
    TermComparison,
)


@dataclass(frozen=True)
class Item:
    """A token: numbers for all values."""

    object: int
    predicate: str
    start: int
    end: int
    parameters: tuple[tuple[str, int], ...]

    def get(self, name: str) -> int:
        if name == "duration":
            return self.end - self.start
        if name in ("object", "start", "end"):
            return int(getattr(self, name))
        return dict(self.parameters)[name]


RELATED: Mapping[str, Callable[[int, int, int, int], bool]] = {
    "any": lambda s1, e1, s2, e2: True,
    "meets": lambda s1, e1, s2, e2: e1 == s2,
    "met_by": lambda s1, e1, s2, e2: e2 == s1,
    "contains": lambda s1, e1, s2, e2: set(range(s2, e2)) <= set(range(s1, e1)),
    "contained_by": lambda s1, e1, s2, e2: set(range(s1, e1)) <= set(range(s2, e2)),
    "contains_start": lambda s1, e1, s2, e2: s2 in range(s1, e1),
    "starts_during": lambda s1, e1, s2, e2: s1 in range(s2, e2),
    "contains_end": lambda s1, e1, s2, e2: e2 - 1 in range(s1, e1),
    "ends_during": lambda s1, e1, s2, e2: e1 - 1 in range(s2, e2),
    "equals": lambda s1, e1, s2, e2: range(s1, e1) == range(s2, e2),
    "equal": lambda s1, e1, s2, e2: range(s1, e1) == range(s2, e2),
    "before": lambda s1, e1, s2, e2: all(a < b for a in range(s1, e1) for b in range(s2, e2)),
    "after": lambda s1, e1, s2, e2: all(b < a for a in range(s1, e1) for b in range(s2, e2)),
    "starts": lambda s1, e1, s2, e2: min(range(s1, e1)) == min(range(s2, e2)),
    "ends": lambda s1, e1, s2, e2: max(range(s1, e1)) == max(range(s2, e2)),
    "parallels": lambda s1, e1, s2, e2: not s2 < s1 and not e2 < e1,
    "paralleled_by": lambda s1, e1, s2, e2: not s1 < s2 and not e1 < e2,
    "parallelled_by": lambda s1, e1, s2, e2: not s1 < s2 and not e1 < e2,
    "starts_before": lambda s1, e1, s2, e2: not s1 > s2,
    "starts_after": lambda s1, e1, s2, e2: not s1 < s2,
    "ends_before": lambda s1, e1, s2, e2: not e1 > e2,
    "ends_after": lambda s1, e1, s2, e2: not e1 < e2,
    "starts_before_end": lambda s1, e1, s2, e2: s1 in range(s1, e2 + 1),
    "ends_after_start": lambda s1, e1, s2, e2: s2 in range(s2, e1 + 1),
}
"""Of tokens that last, as sets of steps where that says the same."""


class Naive:
    """All plans of a model on timelines with finite parameters, without reservoirs."""

    def __init__(self, model: Model, horizon: tuple[int, int], margin: int) -> None:
        self.model = model
        self.start, self.end = horizon
        self.low, self.high = self.start - margin, self.end + margin

    def candidates(self) -> Iterator[tuple[Item, ...]]:
        """Every way to fill the timelines, whatever rules and goals say."""
        things = [o for o in self.model.objects if self.model.kind(o) == "timeline"]
        rows = [list(self._rows(thing, self.start)) for thing in things]
        for choice in product(*rows):
            yield tuple(token for row in choice for token in row)

    def letters(self, tokens: Sequence[Item], atoms: Mapping[str, Any]) -> list[set[str]]:
        """The word of a plan."""
        return [
            {
                name
                for name, atom in atoms.items()
                for token in tokens
                if token.start <= time < token.end
                and token.object in atom.objects
                and token.predicate == atom.predicate
                and all(token.get(p) == value for p, value in atom.arguments)
            }
            for time in range(self.start, self.end)
        ]

    def _rows(self, thing: Object, earliest: int) -> Iterator[tuple[Item, ...]]:
        """The ways to fill a timeline from a time on."""
        yield ()
        for start in range(earliest, self.end):
            for end in range(start + 1, self.high + 1):
                for token in self._tokens(thing, start, end):
                    for rest in self._rows(thing, end):
                        yield (token, *rest)

    def _tokens(self, thing: Object, start: int, end: int) -> Iterator[Item]:
        for name in self.model.classes[thing.class_name].predicates:
            yield from self._valued(thing, name, start, end)

    def _valued(self, thing: Object, name: str, start: int, end: int) -> Iterator[Item]:
        predicate = self.model.predicate(thing, name)
        domains = [self.model.values(type_) or () for type_ in predicate.parameters.values()]
        for values in product(*domains):
            parameters = tuple(zip(predicate.parameters, values, strict=True))
            token = Item(thing.number, name, start, end, parameters)
            if self._holds(predicate.body, {MASTER: token}, {}, (), is_root=False):
                yield token

    def is_plan(self, tokens: tuple[Item, ...]) -> bool:
        """Whether goals, facts and rules are kept."""
        if not self._holds(self.model.root, {}, {}, tokens, is_root=True):
            return False
        return all(
            self._holds(self.model.rules[rule].body, {MASTER: token}, {}, tokens, is_root=False)
            for token in tokens
            for rule in self.model.rules_of(self.model.objects[token.object], token.predicate)
        )

    def _holds(
        self,
        body: Body,
        names: dict[int, Item],
        values: dict[int, int],
        plan: tuple[Item, ...],
        *,
        is_root: bool,
    ) -> bool:
        if not body:
            return True
        first, *others = body
        rest = tuple(others)

        def go_on(
            more: Mapping[int, Item] | None = None,
            chosen: Mapping[int, int] | None = None,
            items: Body = rest,
        ) -> bool:
            tokens, numbers = {**names, **(more or {})}, {**values, **(chosen or {})}
            return self._holds(items, tokens, numbers, plan, is_root=is_root)

        if isinstance(first, Choose):
            choices = self.model.values(first.type) or range(-3, 8)
            if isinstance(first.domain, Between):
                choices = range(first.domain.low or 0, (first.domain.high or 0) + 1)
            elif isinstance(first.domain, OneOf):
                choices = first.domain.values
            return any(go_on(chosen={first.number: value}) for value in choices)
        if isinstance(first, Subgoal):
            options = self._options(first, names, values, plan, is_root)
            return any(go_on({first.number: token}) for token in options)
        if isinstance(first, Link):
            one, other = names[first.this], names[first.that]
            related = RELATED[first.relation](one.start, one.end, other.start, other.end)
            return related and go_on()
        if isinstance(first, Branch):
            is_taken = self._is_true(first.condition, names, values)
            return go_on(items=(*(first.then if is_taken else first.otherwise), *rest))
        return self._is_true(first, names, values) and go_on()

    def _options(
        self,
        item: Subgoal,
        names: dict[int, Item],
        values: dict[int, int],
        plan: tuple[Item, ...],
        is_root: bool,
    ) -> Iterator[Item]:
        things = [thing.number for thing in self.model.instances(item.class_name)]
        if item.object is not None:
            things = [self._term(item.object, names, values)]
        for token in plan:
            if token.object in things and token.predicate == item.predicate:
                yield token
        if is_root:
            return
        for number in things:
            for start in range(self.low, self.high):
                for end in range(start + 1, self.high + 1):
                    if end <= self.start or start >= self.end:
                        thing = self.model.objects[number]
                        yield from self._valued(thing, item.predicate, start, end)

    def _is_true(
        self, item: TermComparison, names: dict[int, Item], values: dict[int, int]
    ) -> bool:
        left = self._term(item.left, names, values)
        right = item.right
        if isinstance(right, Between | OneOf):
            if isinstance(right, OneOf):
                inside = left in right.values
            else:
                inside = (right.low is None or left >= right.low) and (
                    right.high is None or left <= right.high
                )
            return inside == (item.comparison == "eq")
        other = self._term(right, names, values)
        return {
            "eq": left == other,
            "neq": left != other,
            "leq": left <= other,
            "lt": left < other,
        }[item.comparison]

    def _term(self, term: Term, names: dict[int, Item], values: dict[int, int]) -> int:
        if isinstance(term, Constant):
            return term.value
        if isinstance(term, Field):
            return names[term.token].get(term.name)
        if isinstance(term, Local):
            return values[term.number]
        if isinstance(term, Member):
            return self.model.objects[self._term(term.of, names, values)].members[term.name]
        assert isinstance(term, Sum)
        left = self._term(term.left, names, values)
        right = self._term(term.right, names, values)
        return {"+": left + right, "-": left - right, "*": left * right}[term.sign]
