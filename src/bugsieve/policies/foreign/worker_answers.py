"""The question to a Python function in a worker process: an action, a value or a plan.

Each kind binds a function to the task and gives what answers one state of a message. Light: the
worker imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bugsieve.base.ordered_sets import OrderedSet
from bugsieve.policies.task_view import TaskView, bind_view, require_callable, required_parameters

Answering = Callable[[Mapping[str, Any]], Any]
"""Answers for one state of a message, with what the reply says of it."""
Binding = Callable[[Mapping[str, Any], Callable[..., Any]], Answering]
"""Makes the answering from the first line and a function; TypeError if it cannot be made."""

_UNTYPED = "object"


class WrongAnswerError(Exception):
    """The function returned something that is not an answer; the sentence says what."""


def answering(hello: Mapping[str, Any], function: Callable[..., Any]) -> Answering:
    """The code that answers for the function as the first line wants; TypeError if it cannot."""
    return _KINDS[hello.get("asks", "actions")](hello, function)


def _actions(hello: Mapping[str, Any], function: Callable[..., Any]) -> Answering:
    view = TaskView.from_message(hello["task"])
    bound = bind_view(function, view)
    return lambda state: _answer(bound(_facts(state, view), state["applicable"]))


def _facts(state: Mapping[str, Any], view: TaskView) -> frozenset[str]:
    return OrderedSet((*state["facts"], *view.static))


def _answer(answer: Any) -> str | dict[str, float] | None:
    return weights_of(answer) if isinstance(answer, Mapping) else action_of(answer)


def weights_of(answer: Mapping[Any, Any]) -> dict[str, float]:
    """A distribution over actions, by name; what its weights are worth is seen later."""
    wrong = next((action for action in answer if not isinstance(action, str)), None)
    if wrong is not None:
        shown = shortened(repr(wrong))
        raise WrongAnswerError(f"returned weights in which {shown} is no action name")
    return {action: _float(weight) for action, weight in answer.items()}


def action_of(answer: Any) -> str | None:
    """The answer of a function that names an action or gives up; WrongAnswerError for another."""
    if answer is None or isinstance(answer, str):
        return answer
    raise WrongAnswerError(f"returned {shortened(repr(answer))}, neither an action name nor None")


def _values(hello: Mapping[str, Any], function: Callable[..., Any]) -> Answering:
    view = TaskView.from_message(hello["task"])
    more = (view,) if required_parameters(function, unknown=1) >= 2 else ()
    require_callable(function, (None, *more), "the facts of a state, nor with them and the task")
    return lambda state: _number(function(_facts(state, view), *more))


def _float(value: Any) -> float:
    """The value as a number; numbers of NumPy and of other packages count as such."""
    if isinstance(value, (str, bytes, bool)) or not hasattr(type(value), "__float__"):
        raise WrongAnswerError(f"returned {shortened(repr(value))}, which is no number")
    return float(value)


def _number(value: Any) -> float:
    number = _float(value)
    if number != number:
        raise WrongAnswerError("returned NaN, which ranks nothing")
    return number


def _plans(hello: Mapping[str, Any], function: Callable[..., Any]) -> Answering:
    view = TaskView.from_message(hello["task"])
    require_callable(function, (None,) * 3, "objects, init and goal")
    is_typed = any(kind != _UNTYPED for kind in view.objects.values())

    def plan(state: Mapping[str, Any]) -> list[str] | None:
        # Sets as the authors of such functions have them, in the order of Python's hashes, and
        # new ones each time: a function may change what it is given.
        objects: set[Any] = set(view.objects.items() if is_typed else view.objects)
        init = {_tuple_of(fact) for fact in (*state["facts"], *view.static)}
        return _plan(function(objects, init, {_tuple_of(fact) for fact in view.goal}))

    return plan


def _tuple_of(fact: str) -> tuple[Any, ...]:
    """("on", "a", "b") for "(on a b)"; what is negated is a tuple in a tuple."""
    blocks: list[list[Any]] = [[]]
    for word in fact.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            blocks.append([])
        elif word == ")":
            inner = tuple(blocks.pop())
            blocks[-1].append(inner)
        else:
            blocks[-1].append(word)
    atom: tuple[Any, ...] = blocks[0][0]
    return atom


def _plan(answer: Any) -> list[str] | None:
    """The actions of a plan as texts; each may have been a text or a sequence of words."""
    if answer is None:
        return None
    if isinstance(answer, (str, bytes, Mapping)) or not isinstance(answer, Iterable):
        shown = shortened(repr(answer))
        raise WrongAnswerError(f"returned {shown}, neither a list of actions nor None")
    return [_step(action, number) for number, action in enumerate(answer, 1)]


def _step(action: Any, number: int) -> str:
    if isinstance(action, str):
        return action
    if isinstance(action, (list, tuple)) and all(isinstance(word, str) for word in action):
        return f"({' '.join(action)})"
    shown = shortened(repr(action))
    raise WrongAnswerError(f"returned a plan whose action {number} is {shown}, which is none")


def shortened(text: str) -> str:
    """The text, cut where it gets too long to be shown."""
    return text if len(text) <= 200 else text[:200] + "…"


_KINDS: dict[str, Binding] = {
    "actions": _actions,
    "values": _values,
    "plans": _plans,
}
