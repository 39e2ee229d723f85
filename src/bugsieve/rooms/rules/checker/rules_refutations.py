"""Checks that nothing which can come after a trace keeps a rule, whether it ends or not.

`rerun` follows all that the task can do from the last state of the trace; `letters` all words of
letters that the relaxed task allows from there on, which are more. In both, what is left of the
rule after the trace is followed as finite traces progress it, and as infinite words meet it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from bugsieve.checkers.cost import CertificateError, State
from bugsieve.rooms.rules.checker.rules_claims import Claim, Trace
from bugsieve.rooms.rules.checker.rules_conditions import Alphabet
from bugsieve.rooms.rules.checker.rules_explored import Edge, Exploration, LassoSearch, goes_round
from bugsieve.rooms.rules.checker.rules_progression import Obligations, Progression
from bugsieve.rooms.rules.checker.rules_relaxed import Relaxation


class Continuations:
    """All that can come after one trace, for one rule."""

    def __init__(
        self, alphabet: Alphabet, claim: Claim, operators: Sequence[int], poll: Callable[[], None]
    ) -> None:
        self.alphabet = alphabet
        self.poll = poll
        self.operators = [None, *operators]
        self.by = claim.content.rest if isinstance(claim.content, Trace) else ""
        self.progression = Progression(claim.formulas, claim.kept, alphabet.names, poll)
        self.obligations = Obligations(claim.formulas, claim.kept, alphabet.names)

    def check_none(self, states: Sequence[State], budget: int) -> None:
        """Return if none keeps the rule after these states; else CertificateError."""
        rest = self.progression.start
        holds = {self.obligations.start}
        letter = 0
        for place, (state, operator) in enumerate(zip(states, self.operators, strict=True)):
            if place:
                choices = (self.obligations.choices(one, letter) for one in holds)
                holds = {choice.obligations for found in choices for choice in found}
            letter = self.alphabet.letter(state, operator)
            rest = self.progression.step(rest, letter)
        parts = (self.alphabet, self.progression, (), self.poll)
        if self.by == "rerun":
            Exploration(*parts).check_after(states[-1], rest, letter, budget)
            places = [(states[-1], letter, one) for one in sorted(holds, key=sorted)]
            LassoSearch(self.alphabet, self.obligations, self.poll).check_none_from(places, budget)
            return
        relaxation = Relaxation(*parts)
        facts = self.alphabet.facts.state(states[-1])
        if not relaxation.is_dead_end(facts, (rest, letter)):
            _fail("the letters do not exclude that a trace goes on and keeps the rule")
        if self._goes_on(relaxation.followers(facts, letter), letter, holds, budget):
            _fail("the letters do not exclude that a trace keeps the rule for ever")

    def _goes_on(
        self,
        followers: dict[int, set[int]],
        letter: int,
        holds: set[frozenset[int]],
        budget: int,
    ) -> bool:
        """Return true if some infinite word of these letters meets one of the obligations."""
        waiting = [(letter, one) for one in sorted(holds, key=sorted)]
        numbers = {place: number for number, place in enumerate(waiting)}
        edges: list[list[Edge]] = []
        for read, one in waiting:
            self.poll()
            row: list[Edge] = []
            for after, put_off in self.obligations.choices(one, read):
                for next_letter in sorted(followers[read]):
                    number = numbers.setdefault((next_letter, after), len(waiting))
                    if number == len(waiting):
                        waiting.append((next_letter, after))
                    row.append((number, put_off))
            edges.append(row)
            if len(waiting) > budget:
                _fail(f"there are more than {budget} letters with obligations of the rule")
        return goes_round(edges, self.obligations.eventual, self.poll)


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
