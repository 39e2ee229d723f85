"""The automaton of the prefixes after which a rule is violated for good, for safety rules alone.

A rule is a safety rule if whatever violates it does so after finitely many steps. That is so of
formulas that wait for nothing: those without F, U and M once negations stand before atoms only.
"""

from __future__ import annotations

from bugsieve.basis.errors import UnsupportedError
from bugsieve.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rules.ltl.formula import Formula, distinct_parts
from bugsieve.rules.ltl.normal_form import nnf
from bugsieve.rules.ltl.views import in_view

_LASTING = frozenset({"finally", "until", "strong-release"})

MAX_STATES = 200
"""A model compares the state of the automaton with each of its numbers in every step."""


def bad_prefixes(requirement: Formula, *, name: str) -> Automaton:
    """The automaton; UnsupportedError, which names the rule, where it is no safety rule.

    Whatever follows a prefix that it accepts, it accepts.
    """
    try:
        found = automaton_of(in_view(~requirement, "strong"), max_states=MAX_STATES)
    except TooManyStatesError as error:
        raise UnsupportedError(f"rule {name}: {error}, too many to watch over a model") from None
    if found.is_empty:
        raise UnsupportedError(
            f"rule {name} is no safety rule: whatever a run has done, it may still keep the rule, "
            "as with 'F p'; models are tested for safety rules, as 'G p' is one"
        )
    if not _LASTING.isdisjoint(part.operator for part in distinct_parts(nnf(requirement))):
        raise UnsupportedError(
            f"rule {name} is no safety rule as it is written: runs may violate it only because "
            "something never comes, as with 'p U q'; models are tested for safety rules, as "
            "'p W q' is one"
        )
    return found
