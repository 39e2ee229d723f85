"""`bugsieve decide`: look closely at states of a model: what can be done there, and is it safe?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.commands.shared.option_fields import add_options, part_from
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show
from bugsieve.rooms.jani import model_arguments
from bugsieve.rooms.jani.model.states_file import FORMAT, read_states
from bugsieve.rooms.safety.campaign.options import LIMITS, SafetyOptions

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.jani.model.model import JaniModel, Valuations
    from bugsieve.rooms.jani.policies.policy import ModelPolicy

DESCRIPTION = """\
Say of each state whether it is a goal, unsafe, and safe: whether some policy avoids every unsafe
state from there on. With a radius: some policy that differs from the given one at most so often
along a run."""

EPILOG = f"""\
--states FILE holds {FORMAT}

Without --states, the start states: all of them where the property lists them, else one that
satisfies the start condition, drawn by the seed.

A state is undecided if a limit came first. A choice of the policy is a fault if it may lead from
a safe state to one that is not; perhaps a fault, if a limit came first.

The exit code is 0 if any state was decided, 5 if the limits were too low for all.

--json prints one object: model, algorithm, radius (null: infinite), policy, variables, actions,
with a policy troubles (sentences on its crashes, hangs and illegal actions), and states. Each of
the states has state (values in the order of the variables), goal, unsafe, successors (lists of
states by action), safe (null if a limit came first) and limit (its name, or null). With a policy
it also has choice (an action or null) and fault: whether the policy's choice leads from a safe
state to one that is not (null if a limit came first).
"""

_NOTHING_DECIDED = 5


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    model_arguments.add_model_arguments(parser, dangers=True)
    add = parser.add_argument
    add("--states", type=Path, metavar="FILE", help="the states; start states if not given")
    add(
        "--radius",
        default="inf",
        metavar="R",
        help="how often alternatives may differ from the policy along a run, or inf (inf)",
    )
    add(
        "--algorithm",
        default="tarjan",
        metavar="NAME",
        help="tarjan, lrtdp, lao or vi (tarjan); all give the same verdicts",
    )
    add("--json", action="store_true", help="print one JSON object")
    model_arguments.add_model_policy_arguments(parser, required=False)
    add_options(parser, SafetyOptions, LIMITS)


class _Report(NamedTuple):
    """What is printed, as JSON data."""

    head: dict[str, Any]
    states: list[dict[str, Any]]
    origin: str


def run(args: argparse.Namespace) -> int:
    """Decide the states and print the verdicts."""
    from bugsieve.rooms.safety.oracles.algorithms import parse_radius
    from bugsieve.rooms.safety.oracles.registry import SafetySpec, check_safety_spec

    check_safety_spec(args.algorithm.partition(":")[0])
    if ":" in args.algorithm:
        raise UsageError(f"give the radius by --radius, not in --algorithm {args.algorithm!r}")
    spec = SafetySpec(args.algorithm, parse_radius(args.radius))
    if args.policy is not None:
        model_arguments.check_model_policy(args)
    elif spec.radius is not None:
        raise UsageError("a radius counts differences from a policy: give --policy, too")
    model = model_arguments.model_from(args)
    states, origin = _states(args, model)
    head = {
        "model": model.name,
        "algorithm": spec.algorithm,
        "radius": spec.radius,
        "policy": args.policy,
        "variables": [variable.name for variable in model.variables],
        "actions": list(model.actions),
    }
    described, troubles = _decided(args, model, states, spec.radius)
    if args.policy is not None:
        head["troubles"] = troubles
    report = _Report(head, described, origin)
    show(_as_json(report) if args.json else _as_text(report))
    return 0 if any(state["safe"] is not None for state in report.states) else _NOTHING_DECIDED


def _states(args: argparse.Namespace, model: JaniModel) -> tuple[Valuations, str]:
    """The states, and where they come from."""
    if args.states is not None:
        return read_states(args.states, model), f"states of {args.states}"
    listed = model.start_states
    if listed is not None:
        return listed, "the start states of the property"
    from bugsieve.rooms.jani.starts import StartSampler

    return StartSampler(model, args.seed).sample([0]), f"a start state, drawn by seed {args.seed}"


def _decided(
    args: argparse.Namespace, model: JaniModel, states: Valuations, radius: int | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """What there is to say of the states, and what the policy did wrong."""
    described = _described(model, states)
    with StatusLine(f"deciding {counted(len(states), 'state')}"):
        if args.policy is None:
            _add_verdicts(args, model, states, radius, described, None)
        else:
            with model_arguments.model_policy_from(args, model) as policy:
                _add_verdicts(args, model, states, radius, described, policy)
                return described, policy.troubles.sentences()
    return described, []


def _described(model: JaniModel, states: Valuations) -> list[dict[str, Any]]:
    """Flags and successors."""
    found = model.expand(states)
    outcomes = [list(model.values(outcome).values()) for outcome in found.outcomes]
    flags = zip(model.is_goal(states).tolist(), model.is_unsafe(states).tolist(), strict=True)
    described = []
    for number, (goal, unsafe) in enumerate(flags):
        successors = {}
        for k in range(found.action_offsets[number], found.action_offsets[number + 1]):
            begin, end = found.outcome_offsets[k : k + 2]
            successors[model.actions[found.actions[k]]] = outcomes[begin:end]
        values = list(model.values(states[number]).values())
        entry = {"state": values, "goal": goal, "unsafe": unsafe, "successors": successors}
        described.append(entry)
    return described


def _add_verdicts(
    args: argparse.Namespace,
    model: JaniModel,
    states: Valuations,
    radius: int | None,
    described: list[dict[str, Any]],
    policy: ModelPolicy | None,
) -> None:
    from bugsieve import _native
    from bugsieve.rooms.safety.oracles.decide import SafetyDecider

    decider = SafetyDecider(
        model.system.copy(),
        None if policy is None else policy.view(),
        algorithm=args.algorithm,
        radius=radius,
        limits=part_from(args, SafetyOptions, "limits"),
    )
    words = model.pack(states)
    try:
        verdicts = decider.decide(words)
        faults = None if policy is None else decider.faults(words)
    except _native.JaniFaultError as fault:
        raise model.finding(fault) from None
    known = {-1: None, 0: False, 1: True}
    for entry, safety, limit in zip(described, verdicts.safety, verdicts.limits, strict=True):
        entry.update(safe=known[int(safety)], limit=limit)
    if policy is None or faults is None:
        return
    found, unknown = {fault.position for fault in faults.faults}, set(faults.unknown)
    for number, action in enumerate(policy.choose(states).tolist()):
        choice = model.actions[action] if 0 <= action < len(model.actions) else None
        is_fault = None if number in unknown else number in found
        described[number].update(choice=choice, fault=is_fault)


def _as_json(report: _Report) -> str:
    """One line per state: their values one below the other would be hard to read."""
    parts = [f"  {json.dumps(key)}: {_line(value)}" for key, value in report.head.items()]
    states = ",\n".join(f"    {_line(entry)}" for entry in report.states)
    return "{\n" + ",\n".join([*parts, f'  "states": [\n{states}\n  ]']) + "\n}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _as_text(report: _Report) -> str:
    head = report.head
    radius = "∞" if head["radius"] is None else head["radius"]
    asked = "" if head["policy"] is None else f", policy {head['policy']}"
    parts = [
        f"model {head['model']}, {head['algorithm']}, radius {radius}{asked}\n{report.origin}"
    ]
    for number, entry in enumerate(report.states):
        lines = [f"state {number}: {_shown(head['variables'], entry['state'])}"]
        lines.append(f"  {_verdict(entry)}")
        lines += [f"  {line}" for line in _actions(head["variables"], entry)]
        if "choice" in entry:
            lines.append(f"  {_choice(entry, failed=bool(head['troubles']))}")
        parts.append("\n".join(lines))
    verdicts = [entry["safe"] for entry in report.states]
    parts.append(
        f"{counted(len(verdicts), 'state')}: {verdicts.count(True)} safe, "
        f"{verdicts.count(False)} lost, {verdicts.count(None)} undecided"
    )
    parts[-1] += "".join(f"\nthe policy: {sentence}" for sentence in head.get("troubles", ()))
    return "\n\n".join(parts)


def _shown(names: list[str], values: list[Any]) -> str:
    shown = (json.dumps(value) for value in values)
    return ", ".join(f"{name} = {value}" for name, value in zip(names, shown, strict=True))


def _verdict(entry: dict[str, Any]) -> str:
    flags = [name for name in ("goal", "unsafe") if entry[name]]
    if entry["safe"] is None:
        verdict = f"undecided (limit on {entry['limit']})"
    else:
        verdict = "safe" if entry["safe"] else "lost"
    return ", ".join([*flags, verdict] if flags != ["unsafe"] else ["unsafe"])


def _actions(names: list[str], entry: dict[str, Any]) -> list[str]:
    """Each action with what its outcomes change."""
    if not entry["successors"]:
        return ["no action is applicable"]
    lines = []
    for action, outcomes in entry["successors"].items():
        changes = []
        for outcome in outcomes:
            changed = [k for k, value in enumerate(outcome) if value != entry["state"][k]]
            text = _shown([names[k] for k in changed], [outcome[k] for k in changed])
            changes.append(text or "nothing changes")
        lines.append(f"{action}: {' | '.join(changes)}")
    return lines


def _choice(entry: dict[str, Any], *, failed: bool) -> str:
    if entry["choice"] is None:
        return (
            "the policy gives no action, see below" if failed else "the policy chooses no action"
        )
    if entry["choice"] not in entry["successors"]:
        return f"the policy chooses {entry['choice']}, which is not applicable"
    judged = {None: ", perhaps a fault (a limit was reached)", False: "", True: ": a fault"}
    return f"the policy chooses {entry['choice']}{judged[entry['fault']]}"
