"""The pytest plug-in: a fixture, and tests that are files (`*.bugsieve.toml`, `*.bug.json`).

pytest loads it in every project of an environment that has Bugsieve, so it imports nothing but
pytest until one of these is used.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bugsieve.campaigns.cost.found_bug import FoundBug
    from bugsieve.campaigns.python_calls.bugs import Bugs

POLICY = "bugsieve_policy"
TRUST = "bugsieve_trust_policy"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Which policy tests are about that name none."""
    _leave_as_it_is(pluginmanager)
    group = parser.getgroup("bugsieve", "tests of policies")
    about = "the policy that *.bug.json files are replayed with, and that *.bugsieve.toml files "
    about += "are about which name none"
    group.addoption("--bugsieve-policy", dest=POLICY, metavar="SPEC", default=None, help=about)
    group.addoption(
        "--bugsieve-trust-policy",
        dest=TRUST,
        action="store_true",
        help="also start policies outside of the root folder that only a file names",
    )
    parser.addini(POLICY, about)


def _leave_as_it_is(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let our modules be imported as they are elsewhere.

    pytest rewrites the assertions of all modules of a package that has a plug-in. Ours say
    themselves why they fail, and whoever imports many of them would wait for it.
    """
    marked = getattr(pluginmanager.rewrite_hook, "_must_rewrite", None)
    if isinstance(marked, set):  # else it takes its time
        marked.discard("bugsieve")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the two kinds of files, and nothing else."""
    if not file_path.name.endswith((".bugsieve.toml", ".bug.json")):
        return None
    from bugsieve.pytest_plugin.collecting import BugFile, ProblemsFile

    kind = BugFile if file_path.name.endswith(".json") else ProblemsFile
    made: pytest.Collector = kind.from_parent(parent, path=file_path)
    return made


@pytest.fixture
def bugsieve_check(request: pytest.FixtureRequest) -> Callable[..., Bugs[FoundBug]]:
    """Fail if a policy has bugs: `bugsieve_check(policy, problems="problems/*.pddl")`.

    Takes what `bugsieve.check` takes. What was found stays in the cache of pytest if it fails.
    """

    def check(policy: Any, problems: Any, **options: Any) -> Bugs[FoundBug]:
        __tracebackhide__ = True
        from bugsieve.pytest_plugin.checking import checked_by

        return checked_by(request.node, policy, problems, **options)

    return check
