"""Bodies of rules as constraints that hold where their guards do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bugsieve.rooms.timelines.encoding.slots import Slot, Times, TokenView, value_variable
from bugsieve.rooms.timelines.encoding.variables import Constraints, Linear, Literal
from bugsieve.rooms.timelines.models.model import (
    MASTER,
    NUMBER,
    Between,
    Body,
    Branch,
    Choose,
    Comparison,
    Constant,
    Field,
    Item,
    Link,
    Local,
    Member,
    Model,
    OneOf,
    Subgoal,
    Sum,
    Term,
    TermComparison,
    Type,
)
from bugsieve.rooms.timelines.nddl.packages import load_cp_model
from bugsieve.rooms.timelines.nddl.relations import RELATIONS

_OPPOSITE: Mapping[Comparison, tuple[Comparison, bool]] = {
    "eq": ("neq", False),
    "neq": ("eq", False),
    "leq": ("lt", True),
    "lt": ("leq", True),
}
"""The comparison that holds where another does not, and whether its sides are exchanged."""
_PRODUCT = 1 << 40
MAX_AMOUNTS = 200
"""The most amounts that one transaction may have."""


@dataclass
class Bound:
    """The tokens of a subgoal: the slots that may hold it, or a token of its own."""

    guards: tuple[Literal, ...]
    view: TokenView
    matches: list[tuple[Literal, Slot]] = field(default_factory=list)


@dataclass
class Instance:
    """A body for one token: its variables and tokens as CP-SAT knows them."""

    rule: int
    slot: Slot | None
    guard: Literal | None
    body: Body
    views: dict[int, TokenView] = field(default_factory=dict)
    variables: dict[int, Linear] = field(default_factory=dict)
    types: dict[int, Type] = field(default_factory=dict)
    tokens: dict[int, Bound] = field(default_factory=dict)
    subgoals: dict[int, Subgoal] = field(default_factory=dict)


class Transaction(NamedTuple):
    """The effect of a rule on a reservoir, where its guards hold."""

    guards: tuple[Literal, ...]
    object: Linear
    time: Linear
    sign: int
    amount: Linear
    amounts: tuple[int, ...]
    objects: tuple[int, ...]


@dataclass
class Rules:
    """Adds all rules of a model for all slots, and the goals and facts."""

    constraints: Constraints
    model: Model
    times: Times
    slots: Sequence[Slot]
    instances: list[Instance] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)

    def add_all(self) -> None:
        """Predicates' own constraints, rules, goals and facts."""
        for slot in self.slots:
            for name, holds in slot.holds.items():
                view = slot.views[name]
                self._add_predicate(slot.object.class_name, name, view, (holds,))
                for rule in self.model.rules_of(slot.object, name):
                    body = self.model.rules[rule].body
                    instance = Instance(rule, slot, holds, body, views={MASTER: view})
                    self._add(instance)
        self._add(Instance(-1, None, None, self.model.root))

    def _add(self, instance: Instance) -> None:
        self.instances.append(instance)
        guards = () if instance.guard is None else (instance.guard,)
        self._body(instance.body, instance, guards)

    def _add_predicate(
        self, class_name: str, name: str, view: TokenView, guards: tuple[Literal, ...]
    ) -> None:
        body = self.model.classes[class_name].predicates[name].body
        self._body(body, Instance(-1, None, None, body, views={MASTER: view}), guards)

    def _body(self, body: Body, instance: Instance, guards: tuple[Literal, ...]) -> None:
        for item in body:
            self._item(item, instance, guards)

    def _item(self, item: Item, instance: Instance, guards: tuple[Literal, ...]) -> None:
        if isinstance(item, TermComparison):
            self._check(item.comparison, item.left, item.right, instance, guards)
        elif isinstance(item, Link):
            self._link(item, instance, guards)
        elif isinstance(item, Choose):
            variable = value_variable(self.constraints, self.model, item.type)
            instance.variables[item.number] = variable
            instance.types[item.number] = item.type
            if self.model.values(item.type) == ():
                self._enforce(False, guards)
            if item.domain is not None:
                self._inside(variable, item.domain, guards)
        elif isinstance(item, Branch):
            self._branch(item, instance, guards)
        elif self.model.classes[item.class_name].kind == "reservoir":
            self._transaction(item, instance, guards)
        else:
            self._subgoal(item, instance, guards)

    def _branch(self, item: Branch, instance: Instance, guards: tuple[Literal, ...]) -> None:
        taken = self.constraints.literal()
        check = item.condition
        left, right = check.left, check.right
        opposite, is_exchanged = _OPPOSITE[check.comparison]
        self._check(check.comparison, left, right, instance, (*guards, taken))
        if is_exchanged:
            left, right = right, left
        self._check(opposite, left, right, instance, (*guards, ~taken))
        self._body(item.then, instance, (*guards, taken))
        self._body(item.otherwise, instance, (*guards, ~taken))

    def _link(self, item: Link, instance: Instance, guards: tuple[Literal, ...]) -> None:
        views = {"this": instance.views[item.this], "that": instance.views[item.that]}
        for inequality in RELATIONS[item.relation]:
            left, right = (
                views[token].field(bound)
                for token, bound in (inequality.left.split("."), inequality.right.split("."))
            )
            if inequality.sign == "==":
                self._enforce(left == right, guards)
            else:
                self._enforce(left + int(inequality.sign == "<") <= right, guards)

    def _enforce(self, constraint: object, guards: Sequence[Literal]) -> None:
        """Comparisons of known numbers are truth values already."""
        if constraint is True:
            return
        if constraint is False:
            self.constraints.cp.add_bool_or([~guard for guard in guards])
            return
        added = self.constraints.cp.add(constraint)
        if guards:
            added.only_enforce_if(list(guards))

    def _check(
        self,
        comparison: Comparison,
        left_term: Term,
        right_term: Term,
        instance: Instance,
        guards: tuple[Literal, ...],
    ) -> None:
        left = self._term(left_term, instance)
        if isinstance(right_term, Between | OneOf):
            self._inside(left, right_term, guards, is_inside=comparison == "eq")
            return
        right = self._term(right_term, instance)
        if comparison == "eq":
            self._enforce(left == right, guards)
        elif comparison == "neq":
            self._enforce(left != right, guards)
        else:
            self._enforce(left + int(comparison == "lt") <= right, guards)

    def _inside(
        self,
        expression: Linear,
        domain: Between | OneOf,
        guards: Sequence[Literal],
        *,
        is_inside: bool = True,
    ) -> None:
        kind = load_cp_model().Domain
        if isinstance(domain, OneOf):
            values = kind.from_values(domain.values)
        else:
            low = -_PRODUCT if domain.low is None else domain.low
            high = _PRODUCT if domain.high is None else domain.high
            values = kind(low, high)
        values = values if is_inside else values.complement()
        if isinstance(expression, int):
            self._enforce(values.contains(expression), guards)
            return
        added = self.constraints.cp.add_linear_expression_in_domain(expression, values)
        if guards:
            added.only_enforce_if(list(guards))

    def _term(self, term: Term, instance: Instance) -> Linear:
        if isinstance(term, Constant):
            return term.value
        if isinstance(term, Field):
            return instance.views[term.token].field(term.name)
        if isinstance(term, Local):
            return instance.variables[term.number]
        if isinstance(term, Member):
            return self._member(term, instance)
        if isinstance(term, Sum):
            left, right = self._term(term.left, instance), self._term(term.right, instance)
            if term.sign == "+":
                return left + right
            return left - right if term.sign == "-" else self._product(left, right)
        raise AssertionError("domains stand on the right of comparisons only")

    def _product(self, left: Linear, right: Linear) -> Linear:
        if isinstance(left, int) or isinstance(right, int):
            return left * right
        product = self.constraints.integer(-_PRODUCT, _PRODUCT)
        self.constraints.cp.add_multiplication_equality(product, [left, right])
        return product

    def _member(self, term: Member, instance: Instance) -> Linear:
        thing = self._term(term.of, instance)
        if isinstance(thing, int):
            return self.model.objects[thing].members.get(term.name, 0) if thing >= 0 else 0
        table = {o.number: o.members[term.name] for o in self.model.instances(term.of.type.name)}
        values = sorted(set(table.values()))
        if len(values) == 1:
            return values[0]
        result = self.constraints.among(values)
        self.constraints.cp.add_allowed_assignments([thing, result], list(table.items()))
        return result

    def _view(self, item: Subgoal) -> TokenView:
        """A token of its own, anywhere in time."""
        times, constraints = self.times, self.constraints
        predicate = self.model.classes[item.class_name].predicates[item.predicate]
        start = constraints.integer(times.low, times.high)
        end = constraints.integer(times.low, times.high)
        constraints.cp.add(end >= start + 1)
        thing = value_variable(constraints, self.model, Type(item.class_name, "object"))
        parameters = {
            name: value_variable(constraints, self.model, type_)
            for name, type_ in predicate.parameters.items()
        }
        return TokenView(thing, start, end, parameters)

    def _new_token(self, item: Subgoal, instance: Instance, guards: tuple[Literal, ...]) -> Bound:
        view = self._view(item)
        instance.views[item.number] = view
        bound = instance.tokens[item.number] = Bound(guards, view)
        instance.subgoals[item.number] = item
        if item.object is not None:
            self._enforce(self._term(item.object, instance) == view.object, guards)
        return bound

    def _subgoal(self, item: Subgoal, instance: Instance, guards: tuple[Literal, ...]) -> None:
        bound = self._new_token(item, instance, guards)
        for slot in self._candidates(item, instance):
            is_one = self.model.is_a(slot.object.class_name, item.class_name)
            if is_one and item.predicate in slot.holds:
                match = self.constraints.literal()
                self.constraints.cp.add_implication(match, slot.holds[item.predicate])
                self._same(bound.view, slot.views[item.predicate], (match,))
                bound.matches.append((match, slot))
        options = [match for match, _ in bound.matches]
        if instance.rule >= 0:
            options += self._outside(item, bound)
        self.constraints.cp.add_bool_or([*options, *(~guard for guard in guards)])

    def _candidates(self, item: Subgoal, instance: Instance) -> Sequence[Slot]:
        """The slots that may hold a token: beside its own one if it meets it on its timeline."""
        slot = instance.slot
        if slot is None or not self._is_own_object(item, instance):
            return self.slots
        if self.model.kind(slot.object) != "timeline":
            return [other for other in self.slots if other.object is slot.object]
        steps = {"meets": 1, "met_by": -1}
        for link in _block(instance.body, item):
            is_near = isinstance(link, Link) and (link.this, link.that) == (MASTER, item.number)
            if is_near and isinstance(link, Link) and link.relation in steps:
                place = slot.number + steps[link.relation]
                near = self.slots[place : place + 1] if place >= 0 else ()
                return [other for other in near if other.object is slot.object]
        return [other for other in self.slots if other.object is slot.object]

    def _is_own_object(self, item: Subgoal, instance: Instance) -> bool:
        """Return true if the token is asked for on the object that the rule's own token is of."""
        if isinstance(item.object, Constant):
            return instance.slot is not None and item.object.value == instance.slot.object.number
        is_field = isinstance(item.object, Field) and item.object.name == "object"
        return is_field and isinstance(item.object, Field) and item.object.token == MASTER

    def _outside(self, item: Subgoal, bound: Bound) -> list[Literal]:
        """A token that a rule asks for may lie before the horizon or after it."""
        predicate = self.model.classes[item.class_name].predicates[item.predicate]
        types = (Type(item.class_name, "object"), *predicate.parameters.values())
        if any(self.model.values(type_) == () for type_ in types):
            return []
        early, late = self.constraints.literal(), self.constraints.literal()
        self._enforce(bound.view.end <= self.times.start, (early,))
        self._enforce(bound.view.start >= self.times.end, (late,))
        for literal in (early, late):
            self._add_predicate(item.class_name, item.predicate, bound.view, (literal,))
        return [early, late]

    def _same(self, one: TokenView, other: TokenView, guards: tuple[Literal, ...]) -> None:
        for name in ("object", "start", "end", *one.parameters):
            self._enforce(one.field(name) == other.field(name), guards)

    def _transaction(self, item: Subgoal, instance: Instance, guards: tuple[Literal, ...]) -> None:
        view = self._new_token(item, instance, guards).view
        amount = view.parameters["quantity"]
        amounts = self._amounts(item, instance)
        self._inside(amount, OneOf(amounts, NUMBER), guards)
        if instance.rule < 0:
            self._enforce(view.start >= self.times.start, guards)
            self._enforce(view.start <= self.times.end - 1, guards)
        is_consumed = item.predicate == "consume"
        objects = tuple(o.number for o in self.model.instances(item.class_name))
        time = view.start if is_consumed else view.end
        sign = -1 if is_consumed else 1
        self.transactions.append(
            Transaction(guards, view.object, time, sign, amount, amounts, objects)
        )

    def _amounts(self, item: Subgoal, instance: Instance) -> tuple[int, ...]:
        """The possible amounts: some `eq` beside it must name them."""
        wanted: set[int] | None = None
        for check in (
            other for other in _block(instance.body, item) if isinstance(other, TermComparison)
        ):
            for one, other in ((check.left, check.right), (check.right, check.left)):
                if one == Field(item.number, "quantity", NUMBER) and check.comparison == "eq":
                    found = self._possible(other)
                    wanted = found if wanted is None else wanted & (found or wanted)
        if wanted is None or len(wanted) > MAX_AMOUNTS:
            raise item.place.unsupported(
                "the amount of this transaction is set equal neither to a number nor to a member"
            )
        return tuple(sorted(value for value in wanted if value >= 0))

    def _possible(self, term: Term) -> set[int] | None:
        if isinstance(term, Constant):
            return {term.value}
        if isinstance(term, OneOf):
            return set(term.values)
        if isinstance(term, Between) and term.low is not None and term.high is not None:
            return set(range(term.low, min(term.high, term.low + MAX_AMOUNTS) + 1))
        if isinstance(term, Member):
            things = self.model.instances(term.of.type.name)
            return {thing.members[term.name] for thing in things}
        return None


def _block(body: Body, item: Item) -> Body:
    """The body or the branch in which an item stands."""
    pending = [body]
    while pending:
        block = pending.pop()
        if any(part is item for part in block):
            return block
        for part in block:
            if isinstance(part, Branch):
                pending += [part.then, part.otherwise]
    return ()
