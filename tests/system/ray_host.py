"""Holds a Ray cluster in a process of its own, which does what lines of JSON say.

Ray reads its variables once in a process, and its threads talk into whatever is forked from it:
neither should befall the process of the tests.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Answer each line: {"add": arguments} with a node's number, {"kill": number} with it."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # what Ray prints is no answer
        from ray.cluster_utils import Cluster

        head = json.loads(sys.stdin.readline())
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        nodes: list[Any] = []
        print(json.dumps(cluster.address), file=answers, flush=True)
        for line in sys.stdin:
            order = json.loads(line)
            if "add" in order:
                nodes.append(cluster.add_node(**order["add"]))
                number = len(nodes) - 1
            else:
                number = order["kill"]
                cluster.remove_node(nodes[number], allow_graceful=False)
            print(json.dumps(number), file=answers, flush=True)
        cluster.shutdown()


if __name__ == "__main__":
    main()
