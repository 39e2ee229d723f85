"""The options of a training."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import OptionField, option, parts
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.stop_rules import StopRules, require_utf8
from bugsieve.pipeline.pool.options import MAX_NOVELTY, FuzzOptions
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.selection import PI_TEST, Schedule

QUICK_ORACLE = "bmo:100"
UNBIASED = "uniform"

TESTING = "testing of models"
"""Title of the options of commands."""

_POOL_SIZE = 50
_NOVELTY = 2
_MOST = 10**9


def _pool_options() -> FuzzOptions:
    return FuzzOptions(pool_size=_POOL_SIZE, novelty=_NOVELTY, bias=UNBIASED)


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(CampaignOptions):
    """The options of training with policy testing.

    The seed of `fuzz` is that of the whole training. The campaign keeps the tasks themselves: the
    names of their files are only for people.
    """

    kind = "training"

    policy: str = ""
    """There is none that is tested for its own sake."""
    domain: str
    training: tuple[str, ...]
    """Problem files that a teacher can solve."""
    validation: tuple[str, ...] = ()
    """Problem files on which every model is tested; they may be larger."""
    unit_cost: bool = False
    """Whether every operator costs 1, whatever the files say."""
    schedule: Schedule = field(default_factory=Schedule)
    asnets: AsnetOptions = field(default_factory=AsnetOptions)
    oracles: tuple[str, ...] = option(
        (QUICK_ORACLE,),
        "who finds bugs of models; may be repeated (bmo:100)",
        name="oracle",
        metavar="SPEC",
        group=TESTING,
        rank=3,
    )
    step_limit: int = option(
        1000, "decisions in a run of a model", most=_MOST, group=TESTING, rank=1
    )
    fuzz: FuzzOptions = field(
        default_factory=_pool_options,
        metadata=parts(
            pool_size=OptionField(
                help="test states of each validation task",
                usual=_POOL_SIZE,
                most=_MOST,
                group=TESTING,
            ),
            walk_length=OptionField(
                help="longest walk to a new one", metavar="L", most=_MOST, group=TESTING
            ),
            novelty=OptionField(
                help="a new one has a new combination of D facts; 0: any",
                usual=_NOVELTY,
                least=0,
                most=MAX_NOVELTY,
                metavar="D",
                group=TESTING,
            ),
        ),
    )
    """The pool of a validation task; it is made once, without a bias."""
    test_work: int = option(
        100_000, "decisions and expansions of a test on one task", group=TESTING, rank=2
    )
    """Decisions and expansions that the test of a model on one task may take."""
    replay_bugs: bool = option(
        False,
        "also test models on the training tasks, and learn from the plans that prove their bugs",
        group=TESTING,
        rank=4,
    )
    """Whether models are tested on training tasks, too, and learn from proofs of their bugs."""
    start_from: str | None = None
    """The folder of a training with the same start-up phase, whose models are taken over."""

    @property
    def file(self) -> str:
        """The domain."""
        return self.domain

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.training:
            raise UsageError("training needs at least one problem file to train on")
        for name in ("training", "validation"):
            files = getattr(self, name)
            twice = next((file for file in files if files.count(file) > 1), None)
            if twice is not None:
                raise UsageError(f"{twice}: is named twice among the {name} tasks")
        if self.schedule.online == PI_TEST and self.schedule.main_epochs and not self.validation:
            raise UsageError(
                "models are selected by tests on validation tasks: name some (--validate), or "
                "select at random (--online random)"
            )
        self._check_pools()
        whole_number(self.test_work, "test_work", least=1)
        if self.stop != StopRules(max_time=self.stop.max_time):
            raise UsageError("a training looks for no bugs: of the stop rules it takes max_time")
        for text in (self.domain, self.start_from or "", *self.training, *self.validation):
            require_utf8(text)
        super().__post_init__()

    def _check_pools(self) -> None:
        """Pools are the same for all models, so no model may say where they are."""
        if self.fuzz.bias != UNBIASED or self.fuzz.along_runs:
            raise UsageError(
                f"the pools of a training are the same for all models: the bias is {UNBIASED!r}, "
                "and no runs are followed"
            )
