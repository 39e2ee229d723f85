"""Drawing an instance of a built-in domain, of every kind: from options and a seed alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, TypeVar

from bugsieve.base.errors import UsageError
from bugsieve.base.names import suggest
from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, flag_name

Content = TypeVar("Content")
Content_co = TypeVar("Content_co", covariant=True)


class Generator(Protocol[Content_co]):
    """The members that each domain's module offers."""

    SUMMARY: str
    Options: type[GeneratorOptions]

    PDDL: str
    """The text of a PDDL domain from another package; ours are files."""

    def generate(self, options: Any, rng: Stream) -> Content_co:
        """Draw a problem or model; the same options and stream give the same one."""


@dataclass(frozen=True)
class Drawn(Generic[Content]):
    """A problem or model as a generator drew it, and how to draw it again."""

    content: Content
    name: str
    """Tells how it was made."""
    command: str
    """The arguments of `bugsieve generate` that make it again."""


def draw(
    domain: str, generator: Generator[Content], seed: int, parameters: Mapping[str, Any]
) -> Drawn[Content]:
    """An instance; domain, seed and parameters determine it on every machine."""
    options = _options(domain, generator.Options, parameters)
    if type(seed) is not int:
        raise UsageError(f"seed must be a whole number, got {seed!r}")
    content = generator.generate(options, Stream(seed, "domains", domain))
    return Drawn(content, _name(domain, options, seed), _command(domain, options, seed))


def _options(
    domain: str, kind: type[GeneratorOptions], parameters: Mapping[str, Any]
) -> GeneratorOptions:
    """The options of a domain with these values; UsageError for names that it does not have."""
    known = [option.name for option in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise UsageError(
                f"the domain {domain!r} has no parameter {parameter!r}"
                f"{suggest(parameter, known)}; it has {', '.join(known)}"
            )
    return kind(**parameters)


def _name(domain: str, options: GeneratorOptions, seed: int) -> str:
    """Tells the parameters that differ from the defaults, and the seed."""
    parts = [domain]
    for option in fields(options):
        value = getattr(options, option.name)
        if value != option.default:
            name = flag_name(option)
            parts.append(_switch(name, value) if isinstance(value, bool) else f"{name}-{value}")
    return "-".join([*parts, f"seed-{seed}"])


def _command(domain: str, options: GeneratorOptions, seed: int) -> str:
    """The arguments that make the instance again, also when defaults should change."""
    parts = [domain]
    for option in fields(options):
        name, value = flag_name(option), getattr(options, option.name)
        is_switch = isinstance(value, bool)
        parts.append(f"--{_switch(name, value)}" if is_switch else f"--{name} {value}")
    return " ".join([*parts, f"--seed {seed}"])


def _switch(name: str, value: bool) -> str:
    return name if value else f"no-{name}"
