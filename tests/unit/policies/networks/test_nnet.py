from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks import read_network
from tests.unit.policies.networks.files import nnet, random_network, write

GOOD = """// a comment
2,2,1,3,  // behind numbers
2,3,1
0
-1,-2
1,2
0.5,0,10
2,1,4
1,2
3,4
5,6
0.1
0.2
0.3
7,8,9
-1
"""


def test_a_small_file(tmp_path: Path) -> None:
    found = read_network(write(tmp_path, "net.nnet", GOOD.encode()))
    assert found.weights[0].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.biases[0].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert found.weights[1].tolist() == [[28, 32, 36]]  # times the range of the output
    assert found.biases[1].tolist() == [6]
    assert found.normalisation is not None
    assert found.normalisation.scales.tolist() == [[-1, 1, 0.5, 2], [-2, 2, 0, 1]]


def test_bounds_that_were_left_open(tmp_path: Path) -> None:
    data = nnet(random_network(2, 3, 2), means=[1, 0, 0], ranges=[2, 1, 1])
    found = read_network(write(tmp_path, "net.nnet", data))
    assert found.normalisation is not None
    assert found.normalisation.scales.tolist() == [
        [-np.inf, np.inf, 1, 2],
        [-np.inf, np.inf, 0, 1],
    ]


def test_means_of_the_inputs_alone(tmp_path: Path) -> None:
    data = nnet(random_network(2, 3, 2), means=[0, 0], ranges=[1, 1])
    assert read_network(write(tmp_path, "net.nnet", data)).normalisation is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2,2,1,3,", "2,2,1", "line 2: .* there are 3 numbers instead of 4"),
        ("2,2,1,3,", "2,2,-1,3", "line 2: .* positive whole numbers"),
        ("2,2,1,3,", "2,2,1.5,3", "line 2: .* positive whole numbers"),
        ("2,2,1,3,", "nan,2,1,3", "line 2: .* positive whole numbers"),
        ("2,2,1,3,", "1e9,2,1,3", "line 2: .* layers are more than the limit"),
        ("2,3,1\n", "2,3,3,1\n", "line 3: layer sizes: there are 4 numbers instead of 3"),
        ("2,3,1\n", "3,3,1\n", "line 3: .* begin with 3 .* has 2 inputs and 1 outputs"),
        ("2,3,1\n", "2,4,1\n", "line 12: weights of layer 0: there are 1 numbers instead of 2"),
        ("-1,-2\n", "-1,5\n", "line 6: a maximum is below its minimum"),
        ("2,1,4\n", "0,1,4\n", "line 8: .* no range 0"),
        ("2,1,4\n", "inf,1,4\n", "line 8: means and ranges must be finite"),
        ("3,4\n", "3,four\n", "line 10: weights of layer 0: 'four' is no number"),
        ("0.2\n", "", "line 14: bias of layer 0: there are 3 numbers instead of 1"),
        ("7,8,9\n-1\n", "7,8,9\n", "is truncated, the bias of layer 1 is missing"),
        ("-1\n", "-1\n5\n", "line 17: there is more than the layers"),
        ("7,8,9", "7,8,1e39", "layer 'layer 1': one of its weights is too large"),
    ],
)
def test_damaged_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    before, found, after = GOOD.rpartition(old)
    assert found
    path = write(tmp_path, "net.nnet", f"{before}{new}{after}".encode())
    with pytest.raises(InputError, match=r"net\.nnet: " + message):
        read_network(path)
