"""Checks plans on timelines against NDDL models and formulas, without trusting the planner.

This file uses the standard library and its own reader of NDDL only and shares no code with the
search, so that a mistake there cannot hide a mistake in a plan. A plan names for each token and
each rule about it the values of the rule's variables and the tokens that the rule asks for, in
the order of the text, so nothing has to be searched for here.

A plan: `horizon`, `tokens` (object, predicate, start, end, parameters, supports), `root` (what
goals and facts are bound to), `levels` of reservoirs and `letters`, the true atoms, in each step.
A support: `rule` (its place among the rules), `variables`, `tokens`: places in the plan's tokens,
or tokens of their own, which lie outside the horizon or are transactions of reservoirs.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bugsieve.rooms.timelines.checker.nddl import NddlError, Tree, read


class PlanError(ValueError):
    """The plan is not one of the model, or does not satisfy the formula; the sentence says why."""


def check_plan(
    texts: Sequence[str],
    plan: Mapping[str, Any],
    formula: str,
    atoms: Mapping[str, str],
    *,
    horizon: tuple[int, int] | None = None,
) -> None:
    """Raise PlanError unless the plan keeps every rule and its word satisfies the formula.

    Its horizon must be the given one, else what the first PlannerConfig of the model says.
    Atoms are texts such as `token(Navigator.At, location = rock4)` or `level(Battery) >= 200`.
    """
    try:
        checked = _Check(_Model([item for text in texts for item in read(text)]), plan, horizon)
        checked.all_rules()
        letters = [checked.letter(atoms, time) for time in checked.steps]
        if letters != [set(letter) for letter in plan["letters"]]:
            raise PlanError("the plan states wrong truth values of atoms")
        if not holds(formula, letters):
            raise PlanError("the word of the plan does not satisfy the formula")
    except PlanError:
        raise
    except (NddlError, KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise PlanError(f"the plan or its model is malformed ({error!r})") from None


_RELATIONS: dict[str, Callable[[int, int, int, int], bool]] = {
    "any": lambda a, b, c, d: True,
    "meets": lambda a, b, c, d: b == c,
    "met_by": lambda a, b, c, d: d == a,
    "contains": lambda a, b, c, d: a <= c and d <= b,
    "contained_by": lambda a, b, c, d: c <= a and b <= d,
    "contains_start": lambda a, b, c, d: a <= c < b,
    "contains_end": lambda a, b, c, d: a < d <= b,
    "starts_during": lambda a, b, c, d: c <= a < d,
    "ends_during": lambda a, b, c, d: c < b <= d,
    "equals": lambda a, b, c, d: (a, b) == (c, d),
    "equal": lambda a, b, c, d: (a, b) == (c, d),
    "before": lambda a, b, c, d: b <= c,
    "after": lambda a, b, c, d: d <= a,
    "starts": lambda a, b, c, d: a == c,
    "ends": lambda a, b, c, d: b == d,
    "parallels": lambda a, b, c, d: a <= c and b <= d,
    "paralleled_by": lambda a, b, c, d: c <= a and d <= b,
    "parallelled_by": lambda a, b, c, d: c <= a and d <= b,
    "starts_before": lambda a, b, c, d: a <= c,
    "starts_after": lambda a, b, c, d: c <= a,
    "ends_before": lambda a, b, c, d: b <= d,
    "ends_after": lambda a, b, c, d: d <= b,
    "starts_before_end": lambda a, b, c, d: a <= d,
    "ends_after_start": lambda a, b, c, d: c <= b,
}
"""Start and end of this token, start and end of that one."""


@dataclass(eq=False)
class _Object:
    name: str
    class_name: str
    members: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class _Token:
    object: _Object
    predicate: str
    start: int
    end: int
    parameters: dict[str, Any]

    def get(self, name: str) -> Any:
        if name == "duration":
            return self.end - self.start
        if name in ("start", "end", "object"):
            return getattr(self, name)
        return self.parameters[name]


class _Model:
    """Classes, objects, rules and goals of a model."""

    def __init__(self, statements: list[Tree]) -> None:
        self.enums = {item[1]: item[2] for item in statements if item[0] == "enum"}
        self.classes = {item[1]: item for item in statements if item[0] == "class"}
        self.rules = [item for item in statements if item[0] == "rule"]
        self.objects: list[_Object] = []
        self.names: dict[str, Any] = {}
        self.root = []
        for item in statements:
            if item[0] == "variable":
                self.names[item[2]] = self.value(item[3], {}, item[2])
            elif item[0] == "make":
                self.value(item[1], {}, f"{item[1][1]}_{len(self.objects)}")
            elif item[0] not in ("enum", "class", "rule"):
                self.root.append(item)
        self.by_name = {thing.name: thing for thing in self.objects}

    def lineage(self, class_name: str) -> list[str]:
        found = [class_name]
        while found[-1] in self.classes:
            found.append(self.classes[found[-1]][2])
        return found

    def is_a(self, thing: _Object, class_name: str) -> bool:
        return class_name in self.lineage(thing.class_name)

    def instances(self, class_name: str) -> list[_Object]:
        return [thing for thing in self.objects if self.is_a(thing, class_name)]

    def predicate(self, class_name: str, name: str) -> list[Tree]:
        """The content of a predicate's block."""
        lineage = self.lineage(class_name)
        if "Reservoir" in lineage and name in ("consume", "produce"):
            return [("variable", "int", "quantity", None, [])]
        for ancestor in lineage:
            for item in self.classes.get(ancestor, ("", "", "", []))[3]:
                if item[0] == "predicate" and item[1] == name:
                    return list(item[2])
        raise PlanError(f"the class {class_name!r} has no predicate {name!r}")

    def value(self, tree: Tree, names: Mapping[str, Any], name: str) -> Any:
        """A value that is known before there is a plan; `name` is for a new object."""
        if tree[0] == "value":
            return tree[1]
        if tree[0] == "new":
            return self._make(tree, names, name)
        if tree[0] == "sum":
            left, right = (self.value(part, names, name) for part in tree[2:])
            return _calculated(tree[1], left, right)
        return self._path(tree[1], names)

    def _path(self, path: list[str], names: Mapping[str, Any]) -> Any:
        first, *rest = path
        if first in names:
            value = names[first]
        elif first in self.names:
            value = self.names[first]
        else:
            return self.enum_value(path)
        for part in rest:
            value = value.members[part]
        return value

    def enum_value(self, path: list[str]) -> str:
        for enum, values in self.enums.items():
            if path[-1] in values and path[:-1] in ([], [enum]):
                return path[-1]
        raise PlanError(f"nothing is called {'.'.join(path)!r}")

    def _make(self, tree: Tree, names: Mapping[str, Any], name: str) -> _Object:
        made = _Object(name, tree[1])
        self.objects.append(made)
        arguments = [
            self.value(argument, names, f"{name}.{number}")
            for number, argument in enumerate(tree[2])
        ]
        self._construct(made, tree[1], arguments)
        return made

    def horizon(self) -> tuple[Any, Any] | None:
        """The horizon in the first PlannerConfig; None without one."""
        for thing in self.objects:
            if thing.class_name == "PlannerConfig":
                return thing.members["m_horizonStart"], thing.members["m_horizonEnd"]
        return None

    def _construct(self, made: _Object, class_name: str, arguments: list[Any]) -> None:
        built_in = {
            "Reservoir": ("initialCapacity", "levelLimitMin", "levelLimitMax"),
            "PlannerConfig": ("m_horizonStart", "m_horizonEnd", "m_maxSteps"),
        }
        if class_name not in self.classes:
            made.members.update(zip(built_in.get(class_name, ()), arguments, strict=False))
            return
        _, _, parent, body = self.classes[class_name]
        for item in body:
            if item[0] == "variable" and item[3] is not None:
                made.members[item[2]] = self.value(item[3], {}, f"{made.name}.{item[2]}")
        constructors = [item for item in body if item[0] == "constructor"]
        fitting = [item for item in constructors if len(item[2]) == len(arguments)]
        if not fitting:
            self._construct(made, parent, arguments)
            return
        names = {name: value for (_, name), value in zip(fitting[0][2], arguments, strict=True)}
        names["this"] = made
        for item in fitting[0][3]:
            if item[0] == "assignment":
                member = item[1][1][-1]
                made.members[member] = self.value(item[2], names, f"{made.name}.{member}")
            elif item[0] == "call" and item[2] == "super":
                given = [self.value(argument, names, made.name) for argument in item[3]]
                self._construct(made, parent, given)


def _calculated(sign: str, left: int, right: int) -> int:
    return {"+": left + right, "-": left - right, "*": left * right}[sign]


@dataclass
class _Scope:
    """The names of a body, and what its support still has to offer."""

    master: _Token | None
    variables: list[Any]
    tokens: list[Any]
    names: dict[str, Any] = field(default_factory=dict)

    def inner(self) -> _Scope:
        return _Scope(self.master, self.variables, self.tokens, dict(self.names))


class _Check:
    def __init__(
        self, model: _Model, plan: Mapping[str, Any], horizon: tuple[int, int] | None
    ) -> None:
        self.model = model
        self.plan = plan
        self.start, self.end = map(int, plan["horizon"])
        asked_for = horizon or model.horizon()
        if asked_for is not None and (self.start, self.end) != tuple(asked_for):
            raise PlanError(f"the plan has another horizon than {list(asked_for)}")
        self.steps = range(self.start, self.end)
        self.changes: list[tuple[_Object, int, int]] = []
        self.tokens = [self._token(item, item["predicate"]) for item in plan["tokens"]]

    def _token(self, item: Mapping[str, Any], predicate: str) -> _Token:
        """A token with values of the right types that keeps its predicate's own constraints."""
        thing = self.model.by_name[item["object"]]
        start, end = item["start"], item["end"]
        if type(start) is not int or type(end) is not int or start >= end:
            raise PlanError(f"a token of {thing.name!r} does not end after its start")
        body = self.model.predicate(thing.class_name, predicate)
        types = {part[2]: part[1] for part in body if part[0] == "variable"}
        if set(types) != set(item["parameters"]):
            raise PlanError(f"a token of {thing.name!r} has not the parameters of {predicate!r}")
        parameters = {
            name: self._typed(value, types[name]) for name, value in item["parameters"].items()
        }
        token = _Token(thing, predicate, start, end, parameters)
        scope = _Scope(token, [], [])
        for part in body:
            if part[0] == "variable" and part[3] is not None:
                self._constraint("eq", [("path", [part[2]]), part[3]], scope)
            elif part[0] != "variable":
                self._statement(part, scope, is_root=False)
        return token

    def _typed(self, value: Any, type_: str) -> Any:
        """A value of the plan as the model knows it."""
        if type_ in ("int", "float"):
            if type(value) is int:
                return value
        elif type_ in ("bool", "string"):
            if isinstance(value, bool if type_ == "bool" else str):
                return value
        elif type_ in self.model.enums:
            if value in self.model.enums[type_]:
                return value
        elif self.model.is_a(self.model.by_name[value], type_):
            return self.model.by_name[value]
        raise PlanError(f"{value!r} is no value of type {type_!r}")

    def all_rules(self) -> None:
        """Every token lies in the horizon, alone on its timeline, and keeps all rules."""
        for token, item in zip(self.tokens, self.plan["tokens"], strict=True):
            if not self.start <= token.start < self.end:
                raise PlanError(f"a token of {token.object.name!r} begins outside the horizon")
            self._alone(token)
            rules = [
                number
                for number, rule in enumerate(self.model.rules)
                if rule[2] == token.predicate and self.model.is_a(token.object, rule[1])
            ]
            if [support["rule"] for support in item["supports"]] != rules:
                raise PlanError(f"a token of {token.object.name!r} does not answer to all rules")
            for number, support in zip(rules, item["supports"], strict=True):
                self._supported(self.model.rules[number][3], token, support)
        self._supported(self.model.root, None, self.plan["root"])
        self._levels()

    def _alone(self, token: _Token) -> None:
        if not self.model.is_a(token.object, "Timeline"):
            return
        for other in self.tokens:
            is_beside = other is not token and other.object is token.object
            if is_beside and token.start < other.end and other.start < token.end:
                raise PlanError(f"two tokens of {token.object.name!r} overlap")

    def _supported(
        self, body: list[Tree], master: _Token | None, support: Mapping[str, Any]
    ) -> None:
        scope = _Scope(master, list(support["variables"]), list(support["tokens"]))
        for item in body:
            self._statement(item, scope, is_root=master is None)
        if scope.variables or scope.tokens:
            raise PlanError("a support has more variables or tokens than its rule")

    def _statement(self, item: Tree, scope: _Scope, *, is_root: bool) -> None:
        kind = item[0]
        if kind == "constraint":
            self._constraint(item[1], item[2], scope)
        elif kind == "assignment":
            self._constraint("eq", [item[1], item[2]], scope)
        elif kind == "call":
            if item[2] == "specify":
                self._constraint("eq", [("path", item[1]), item[3][0]], scope)
        elif kind == "variable":
            self._variable(item, scope, is_root)
        elif kind == "if":
            self._branch(item, scope, is_root)
        elif kind == "demand":
            for target in item[1]:
                self._subgoal(target, scope, is_root)
        else:
            self._relation(item, scope, is_root)

    def _variable(self, item: Tree, scope: _Scope, is_root: bool) -> None:
        _, type_, name, value, conditions = item
        scope.names[name] = self._typed(scope.variables.pop(0), type_)
        if value is not None:
            self._constraint("eq", [("path", [name]), value], scope)
        for condition in conditions:
            self._statement(condition, scope, is_root=is_root)

    def _branch(self, item: Tree, scope: _Scope, is_root: bool) -> None:
        _, condition, then, otherwise = item
        is_taken = self._is_true(condition[1], condition[2], scope)
        for body, is_chosen in ((then, is_taken), (otherwise, not is_taken)):
            inner = scope.inner()
            for part in body if is_chosen else ():
                self._statement(part, inner, is_root=is_root)
            if not is_chosen:
                variables, tokens = _counts(body)
                del scope.variables[:variables]
                del scope.tokens[:tokens]

    def _relation(self, item: Tree, scope: _Scope, is_root: bool) -> None:
        _, subject, relation, targets = item
        this: Any = scope.master if subject in (None, "this") else scope.names[subject]
        for target in targets:
            if _is_label(target):
                label = target[0][0]
                that: Any = scope.master if label == "this" else scope.names[label]
            else:
                that = self._subgoal(target, scope, is_root)
            if relation == "any":
                continue
            if not _RELATIONS[relation](this.start, this.end, that.start, that.end):
                raise PlanError(
                    f"{this.object.name}.{this.predicate} from {this.start} does not stand in "
                    f"the relation {relation!r} to {that.object.name}.{that.predicate}"
                )

    def _subgoal(self, target: Tree, scope: _Scope, is_root: bool) -> _Token:
        (*owner, predicate), label = target
        given = scope.tokens.pop(0)
        if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
            token = self.tokens[given]
            is_own = False
        else:
            token, is_own = self._token(given, predicate), True
        if token.predicate != predicate:
            raise PlanError(f"a token of {predicate!r} is wanted, not of {token.predicate!r}")
        if len(owner) == 1 and self._is_class(owner[0]):
            if not self.model.is_a(token.object, owner[0]):
                raise PlanError(f"{token.object.name!r} is no {owner[0]!r}")
        elif self._path(owner, scope) is not token.object:
            raise PlanError(f"the token of {predicate!r} is of the wrong object")
        if is_own:
            self._own(token, is_root)
        elif self.model.is_a(token.object, "Reservoir"):
            raise PlanError("two rules share a transaction")
        if label is not None:
            scope.names[label] = token
        return token

    def _is_class(self, name: str) -> bool:
        return name in self.model.classes or name in ("Object", "Timeline", "Reservoir")

    def _own(self, token: _Token, is_root: bool) -> None:
        """A token that is not one of the plan's."""
        if self.model.is_a(token.object, "Reservoir"):
            amount = token.parameters["quantity"]
            if amount < 0 or (is_root and not self.start <= token.start < self.end):
                raise PlanError(f"a transaction of {token.object.name!r} is not possible")
            if token.predicate == "consume":
                self.changes.append((token.object, token.start, -amount))
            else:
                self.changes.append((token.object, token.end, amount))
        elif is_root or not (token.start >= self.end or token.end <= self.start):
            raise PlanError(f"a token of {token.object.name!r} in the horizon is not in the plan")

    def _constraint(self, name: str, arguments: list[Tree], scope: _Scope) -> None:
        if not self._is_true(name, arguments, scope):
            raise PlanError(f"the constraint {name!r} on {arguments} is not kept")

    def _is_true(self, name: str, arguments: list[Tree], scope: _Scope) -> bool:
        values = [self._term(argument, scope) for argument in arguments]
        if name in ("addEq", "addLeq", "addLt", "mulEq", "multEq", "temporalDistance"):
            first, second, third = values
            if isinstance(second, _Domain):
                return second.has(third - first)
            sign = "*" if name in ("mulEq", "multEq") else "+"
            values = [_calculated(sign, first, second), third]
            name = {"addLeq": "leq", "addLt": "lt"}.get(name, "eq")
        left, right = values
        if name in ("eq", "neq", "concurrent", "memberOf"):
            return _are_equal(left, right) == (name != "neq")
        comparisons = {
            "leq": operator.le,
            "precedes": operator.le,
            "lt": operator.lt,
            "lessThan": operator.lt,
            "strictlyPrecedes": operator.lt,
            "geq": operator.ge,
            "gt": operator.gt,
        }
        return bool(comparisons[name](left, right))

    def _term(self, tree: Tree, scope: _Scope) -> Any:
        if tree[0] == "value":
            return tree[1]
        if tree[0] == "range":
            return _Domain(tree[1], tree[2], None)
        if tree[0] == "set":
            return _Domain(None, None, [self._term(part, scope) for part in tree[1]])
        if tree[0] == "sum":
            left, right = (self._term(part, scope) for part in tree[2:])
            return _calculated(tree[1], left, right)
        return self._path(tree[1], scope)

    def _path(self, path: list[str], scope: _Scope) -> Any:
        first, *rest = path
        master = scope.master
        if first == "this" and master is not None:
            value: Any = master
        elif first in scope.names:
            value = scope.names[first]
        elif master is not None and (
            first in ("start", "end", "duration", "object") or first in master.parameters
        ):
            value = master.get(first)
        elif first in self.model.names:
            value = self.model.names[first]
        else:
            return self.model.enum_value(path)
        for part in rest:
            value = value.get(part) if isinstance(value, _Token) else value.members[part]
        return value

    def _levels(self) -> None:
        """Levels keep their bounds and are those that the plan states."""
        self.levels: dict[str, list[int]] = {}
        for thing in self.model.instances("Reservoir"):
            level = thing.members["initialCapacity"]
            levels = []
            for time in self.steps:
                level += sum(c for owner, at, c in self.changes if owner is thing and at == time)
                levels.append(level)
            low, high = thing.members["levelLimitMin"], thing.members["levelLimitMax"]
            if not all(low <= level <= high for level in levels):
                raise PlanError(f"the level of {thing.name!r} leaves its bounds")
            self.levels[thing.name] = levels
        if self.levels != {name: list(row) for name, row in self.plan["levels"].items()}:
            raise PlanError("the plan states wrong levels")

    def letter(self, atoms: Mapping[str, str], time: int) -> set[str]:
        """The names of the atoms that hold in a step."""
        return {name for name, text in atoms.items() if self._atom(text, time)}

    def _atom(self, text: str, time: int) -> bool:
        level = re.fullmatch(r"level\(([\w.$-]+)\)\s*(<=|>=|<|>|=|!=)\s*([-+./\d]+)", text)
        if level:
            named = [thing for thing in self.model.objects if thing.name == level[1]]
            things = named or self.model.instances(level[1])
            comparisons = {
                "<=": operator.le,
                ">=": operator.ge,
                "<": operator.lt,
                ">": operator.gt,
                "=": operator.eq,
                "!=": operator.ne,
            }
            value = self.levels[things[0].name][time - self.start]
            return bool(comparisons[level[2]](value, Fraction(level[3])))
        token = re.fullmatch(r"token\(([\w.$-]+)\.([\w$-]+)((?:,[^,()]*)*)\)", text)
        if token is None:
            raise PlanError(f"the atom {text!r} is of no known form")
        wanted = dict(_pair(part) for part in token[3].split(",")[1:])
        return any(self._fits(found, token[1], token[2], wanted, time) for found in self.tokens)

    def _fits(
        self, token: _Token, owner: str, predicate: str, wanted: Mapping[str, str], time: int
    ) -> bool:
        is_owner = token.object.name == owner or self.model.is_a(token.object, owner)
        if not is_owner or token.predicate != predicate or not token.start <= time < token.end:
            return False
        return all(_shown(token.parameters[name]) == value for name, value in wanted.items())


def _pair(part: str) -> tuple[str, str]:
    name, value = part.split("=")
    return name.strip(), value.strip()


def _shown(value: Any) -> str:
    if isinstance(value, _Object):
        return value.name
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class _Domain:
    low: int | None
    high: int | None
    values: list[Any] | None

    def has(self, value: Any) -> bool:
        if self.values is not None:
            return any(value is other or value == other for other in self.values)
        is_low = self.low is None or value >= self.low
        return is_low and (self.high is None or value <= self.high)


def _are_equal(left: Any, right: Any) -> bool:
    if isinstance(left, _Domain):
        left, right = right, left
    if isinstance(right, _Domain):
        return right.has(left)
    return left is right or bool(left == right)


def _is_label(target: Tree) -> bool:
    return target[1] is None and len(target[0]) == 1


def _counts(body: list[Tree]) -> tuple[int, int]:
    """The numbers of variables and tokens that a body speaks of."""
    variables = tokens = 0
    for item in body:
        parts: list[list[Tree]] = []
        if item[0] == "variable":
            variables += 1
            parts = [item[4]]
        elif item[0] == "if":
            parts = [item[2], item[3]]
        elif item[0] in ("relation", "demand"):
            tokens += sum(not _is_label(target) for target in item[-1])
        for part in parts:
            more = _counts(part)
            variables, tokens = variables + more[0], tokens + more[1]
    return variables, tokens


_WORD = re.compile(r"\s*(?:(<->|->|[!&|()])|([A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*(?:\([^()]*\))?))")
_BINARY = ("<->", "->", "|", "&", "U")
"""By strength, the weakest first; U stands for U, W, R and M."""


def holds(formula: str, letters: Sequence[set[str]]) -> bool:
    """Return true if a formula of LTL on finite traces holds of a word of at least one letter."""
    return _Ltl(formula, letters).truth()[0]


class _Ltl:
    """Reads a formula and computes the truth of its parts in all places of a word at once."""

    def __init__(self, formula: str, letters: Sequence[set[str]]) -> None:
        self.letters = letters
        self.words: list[str] = []
        at = 0
        while formula[at:].strip():
            match = _WORD.match(formula, at)
            if match is None:
                raise PlanError(f"the formula cannot be read: {formula[at : at + 20]!r}")
            name = match[2] or ""
            if name[:1] in tuple("XNFGUWRM") and name[1:2] == "(":
                self.words.append(name[0])  # an operator before a parenthesis
                at = match.start(2) + 1
                continue
            self.words.append("".join(match.group().split()))
            at = match.end()
        self.at = 0

    def truth(self) -> list[bool]:
        row = self._binary(0)
        if self.at != len(self.words):
            raise PlanError("the formula goes on after its end")
        return row

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _binary(self, level: int) -> list[bool]:
        if level == len(_BINARY):
            return self._unary()
        left = self._binary(level + 1)
        word = self._peek()
        if word != _BINARY[level] and not (_BINARY[level] == "U" and word in ("U", "W", "R", "M")):
            return left
        self.at += 1
        return self._joined(word, left, self._binary(level))

    def _joined(self, word: str, left: list[bool], right: list[bool]) -> list[bool]:
        pairs = list(zip(left, right, strict=True))
        if word in ("&", "|", "->", "<->"):
            join: Callable[[bool, bool], bool] = {
                "&": lambda a, b: a and b,
                "|": lambda a, b: a or b,
                "->": lambda a, b: not a or b,
                "<->": lambda a, b: a == b,
            }[word]
            return [join(a, b) for a, b in pairs]
        after = word in ("W", "R")
        row = []
        for a, b in reversed(pairs):
            after = b or (a and after) if word in ("U", "W") else b and (a or after)
            row.append(after)
        return row[::-1]

    def _unary(self) -> list[bool]:
        word = self._peek()
        self.at += 1
        size = len(self.letters)
        if word == "!":
            return [not value for value in self._unary()]
        if word in ("X", "N"):
            return [*self._unary()[1:], word == "N"]
        if word == "F":
            return self._joined("U", [True] * size, self._unary())
        if word == "G":
            return self._joined("W", self._unary(), [False] * size)
        if word == "(":
            row = self._binary(0)
            if self._peek() != ")":
                raise PlanError("a parenthesis of the formula is not closed")
            self.at += 1
            return row
        if word in ("true", "false"):
            return [word == "true"] * size
        if not word or not (word[0].isalpha() or word[0] == "_"):
            raise PlanError(f"the formula has {word!r} in place of an atom")
        return [word in letter for letter in self.letters]
