"""Biases: which successor a walk prefers; one file each, by name."""

from __future__ import annotations

from collections.abc import Callable

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.benches.bench import Bench
from bugsieve.fuzzing.biases.bias import Bias, BiasResult
from bugsieve.fuzzing.biases.detour import Detour
from bugsieve.fuzzing.biases.heuristic import HeuristicBias
from bugsieve.fuzzing.biases.loopiness import Loopiness
from bugsieve.fuzzing.biases.policy_quality import PolicyQuality
from bugsieve.fuzzing.biases.surface import Surface
from bugsieve.fuzzing.biases.uniform import Uniform
from bugsieve.tasks.fdr.heuristic_names import check_heuristic

DEFAULT_BIAS = "policy-quality"

BIASES = {
    "uniform": "every action is equally likely",
    "policy-quality": "prefers states from which the policy takes many steps",
    "heuristic": "heuristic:NAME (default hff) prefers states that look far from the goal",
    "loopiness": "prefers states whose policy run comes close to looping back on itself",
    "detour": "prefers states whose policy run seems to contain detours",
    "surface": "prefers states from which the goal distance does not fall smoothly",
}

_MAKERS: dict[str, Callable[[Bench], Bias]] = {
    "uniform": lambda bench: Uniform(bench, "uniform"),
    "policy-quality": lambda bench: PolicyQuality(bench, "policy-quality"),
    "loopiness": Loopiness,
    "detour": Detour,
    "surface": Surface,
}


def make_bias(spec: str, bench: Bench) -> Bias:
    """The bias of this name on the bench; UsageError with the nearest name otherwise."""
    check_bias(spec)
    name, _, heuristic = spec.partition(":")
    if name == "heuristic":
        return HeuristicBias(bench, heuristic or "hff")
    return _MAKERS[name](bench)


def check_bias(spec: str) -> None:
    """Raise the error of a spec that names no bias, before there is a bench."""
    name, colon, argument = spec.partition(":")
    if name not in BIASES:
        raise UsageError(no_such("bias", name, BIASES))
    if name == "heuristic":
        check_heuristic(argument or "hff")
    elif colon:
        raise UsageError(f"the bias {name!r} takes no argument, but got {argument!r}")


__all__ = ["BIASES", "DEFAULT_BIAS", "Bias", "BiasResult", "check_bias", "make_bias"]
