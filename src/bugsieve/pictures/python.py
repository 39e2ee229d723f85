"""`python:FILE.py:FUNCTION`: a picture written as a plain Python function of a scene.

It is code of the user's and runs in this process: nothing but what is typed names one.
"""

from __future__ import annotations

from typing import Any

from bugsieve.basis.errors import UsageError
from bugsieve.basis.functions import LoadError, checked_target, is_file, load_function
from bugsieve.basis.reach import Reach
from bugsieve.basis.spec_folder import located
from bugsieve.pictures.picture import Picture
from bugsieve.pictures.scene import Scene, Subject
from bugsieve.pictures.shapes import Drawing


class PythonPicture(Picture):
    """A Python function `f(scene)` that returns a Drawing."""

    usage = "python:MODULE:FUNCTION or python:FILE.py:FUNCTION"
    examples = ("python:bugsieve.pictures.example:draw",)

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        place, _, name = self.target(argument).rpartition(":")
        try:
            self._function = load_function(f"{located(place) if is_file(place) else place}:{name}")
        except LoadError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise error.__cause__ from None
            raise UsageError(f"the picture 'python:{argument}': {error}") from None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a function; nothing is imported to find it."""
        cls.target(argument)

    @classmethod
    def reach(cls, argument: str | None) -> Reach:
        """Code, and the file that holds it."""
        place = (argument or "").rpartition(":")[0]
        return Reach(files=(place,) if is_file(place) else (), runs_code=True)

    @staticmethod
    def target(argument: str | None) -> str:
        """The function that an argument names; UsageError unless it is `place:name`."""
        return checked_target(argument, "pictures:draw")

    def draw(self, scene: Scene) -> Drawing:
        """What the function returns, whatever that is: callers look at it."""
        found: Any = self._function(scene)
        return found  # type: ignore[no-any-return]
