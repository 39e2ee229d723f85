"""The automaton of the prefixes after which a rule is violated for good, for safety rules alone.

A rule is a safety rule if every violation of it happens after finitely many steps. That is so of
formulas that wait for nothing: those without F, U and M once negations stand before atoms only. Of
others it is decided on automata: no infinite word may violate the rule without a bad prefix.
"""

from __future__ import annotations

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.rules.engine.words import bad_prefixes_of, has_word
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.views import in_view, is_proven_by_prefixes

MAX_STATES = 200
"""A model compares the state of the automaton with each of its numbers in every step."""


def bad_prefixes(requirement: Formula, *, name: str) -> Automaton:
    """The automaton; UnsupportedError, which names the rule, if that is not a safety rule.

    It also accepts every continuation of a prefix that it accepts.
    """
    try:
        found = automaton_of(in_view(~requirement, "strong"), max_states=MAX_STATES)
    except TooManyStatesError as error:
        raise UnsupportedError(f"rule {name}: {error}, too many to watch over a model") from None
    waits = not is_proven_by_prefixes(~requirement)
    if waits and has_word(~requirement, avoiding=found) is not False:
        # Some prefixes are bad though the formula does not show it, as all of X F q & G !q.
        found, waits = _exact(requirement, name)
    else:
        waits = False
    if found.is_empty:
        raise UnsupportedError(
            f"rule {name} is no safety rule: whatever a run has done, it may still keep the rule, "
            "as with 'F p'; models are tested for safety rules, as 'G p' is one"
        )
    if waits:
        raise UnsupportedError(
            f"rule {name} is no safety rule: runs may violate it only because something never "
            "comes, as with 'p U q'; models are tested for safety rules, as 'p W q' is one"
        )
    return found


def _exact(requirement: Formula, name: str) -> tuple[Automaton, bool]:
    """The automaton of all bad prefixes, and whether some violation has none."""
    found = bad_prefixes_of(requirement)
    escapes = None if found is None else has_word(~requirement, avoiding=found)
    if found is None or escapes is None or len(found) > MAX_STATES:
        raise UnsupportedError(
            f"rule {name}: whether it is a safety rule cannot be decided, for it is too large; "
            "write it without F, U and M, negations before atoms only, or with fewer atoms"
        )
    return found, escapes
