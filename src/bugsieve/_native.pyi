"""Types of the compiled core. Arrays go in and come out; nothing here prints or touches files."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

StateArray = NDArray[np.uint16]

VERSION: Final[str]
"""Version of Bugsieve this core was built for; empty in a build by hand."""

DEAD_END: Final[int]
"""Heuristic value of a state from which the relaxation cannot reach the goal (2**31 - 1)."""

NO_ACTION: Final[int]
"""Operator id that stands for "no operator" (-1)."""

HEURISTICS: Final[tuple[str, ...]]
"""Names that `Heuristic` accepts."""

SIMD: Final[str]
"""Instruction set the batch heuristics run on: "avx2" or "baseline"."""

SANITIZED: Final[bool]
"""Whether this build carries AddressSanitizer."""

class SasError(ValueError):
    """A SAS text is malformed. `args` is (line number from 1, sentence)."""

class UnsupportedSasError(ValueError):
    """A SAS text uses a feature outside our fragment. `args` is (feature, what uses it)."""

class Task:
    """An immutable grounded FDR task."""

    @staticmethod
    def from_sas(text: bytes, *, max_mask_lines: int = ...) -> Task:
        """Read a task; above `max_mask_lines`, a decision tree replaces applicability masks.

        0 always takes the tree. The answers are the same.
        """
    @property
    def num_variables(self) -> int: ...
    @property
    def num_operators(self) -> int: ...
    @property
    def uses_costs(self) -> bool: ...
    @property
    def has_conditional_effects(self) -> bool: ...
    @property
    def domain_sizes(self) -> list[int]: ...
    @property
    def variable_names(self) -> list[str]: ...
    @property
    def initial_state(self) -> StateArray: ...
    @property
    def goal(self) -> list[tuple[int, int]]: ...
    @property
    def mutex_groups(self) -> list[list[tuple[int, int]]]: ...
    @property
    def operator_names(self) -> list[str]: ...
    @property
    def operator_costs(self) -> NDArray[np.int32]: ...
    def fact_names(self, variable: int) -> list[str]: ...
    def preconditions(self, operator: int) -> list[tuple[int, int]]: ...
    def effects(self, operator: int) -> list[tuple[list[tuple[int, int]], int, int]]:
        """(conditions, variable, value) for each effect."""
    def to_sas(self, state: StateArray) -> bytes: ...
    def applicable(self, states: StateArray) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Ids of the applicable operators, ascending within each state, and n + 1 offsets."""
    def is_applicable(self, states: StateArray, operators: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Ids out of range count as not applicable."""
    def successors(self, states: StateArray, operators: NDArray[np.int32]) -> StateArray:
        """One successor per state.

        Raises ValueError naming the row that is not applicable, IndexError for an unknown id.
        """
    def all_successors(
        self, states: StateArray
    ) -> tuple[StateArray, NDArray[np.int32], NDArray[np.int64]]:
        """Every successor of every state, with operator ids and n + 1 offsets."""
    def is_goal(self, states: StateArray) -> NDArray[np.bool_]: ...
    def hashes(self, states: StateArray) -> NDArray[np.uint64]:
        """Content hashes, the same on every machine."""
    @property
    def generator_bytes(self) -> int:
        """Memory of the successor generator."""

class Heuristic:
    """Evaluates batches of states; safe to share between threads."""

    def __init__(self, task: Task, name: str) -> None: ...
    @property
    def name(self) -> str: ...
    def evaluate(self, states: StateArray) -> NDArray[np.int32]: ...
    def evaluate_preferred(
        self, states: StateArray
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Values, preferred operators (ascending within each state) and offsets; hff only."""

class PathDistances:
    """h^FF from states to other states, with one exploration for all targets of a source."""

    def __init__(self, task: Task) -> None: ...
    def hff(
        self, sources: StateArray, targets: StateArray, offsets: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """The distance to each target; those of source i are offsets[i] to offsets[i + 1].

        The value is that of h^FF in the task whose goal is the target.
        """

class NoDominanceError(ValueError):
    """Why a task has no dominance function."""

class Dominance:
    """A dominance function; states and operators are those of the whole task."""

    @staticmethod
    def compute(
        task: Task,
        max_transitions: int,
        max_states: int,
        tau: str,
        floor: int,
        max_work: int,
        max_bytes: int,
    ) -> Dominance:
        """Compute it; -1: no limit, or the usual floor."""

    @staticmethod
    def load(task: Task, saved: NDArray[np.int32]) -> Dominance:
        """From what `saved` gave; ValueError if it is not of this task."""

    @staticmethod
    def objection(task: Task) -> str:
        """Why there is none, as far as can be seen at once; empty if nothing is in the way."""

    def saved(self) -> NDArray[np.int32]: ...
    @property
    def blocks(self) -> list[list[int]]: ...
    @property
    def cut(self) -> int:
        """Which limits were met: 1 merging, 2 memory, 4 walks, 8 the fix-point."""

    @property
    def truncated(self) -> int: ...
    @property
    def work(self) -> int: ...
    def places(self, states: StateArray) -> NDArray[np.int32]: ...
    def table(self, factor: int) -> NDArray[np.float64]: ...
    def states(self, factor: int) -> StateArray: ...
    def goal_distances(self, factor: int) -> NDArray[np.int32]: ...
    def between(self, sources: StateArray, targets: StateArray) -> NDArray[np.float64]: ...
    def rowwise(self, sources: StateArray, targets: StateArray) -> NDArray[np.float64]: ...
    def replay(
        self, source: StateArray, plan: NDArray[np.int32], target: StateArray, max_steps: int
    ) -> tuple[int, ...] | None: ...

class Bounds:
    """Upper bounds on the cost of plans for all states met; cases are counted from 0."""

    def __init__(self, dominance: Dominance, lookahead: int, max_bytes: int) -> None: ...
    def learn(self, state: StateArray, run: NDArray[np.int32], policy_cost: int) -> None:
        """The next case, the operators of the policy's run, and the least the policy may need.

        -1: it fails; 0: no bound makes it a bug.
        """

    def look_ahead(self, cost_bound: int) -> tuple[int, bool]:
        """Greedy search from the last case; -1: plans of any cost.

        The states expanded, and whether that proves that no plan is cheaper than the bound.
        """

    def follow(self, way: list[int]) -> bool:
        """A way from the last case that a search has found; whether it lowers a bound."""

    def spread(self) -> None:
        """Tell all other states of the last case's bound."""

    def take_events(self) -> list[tuple[int, int]]:
        """Cases whose bounds fell below the policy's cost since the last call, with the bounds."""

    def take_ways(self) -> list[list[int]]:
        """Ways from the last case that lowered bounds since the last call."""

    def bound(self, at: int) -> int:
        """The bound of a case; -1 if there is none."""

    def plan(self, at: int) -> tuple[int, ...] | None:
        """A plan for a case that its bound promises; None if the reasons cannot be replayed."""

    @property
    def num_states(self) -> int: ...
    @property
    def num_sources(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class StateRegistry:
    """A set of packed states with ids 0, 1, 2, … in order of insertion."""

    def __init__(self, task: Task) -> None: ...
    def __len__(self) -> int: ...
    def insert(self, states: StateArray) -> NDArray[np.int64]:
        """Ids of the states, new ones added in row order."""
    def find(self, states: StateArray) -> NDArray[np.int64]:
        """Ids of the states, or -1 where a state is not registered."""
    def states(self, ids: NDArray[np.int64]) -> StateArray: ...
    @property
    def packed_bytes(self) -> int:
        """Bytes of one state that is packed into whole words."""
    @property
    def memory_bytes(self) -> int: ...

class NoveltyStore:
    """Remembers which sets of up to `depth` facts (1, 2 or 3) states have had in common.

    The novelty of a state is the size of the smallest set of its facts that no state inserted
    before had all of, and depth + 1 if there is none of up to `depth` facts.
    """

    def __init__(self, task: Task, depth: int) -> None: ...
    @property
    def depth(self) -> int: ...
    def insert(self, states: StateArray) -> NDArray[np.int8]:
        """The novelty of each row, which is then inserted, so that it counts for the next rows."""
    def novelty(self, states: StateArray) -> NDArray[np.int8]:
        """The novelty of each row; inserts nothing."""
    @property
    def memory_bytes(self) -> int: ...

class BestSuccessors:
    """Chooses operators by the heuristic values of their successors, which it remembers."""

    def __init__(
        self, task: Task, heuristic: str, *, improving: bool, max_bytes: int = ...
    ) -> None:
        """`improving`: the lowest cost plus value, among values below the state's own if possible.

        Otherwise the lowest value, whatever the cost. Values that take more than `max_bytes` are
        forgotten.
        """
    def choose(self, states: StateArray) -> NDArray[np.int32]:
        """The best operator of each state, the lowest of equals; NO_ACTION where there is none."""

class LiveSuccessors:
    """Lists the successors of states, dead ends by h^max left out if they are to be pruned."""

    def __init__(self, task: Task, *, prune_dead_ends: bool) -> None: ...
    def of(
        self, states: StateArray, max_rows: int
    ) -> tuple[StateArray, NDArray[np.int32], NDArray[np.int64]]:
        """Successors, operators and offsets of the first states, at least one.

        Stops after the state with which there are `max_rows` successors.
        """

class Draws:
    """Random numbers of a batch of walks; each depends on the keys, walk and draw alone."""

    def __init__(self, walk_key: int, draw_key: int, walks: NDArray[np.int64]) -> None: ...
    def below(
        self, rows: NDArray[np.int64], number: int, bounds: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Draw `number` of the walks in these rows: from 0 to bound - 1, equally likely."""

class Walks:
    """Walks that make their steps together; the caller weighs the successors.

    `expand` lists the successors of the next walks, `move` lets these walks go on, in turns until
    `expand` lists no walk any more. Walk i starts in row i of `starts` and makes at most
    lengths[i] steps, chosen by draw `first_draw` and the following.
    """

    def __init__(
        self,
        live: LiveSuccessors,
        draws: Draws,
        first_draw: int,
        starts: StateArray,
        lengths: NDArray[np.int64],
    ) -> None: ...
    def expand(self, max_rows: int) -> tuple[StateArray, NDArray[np.int32], NDArray[np.int64]]:
        """As `LiveSuccessors.of`, for the walks whose turn it is."""
    def move(self, weights: NDArray[np.int64], offered: NDArray[np.bool_] | None) -> None:
        """Go to one of the listed successors, each as likely as its share of the weights.

        A walk whose weights are all 0 ends. Marked successors are offered besides.
        """
    def actions(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The operators of each walk, and n + 1 offsets."""
    def offers(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], StateArray]:
        """Walk, number of actions, last action and state of each offered state.

        In the order of walks; those of a walk by steps, then by operators, its end last.
        """

SearchStatus = Literal["solved", "unsolvable", "bound", "gave-up", "expansions", "time", "memory"]

class SearchResult:
    """How a search ended.

    "unsolvable" is a proof that no plan exists; "bound" that no plan cheaper than the cost
    bound exists; "gave-up" says that an incomplete search (enforced hill-climbing, lookahead)
    ran out of states, which proves nothing; the others name the limit that was hit. `plan` is
    None unless the status is "solved".
    """

    @property
    def status(self) -> SearchStatus: ...
    @property
    def plan(self) -> list[int] | None: ...
    @property
    def cost(self) -> int | None: ...
    @property
    def expanded(self) -> int: ...
    @property
    def evaluated(self) -> int: ...
    @property
    def evaluated_before_last_layer(self) -> int:
        """Of A*: how many states it had evaluated when it first expanded one of the largest f."""
    @property
    def generated(self) -> int: ...

# Limits of -1 mean "none". Plans of cost >= cost_bound are pruned.

def astar(
    task: Task,
    state: StateArray,
    heuristic: str = ...,
    *,
    cost_bound: int = ...,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> SearchResult: ...
def greedy(
    task: Task,
    state: StateArray,
    heuristic: str = ...,
    *,
    deferred: bool = ...,
    preferred: bool = ...,
    cost_bound: int = ...,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> SearchResult: ...
def enforced_hill_climbing(
    task: Task,
    state: StateArray,
    *,
    preferred: bool = ...,
    cost_bound: int = ...,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> SearchResult: ...
def improving_path(
    task: Task,
    state: StateArray,
    heuristic: str = ...,
    *,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> SearchResult:
    """A shortest way to a state of lower value or to a goal, as the plan of a "solved" result."""

def improve_plan(
    task: Task,
    state: StateArray,
    plan: NDArray[np.int32],
    *,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> SearchResult:
    """The plan made cheaper, or as it was: always "solved".

    ValueError if the plan does not lead from the state to the goal.
    """

class Leaves:
    """States met by a lookahead, each with a cheapest way to it within the depth."""

    @property
    def states(self) -> StateArray: ...
    @property
    def costs(self) -> NDArray[np.int64]: ...
    def path(self, leaf: int) -> list[int]:
        """Operators that lead to the leaf; IndexError if there is no such leaf."""
    @property
    def is_complete(self) -> bool:
        """Whether no limit cut the lookahead short; only then is its plan a cheapest one."""

def lookahead(
    task: Task,
    state: StateArray,
    depth: int,
    *,
    cost_bound: int = ...,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> tuple[SearchResult, Leaves]:
    """Depth-first search to a depth: the cheapest plan within it, and every distinct state met.

    Goal states are leaves: the search does not go on behind them. The start is the first leaf.
    """

class ExactCosts:
    """Everything reachable from the initial state, in breadth-first order; one row per state.

    Without rows where a limit ended the exploration.
    """

    @property
    def status(self) -> str:
        """ "complete", or the limit that ended it: "expansions" (states), "time", "memory"."""
    @property
    def count(self) -> int:
        """The number of states, or of those seen before the limit."""
    @property
    def states(self) -> StateArray: ...
    @property
    def parents(self) -> NDArray[np.int64]:
        """The states from which they were first reached; -1 for the initial state."""
    @property
    def operators(self) -> NDArray[np.int32]:
        """The operators of these steps."""
    @property
    def costs(self) -> NDArray[np.int64]:
        """h*; -1 where no plan exists."""
    @property
    def best_operators(self) -> NDArray[np.int32]:
        """The first step of a cheapest plan; -1 in goals and where there is no plan."""
    @property
    def best_successors(self) -> NDArray[np.int64]:
        """The state after that step; following them ends in a goal."""

def explore_exact_costs(
    task: Task, *, max_states: int = ..., max_seconds: float = ..., max_bytes: int = ...
) -> ExactCosts:
    """All states reachable from the initial state with their h*; limits of -1 mean "none"."""

# Safety: states are rows of 64-bit words, in C order. Limits of -1 mean "none".

WordArray = NDArray[np.uint64]

SAFETY_ALGORITHMS: Final[tuple[str, ...]]
"""Names that `SafetyAnalysis` accepts."""

class TransitionSystem:
    """A non-deterministic transition system; made by its subclasses only."""

    @property
    def words(self) -> int:
        """Words of a state."""
    @property
    def num_actions(self) -> int: ...

class ExplicitSystem(TransitionSystem):
    """A graph. Its states are rows of one word, the number of a node."""

    @staticmethod
    def from_arrays(
        kinds: NDArray[np.uint8],
        state_offsets: NDArray[np.uint32],
        actions: NDArray[np.int32],
        outcome_offsets: NDArray[np.uint32],
        outcomes: NDArray[np.uint32],
        num_actions: int,
        distances: NDArray[np.float64] | None = None,
    ) -> ExplicitSystem:
        """Kinds are 0 ordinary, 1 goal, 2 unsafe.

        The choices of state s are state_offsets[s] to state_offsets[s + 1], each an action; the
        outcomes of choice c are outcome_offsets[c] to outcome_offsets[c + 1]. Actions rise within
        a state; outcomes are distinct within a choice; distances, if given, are those of the
        states from danger. ValueError if that does not hold.
        """
    @property
    def num_states(self) -> int: ...

class PolicyView:
    """The policy under test, as the core sees it; made by its subclasses only."""

class TablePolicy(PolicyView):
    """An action per node of a graph, or NO_ACTION."""

    def __init__(self, actions: NDArray[np.int32]) -> None: ...

class PythonPolicy(PolicyView):
    """A function from rows of states to as many actions; states have `words` words."""

    def __init__(self, function: Callable[[WordArray], NDArray[np.int32]], words: int) -> None: ...

class SafetyAnalysis:
    """Decides by one algorithm and for one radius (None: infinite), and remembers what it found.

    Verdicts are 1 safe, 0 not safe, -1 unknown. May be asked from any thread.
    """

    def __init__(
        self,
        system: TransitionSystem,
        policy: PolicyView | None,
        algorithm: str,
        radius: int | None,
    ) -> None: ...
    def decide(
        self,
        states: WordArray,
        *,
        max_expansions: int = ...,
        max_seconds: float = ...,
        max_bytes: int = ...,
    ) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
        """A verdict per state, and the limit reached: 0 none, 1 expansions, 2 time, 3 memory.

        Limits on expansions and time count for each state anew.
        """
    def faults(
        self,
        run: WordArray,
        *,
        max_expansions: int = ...,
        max_seconds: float = ...,
        max_bytes: int = ...,
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], WordArray]:
        """Per state: the verdict; 1 for a fault, 0 for none, -1 if unknown; the lost outcome."""
    def alternative(
        self,
        state: WordArray,
        *,
        max_expansions: int = ...,
        max_seconds: float = ...,
        max_bytes: int = ...,
    ) -> tuple[WordArray, NDArray[np.int32], NDArray[np.int32]] | None:
        """States, actions and divergences of a safe policy; None if a limit was reached.

        ValueError if the state was not found safe before.
        """
    def ranking(
        self,
        state: WordArray,
        *,
        max_expansions: int = ...,
        max_seconds: float = ...,
        max_bytes: int = ...,
    ) -> tuple[WordArray, NDArray[np.int32], NDArray[np.int32]] | None:
        """States, budgets and ranks of lost pairs; None if a limit was reached.

        ValueError if the state was not found lost before.
        """
    @property
    def num_states(self) -> int: ...
    @property
    def num_expanded(self) -> int: ...
    @property
    def num_turns(self) -> int:
        """Steps of the algorithm, of all questions."""
    @property
    def memory_bytes(self) -> int: ...

def explore_states(
    system: TransitionSystem,
    starts: WordArray,
    *,
    max_expansions: int = ...,
    max_seconds: float = ...,
    max_bytes: int = ...,
) -> tuple[int, int, int, int] | None:
    """Numbers of reachable states, of their actions and of all outcomes, and the bytes they take.

    None if a limit was reached. Unsafe states and goals have successors too.
    """

JANI_OPERATORS: Final[dict[str, int]]
"""Numbers of the operators of JANI expressions by name."""

class JaniFaultError(ValueError):
    """A model went wrong in a state.

    `args` is (kind, edge or -1, variable or -1, value, state as a tuple of floats).
    """

class JaniSystem(TransitionSystem):
    """A compiled JANI model; states are rows of float64.

    The methods here may be called from several threads at once, but an analysis needs a system of
    its own, as it runs on the system's registers.
    """

    def __init__(
        self,
        *,
        nodes: NDArray[np.int32],
        constants: list[int],
        variables: NDArray[np.uint64],
        assignments: NDArray[np.int32],
        destinations: NDArray[np.int32],
        edges: NDArray[np.int32],
        num_actions: int,
        goal: int,
        unsafe: int,
        start: int,
        distance: int = -1,
    ) -> None:
        """Rows of the tables, which refer to nodes, variables and each other by number:

        nodes: operator, three operands, those of lower number first; variables: is real, is part
        of states, lower and upper bound, first value, as 64-bit words; assignments: step,
        variable, node; destinations: probability or -1, conflict or -1, first and last
        assignment; edges, ascending by action: action, guard, first and last destination.
        """
    def copy(self) -> JaniSystem:
        """Another system that shares the model."""
    def pack(self, states: NDArray[np.float64]) -> NDArray[np.uint64]:
        """The words in which the core holds the states; ValueError for impossible values."""
    def unpack(self, words: NDArray[np.uint64]) -> NDArray[np.float64]: ...
    def is_goal(self, states: NDArray[np.float64]) -> NDArray[np.bool_]: ...
    def is_unsafe(self, states: NDArray[np.float64]) -> NDArray[np.bool_]: ...
    def is_start(self, states: NDArray[np.float64]) -> NDArray[np.bool_]: ...
    def distances(self, states: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimates of how far the states are from danger; 0 where the model has none."""
    def applicable(
        self, states: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Actions, ascending within each state, and n + 1 offsets."""
    def expand(
        self, states: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Actions and their offsets by state, outcomes and their offsets by action."""
    def observe(self, states: NDArray[np.float64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Kinds (0 ordinary, 1 goal, 2 unsafe), and a flag per state and action: 1 if applicable.

        Where a run ends, at the goal or in danger, no action is.
        """
    def step(
        self,
        states: NDArray[np.float64],
        actions: NDArray[np.int32],
        draws: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """One outcome of one action per state, picked by a draw from [0, 1).

        Edges are equally likely, the destinations of an edge as the model says. ValueError where
        the action is not applicable.
        """
    def count_outcomes(self, states: NDArray[np.float64], rounds: int) -> int:
        """Expand all states `rounds` times and keep nothing; for measurements."""

class UnsafeRuns:
    """Walks that follow a policy towards danger; remembers what the policy does.

    May be asked from any thread, but the system must belong to it alone.
    """

    def __init__(
        self,
        system: TransitionSystem,
        policy: PolicyView,
        *,
        choice: str,
        lookahead: int,
        lookahead_states: int,
        step_limit: int,
        lanes: int,
        max_bytes: int,
    ) -> None:
        """`choice` is "uniform", "greedy" or "sampling"; `lanes` walks are on their way at once.

        When what is remembered exceeds `max_bytes` it is forgotten; results do not change.
        """
    def run(
        self, starts: WordArray, numbers: NDArray[np.int64], walk_key: int, draw_key: int
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.uint64],
        NDArray[np.int32],
    ]:
        """Walk `numbers[i]` from row i of `starts`.

        Per walk: 0 unsafe, 1 exhausted, 2 loop, 3 step limit, 4 dead end, 5 no action, 6 illegal
        action; its steps; and n + 1 offsets into the states and actions of the runs into danger,
        where the last action of each is -1.
        """
    @property
    def decisions(self) -> int:
        """In how many states the policy was asked."""
    @property
    def times_forgotten(self) -> int:
        """How often the memory was full."""
    @property
    def num_states(self) -> int:
        """States remembered now."""
    @property
    def memory_bytes(self) -> int: ...

def reached_by_pairs(
    num_facts: int,
    initial: NDArray[np.int32],
    need_starts: NDArray[np.int32],
    needs: NDArray[np.int32],
    add_starts: NDArray[np.int32],
    adds: NDArray[np.int32],
    delete_starts: NDArray[np.int32],
    deletes: NDArray[np.int32],
) -> NDArray[np.uint8]:
    """Which operators forward h^2 reaches, 1 or 0; operators first delete, then add."""

class Asnet:
    """An action schema network, unrolled over the actions and facts of a task."""

    def __init__(
        self,
        task: Task,
        *,
        fact_starts: NDArray[np.int32],
        action_starts: NDArray[np.int32],
        goal: NDArray[np.bool_],
        places: NDArray[np.int32],
        predicates: list[NDArray[np.int32]],
        related: list[NDArray[np.int32]],
        operators: NDArray[np.int32],
        ranks: NDArray[np.int32],
        hidden: int,
        action_modules: Sequence[Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]],
        predicate_modules: Sequence[Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]],
        baseline: bool = ...,
        threads: int = ...,
    ) -> None:
        """As `Grounding` and `Weights` have them; `predicates` are those of the related atoms.

        ValueError where they do not fit each other. `baseline`: on instructions that every
        processor has, slower and with the same result. `threads`: how many may share a batch
        that is large enough, one by default.
        """
    def logits(self, states: NDArray[np.uint16]) -> NDArray[np.float32]:
        """One row of scores per state, whatever the states beside it."""
    def choose(self, states: NDArray[np.uint16], epsilon: float) -> NDArray[np.int32]:
        """For each state the operator of lowest rank within epsilon of the best score, or -1."""

class Network:
    """A feed-forward network of 32-bit floats with an activation between its layers; immutable.

    ValueError where layers do not fit each other, or for an activation unknown.
    """

    def __init__(
        self,
        weights: list[NDArray[np.float32]],
        biases: list[NDArray[np.float32]],
        activation: str,
    ) -> None:
        """Weights have one row per output."""
    @property
    def num_inputs(self) -> int: ...
    @property
    def num_outputs(self) -> int: ...
    def outputs(self, batch: NDArray[np.float32], *, baseline: bool = ...) -> NDArray[np.float32]:
        """One row of scores per row of inputs, whatever the rows beside it.

        `baseline`: on instructions that every processor has, slower and with the same result.
        """

class RelationalNetwork:
    """A relational graph network; immutable. ValueError where its parts do not fit each other.

    `modules` map the vectors of an atom's objects to messages, one per relation. A read-out has
    two parts, for each object and for the sum over all, or one for the maximum and the sum.
    """

    def __init__(
        self,
        *,
        width: int,
        iterations: int,
        arities: list[int],
        modules: list[Network],
        update: Network,
        value: list[Network],
        solvable: list[Network],
    ) -> None:
        """Without a read-out `solvable`, every state counts as solvable."""

class RelationalValues:
    """The values that a relational network gives to the states of a task."""

    def __init__(
        self,
        task: Task,
        network: RelationalNetwork,
        *,
        objects: int,
        relations: list[int],
        arguments: list[list[int]],
        always: list[int],
        of_values: list[list[int]],
        baseline: bool = ...,
        threads: int = ...,
        max_bytes: int = ...,
    ) -> None:
        """Relation and arguments of each atom; which of them all states have, and which a value.

        `of_values` has -1 for values that mean no atom. Values of states that take more than
        `max_bytes` are forgotten. `baseline`: on instructions that every processor has. `threads`:
        how many may share a batch that is large enough, one by default.
        """
    def of_states(self, states: StateArray) -> NDArray[np.float32]:
        """The value of each state, whatever the states beside it; remembered."""
    def of_groups(self, states: StateArray, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """The values of states whose smooth maxima are built on one maximum per group."""

class NetworkPolicy(PolicyView):
    """The greatest score decides; within epsilon of it, the lowest action.

    `inputs` are the variables the network reads, `actions` what its outputs stand for, `scales`
    has a row lower, upper, mean, range per input, or none at all.
    """

    def __init__(
        self,
        network: Network,
        system: JaniSystem,
        *,
        inputs: list[int],
        actions: list[int],
        scales: NDArray[np.float64],
        filter: bool,
        epsilon: float,
    ) -> None: ...
    def copy(self) -> NetworkPolicy:
        """Another one that shares the network: an analysis needs one of its own."""
    def choose(self, states: WordArray) -> NDArray[np.int32]:
        """The actions in packed states; may be called from several threads at once."""
