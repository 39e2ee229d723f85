"""The page of the documentation that lists sentence and formula for the whole grid."""

from __future__ import annotations

from collections.abc import Iterator

from bugsieve.rooms.rules.english.grid import (
    CONDITIONS,
    MAX_STEPS,
    SCOPE_PARTS,
    SCOPES,
    TIMINGS,
    TIMINGS_WITH_STEPS,
    TIMINGS_WITH_STOP,
    ConditionKind,
    ScopeKind,
    Sentence,
    TimingKind,
    formula_of,
)
from bugsieve.rooms.rules.english.writer import grid_text, nested_text
from bugsieve.rooms.rules.ltl.formula import atom
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl

_HEAD = f"""# Rules in English

Generated from the code by `make docs`.

A rule of a rules file may be a sentence of this form:

```text
[Scope,] [Condition,] the COMPONENT shall TIMING satisfy BOOLEAN.
```

Conditions and the BOOLEAN are atoms such as `moving(?r)`, joined by `!`, `&`, `|`, `->`, `<->` or
the words not, and, or. COMPONENT is any name, for whoever reads the rule. The timing is required.
An atom whose name is a word of sentences stands between backquotes: `` `until` ``.

```python
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.english.writer import write_sentence
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place

sentence = "Whenever moving(?r), the rover shall immediately satisfy stowed(?r)."
rule = read_sentence(sentence, place=Place("a sentence"))
assert to_text(rule) == "G(moving(?r) -> stowed(?r))"
assert write_sentence(rule, component="rover") == sentence
```

## What a sentence means

A scope names segments of the trace, a condition names states of a segment, its triggers, and from
each trigger on the timing says where in the rest of the segment P has to hold. A sentence holds if
this is so for each trigger of each segment.

| scope | segments |
|---|---|
| none | the whole trace |
| before C | from the first state up to the first C, without it; none if C never holds |
| after C | from the first C, with it, to the end |
| between C and D | from every state with C and without D up to the next D, without it |
| while C | every longest run of states with C |

| condition | triggers in a segment |
|---|---|
| none | its first state |
| whenever C | every state with C |
| upon C | every state with C whose predecessor in the segment has no C, or that is the first one |

| timing | what must hold, from the trigger to the end of the segment |
|---|---|
| always | P in every state |
| never | P in no state |
| immediately | P at the trigger |
| at the next step | P in the next state, which must belong to the segment |
| eventually | P in some state |
| until C | P in every state before the first C; in all of them if C does not hold any more |
| before C | P in some state before the first C; nothing if C does not hold any more |
| within N steps | P at the trigger or in one of the N states after it, within the segment |
| for N steps | P at the trigger and in the N states after it, as far as the segment goes |

N is from 1 to {MAX_STEPS}. Only "before C" may have an empty segment, if C holds at first: then
what must happen (immediately, at the next step, eventually, within) fails, and what must last
holds.
Patterns with the scopes before, after and between have the same segments.

## Where NASA's FRET differs

FRET's sentences are the model of these, and most of them mean the same. On finite traces:

| FRET | here |
|---|---|
| a sentence without timing means "eventually" | refused |
| before C: the whole trace, if C never holds | nothing to show |
| before C: nothing to show, if C holds at first | an empty segment |
| after C: strictly after the first run of C | from the first C on |
| no "between" | between C and D |
| at the next step: nothing to show in the last state of a segment | the segment must go on |
| within N: nothing to show if the segment ends sooner | P must come before, as with "eventually" |
| when, if, where mean "upon"; unless means "upon !C" | refused with what to say in their place |
| scopes with in, during, except, only | while C, while !C, before C, after C |
| timing "after N" | none |
| time in ticks, seconds, … | steps: from a state to the next one |

So here "immediately" implies "within N steps", which implies "eventually"; in FRET the second
implication fails at the end of a segment. "for N" covers N + 1 states in both.

Tests of a domain ([rules.md](rules.md)) judge a trace by all that can come after it. So what must
happen refutes a rule only once it cannot happen any more, and "at the next step" where a trace
gets stuck.
"""

_NESTED = """
## All other formulas

Other LTL is printed as a nested reading, one phrase per operator, and read back from it. Operands
that are more than a literal stand in parentheses.

| LTL | reading |
|---|---|
"""

_READINGS = (
    "G p", "F p", "X p", "N p", "p U q", "p W q", "p R q", "p M q", "!(F p)", "p -> F q",
    "p <-> X q", "G p & F q", "G p | F q", "G F p", "G(p -> X(q U (r & s)))",
)  # fmt: skip


def english_page() -> str:
    """The page: what sentences mean, the formulas of all of them, and nested readings."""
    return _HEAD + "".join(_grid()) + _NESTED + "".join(_readings())


def _grid() -> Iterator[str]:
    yield "\n## All sentences\n"
    for scope in SCOPES:
        for condition in CONDITIONS:
            yield f"\n### {_title(scope, condition)}\n\n| sentence | LTL |\n|---|---|\n"
            for timing in TIMINGS:
                sentence = _cell(scope, condition, timing)
                yield _row(grid_text(sentence), to_text(formula_of(sentence)))


def _title(scope: ScopeKind, condition: ConditionKind) -> str:
    first = "No scope" if scope == "global" else scope.capitalize()
    return f"{first}, {'no condition' if condition == 'none' else condition}"


def _cell(scope: ScopeKind, condition: ConditionKind, timing: TimingKind) -> Sentence:
    bounds = {"before": "r", "after": "q", "between": "qr", "while": "q"}.get(scope, "")
    assert len(bounds) == SCOPE_PARTS[scope]
    return Sentence(
        atom("p"),
        timing,
        stop=atom("s") if timing in TIMINGS_WITH_STOP else None,
        steps=2 if timing in TIMINGS_WITH_STEPS else 0,
        condition=condition,
        trigger=None if condition == "none" else atom("c"),
        scope=scope,
        bounds=tuple(atom(name) for name in bounds),
    )


def _readings() -> Iterator[str]:
    for text in _READINGS:
        formula = read_ltl(text, place=Place("docs"))
        yield _row(to_text(formula), nested_text(formula))


def _row(*cells: str) -> str:
    """Bars would end a cell, even between backquotes."""
    shown = (cell.replace("|", "\\|") for cell in cells)
    return "".join(f"| `{cell}` " for cell in shown) + "|\n"
