"""`phrm:HOST:PORT`, `phrm:unix:PATH`: a policy server of the published C++ tools, over gRPC.

The server brings the task. It is asked for it when we connect, before a bug counts, after every
failure and now and then: what it says of states is worth nothing once its task is another.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import TypeVar

from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.policies.asking import no_such_action
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.distributions import Distributions, Weights, checked_weights
from bugsieve.policies.fingerprints import files_fingerprint
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import FallibleBoundPolicy, PolicySettings
from bugsieve.rooms.formats.networks.protobuf import WireError
from bugsieve.rooms.formats.servers.addresses import Address
from bugsieve.rooms.formats.servers.connection import (
    NoSuchMethodError,
    ServerConnection,
    ServerError,
    ServerGoneError,
    ServerHangError,
)
from bugsieve.rooms.formats.servers.matching import OtherTaskError, match
from bugsieve.rooms.formats.servers.messages import (
    DISTRIBUTION,
    OPERATOR,
    TASK,
    Distribution,
    read_distribution,
    read_operator,
    read_task,
    state_request,
)
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task

BY_PROBABILITY = ",probabilities"
_ROUNDING = 1e-3  # by which probabilities of 32 bits may miss 1 in the sum
_QUESTIONS_PER_CHECK = 1000

Said = TypeVar("Said")


class PhrmPolicy(FallibleBoundPolicy):
    """A policy server as the published C++ tools have them, which brings its task."""

    usage = f"phrm:HOST:PORT[{BY_PROBABILITY}] or phrm:unix:PATH[{BY_PROBABILITY}]"
    examples = ()  # there is no server that everybody has

    def __init__(
        self,
        task: Task,
        address: Address,
        *,
        by_probability: bool = False,
        limits: WorkerLimits | None = None,
    ) -> None:
        suffix = BY_PROBABILITY if by_probability else ""
        super().__init__(task, f"phrm:{address.text}{suffix}")
        self._by_probability = by_probability
        self._limits = limits or WorkerLimits()
        self._connection = ServerConnection(address)
        self._unchecked = 0
        try:
            text = _task_text(self._connection, self._limits)
            self._digest = hashlib.sha256(text).hexdigest()
            self._matching = match(_task(text, address), task)
        except OtherTaskError as error:
            self.close()
            raise PolicyError(
                f"the policy server at {address.text} serves another task than {task.name}: "
                f"{error}; leave the files of the task out to test it on its own"
            ) from None
        except BaseException:
            self.close()
            raise

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is an address."""
        _parsed(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The connection."""
        return OutsideAccess(connections=(_parsed(argument)[0].text,))

    @classmethod
    def brought_task(cls, argument: str | None, settings: PolicySettings) -> Task:
        """The task that the server serves."""
        address, _ = _parsed(argument)
        with ServerConnection(address) as connection:
            return _task(_task_text(connection, settings.limits), address)

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> PhrmPolicy:
        """The server at the address, for the task that it serves."""
        address, by_probability = _parsed(argument)
        return cls(task, address, by_probability=by_probability, limits=settings.limits)

    def decide(self, states: StateArray) -> Decisions:
        """One operator per state; crashes, hangs and operators there are none as failures."""
        theirs = self._matching.states(self.task.checked_states(states))
        return Decisions.of(self._said(self._chosen, state) for state in theirs)

    def distributions(self, states: StateArray) -> Distributions:
        """The server's probabilities, if they decide; else its operators, for certain."""
        if not self._by_probability:
            return Distributions.certain(self.decide(states))
        theirs = self._matching.states(self.task.checked_states(states))
        return Distributions.of(self._said(self._weights, state) for state in theirs)

    def distributions_anew(
        self, states: StateArray, *, hash_seed: int | None = None
    ) -> Distributions:
        """The server's distributions over another connection, if its task is still the same."""
        self._connection.close()
        self._check_task()
        return self.distributions(states)

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        """The server's decisions over another connection, if its task is still the same."""
        self._connection.close()
        self._check_task()
        return self.decide(states)

    def fingerprint(self) -> str:
        """A hash of the spec and the server's task."""
        return files_fingerprint(self.spec, (), more=(self._digest,))

    def close(self) -> None:
        """End the connection; a later question makes a new one."""
        self._connection.close()

    @property
    def _name(self) -> str:
        return f"the policy server at {self._connection.address.text}"

    def _said(
        self, ask: Callable[[list[int]], Said | Failure], state: list[int]
    ) -> Said | Failure:
        self._unchecked += 1
        if self._unchecked > _QUESTIONS_PER_CHECK:
            self._check_task()
        for _ in range(2):
            try:
                return ask(state)
            except ServerHangError as error:
                self._check_task()  # a server that is stuck for good would hang in every state
                return Failure(Ending.POLICY_HANG, str(error))
            except NoSuchMethodError as error:
                raise PolicyError(f"{self._name} cannot be asked: {error}{self._hint}") from None
            except (ServerError, WireError) as error:
                self._check_task()  # it may fail because it serves another one now
                return Failure(Ending.POLICY_CRASH, str(error))
            except ServerGoneError:
                # It may have been started again, and another state may have been its end.
                self._connection.close()
                self._check_task()
        return Failure(Ending.POLICY_CRASH, "the connection broke twice in this state")

    @property
    def _hint(self) -> str:
        other = f"; '{self.spec}{BY_PROBABILITY}' asks for probabilities instead"
        return "" if self._by_probability else other

    def _chosen(self, state: list[int]) -> int | Failure:
        if self._by_probability:
            return self._ours(self._most_probable(self._distribution(state)))
        request, deadline = state_request(state), self._limits.deadline
        reply = self._connection.ask(OPERATOR, request, deadline=deadline)
        return self._ours(read_operator(reply))

    def _weights(self, state: list[int]) -> Weights | Failure:
        pairs: list[tuple[int, float]] = []
        for operator, probability in self._distribution(state):
            ours = self._ours(operator) if probability else NO_ACTION
            if isinstance(ours, Failure):
                return ours
            pairs += [(ours, probability)] if ours != NO_ACTION else []
        return checked_weights(pairs) if pairs else ()

    def _distribution(self, state: list[int]) -> Distribution:
        request, deadline = state_request(state), self._limits.deadline
        reply = self._connection.ask(DISTRIBUTION, request, deadline=deadline)
        distribution = read_distribution(reply)
        _check_distribution(distribution)
        return distribution

    def _most_probable(self, distribution: Distribution) -> int:
        best = max((probability for _, probability in distribution), default=0.0)
        near = (op for op, probability in distribution if probability >= best - self.tie_epsilon)
        return min(near, default=NO_ACTION)

    def _ours(self, operator: int) -> int | Failure:
        if operator == NO_ACTION:
            return NO_ACTION
        if not 0 <= operator < self.task.num_operators:
            return no_such_action(operator)
        return int(self._matching.operators[operator])

    def _check_task(self) -> None:
        """PolicyError if the server does not answer any more, or serves another task now."""
        self._unchecked = 0
        try:
            text = _task_text(self._connection, self._limits, patient=True)
        except PolicyError as error:
            raise PolicyError(f"{error}; what was found is kept") from None
        if hashlib.sha256(text).hexdigest() != self._digest:
            raise PolicyError(
                f"{self._name} serves another task than before: start it with the old one, or "
                "test the new one in a new folder; what was found is kept"
            )


def _parsed(argument: str | None) -> tuple[Address, bool]:
    """The address, and whether probabilities decide."""
    place = (argument or "").removesuffix(BY_PROBABILITY)
    if not place:
        raise UsageError("'phrm:' must be followed by HOST:PORT or by unix:PATH")
    return Address.parse(place), place != argument


def _task_text(
    connection: ServerConnection, limits: WorkerLimits, *, patient: bool = False
) -> bytes:
    """The task as the server has it; PolicyError with what to do if it has none."""
    name = f"the policy server at {connection.address.text}"
    try:
        deadline = limits.startup_deadline
        return read_task(connection.ask(TASK, b"", deadline=deadline, patient=patient))
    except ServerGoneError as error:
        raise PolicyError(f"{name} cannot be reached ({error}): start it first") from None
    except ServerHangError as error:
        raise PolicyError(
            f"{name} gives no answer: {error}; start it again, or allow more by --deadline"
        ) from None
    except (ServerError, WireError) as error:
        raise PolicyError(f"{name} gives no task: {error}") from None


def _task(text: bytes, address: Address) -> Task:
    """The task of the text; PolicyError if it cannot be read."""
    name = f"the task of the policy server at {address.text}"
    if b"\0" in text:
        raise PolicyError(f"{name} has a NUL byte, which no SAS text has")
    try:
        return Task(native_task(text, name), name=address.name)
    except InputError as error:
        raise PolicyError(str(error)) from None


def _check_distribution(distribution: Distribution) -> None:
    """ServerError unless these are probabilities of different operators."""
    wrong = [chance for _, chance in distribution if not 0 <= chance <= 1 + _ROUNDING]
    if wrong:
        raise ServerError(f"it answered {wrong[0]:g} as a probability")
    if len({operator for operator, _ in distribution}) < len(distribution):
        raise ServerError("it answered two probabilities for one operator")
    total = math.fsum(chance for _, chance in distribution)
    if distribution and abs(total - 1) > _ROUNDING:
        raise ServerError(f"it answered probabilities whose sum is {total:g}")
