"""The process behind `python:` policies of models: gives the user's function values of variables.

Started by `bugsieve.rooms.jani.policies.python`; light, as that of tasks is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bugsieve.policies.foreign.python_worker import serve
from bugsieve.policies.foreign.worker_answers import Answering, action_of
from bugsieve.policies.task_view import bind_view
from bugsieve.rooms.jani.policies.model_view import ModelView


def main() -> None:
    """Serve a policy of models."""
    serve(_answering)


def _answering(hello: Mapping[str, Any], function: Callable[..., Any]) -> Answering:
    decide = bind_view(function, ModelView.from_message(hello["model"]))
    return lambda state: action_of(decide(state["values"], state["applicable"]))
