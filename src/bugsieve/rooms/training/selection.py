"""The choice of the next model to train, and of the final one (Algorithm 2, papers/003)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import option
from bugsieve.base.seeds import Stream
from bugsieve.rooms.training.candidates import Candidate, best, expansions

MODELS = "models"
"""Title of the options of commands."""

PI_TEST = "pi-test"
RANDOM = "random"
ONLINE = (PI_TEST, RANDOM)

EARLY, LOSS, SOLVED, TEST = "early", "loss", "solved", "test"
CRITERIA = (EARLY, LOSS, SOLVED, PI_TEST, TEST)
"""Offline criteria. The last one looks at the test tasks: it is for comparison alone."""
BY_VALIDATION = (SOLVED, PI_TEST)
"""Those that compare tests on validation tasks."""
EARLY_EPOCHS = 20
"""So many epochs of one line with all training tasks solved end Algorithm 1."""

_MOST_EPOCHS = 10**6


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The number of trained models, and their origins; letters are those of Algorithm 2."""

    inits: int = option(  # N_init
        4, "random initialisations", most=_MOST_EPOCHS, group=MODELS
    )
    start_epochs: int = option(  # N_start
        5, "epochs after each, in a line", least=0, most=_MOST_EPOCHS, group=MODELS
    )
    """For each initialisation."""
    main_epochs: int = option(  # N_main
        20, "epochs after that, each from any model", least=0, most=_MOST_EPOCHS, group=MODELS
    )
    model_expansions: int = option(  # N_exp
        4, "how often one model may be trained; 1: lines", most=_MOST_EPOCHS, group=MODELS
    )
    """The most epochs that one model is trained for; 1 gives lines, more a tree."""
    online: str = option(
        PI_TEST,
        "which model is trained next: pi-test (the best score) or random",
        metavar="HOW",
        group=MODELS,
        is_default_told=True,
    )
    """Which model is trained next in the main phase: the one with the best score, or any."""

    def __post_init__(self) -> None:
        check_fields(self)
        for name, least in (("inits", 1), ("start_epochs", 0), ("main_epochs", 0)):
            whole_number(getattr(self, name), name, least=least)
        whole_number(self.model_expansions, "model_expansions", least=1)
        if self.online not in ONLINE:
            raise UsageError(no_such("online selection", self.online, ONLINE))
        if self.models > _MOST_EPOCHS:
            raise UsageError(f"a training has at most {_MOST_EPOCHS} models, not {self.models}")

    @property
    def start_models(self) -> int:
        """The number of models after the start-up phase, the untrained ones included."""
        return self.inits * (1 + self.start_epochs)

    @property
    def models(self) -> int:
        """The number of models in the end."""
        return self.start_models + self.main_epochs

    def following(self, candidates: Sequence[Candidate], seed: int) -> int | None:
        """The number of the model to train next; None for new random weights.

        Algorithm 2, lines 5-11 and 12-16; the model that comes of it gets the next number.
        """
        made = len(candidates)
        if made >= self.start_models:
            return select_online(candidates, self, seed)
        return made - 1 if made % (1 + self.start_epochs) else None


def select_online(candidates: Sequence[Candidate], schedule: Schedule, seed: int) -> int:
    """The model that the main phase trains next: one with E < N_exp, which leaves always have."""
    counts = expansions(candidates)
    open_ones = [
        number for number, count in enumerate(counts) if count < schedule.model_expansions
    ]
    if schedule.online == PI_TEST:
        return best(candidates, open_ones)
    return Stream(seed, "online selection", len(candidates)).choice(open_ones)


def select_offline(
    candidates: Sequence[Candidate],
    criterion: str,
    *,
    training_tasks: int,
    solved_tests: Sequence[int] | None = None,
) -> int:
    """The number of the model that a criterion takes; ties go to the older one.

    `solved_tests` says for each model how many test tasks it solves, for the criterion that peeks.
    """
    if criterion not in CRITERIA:
        raise UsageError(no_such("criterion", criterion, CRITERIA))
    if not candidates:
        raise UsageError("there is no model to select yet")
    if criterion == TEST:
        if solved_tests is None:
            raise UsageError(f"the criterion {TEST!r} needs test tasks")
        return max(range(len(candidates)), key=lambda n: (solved_tests[n], -n))
    if criterion == EARLY:
        return _early(candidates, training_tasks)
    return _OFFLINE[criterion](candidates)


def _early(candidates: Sequence[Candidate], training_tasks: int) -> int:
    """The first model that ends so many epochs of one line with all training tasks solved."""
    in_a_row: list[int] = []
    for candidate in candidates:
        solves_all = candidate.solved_training == training_tasks
        before = 0 if candidate.parent is None else in_a_row[candidate.parent]
        in_a_row.append(before + 1 if solves_all else 0)
        if in_a_row[-1] >= EARLY_EPOCHS:
            return candidate.number
    return len(candidates) - 1


def _least_loss(candidates: Sequence[Candidate]) -> int:
    losses = [(c.loss, c.number) for c in candidates if c.loss is not None]
    return min(losses)[1] if losses else 0


def _most_solved(candidates: Sequence[Candidate]) -> int:
    return max(range(len(candidates)), key=lambda n: (candidates[n].solved_validation, -n))


_OFFLINE: dict[str, Callable[[Sequence[Candidate]], int]] = {
    LOSS: _least_loss,
    SOLVED: _most_solved,
    PI_TEST: best,
}
