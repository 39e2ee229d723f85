"""`bugsieve serve`: offer a policy to the published C++ tools, over gRPC."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.base.current_activity import progressing
from bugsieve.base.files_and_processes.interruptions import interruption_seen
from bugsieve.base.wording import counted
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.rooms.formats.servers.service import PolicyService

DESCRIPTION = (
    "Serve a policy with its task over gRPC, as the published C++ tools (pheromone) ask for it: "
    "GetFDRTaskFD, GetFDRStateOperator and GetFDRStateOperatorsProb. Ctrl-C ends it."
)

EPILOG = f"""\
{task_arguments.POLICIES}

'bugsieve test --policy phrm:HOST:PORT' tests what is served. The connection is not encrypted, and
whoever reaches it may ask: --listen names another address than one of this machine at your risk.
Needs gRPC: pip install 'bugsieve[grpc]'.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    task_arguments.add_task_arguments(parser, required=False)
    task_arguments.add_policy_arguments(parser)
    parser.add_argument(
        "--listen",
        default="127.0.0.1:0",
        metavar="ADDRESS",
        help="HOST:PORT or unix:PATH (127.0.0.1:0: any free port of this machine, which is "
        "printed)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C, then say how much was asked."""
    from bugsieve.rooms.formats.servers.addresses import Address
    from bugsieve.rooms.formats.servers.service import PolicyService

    address = Address.parse(args.listen, listening=True)
    task_arguments.require_task(args)
    task_arguments.check_policy(args)
    task = task_arguments.load(args)
    with (
        task_arguments.make(args, task) as policy,
        PolicyService(task, policy, address) as service,
    ):
        show(f"serving {policy.spec} on {task.name} at {service.address.text}")
        try:
            with progressing(lambda: _served(service)):
                service.wait()
        except KeyboardInterrupt:  # the usual end of a server
            interruption_seen()
    show(_served(service))
    return 0


def _served(service: PolicyService) -> str:
    each = ", ".join(f"{count} {name}" for name, count in service.requests.items() if count)
    total = counted(service.requests.total(), "request")
    return f"served {total}{each and f': {each}'}"
