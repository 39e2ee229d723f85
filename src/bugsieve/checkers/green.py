"""Checks the certificate of a green: from everywhere a policy is optimal, or solves the task.

It builds on the reader of tasks in `cost` and on `green_states`, and shares no code with the
engine. A certificate is a JSON object:

- `green` (the version), `task` (name, hash, and `unit_cost` where costs were left out),
`objective` (quantitative or qualitative), `policy`, `step_limit`; - `states` and `with_plan`: how
many states are reachable, and from how many a plan exists; - `columns`: bytes, compressed by zlib
and written in base64, where a column of numbers has first   the most significant bytes of all of
them, and as few bytes for each as the largest one needs:   `states` in ascending order
(`green_states` says how they are written); `lost`, 1 for a state   without a plan, else 0; and,
for each other state that is not a goal, `costs` of the cheapest plan   (not where the objective is
qualitative), the policy's `actions` and its `steps` to the goal.   Of a policy that follows plans,
`lengths` and `operators` of its plans stand instead of the   last two.

What the policy does is taken as claimed. The rest is proven:

1. The states are exactly those that the initial state reaches; it is not lost itself.
2. No operator leads from a lost state to one that is not, and no goal is lost: so the lost states
   have no plan. No operator makes the cost fall by more than it costs, and the cost of goals is
   0: so no plan is cheaper than the cost of its state.
3. The policy's action leads to a state that is not lost, attains the cost, and leaves one step
   less to go, at first at most `step_limit`: so its run ends in the goal, at the least cost. Costs
   alone would not prove that: going round in a circle of cost zero attains all of them.

`python -I -m bugsieve.checkers.green TASK.sas GREEN.json` checks a file.
"""

from __future__ import annotations

import base64
import binascii
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

from bugsieve.checkers.cost import CertificateError, Task, read_json, read_task, visible
from bugsieve.checkers.green_states import Moves, StateTable, joined, width_of

VERSION = 1
MOST_STATES = 1_000_000
MOST_PLAN_STEPS = 1 << 23
"""Of all plans of a policy that follows plans."""
MOST_BYTES = 1 << 26
"""Of a column."""
MOST_FILE_BYTES = 1 << 28

_WIDEST = 8
_OBJECTIVES = ("quantitative", "qualitative")
_KEYS = ("green", "task", "objective", "policy", "step_limit", "states", "with_plan", "columns")
_TASK_KEYS = ("name", "sha256")
_STEPPING, _PLANNING = ("actions", "steps"), ("lengths", "operators")

Poll = Callable[[], None]


class Green(NamedTuple):
    """The content of an accepted certificate."""

    states: int
    with_plan: int
    objective: str
    policy: str


def check_green(
    sas_text: str, certificate: Mapping[str, Any], *, poll: Poll = lambda: None
) -> Green:
    """Return what the certificate proves of the policy, else raise CertificateError.

    `poll` is called on the way, again and again; it may raise to end the work.
    """
    head = _read_head(certificate)
    if sha256(sas_text.encode("utf-8", "surrogatepass")).hexdigest() != head.digest:
        _fail("the certificate belongs to another task: the SHA-256 of the text differs")
    if head.states > MOST_STATES:
        _fail(f"the certificate has {head.states} states, more than the checker takes")
    task = read_task(sas_text, poll)
    if head.unit_cost and task.uses_costs:
        _fail("the certificate has every operator cost 1, but the task has costs of its own")
    states = _content(head.columns["states"], "states", head.states * width_of(task))
    _Proof(task, head, StateTable(task, head.states, states), poll).check()
    return Green(head.states, head.with_plan, head.objective, head.policy)


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


# The content of the certificate.


class _Head(NamedTuple):
    digest: str
    unit_cost: bool
    objective: str
    policy: str
    step_limit: int
    states: int
    with_plan: int
    columns: dict[str, str]


def _read_head(certificate: Any) -> _Head:
    whole = _mapping(certificate, "the certificate", _KEYS)
    if type(whole["green"]) is not int or whole["green"] != VERSION:
        _fail(f"'green' must be {VERSION}, the only version of such certificates that is known")
    task = _mapping(whole["task"], "'task'", _TASK_KEYS, "unit_cost")
    if task.get("unit_cost", True) is not True:
        _fail("'unit_cost' must be true or left out")
    _text(task["name"], "the task's name")
    objective = _text(whole["objective"], "'objective'")
    if objective not in _OBJECTIVES:
        _fail(f"the objective must be {' or '.join(_OBJECTIVES)}")
    return _Head(
        digest=_text(task["sha256"], "the task's SHA-256"),
        unit_cost="unit_cost" in task,
        objective=objective,
        policy=_text(whole["policy"], "'policy'"),
        step_limit=_positive(whole["step_limit"], "'step_limit'"),
        states=_positive(whole["states"], "'states'"),
        with_plan=_positive(whole["with_plan"], "'with_plan'"),
        columns=_columns(whole["columns"], ("costs",) if objective == "quantitative" else ()),
    )


def _columns(value: Any, costs: tuple[str, ...]) -> dict[str, str]:
    is_planning = isinstance(value, Mapping) and "lengths" in value
    keys = ("states", "lost", *costs, *(_PLANNING if is_planning else _STEPPING))
    columns = _mapping(value, "'columns'", keys)
    return {key: _text(columns[key], f"the column '{key}'") for key in keys}


def _mapping(value: Any, what: str, keys: Sequence[str], *optional: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        _fail(f"{what} must be an object")
    missing = [key for key in keys if key not in value]
    if missing:
        _fail(f"{what} lacks {missing[0]!r}")
    if any(key not in keys and key not in optional for key in value):
        _fail(f"{what} has a key other than {', '.join((*keys, *optional))}")
    return value


def _text(value: Any, what: str) -> str:
    if type(value) is not str:
        _fail(f"{what} must be a text")
    return str(value)


def _positive(value: Any, what: str) -> int:
    if type(value) is not int or not 1 <= value < 2**63:
        _fail(f"{what} must be a whole number from 1 on, of at most 64 bits")
    return int(value)


# Columns.


def _content(text: str, name: str, most: int) -> bytes:
    """Return the bytes of a column, of which there may be at most so many."""
    if most > MOST_BYTES:
        _fail(f"the column '{name}' may have more bytes than the checker takes")
    decoder = zlib.decompressobj()
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        content = decoder.decompress(packed, most + 1)
    except (zlib.error, binascii.Error, UnicodeEncodeError):
        _fail(f"the column '{name}' cannot be unpacked")
    if len(content) > most:
        _fail(f"the column '{name}' is longer than the states allow")
    if not decoder.eof or decoder.unused_data:
        _fail(f"the column '{name}' is cut off, or followed by something else")
    return content


def _numbers(text: str, name: str, count: int) -> Sequence[int]:
    """Return the numbers of a column, each in as few bytes as the largest one needs."""
    content = _content(text, name, count * _WIDEST)
    if len(content) % count if count else content:
        _fail(f"the column '{name}' must have {count} numbers")
    if not count:
        return ()
    planes = [content[place : place + count] for place in range(0, len(content), count)]
    if not planes or (len(planes) > 1 and not any(planes[0])):
        _fail(f"the column '{name}' must have as few bytes as its largest number needs")
    return joined(planes)


# The proof.


class _Proof:
    def __init__(self, task: Task, head: _Head, table: StateTable, poll: Poll) -> None:
        self.task, self.head, self.table, self.poll = task, head, table, poll
        self.lost = self._read_lost()
        self.goals = bytearray(head.states)
        for row in table.rows_where(task.goal):
            self.goals[row] = 1
        self.acting = [
            row for row in range(head.states) if not (self.lost[row] or self.goals[row])
        ]
        self.values = self._read_values()
        self.prices = [o.cost if "costs" in head.columns else 0 for o in task.operators]
        self.after: list[list[int]] = [[] for _ in range(head.states)]
        """For each state its successors."""

    def check(self) -> None:
        """Return if all holds that the module says of a certificate."""
        start = self.table.row_of(self.task.initial)
        if start is None:
            _fail("the initial state is not listed")
        if self.lost[start]:
            _fail("the initial state is called lost, so nothing is said of the policy")
        for row, is_lost in enumerate(self.lost):
            if is_lost and self.goals[row]:
                _fail(f"state {row} is called lost, but is a goal")
        if "actions" in self.head.columns:
            self._check_actions()
        else:
            self._check_plans()
        self._check_reached_from(start)

    def _read_lost(self) -> bytes:
        lost = _content(self.head.columns["lost"], "lost", self.head.states)
        if len(lost) != self.head.states or lost.count(0) + lost.count(1) != len(lost):
            _fail("the column 'lost' must have a 0 or a 1 for each state")
        if lost.count(0) != self.head.with_plan:
            _fail(f"{lost.count(0)} states are not lost, where 'with_plan' says another number")
        return lost

    def _read_values(self) -> list[int]:
        """Return the cost of each state; that of lost ones is more than any step can bridge.

        Where only success counts, lost states are worth 1, others 0, and steps cost nothing.
        """
        if "costs" not in self.head.columns:
            return list(self.lost)
        costs = self._numbers("costs", len(self.acting))
        dearest = max((operator.cost for operator in self.task.operators), default=0)
        beyond = max(costs, default=0) + dearest + 1
        values = [beyond if is_lost else 0 for is_lost in self.lost]
        for row, cost in zip(self.acting, costs, strict=True):
            values[row] = cost
        return values

    def _numbers(self, name: str, count: int) -> Sequence[int]:
        return _numbers(self.head.columns[name], name, count)

    def _moves(self) -> Iterator[tuple[int, Moves]]:
        """Each operator with its steps, none of which breaks the bounds on costs."""
        for number, operator in enumerate(self.task.operators):
            self.poll()
            moves = self.table.moves(operator)
            values, price, after = self.values, self.prices[number], self.after
            for row, target in zip(*moves, strict=True):
                after[row].append(target)
                if values[row] > price + values[target]:
                    self._complain(number, row)
            yield number, moves

    def _complain(self, number: int, row: int) -> NoReturn:
        action = self.task.operators[number].action
        if self.lost[row]:
            _fail(f"{action} leads from state {row}, which is called lost, to one that is not")
        _fail(f"{action} lets the cost of state {row} fall by more than it costs")

    def _check_reached_from(self, start: int) -> None:
        reached = bytearray(self.head.states)
        reached[start] = 1
        waiting = [start]
        while waiting:
            for row in self.after[waiting.pop()]:
                if not reached[row]:
                    reached[row] = 1
                    waiting.append(row)
        if 0 in reached:
            _fail(f"state {reached.index(0)} is not reached from the initial state")

    def _check_actions(self) -> None:
        """Check that the policy's action attains the cost of each state and leaves a step less."""
        actions, steps = [-1] * self.head.states, [0] * self.head.states
        for column, name in ((actions, "actions"), (steps, "steps")):
            numbers = self._numbers(name, len(self.acting))
            for row, number in zip(self.acting, numbers, strict=True):
                column[row] = number
        left = len(self.acting)
        for number, (rows, targets) in self._moves():
            for row, target in zip(rows, targets, strict=True):
                if actions[row] == number:
                    left -= 1
                    self._check_step(row, target, self.prices[number], steps)
        if left:
            _fail(f"the policy's action is not applicable in {left} states")

    def _check_step(self, row: int, target: int, price: int, steps: Sequence[int]) -> None:
        if self.lost[target]:
            _fail(f"the policy's action leads from state {row} to a lost one")
        if self.values[row] != price + self.values[target]:
            _fail(f"the policy's action does not attain the cost of state {row}")
        # A goal has 0 steps, and lost states are excluded: only goals have the number 0.
        if steps[row] != steps[target] + 1:
            _fail(f"the steps to go from state {row} are not one more than those after the action")
        if steps[row] > self.head.step_limit:
            _fail(f"the run from state {row} is longer than the step limit")

    def _check_plans(self) -> None:
        """Check that the policy's plan leads from each state to the goal, at the state's cost."""
        leading: list[list[int]] = [[] for _ in range(self.head.states)]
        """For each state the operators that lead to its successors."""
        for number, (rows, _) in self._moves():
            for row in rows:
                leading[row].append(number)
        for row, plan in zip(self.acting, self._plans(), strict=True):
            self.poll()
            if len(plan) > self.head.step_limit:
                _fail(f"the run from state {row} is longer than the step limit")
            last = row
            for number in plan:
                if self.goals[last] or number not in leading[last]:
                    _fail(f"the plan from state {row} cannot be followed")
                last = self.after[last][leading[last].index(number)]
            if not self.goals[last]:
                _fail(f"the plan from state {row} does not end in the goal")
            if self.values[row] != sum(self.prices[number] for number in plan):
                _fail(f"the plan from state {row} does not attain its cost")

    def _plans(self) -> Iterator[Sequence[int]]:
        lengths = self._numbers("lengths", len(self.acting))
        if sum(lengths) > MOST_PLAN_STEPS:
            _fail(f"the plans have {sum(lengths)} steps, more than the checker takes")
        operators = self._numbers("operators", sum(lengths))
        place = 0
        for length in lengths:
            yield operators[place : place + length]
            place += length


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a JSON file; 0 if it is proven, else 4."""
    if len(arguments) != 2:
        print("usage: python -I -m bugsieve.checkers.green TASK.sas GREEN.json", file=sys.stderr)
        return 4
    try:
        task, certificate = map(_read_file, arguments)
        green = check_green(task, read_json(certificate))
    except (OSError, ValueError, RecursionError) as error:
        print(f"rejected: {visible(str(error))}", file=sys.stderr)
        return 4
    print(f"accepted: the policy {said_of(green)}")
    return 0


def said_of(green: Green) -> str:
    """Return what was proven, as in "is optimal from all 8 reachable states"."""
    does = "is optimal" if green.objective == "quantitative" else "solves the task"
    if green.with_plan == green.states:
        return f"{does} from all {green.states} reachable states"
    return f"{does} from the {green.with_plan} of {green.states} reachable states that have a plan"


def _read_file(name: str) -> str:
    with open(name, encoding="utf-8", newline="") as file:
        text = file.read(MOST_FILE_BYTES + 1)
    if len(text) > MOST_FILE_BYTES:
        _fail(f"{name} has more than {MOST_FILE_BYTES} characters")
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
