"""Does a bias keep its contract?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.biases import BIASES, Bias, BiasResult, make_bias
from bugsieve.pipeline.biases import check_bias as check_bias_spec
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.testing.cases import Case, cases


def check_bias(spec: str, *, tasks: Sequence[Task] | None = None) -> None:
    """AssertionError unless the bias weighs the successors of each walk by themselves.

    - a weight per successor, an int64 that is not negative, and perhaps a flag for each;
    - those of a walk depend neither on the other walks nor on earlier questions;
    - an objection is None or a sentence.

    Without tasks, small random ones are used; those given must be small enough to be explored.
    """
    check_bias_spec(spec)
    objections = [_Examination(spec, case).objection() for case in cases(tasks)]
    if objections and None not in objections:
        raise AssertionError(
            f"bias {spec!r} objects to every bench, so nothing was checked: {objections[-1]}; "
            "give tasks that it is for"
        )


class _Examination:
    """The checks on one case."""

    def __init__(self, spec: str, case: Case) -> None:
        self.spec = spec
        self.case = case
        states = case.states[case.rows]
        after, _, offsets = case.task.all_successors(states)
        self.walks = [after[low:high] for low, high in pairwise(offsets)]

    def objection(self) -> str | None:
        """The reason why the bias does not apply; None after it has passed all checks."""
        reason = BIASES.parse(self.spec)[1].objection(self.case.bench())
        if reason is not None:
            if not (isinstance(reason, str) and reason):
                self.fail(f"an objection must be None or a sentence, not {reason!r}")
            return reason
        bias = self.bias()
        whole = self.weighed(bias, self.walks)
        for other, when in ((bias, "asked again"), (self.bias(), "asked alone")):
            alone = [self.weighed(other, [walk])[0] for walk in self.walks]
            self.compare(whole, alone, when)
        self.compare(whole, self.weighed(self.bias(), self.walks[::-1])[::-1], "asked backwards")
        self.weighed(bias, [])
        return None

    def bias(self) -> Bias:
        """The bias on a bench that knows nothing yet."""
        return make_bias(self.spec, self.case.bench())

    def weighed(self, bias: Bias, walks: list[StateArray]) -> list[NDArray[np.int64]]:
        """Weights and flags of each walk, as two rows."""
        offsets = np.cumsum([0, *map(len, walks)])
        shape = (0, self.case.task.num_variables)
        successors = np.concatenate([np.empty(shape, dtype=np.uint16), *walks])
        result = bias.weights(successors, offsets)
        self.check_result(result, len(successors))
        flags = np.zeros(len(successors)) if result.insert is None else result.insert
        rows = np.stack([result.weights, flags.astype(np.int64)])
        return np.split(rows, offsets[1:-1], axis=1)

    def check_result(self, result: object, count: int) -> None:
        """A weight per successor, and perhaps a flag for each."""
        if not isinstance(result, BiasResult):
            self.fail(f"weights() must give a BiasResult, not {result!r}")
        weights, insert = result.weights, result.insert
        if not isinstance(weights, np.ndarray) or weights.dtype != np.int64:
            self.fail("the weights must be an array of int64")
        if weights.shape != (count,):
            self.fail(f"{count} successors must have as many weights, not {weights.shape}")
        if (weights < 0).any():
            self.fail(f"a weight must not be negative, but one is {weights.min()}")
        if insert is not None and (insert.dtype != np.bool_ or insert.shape != (count,)):
            self.fail("`insert` must be None or an array with True or False for each successor")

    def compare(
        self, whole: list[NDArray[np.int64]], other: list[NDArray[np.int64]], when: str
    ) -> None:
        """The same for each walk."""
        for walk, (one, two) in enumerate(zip(whole, other, strict=True)):
            if not np.array_equal(one, two):
                self.fail(f"what it says of walk {walk} depends on the batch: other when {when}")

    def fail(self, sentence: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise AssertionError(f"bias {self.spec!r} on {self.case}: {sentence}")
