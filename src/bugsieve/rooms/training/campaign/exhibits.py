"""Exhibits of reports on a training: the tree of its models, with their scores."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.campaigns.exhibits import NoExhibits, Panel, TreePanel
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.campaign.summary import TrainingSummary
from bugsieve.rooms.training.candidates import Candidate, scores


class TrainingExhibits(NoExhibits):
    """Models instead of bugs."""

    def panels(self, summary: TrainingSummary) -> Sequence[Panel]:
        """The tree of models, the one with the best score marked."""
        candidates = candidates_in(self.records)
        best = None if summary.best is None else summary.best.number
        validation = len(self.records.validation_numbers())
        shares = [float(score) for score in scores(candidates)]
        texts = [
            _text(one, share, validation, is_best=one.number == best)
            for one, share in zip(candidates, shares, strict=True)
        ]
        tested = (
            "below a model are those that were trained from it; scores are from 0 to 1, relative "
            "to the best models"
        )
        return (TreePanel("Models", [one.parent for one in candidates], texts, shares, tested),)


def _text(model: Candidate, score: float, validation: int, *, is_best: bool) -> str:
    loss = "untrained" if model.loss is None else f"loss {model.loss:.4g}"
    mark = " (the best)" if is_best else ""
    solves = f"solves {model.solved_validation} of {validation}"
    origin = "" if model.parent is None else f", from model {model.parent}"
    return f"model {model.number}{mark}: score {score:.3f}, {solves}, {loss}{origin}"
