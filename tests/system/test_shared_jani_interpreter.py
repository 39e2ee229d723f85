"""The checker's interpreter on the JANI benchmarks beside the repository, where present."""

from __future__ import annotations

import pytest

from bugsieve.rooms.safety.checker.jani_interpreter import JaniInterpreter
from tests.reference.jani_twins import assert_agreement, plain
from tests.system.shared_jani import BENCHMARKS, Benchmark


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_agrees_with_the_engine_and_the_verdicts(benchmark: Benchmark) -> None:
    model, verdicts = benchmark.load(), benchmark.verdicts()
    twin = JaniInterpreter(model.document)
    rows = [item["state"] for item in verdicts["states"]]
    assert_agreement(model, rows, twin)
    for item in verdicts["states"]:
        state = plain(model, item["state"])
        found = {twin.actions[a]: sorted(outs) for a, outs in twin.transitions(state).items()}
        assert found == {
            name: sorted(plain(model, outcome) for outcome in outcomes)
            for name, outcomes in item["successors"].items()
        }
