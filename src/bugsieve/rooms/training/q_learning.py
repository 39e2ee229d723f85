"""Deep Q-learning on a model: acts in many environments, learns, keeps the best network."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.interruptions import interruption_seen
from bugsieve.base.seeds import Stream
from bugsieve.rooms.formats.networks import Network
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.training.environments import (
    GOAL,
    UNSAFE,
    ActionArray,
    Environments,
    Evaluation,
    Flags,
    StartSupply,
    Transitions,
    evaluate_runs,
    random_actions,
)
from bugsieve.rooms.training.goal_distance import Potential
from bugsieve.rooms.training.learner import Layer, QLearner, QNetwork, first_layers
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.training.replay import ReplayBuffer, TransitionBatch
from bugsieve.rooms.training.scaling import Scaling
from bugsieve.rooms.training.torch_loading import repeatable, require_torch

_SCALING_STEPS = 4_000


@dataclass(frozen=True)
class TrainingStarted:
    """The results of random actions; `remark` says what could not be used."""

    random: Evaluation
    remark: str


@dataclass(frozen=True)
class Evaluated:
    """The state of the training after so many steps."""

    steps: int
    evaluation: Evaluation
    is_best: bool
    loss: float
    epsilon: float
    seconds: float


Event = TrainingStarted | Evaluated


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """The best network of a training; it takes raw values of all variables."""

    network: Network
    random: Evaluation
    """The results of random actions."""
    best: Evaluation
    best_steps: int
    """Steps after which the network was as it is here."""
    steps: int
    seconds: float
    is_interrupted: bool


def train_q(
    model: JaniModel, options: QOptions, on_event: Callable[[Event], None] | None = None
) -> TrainedNetwork:
    """Train a network; Ctrl-C ends it early with the best network so far.

    The result depends on the model, the options and the machine only.
    """
    require_torch()
    if not model.actions:
        raise UsageError(f"{model.name} has no actions, so there is nothing to learn")
    with repeatable(options.threads):
        training = _Training(model, options, on_event or (lambda event: None))
        try:
            training.run()
            is_interrupted = False
        except KeyboardInterrupt:
            interruption_seen()
            is_interrupted = True
        return training.result(is_interrupted=is_interrupted)


class _Training:
    """The state of a training."""

    def __init__(
        self, model: JaniModel, options: QOptions, on_event: Callable[[Event], None]
    ) -> None:
        self._model = model
        self._options = options
        self._on_event = on_event
        self._begin = time.monotonic()
        self._evaluation_starts = self._supply("evaluation").take(options.evaluation_runs)
        self._potential = Potential(model, self._evaluation_starts, options.progress_reward)
        self._acting = self._random("acting")
        self._drawing = self._random("replay")
        self._environments = self._new_environments("training", "outcomes")
        self._scaling = self._make_scaling()
        sizes = [model.num_variables, *options.hidden, len(model.actions)]
        self._learner = QLearner(first_layers(sizes, self._random("weights")), options)
        self._buffer = ReplayBuffer(options.buffer, sizes[0], sizes[-1])
        self._steps = 0
        self._loss = 0.0
        self._random_evaluation = self._evaluate_random()
        on_event(TrainingStarted(self._random_evaluation, self._potential.reason))
        self._best_layers = self._raw_layers()
        self._best = self._evaluate(self._best_layers)
        self._best_steps = 0
        self._tell(self._best, is_best=True)

    def run(self) -> None:
        """Train to the end."""
        options = self._options
        next_evaluation = options.evaluate_every
        while self._steps < options.steps and self._best.goal_rate < options.stop_at:
            self._act()
            if self._steps >= options.warmup and len(self._buffer) >= options.batch:
                self._loss = self._learner.update(
                    self._buffer.sample(options.batch, self._drawing)
                )
            if self._steps >= min(next_evaluation, options.steps):
                next_evaluation += options.evaluate_every
                self._look()

    def result(self, *, is_interrupted: bool) -> TrainedNetwork:
        """The best network so far."""
        return TrainedNetwork(
            _network(self._model, self._best_layers),
            self._random_evaluation,
            self._best,
            self._best_steps,
            self._steps,
            time.monotonic() - self._begin,
            is_interrupted,
        )

    def _act(self) -> None:
        """One step in all environments: greedy, or random with probability ε."""
        environments = self._environments
        states, applicable = environments.states, environments.applicable
        # Drawn for all environments, greedy or not: how many random numbers are used depends on
        # the steps alone.
        actions = random_actions(applicable, self._acting)
        is_greedy = self._acting.random(len(states)) >= self._options.epsilon(self._steps)
        greedy = self._learner.network.greedy(self._scaling.apply(states), applicable)
        taken = environments.step(np.where(is_greedy, greedy, actions).astype(np.int32))
        self._buffer.add(self._batch(taken))
        self._steps += len(states)

    def _batch(self, taken: Transitions) -> TransitionBatch:
        return TransitionBatch(
            self._scaling.apply(taken.states),
            taken.actions.astype(np.int64),
            rewards(taken, self._options, self._potential).astype(np.float32),
            self._scaling.apply(taken.successors),
            taken.applicable,
        )

    def _look(self) -> None:
        """Evaluate the network, and keep it if it is the best; of equals, the latest."""
        layers = self._raw_layers()
        evaluation = self._evaluate(layers)
        is_best = self._score(evaluation) >= self._score(self._best)
        if is_best:
            self._best_layers, self._best, self._best_steps = layers, evaluation, self._steps
        self._tell(evaluation, is_best=is_best)

    def _score(self, evaluation: Evaluation) -> float:
        return evaluation.score(self._options.goal_reward, self._options.unsafe_penalty)

    def _tell(self, evaluation: Evaluation, *, is_best: bool) -> None:
        epsilon = self._options.epsilon(self._steps)
        seconds = time.monotonic() - self._begin
        self._on_event(Evaluated(self._steps, evaluation, is_best, self._loss, epsilon, seconds))

    def _evaluate(self, layers: list[Layer]) -> Evaluation:
        network = QNetwork(layers)  # with raw inputs, as it will be written
        return self._evaluate_choices(
            lambda states, flags: network.greedy(states.astype(np.float32), flags)
        )

    def _evaluate_random(self) -> Evaluation:
        random = self._random("random actions")
        return self._evaluate_choices(lambda states, flags: random_actions(flags, random))

    def _evaluate_choices(self, choose: Callable[[Valuations, Flags], ActionArray]) -> Evaluation:
        return evaluate_runs(
            self._model,
            self._evaluation_starts,
            choose,
            episode_limit=self._options.episode_limit,
            random=self._random("evaluation"),  # the same draws in each evaluation
        )

    def _raw_layers(self) -> list[Layer]:
        first, *others = self._learner.network.layers()
        return [self._scaling.fold(*first), *others]

    def _make_scaling(self) -> Scaling:
        if not self._options.normalise:
            return Scaling.none(self._model.num_variables)
        environments = self._new_environments("scaling", "scaling")
        seen = [environments.states]
        for _ in range(-(-_SCALING_STEPS // self._options.envs)):
            actions = random_actions(environments.applicable, self._acting)
            seen.append(environments.step(actions).successors)
        return Scaling.of(self._model, np.concatenate(seen))

    def _new_environments(self, starts: str, outcomes: str) -> Environments:
        return Environments(
            self._model,
            self._supply(starts),
            self._options.envs,
            episode_limit=self._options.episode_limit,
            random=self._random(outcomes),
        )

    def _supply(self, name: str) -> StartSupply:
        seed = self._word(f"{name} starts") >> 1
        return StartSupply(self._model, StartSampler(self._model, seed))

    def _random(self, name: str) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(self._word(name)))

    def _word(self, name: str) -> int:
        return Stream(self._options.seed, "train-q", name).word()


def rewards(
    taken: Transitions, options: QOptions, potential: Callable[[Valuations], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The worth of each step: its kind of end, the step itself, and its progress."""
    # Potential-based shaping (Ng, Harada and Russell 1999): along a run these terms cancel but for
    # those of its two ends.
    progress = options.discount * potential(taken.successors) - potential(taken.states)
    ends = options.goal_reward * (taken.kinds == GOAL) - options.unsafe_penalty * (
        taken.kinds == UNSAFE
    )
    return np.asarray(ends + options.step_reward + progress)


def _network(model: JaniModel, layers: list[Layer]) -> Network:
    return Network(
        weights=tuple(weight for weight, _ in layers),
        biases=tuple(bias for _, bias in layers),
        activation="relu",
        inputs=tuple(variable.name for variable in model.variables),
        outputs=model.actions,
        filter=True,
    )
