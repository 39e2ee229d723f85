"""Costs of actions: refuses values that are too large and finds those that are missing.

The translator silently drops an action whose cost function has no value for its arguments. So we
give it a mark in place of each missing value; an operator that carries the mark afterwards can be
applied and was dropped by mistake. Where only unreachable actions lack values, no trace is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice, product

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.formulas import is_number
from bugsieve.tasks.pddl.problem import Problem
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word, flat_text, words_of

LARGEST_COST = (1 << 30) - 1
"""The largest cost in the native core (`kLargestCost` in native/tasks/sas_reader.cpp)."""

MISSING_COST = LARGEST_COST + 1
"""The mark in place of a missing value; no checked file has it as a cost."""

# Beyond these we stop looking: a task that leaves out so many values does so on purpose.
MAX_MISSING = 10_000
MAX_COMBINATIONS = 1_000_000


def check_costs(domain: Domain, problem: Problem) -> None:
    """Raise if an action may cost more than the native core takes."""
    if ":metric" not in problem.sections:
        return
    functions = set()
    for name, fields in domain.actions.items():
        amount = cost_amount(fields)
        if isinstance(amount, Word) and is_number(amount):
            _check_size(domain.document, amount, f"action '{name}'")
        elif amount is not None:
            functions.add(_words(amount)[0])
    for call, amount in problem.values.items():
        if words_of(call)[0] in functions:
            _check_size(problem.document, amount, call)


def _check_size(document: Document, amount: Word, owner: str) -> None:
    if int(amount) > LARGEST_COST:
        raise document.error(
            amount, f"the cost {amount} of {owner} is too large, the largest is {LARGEST_COST}"
        )


def cost_amount(fields: Mapping[str, Expression]) -> Expression | None:
    """The cost that an action adds to the total: a number, a function, or None for nothing."""
    for effect in _simple_effects(fields):
        if effect[0] == "increase":
            return effect[2]
    return None


def _simple_effects(fields: Mapping[str, Expression]) -> Iterator[Block]:
    """The literals and cost effects of a checked action, without what surrounds them."""
    pending = [fields.get(":effect", Block())]
    while pending:
        effect = pending.pop()
        if isinstance(effect, Word) or not effect:
            continue
        if effect[0] == "and":
            pending += effect[1:]
        elif effect[0] in ("forall", "when"):
            pending.append(effect[2])
        elif effect[0] == "not":
            pending.append(effect[1])
        else:
            yield effect


def _words(call: Expression) -> list[Word]:
    """A function with its terms; it may stand without parentheses when it has none."""
    return [call] if isinstance(call, Word) else [word for word in call if isinstance(word, Word)]


def missing_values(domain: Domain, problem: Problem) -> list[str]:
    """Calls such as "(distance a b)" that a cost may need and ':init' gives no value to."""
    costs = _Costs(domain, problem)
    missing: dict[str, None] = {}
    for call in chain.from_iterable(map(costs.needed, domain.actions)):
        if call not in problem.values:
            missing[call] = None
            if len(missing) == MAX_MISSING:
                break
    return list(missing)


class _Costs:
    """Finds the values that the actions of a task may need."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self.domain = domain
        self.problem = problem

    def needed(self, action: str) -> Iterable[str]:
        """The calls that the costs of the action's instances need, and perhaps a few more."""
        fields = self.domain.actions[action]
        amount = cost_amount(fields)
        if amount is None or (isinstance(amount, Word) and is_number(amount)):
            return ()
        call = _words(amount)
        for condition in self._static_conditions(fields):  # one that binds every variable
            if all(term in condition for term in call if term.startswith("?")):
                return self._from_relation(call, condition)
        return self._from_types(call, self.domain.parameters(action))

    def _static_conditions(self, fields: Mapping[str, Expression]) -> Iterator[Block]:
        """Atoms of the precondition's conjunction that no action can change."""
        pending = [fields.get(":precondition", Block())]
        while pending:
            condition = pending.pop()
            if isinstance(condition, Word) or not condition:
                continue
            if condition[0] == "and":
                pending += reversed(condition[1:])
            elif condition[0] in self.relations:
                yield condition

    @cached_property
    def relations(self) -> Mapping[str, list[Block]]:
        """The initial atoms of every static predicate."""
        changing = {
            str(effect[0])
            for fields in self.domain.actions.values()
            for effect in _simple_effects(fields)
        }
        static = self.domain.vocabulary.predicates.keys() - changing - {"="}
        relations: dict[str, list[Block]] = {str(name): [] for name in static}
        for atom in self.problem.sections[":init"][1:]:
            if isinstance(atom, Block) and atom[0] in relations:
                relations[str(atom[0])].append(atom)
        return relations

    def _from_relation(self, call: list[Word], condition: Block) -> Iterator[str]:
        """The calls that the atoms of a static condition lead to."""
        places = [condition.index(term) if term.startswith("?") else 0 for term in call]
        parts = list(zip(places, call, strict=True))
        for atom in self.relations[str(condition[0])]:
            yield flat_text([atom[place] if place else term for place, term in parts])

    def _from_types(self, call: list[Word], types: Mapping[str, str]) -> Iterator[str]:
        """The calls whose variables have the types of the action's parameters."""
        names = list(dict.fromkeys(str(term) for term in call if term.startswith("?")))
        of_type = self.domain.vocabulary.of_type
        choices = [of_type(self.problem.objects, types[name]) for name in names]
        for objects in islice(product(*choices), MAX_COMBINATIONS):
            binding = dict(zip(names, objects, strict=True))
            yield _bound(call, binding)


def _bound(call: Iterable[Word], binding: Mapping[str, str]) -> str:
    return "(" + " ".join(binding.get(term, term) for term in call) + ")"


def missing_cost(domain: Domain, problem: Problem, operator: str) -> InputError:
    """The error about an operator ("drive t1 a b") that carries the mark."""
    action, *objects = operator.split()
    amount = cost_amount(domain.actions[action])
    assert amount is not None
    binding = dict(zip(domain.parameters(action), objects, strict=True))
    call = _bound(_words(amount), binding)
    return problem.document.error(
        problem.sections[":init"],
        f"':init' gives no value to {call}, the cost of ({operator.strip()}), which may "
        f"become applicable: add (= {call} NUMBER)",
    )
