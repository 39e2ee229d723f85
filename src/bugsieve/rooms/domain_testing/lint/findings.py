"""Findings of static checks, and the list of their codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.tasks.pddl.reader import Document, Expression

Severity: TypeAlias = Literal["error", "warning", "note"]

CODES: dict[str, tuple[Severity, str]] = {
    "parentheses": ("error", "a parenthesis that is missing, or one too many"),
    "invalid": ("error", "something else that is not PDDL"),
    "unsupported": ("error", "a feature of PDDL that Bugsieve does not handle"),
    "unknown-type": ("error", "a type that is not declared"),
    "unknown-predicate": ("error", "a predicate that is not declared"),
    "unknown-function": ("error", "a function that is not declared"),
    "unknown-object": ("error", "an object that is not declared"),
    "unknown-variable": ("error", "a variable that is neither a parameter nor quantified"),
    "wrong-arity": ("error", "a predicate or function with too many or too few arguments"),
    "missing-parameters": ("error", "an action with variables and without ':parameters'"),
    "missing-question-mark": ("error", "a name where a variable is declared"),
    "missing-dash": ("error", "a type that follows its variable without a dash"),
    "missing-blank": ("error", "a dash that is a part of a word"),
    "repeated-section": ("error", "a section that appears twice"),
    "repeated-action": ("error", "two actions of one name"),
    "repeated-field": ("error", "an action with two ':parameters', conditions or effects"),
    "repeated-predicate": ("error", "a predicate that is declared twice"),
    "repeated-object": ("error", "an object that is declared twice"),
    "repeated-variable": ("error", "a variable that is declared twice in one list"),
    "cyclic-types": ("error", "a type that is below itself, or two each below the other"),
    "long-type-cycle": ("error", "a circle of three or more types, each below the next"),
    "unused-predicate": ("warning", "a predicate that no action and no goal mentions"),
    "unused-type": ("warning", "a type that nothing has"),
    "unused-parameter": ("warning", "a parameter that neither precondition nor effect mentions"),
    "unused-constant": ("warning", "a constant that no action and no goal mentions"),
    "unused-function": ("warning", "a function that no cost and no initial value mentions"),
    "unused-variable": ("warning", "a variable of a quantifier that its body does not mention"),
    "never-true": ("warning", "a predicate that is needed, never added and not true initially"),
    "immutable-predicate": ("note", "predicates that conditions ask for and no action changes"),
    "never-read": ("note", "a predicate that is changed, but no condition or goal asks for"),
    "complementary-effects": ("warning", "an action adds and deletes the same atom"),
    "possible-complementary-effects": (
        "note",
        "an action adds and deletes the same atom if two of its terms are the same object",
    ),
    "contradictory-precondition": ("error", "a precondition that can never hold"),
    "duplicate-literal": ("note", "a literal that stands twice in one conjunction or effect"),
    "duplicate-action": ("warning", "two actions with the same conditions and effects"),
    "no-effect": ("warning", "an action that changes nothing"),
    "redundant-effect": ("note", "an effect that the precondition already guarantees"),
    "implied-effect": (
        "note",
        "an effect that the precondition guarantees if P and not-P are opposites",
    ),
    "shadowed-variable": ("warning", "a quantifier's variable hides one of the same name"),
    "type-mismatch": ("error", "an argument whose type the predicate can never take"),
    "missing-requirement": ("note", "a feature whose requirement is not declared"),
    "no-grounding": ("warning", "an action with a parameter for which the problem has no object"),
    "unreachable-action": ("warning", "an action of which no grounding can ever be applied"),
    "unreachable-goal": ("error", "a goal that not even the relaxation reaches"),
    "goal-holds": ("warning", "a goal that is true initially"),
}
"""Code to its severity and what it stands for. Codes are stable; notes never fail a check.

That an action cannot be applied is a warning where it holds in all of several problems. Of a
single problem, or where another problem allows it, it says nothing against the domain: a note.
"""


@dataclass(frozen=True)
class LintFinding:
    """One thing that is most likely a mistake."""

    code: str
    path: str
    line: int
    sentence: str
    severity: Severity

    @property
    def text(self) -> str:
        """As compilers write it."""
        return f"{self.path}:{self.line}: {self.severity}: {self.sentence} [{self.code}]"


def finding(code: str, document: Document, place: Expression | int, sentence: str) -> LintFinding:
    """A finding on the line of a place, as bad as its code says."""
    line = place if isinstance(place, int) else place.line
    return LintFinding(code, document.path, line, sentence, CODES[code][0])
