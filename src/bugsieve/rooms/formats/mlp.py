"""`mlp`: a feed-forward network, evaluated by the core."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.names import suggest
from bugsieve.policies.policy import DEFAULT_TIE_EPSILON, PolicySettings
from bugsieve.rooms.formats.networks import ACTIVATIONS, Network, read_network
from bugsieve.rooms.jani.model.model import JaniModel, Valuations, WordArray
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.jani.policies.file_argument import FilePolicy
from bugsieve.rooms.jani.policies.policy import ActionArray


class MlpPolicy(FilePolicy):
    """The action to which a neural network gives the greatest score.

    Inputs and outputs are variables and actions by name where the file names them; otherwise they
    are all of the model's, in their order. An input may also be a constant. Scores within the ε of
    all policies are ties, which go to the lowest action number.
    """

    family = "mlp"
    options: ClassVar = {"activation": ACTIVATIONS, "filter": ("yes", "no"), "layers": None}
    usage = "mlp:FILE[,activation=NAME][,filter=yes|no][,layers=NAME+NAME]"
    is_ours = True

    def __init__(
        self,
        model: JaniModel,
        network: Network,
        spec: str,
        *,
        file: str = "the network",
        filter: bool | None = None,
        tie_epsilon: float = DEFAULT_TIE_EPSILON,
    ) -> None:
        super().__init__(model, spec)
        if network.needs_activation:
            raise PolicyError(f"{file}: must say which activation is between its layers")
        self.network = network
        self._epsilon = tie_epsilon
        self.filter = next((f for f in (filter, network.filter) if f is not None), True)
        inputs, scales = _reading(model, network, file)
        outputs = _outputs(model, network, file)
        self._ends = inputs, outputs, [] if _change_nothing(scales) else scales.tolist()
        self._native = _native.NetworkPolicy(
            _native.Network(
                list(network.weights), list(network.biases), network.activation or "relu"
            ),
            model.system,
            inputs=inputs,
            actions=outputs,
            scales=scales,
            filter=self.filter,
            epsilon=tie_epsilon,
        )

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """There is such a file, and the options are known."""
        _layers(cls.parse(argument).options.get("layers"))

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> MlpPolicy:
        """The network of the file, bound to the model; without `filter`, as the file says."""
        parsed = cls.parse(argument)
        file, choice = str(parsed.path), parsed.options.get("filter")
        network = read_network(
            file,
            layers=_layers(parsed.options.get("layers")),
            activation=parsed.options.get("activation"),
        )
        return cls(
            model,
            network,
            f"{cls.family}:{argument}",
            file=file,
            filter=None if choice is None else choice == "yes",
        )

    def choose(self, states: Valuations) -> ActionArray:
        """The action of each state; NO_ACTION where none of the network's is applicable."""
        return self._choose_packed(self.model.pack(states))

    def fingerprint(self) -> str:
        """A hash of the network's numbers and of what is between its layers."""
        digest = hashlib.sha256((self.network.activation or "").encode())
        for array in (*self.network.weights, *self.network.biases):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def network_key(self) -> str:
        """A hash of all that it decides by; names count by what they name in the model."""
        network = self.network
        between = network.activation if len(network.weights) > 1 else None
        shapes = [weights.shape for weights in network.weights]
        decides = between, self.filter, *self._ends, shapes, self._epsilon
        digest = hashlib.sha256(repr(decides).encode())
        for array in (*network.weights, *network.biases):
            digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
        return digest.hexdigest()

    def view(self) -> _native.NetworkPolicy:
        """The network as the core asks it, with buffers of its own."""
        return self._native.copy()

    def _choose_packed(self, words: WordArray) -> ActionArray:
        try:
            return self._native.choose(np.ascontiguousarray(words))
        except _native.JaniFaultError as fault:
            raise self.model.finding(fault) from None


def _layers(value: str | None) -> tuple[str, ...] | None:
    """The tensors that are the layers, where a file holds those of several networks."""
    if value is None:
        return None
    layers = tuple(value.split("+"))
    if "" in layers or len(set(layers)) < len(layers):
        raise UsageError(f"the option layers of mlp is a list like first+second, not {value!r}")
    return layers


def _reading(
    model: JaniModel, network: Network, file: str
) -> tuple[list[int], NDArray[np.float64]]:
    """The variable that each input reads, and what is done to its value, if anything.

    A constant is a variable whose bounds leave it no other value.
    """
    read = _inputs(model, network, file)
    fixed = {k: float(value) for k, (_, value) in enumerate(read) if value is not None}
    scales = np.zeros((0, 4)) if network.normalisation is None else network.normalisation.scales
    if fixed:
        plain = np.tile([-np.inf, np.inf, 0.0, 1.0], (len(read), 1))
        scales = plain if network.normalisation is None else scales.copy()
        for k, value in fixed.items():
            scales[k, :2] = min(max(value, scales[k, 0]), scales[k, 1])
    return [variable for variable, _ in read], scales


def _change_nothing(scales: NDArray[np.float64]) -> bool:
    """Return true if inputs stay as they are."""
    return bool((scales == [-np.inf, np.inf, 0.0, 1.0]).all())


def _inputs(model: JaniModel, network: Network, file: str) -> list[tuple[int, Value | None]]:
    """A variable, or any variable and the value of a constant, for each input."""
    names = [variable.name for variable in model.seen_variables]
    if network.inputs is not None:
        return [_input(model, names, name, f"{file}: input {name!r}") for name in network.inputs]
    if network.num_inputs != len(names):
        raise PolicyError(
            f"{file}: layer {network.layer(0)} takes {network.num_inputs} inputs, but the model "
            f"{model.name} has {len(names)} variables, and the file names none"
        )
    return [(variable, None) for variable in range(len(names))]


def _input(
    model: JaniModel, names: Sequence[str], name: str, place: str
) -> tuple[int, Value | None]:
    # A local variable is shown with its automaton only where another has the same name.
    for candidate in (name, name.partition(".")[2]):
        if candidate in names:
            return names.index(candidate), None
    if name in model.constants and names:
        return 0, model.constants[name]
    near = suggest(name, (*names, *model.constants))
    raise PolicyError(f"{place} is no variable of the model{near}")


def _outputs(model: JaniModel, network: Network, file: str) -> list[int]:
    actions = model.actions
    if network.outputs is None:
        if network.num_outputs != len(actions):
            raise PolicyError(
                f"{file}: layer {network.layer(-1)} has {network.num_outputs} outputs, but the "
                f"model {model.name} has {len(actions)} actions, and the file names none"
            )
        return list(range(len(actions)))
    for name in network.outputs:
        if name not in actions:
            near = suggest(name, actions)
            raise PolicyError(f"{file}: output {name!r} is no action of the model{near}")
    return [actions.index(name) for name in network.outputs]
