"""`python:FILE.py:FUNCTION`: a picture written as a plain Python function of a scene.

It is code of the user's and runs in this process: nothing but what is typed names one.
"""

from __future__ import annotations

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.functions import (
    LoadError,
    checked_target,
    function_reach,
    is_file,
    load_function,
)
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located
from bugsieve.pictures.picture import FunctionPicture
from bugsieve.pictures.scene import Subject


class PythonPicture(FunctionPicture):
    """A Python function `f(scene)` that returns a Drawing."""

    usage = "python:MODULE:FUNCTION or python:FILE.py:FUNCTION"
    examples = ("python:bugsieve.pictures.example:draw",)

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        place, _, name = self.target(argument).rpartition(":")
        try:
            function = load_function(f"{located(place) if is_file(place) else place}:{name}")
        except LoadError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise error.__cause__ from None
            raise UsageError(f"the picture 'python:{argument}': {error}") from None
        super().__init__(subject, function)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a function; nothing is imported to find it."""
        cls.target(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """Code, and the file that holds it."""
        return function_reach(argument)

    @staticmethod
    def target(argument: str | None) -> str:
        """The function that an argument names; UsageError unless it is `place:name`."""
        return checked_target(argument, "pictures:draw")
