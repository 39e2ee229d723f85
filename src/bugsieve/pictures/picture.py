"""The base class of pictures, and which of them is for a subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from bugsieve.base.arguments import require_function
from bugsieve.base.errors import InternalError, UnsupportedError, UsageError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.pictures.scene import Scene, Subject, TaskScene, Words, words_in
from bugsieve.pictures.shapes import Drawing
from bugsieve.tasks.grounded.task import Task


class Picture(ABC):
    """Draws the states of one task or model; what it draws depends on the scene alone."""

    usage: ClassVar[str]
    """The form of its specs."""
    spec: str = ""
    """The spec that it was made from."""
    signs: ClassVar[tuple[str, ...]] = ()
    """The meanings of signs in its texts: sentences that begin with the sign."""

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        self.subject = subject
        self.argument = argument

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError where no task could make `name:argument` right."""
        if argument is not None:
            raise UsageError(f"the picture {cls.usage!r} takes no argument, but got {argument!r}")

    @classmethod
    def objection(cls, subject: Subject) -> str | None:
        """None, or why this picture cannot be drawn here: by predicates and variables alone."""
        return None

    @abstractmethod
    def draw(self, scene: Scene) -> Drawing:
        """The state of the scene."""


class TaskPicture(Picture):
    """A picture for planning tasks, by what their atoms say."""

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        assert isinstance(subject, Task)
        self.task = subject
        self.words = words_in(subject)

    @classmethod
    def objection(cls, subject: Subject) -> str | None:
        """The part that is missing in a task, in words; models have no atoms at all."""
        if not isinstance(subject, Task):
            return "it is for planning tasks, and this is a model"
        return cls.objection_to(words_in(subject))

    @classmethod
    @abstractmethod
    def objection_to(cls, words: Words) -> str | None:
        """None, or what is missing among the atoms."""

    def draw(self, scene: Scene) -> Drawing:
        """The state of the scene."""
        assert isinstance(scene, TaskScene)
        return self.draw_facts(scene)

    @abstractmethod
    def draw_facts(self, scene: TaskScene) -> Drawing:
        """The state of the scene."""


class FunctionPicture(Picture):
    """A picture that is a function of a scene."""

    usage = "a function"

    def __init__(self, subject: Subject, function: Callable[[Scene], Drawing]) -> None:
        super().__init__(subject)
        self._function = function
        self.spec = str(getattr(function, "__name__", self.usage))

    def draw(self, scene: Scene) -> Drawing:
        """The function's result, which may be anything: callers check it."""
        return self._function(scene)


AnyPicture: TypeAlias = str | Callable[[Scene], Drawing]
"""A spec, or a function that draws a scene."""

PICTURES: MemberTable[type[Picture]] = MemberTable(families.PICTURES)
GENERAL = ("graph", "bars")
"""Those for anything; the last one never objects."""


def picture_for(subject: Subject, spec: AnyPicture | None = None) -> Picture:
    """The picture of this spec, or by this function; without one the first without an objection.

    Those of other packages come first: who installs one wants it. UsageError for a name that does
    not exist, UnsupportedError where the picture objects.
    """
    if spec is None:
        return _first(subject, _by_themselves())
    if not isinstance(spec, str):
        require_function(spec, "picture", "of a scene, or a spec")
        return FunctionPicture(subject, spec)
    PICTURES.check(spec)
    name, member, argument = PICTURES.parse(spec)
    reason = member.objection(subject)
    if reason is not None:
        raise UnsupportedError(f"picture {name!r} cannot be drawn of {subject.name}: {reason}")
    return _made(member, subject, spec, argument)


def general_for(subject: Subject, *, but: Sequence[str] = ()) -> Picture:
    """The picture that draws anything of this kind, or what comes after those that failed."""
    return _first(subject, [name for name in GENERAL if name not in but])


def _by_themselves() -> list[str]:
    """The names of all pictures, those of others first and general ones last."""
    ours = families.PICTURES.builtin
    names = [*(name for name in PICTURES if name not in ours), *ours]
    return [name for name in names if name not in GENERAL] + list(GENERAL)


def _first(subject: Subject, names: Sequence[str]) -> Picture:
    for name in names:
        picture = _willing(subject, name)
        if picture is not None:
            return picture
    raise InternalError(f"no picture can be drawn of {subject.name}")


def _willing(subject: Subject, name: str) -> Picture | None:
    """The picture of this name, if it has no objection; one of others may be broken."""
    try:
        member = PICTURES[name]
        member.check_argument(None)
        return _made(member, subject, name) if member.objection(subject) is None else None
    except UsageError:  # it is nothing without an argument
        return None
    except Exception:
        if name in families.PICTURES.builtin:
            raise
        return None


def _made(
    member: type[Picture], subject: Subject, spec: str, argument: str | None = None
) -> Picture:
    made = member(subject, argument)
    made.spec = spec
    return made
