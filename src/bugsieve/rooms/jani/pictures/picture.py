"""The base class of pictures for models."""

from __future__ import annotations

from abc import abstractmethod

from bugsieve.pictures.picture import Picture
from bugsieve.pictures.scene import Scene, Subject
from bugsieve.pictures.shapes import Drawing
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.pictures.scene import ModelScene


class ModelPicture(Picture):
    """A picture for JANI models, by their variables."""

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        assert isinstance(subject, JaniModel)
        self.model = subject

    @classmethod
    def objection(cls, subject: Subject) -> str | None:
        """The part that is missing in a model; tasks have no variables with numbers."""
        if not isinstance(subject, JaniModel):
            return "it is for models, and this is a planning task"
        return cls.objection_to(subject)

    @classmethod
    @abstractmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """The variables that are missing, in words, or None."""

    def draw(self, scene: Scene) -> Drawing:
        """The state of the scene."""
        assert isinstance(scene, ModelScene)
        return self.draw_values(scene)

    @abstractmethod
    def draw_values(self, scene: ModelScene) -> Drawing:
        """The state of the scene."""
