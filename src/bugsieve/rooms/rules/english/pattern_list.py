"""All patterns in all scopes with sentences and examples, for `bugsieve rules patterns`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bugsieve.rooms.rules.english.writer import write_sentence
from bugsieve.rooms.rules.ltl.examples import Trace, example_traces
from bugsieve.rooms.rules.ltl.formula import atom
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES, parameters_of, pattern_formula
from bugsieve.rooms.rules.ltl.printer import to_text


@dataclass(frozen=True)
class ListedPattern:
    """A pattern in a scope."""

    pattern: str
    scope: str
    parameters: tuple[str, ...]
    ltl: str
    sentence: str
    satisfying: Trace
    violating: Trace


def listed_patterns() -> Iterator[ListedPattern]:
    """Every pattern in every scope."""
    for pattern in PATTERNS:
        for scope in SCOPES:
            parameters = parameters_of(pattern, scope)
            parts: dict[str, Any] = {name: atom(name) for name in parameters if name != "k"}
            formula = pattern_formula(pattern, scope, **parts)
            yield ListedPattern(
                pattern,
                scope,
                parameters,
                to_text(formula),
                write_sentence(formula),
                *example_traces(pattern, scope),
            )


def pattern_lines() -> Iterator[str]:
    """The lines of the command: per pattern its meaning, per scope formula, sentence, examples."""
    last = ""
    for item in listed_patterns():
        if item.pattern != last:
            yield f"{item.pattern}: {PATTERNS[item.pattern].meaning}"
            last = item.pattern
        yield f"  {item.scope}: {SCOPES[item.scope].meaning} ({', '.join(item.parameters)})"
        yield f"    {item.ltl}"
        yield f"    {item.sentence}"
        yield f"    kept by    {trace_text(item.satisfying)}"
        yield f"    broken by  {trace_text(item.violating)}"


def trace_text(trace: Trace) -> str:
    """`{} {p} {p, q}`: what holds in each state."""
    return " ".join(f"{{{', '.join(sorted(letter))}}}" for letter in trace)
