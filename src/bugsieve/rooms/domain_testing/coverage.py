"""Coverage of a domain by a set of plans: actions, preconditions, effects.

A part of a precondition is covered by a state in which some grounding of the action lacks that
part alone: only there would it show that the part is missing. An effect is covered when it makes
a false atom true, or a true one false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bugsieve.rooms.domain_testing.places import action_line, action_literals
from bugsieve.rooms.domain_testing.plan_files import ExecutedPlan, ReplayedStep
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.execution import Atoms, Binding, Interpreter, conjuncts, is_literal
from bugsieve.tasks.pddl.reader import Block, Word, to_text

MAX_BINDINGS = 200_000
"""The most partial groundings that are tried for one part of a precondition in one state."""

MAX_PARTS = 1_000
"""The most parts of a precondition; joining them takes time that grows with its square."""

KINDS = ("action", "precondition", "effect", "condition")
_TITLES = {
    "action": "actions used",
    "precondition": "parts of preconditions that alone failed",
    "effect": "effects that changed something",
    "condition": "conditional effects that fired, and that did not",
}


@dataclass(frozen=True)
class Item:
    """One thing to cover."""

    kind: str
    action: str
    line: int
    text: str

    @property
    def title(self) -> str:
        """The item in words."""
        return f"{self.action}: {self.text}" if self.kind != "action" else self.action


@dataclass
class DomainCoverage:
    """The items of a domain that are covered so far, with the first plan for each."""

    domain: Domain
    items: dict[tuple[object, ...], Item] = field(default_factory=dict)
    covered: dict[tuple[object, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for action, fields in self.domain.actions.items():
            self._add("action", action, action_line(self.domain, action), action)
            parts = list(conjuncts(fields.get(":precondition", Block())))
            if len(parts) > MAX_PARTS:
                feature = f"a precondition of more than {MAX_PARTS} parts"
                raise self.domain.document.unsupported(parts[0], f"action '{action}'", feature)
            for part in parts:
                self._add("precondition", action, part.line, to_text(part), id(part))
            for place in action_literals(self.domain, action):
                if place.role == "effect":
                    text = to_text(place.literal)
                    self._add("effect", action, place.literal.line, text, id(place.literal))
            for when in _whens(fields.get(":effect", Block())):
                for fired in (True, False):
                    word = "fires" if fired else "does not fire"
                    text = f"(when {to_text(when[1])} …) {word}"
                    self._add("condition", action, when.line, text, id(when), fired)

    def _add(self, kind: str, action: str, line: int, text: str, *key: object) -> None:
        self.items.setdefault((kind, action, *key), Item(kind, action, line, text))

    def mark(self, source: str, *key: object) -> None:
        """Note that an item was covered."""
        if key in self.items:
            self.covered.setdefault(key, source)

    def add_plan(self, interpreter: Interpreter, replayed: ExecutedPlan, source: str) -> None:
        """Take in an executed plan; the interpreter must be of this very domain."""
        states = [interpreter.initial, *(step.after for step in replayed.steps)]
        for step in replayed.steps:
            self.mark(source, "action", step.step.action)
            self._add_effects(interpreter, step, source)
        for state in dict.fromkeys(states):
            self._add_state(interpreter, state, source)

    def _add_effects(self, interpreter: Interpreter, replayed: ReplayedStep, source: str) -> None:
        state, step = replayed.before, replayed.step
        for change in interpreter.changes(state, step):
            if change.when is not None:
                self.mark(source, "condition", step.action, id(change.when), change.fires)
            if change.fires and change.adds != (change.atom in state):
                self.mark(source, "effect", step.action, id(change.literal))

    def _add_state(self, interpreter: Interpreter, state: Atoms, source: str) -> None:
        groundings = None
        for action, fields in self.domain.actions.items():
            parts = list(conjuncts(fields.get(":precondition", Block())))
            for part in parts:
                if ("precondition", action, id(part)) in self.covered:
                    continue
                groundings = groundings or _Groundings(interpreter, state)
                if groundings.lacks_alone(action, parts, part):
                    self.mark(source, "precondition", action, id(part))

    def summary(self) -> list[tuple[str, int, int]]:
        """Title, covered and all, for each kind that the domain has."""
        rows = []
        for kind in KINDS:
            keys = [key for key, item in self.items.items() if item.kind == kind]
            if keys:
                rows.append((_TITLES[kind], sum(key in self.covered for key in keys), len(keys)))
        return rows

    def missing(self) -> list[Item]:
        """The items that no plan has covered, in the order of the file."""
        found = [item for key, item in self.items.items() if key not in self.covered]
        return sorted(found, key=lambda item: item.line)


def _whens(effect: object) -> Iterator[Block]:
    pending = [effect]
    while pending:
        item = pending.pop()
        if isinstance(item, Word) or not isinstance(item, Block) or not item:
            continue
        if item[0] == "when":
            yield item
            pending.append(item[2])
        elif item[0] in ("and", "forall"):
            pending += reversed(item[1:])


class _Groundings:
    """Looks for groundings in one state by joining the atoms that the parts ask for."""

    def __init__(self, interpreter: Interpreter, state: Atoms) -> None:
        self.interpreter = interpreter
        self.state = state
        self.by_predicate: dict[str, list[list[str]]] = {}
        for atom in sorted(state):
            predicate, *objects = atom[1:-1].split(" ")
            self.by_predicate.setdefault(predicate, []).append(objects)
        self.left = 0

    def lacks_alone(self, action: str, parts: Sequence[Block], part: Block) -> bool:
        """Return true if for some grounding all parts hold but this one."""
        self.left = MAX_BINDINGS
        others = [other for other in parts if other is not part]
        atoms = [other for other in others if is_literal(other) and other[0] not in ("not", "=")]
        checks = [other for other in others if other not in atoms]
        types = self.interpreter.domain.parameters(action)
        return any(
            not self.interpreter.holds(part, binding, self.state)
            and all(self.interpreter.holds(check, binding, self.state) for check in checks)
            for binding in self._joined(atoms, types)
        )

    def _joined(self, atoms: Sequence[Block], types: dict[str, str]) -> Iterator[Binding]:
        """All groundings in which the atoms hold, until the limit is met."""
        pending: list[tuple[Sequence[Block], Binding]] = [(atoms, {})]
        while pending and self.left > 0:
            self.left -= 1
            rest, binding = pending.pop()
            if not rest:
                yield from self._completed(binding, types)
                continue
            # The atom with the fewest open variables first: it leaves the fewest choices.
            best = min(rest, key=lambda atom: sum(_is_open(term, binding) for term in atom[1:]))
            others = [atom for atom in rest if atom is not best]
            for objects in self.by_predicate.get(str(best[0]), []):
                extended = self._matched(best, objects, binding, types)
                if extended is not None:
                    pending.append((others, extended))

    def _matched(
        self, atom: Block, objects: Sequence[str], binding: Binding, types: dict[str, str]
    ) -> Binding | None:
        extended = dict(binding)
        for term, name in zip(atom[1:], objects, strict=True):
            variable = str(term)
            if extended.get(variable, name if variable in types else variable) != name:
                return None
            if variable in types and not self._fits(name, types[variable]):
                return None
            if variable in types:
                extended[variable] = name
        return extended

    def _fits(self, name: str, kind: str) -> bool:
        own = self.interpreter.problem.objects[name]
        return self.interpreter.domain.vocabulary.fits(own, (kind,))

    def _completed(self, binding: Binding, types: dict[str, str]) -> Iterator[Binding]:
        """Objects for the parameters that no atom binds."""
        open_names = [name for name in types if name not in binding]
        vocabulary = self.interpreter.domain.vocabulary
        pending: list[Binding] = [binding]
        for name in open_names:
            objects = vocabulary.of_type(self.interpreter.problem.objects, types[name])
            pending = [{**found, name: each} for found in pending for each in objects]
            if len(pending) > self.left:
                pending = pending[: max(self.left, 0)]
        self.left -= len(pending)
        yield from pending


def _is_open(term: object, binding: Binding) -> bool:
    return isinstance(term, Word) and term.startswith("?") and str(term) not in binding


def percentages(coverage: DomainCoverage) -> Iterable[str]:
    """One line per kind: what was covered, of how many."""
    for title, covered, total in coverage.summary():
        yield f"{title}: {covered} of {total} ({100 * covered / total:.0f} %)"
