"""`any:A+B+…`, `best-of:A+B+…` and `combined:bmo:N+A`: several oracles judge together.

Specs are joined by `+`. Inside brackets a `+` joins nothing, so a member that is a combination
itself goes in parentheses: `any:lookahead+best-of:(aras+planner:ehc)`. Members that do not apply
to the bench are left out, as long as one applies.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.base.registry.outside_access import OutsideAccess, together
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle, Learnt, Revision
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import ORACLES, check_oracle_spec, make_oracle
from bugsieve.tasks.search import Limits

SEPARATOR = "+"

_STRENGTH = {Outcome.BUG: 3, Outcome.IMPLIED: 2, Outcome.PASS: 1, Outcome.INCONCLUSIVE: 0}
_COMBINATIONS = ("any", "best-of", "combined", "split")
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}


class CombinedOracle(LearningOracle):
    """Joins the verdicts of its members; learns if one of them does."""

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self.members: list[Oracle] = []
        self.left_out: dict[str, str] = {}
        """Members that do not apply, with the sentence that says why."""
        for member in split_specs(spec.partition(":")[2]):
            try:
                self.members.append(make_oracle(member, bench, limits=limits))
            except UnsupportedError as error:
                self.left_out[member] = str(error)
        if not self.members:
            raise UnsupportedError("; ".join(self.left_out.values()))
        self._learners = [m for m in self.members if isinstance(m, LearningOracle) and m.learns]
        specs = [learner.spec for learner in self._learners]
        if len(set(specs)) < len(specs):  # lessons are told again by spec
            raise UsageError(f"oracle {spec!r}: names one that learns twice")

    @property
    def prepared_seconds(self) -> float:
        """The seconds of all members."""
        return sum(member.prepared_seconds for member in self.members)

    @property
    def learns(self) -> bool:
        """Return true if one of the members learns."""
        return bool(self._learners)

    @property
    def note(self) -> str | None:
        """The notes of the members that learn."""
        return "; ".join(filter(None, (learner.note for learner in self._learners))) or None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names at least one oracle, each of them rightly."""
        for spec in split_specs(argument or ""):
            check_oracle_spec(spec)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """All that any of the oracles would touch."""
        return together(map(ORACLES.reach_of, split_specs(argument or "")))

    def close(self) -> None:
        """Close all oracles that were combined."""
        for member in self.members:
            member.close()

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        verdicts = [inconclusive("")] * len(suspects)
        for member in self.members:
            rows = [row for row, verdict in enumerate(verdicts) if self.asks_on(verdict)]
            if not rows:
                break
            for row, verdict in zip(rows, member.judge(suspects.rows(rows)), strict=True):
                verdicts[row] = self._stronger(verdicts[row], _signed(verdict, member.spec))
        return verdicts

    def learn(self, case: KnownCase) -> Learnt:
        """Ask the members in their order; those that learn are told of every case."""
        verdict = inconclusive("")
        revisions: list[Revision] = []
        lessons: dict[str, list[bytes]] = {learner.spec: [] for learner in self._learners}
        of_task: dict[str, list[bytes]] = {}
        heard: list[tuple[Oracle, Verdict]] = []
        for member in self.members:
            if isinstance(member, LearningOracle) and member.learns:
                learnt = member.learn(case)
                said = learnt.verdict
                revisions += learnt.revisions
                lessons[member.spec].append(learnt.lesson)
                of_task[member.spec] = [learnt.of_task]
            elif self.asks_on(verdict):
                (said,) = member.judge(self.bench.suspects(case.state, [case.origin]))
            else:
                continue
            verdict = self._stronger(verdict, _signed(said, member.spec))
            heard.append((member, said))
        # Last, so that who has learnt of the case hears all the others, wherever it is listed.
        for learner in self._learners:
            for member, said in heard:
                if member is not learner:
                    answer = learner.hear(case, said)
                    lessons[learner.spec].append(answer.lesson)
                    revisions += answer.revisions
        return Learnt(verdict, tuple(revisions), _packed(lessons), _packed(of_task))

    def recall(self, lessons: Iterable[tuple[KnownCase, bytes]]) -> None:
        """Give each member that learns the lessons that are its own."""
        stored = [(case, self._unpacked_lesson(case, content)) for case, content in lessons]
        for learner in self._learners:
            learner.recall(
                (case, own) for case, parts in stored for own in parts.get(learner.spec, ())
            )

    def recall_task(self, parts: Iterable[bytes]) -> None:
        """Give each member that learns what was learnt of the task by its like."""
        stored = [_unpacked(part) for part in parts]
        for learner in self._learners:
            learner.recall_task(own for part in stored for own in part.get(learner.spec, ()))

    def _unpacked_lesson(self, case: KnownCase, content: bytes) -> dict[str, list[bytes]]:
        try:
            return _unpacked(content)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise InputError(
                f"the lesson of oracle {self.spec} on state {case.number} is no such"
            ) from None

    def _stronger(self, one: Verdict, other: Verdict) -> Verdict:
        """The better proven verdict, with what both have taken."""
        better = self._better(one, other)
        return replace(better, expanded=one.expanded + other.expanded)

    def _better(self, one: Verdict, other: Verdict) -> Verdict:
        """The better proven verdict; of two bugs the larger gap, then the better value."""
        if one.outcome is other.outcome is Outcome.INCONCLUSIVE:
            return inconclusive("; ".join(filter(None, (one.reason, other.reason))))
        ranks = [(_STRENGTH[v.outcome], v.gap, v.exact) for v in (one, other)]
        # Equal gaps come with equal values, unless both are infinite: then the cheaper plan is the
        # better proof.
        if ranks[0] == ranks[1] and one.value is not None and other.value is not None:
            return other if self.bench.objective.better(other.value, one.value) else one
        return other if ranks[1] > ranks[0] else one

    @abstractmethod
    def asks_on(self, verdict: Verdict) -> bool:
        """Return true if a further member may still improve on the verdict."""


class AnyOracle(CombinedOracle):
    """Asks one oracle after the other, until one has a proof."""

    usage = "any:A+B+..."
    examples: ClassVar[tuple[str, ...]] = ("any:lookahead:1+undo-qual+aras+planner:ehc",)

    def asks_on(self, verdict: Verdict) -> bool:
        """A bug and a pass are final."""
        return verdict.outcome not in (Outcome.BUG, Outcome.PASS)


class CombinedBounds(AnyOracle):
    """Keeps bounds, asks the other oracle where they prove nothing, and learns from its plans.

    Algorithm 5 of papers/002: a plan of the other oracle becomes a bound that earlier states hear
    of.
    """

    usage = "combined:bmo:N+ORACLE"
    examples = ("combined:bmo:10+planner:ehc", "combined:bmo:0+any:(aras+planner:gbfs-20)")

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The first oracle keeps bounds, the second is another one."""
        specs = split_specs(argument or "")
        if len(specs) != 2 or specs[0].partition(":")[0].strip() != "bmo":
            raise UsageError(f"write {cls.usage}: one oracle that keeps bounds, and another one")
        super().check_argument(argument)


class BestOfOracle(CombinedOracle):
    """Asks all oracles and keeps the bug with the largest gap."""

    usage = "best-of:A+B+..."
    examples = ("best-of:lookahead+inv-quant+any:(aras+planner:gbfs-20)+bounds",)

    def asks_on(self, verdict: Verdict) -> bool:
        """A pass is final, and so is a bug of known gap."""
        final = verdict.outcome is Outcome.BUG and verdict.exact
        return verdict.outcome is not Outcome.PASS and not final


def split_specs(text: str) -> list[str]:
    """The specs between the separators outside brackets; UsageError if one is missing."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        # Inside brackets a plus belongs to a member's own argument.
        if character == SEPARATOR and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    specs = [_without_parentheses(part.strip()) for part in (*parts, text[start:])]
    if not all(specs):
        raise UsageError(f"name oracles after the colon, joined by {SEPARATOR}, got {text!r}")
    return specs


def _without_parentheses(spec: str) -> str:
    """A combination as a member: `best-of:(a+b)` and `(best-of:a+b)` are both `best-of:a+b`."""
    name, colon, argument = spec.partition(":")
    if spec.startswith("(") and spec.endswith(")"):
        return spec[1:-1].strip()
    if name.strip() in _COMBINATIONS and argument.startswith("(") and argument.endswith(")"):
        return f"{name}{colon}{argument[1:-1]}"
    return spec


def _signed(verdict: Verdict, spec: str) -> Verdict:
    """The verdict with its reason under the name of the oracle that gave it."""
    return replace(verdict, reason=f"{spec}: {verdict.reason}")


def _packed(lessons: Mapping[str, Sequence[bytes]]) -> bytes:
    """The lessons of several oracles as one; stores are others' files, so nothing is pickled."""
    texts = {spec: [part.hex() for part in parts] for spec, parts in lessons.items()}
    return json.dumps(texts).encode()


def _unpacked(content: bytes) -> dict[str, list[bytes]]:
    texts = json.loads(content) if content else {}
    return {spec: [bytes.fromhex(part) for part in parts] for spec, parts in texts.items()}
