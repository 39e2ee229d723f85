"""Models survive being bytes to the bit, and damaged bytes get a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.safetensors import read_tensors, tensor_bytes
from bugsieve.rooms.training.asnets.model import Model, Moments
from tests.unit.policies.asnets.tasks import made, noisy_weights
from tests.unit.training.asnets.lessons import blocks, gripper, grounded


def model(*, moments: bool = True) -> Model:
    grounding = grounded(gripper(2))
    weights, first, second = (noisy_weights(grounding, seed=seed) for seed in range(3))
    for _, module in second.modules():
        for array in module:
            np.abs(array, out=array)
    return Model(weights, Moments(1234, first, second) if moments else None)


@pytest.mark.parametrize("moments", [True, False])
def test_bytes_give_the_same_model(moments: bool) -> None:
    before = model(moments=moments)
    data = before.to_bytes()
    after = Model.from_bytes(data, grounded(gripper(2)).signature, name="m")
    assert after.to_bytes() == data
    assert after.weights.digest() == before.weights.digest()
    assert (after.moments is None) is not moments
    if before.moments is not None and after.moments is not None:
        assert after.moments.steps == 1234
        assert after.moments.first.digest() == before.moments.first.digest()
        assert after.moments.second.digest() == before.moments.second.digest()


def test_a_model_of_another_domain_is_refused() -> None:
    with pytest.raises(InputError, match="^m: has no tensor 'action.0.pick-up.weight'"):
        Model.from_bytes(model().to_bytes(), grounded(blocks(3)).signature, name="m")
    with pytest.raises(InputError, match="^m: "):
        Model.from_bytes(model().to_bytes(), grounded(made("satellite")).signature, name="m")


def changed(**metadata: str | None) -> bytes:
    tensors, about = read_tensors("m", model().to_bytes())
    kept = {key: value for key, value in {**about, **metadata}.items() if value is not None}
    return tensor_bytes(tensors, kept)


@pytest.mark.parametrize("steps", ["0", "-1", "many", "1" * 40, ""])
def test_steps_must_be_a_number(steps: str) -> None:
    with pytest.raises(InputError, match="^m: metadata 'steps' is"):
        Model.from_bytes(changed(steps=steps), grounded(gripper(2)).signature, name="m")


def test_moments_without_steps_and_steps_without_moments_are_refused() -> None:
    signature = grounded(gripper(2)).signature
    with pytest.raises(InputError, match="does not need"):
        Model.from_bytes(changed(steps=None), signature, name="m")
    tensors, about = read_tensors("m", model(moments=False).to_bytes())
    with pytest.raises(InputError, match="has no tensor 'first"):
        Model.from_bytes(tensor_bytes(tensors, {**about, "steps": "3"}), signature, name="m")


def test_other_files_are_refused() -> None:
    signature = grounded(gripper(2)).signature
    with pytest.raises(InputError, match="^m: is no model in training"):
        Model.from_bytes(changed(format="bugsieve asnet 1"), signature, name="m")
    tensors, about = read_tensors("m", model().to_bytes())
    tensors["second.action.0.move.bias"] = -np.ones_like(tensors["second.action.0.move.bias"])
    with pytest.raises(InputError, match="second moment below 0"):
        Model.from_bytes(tensor_bytes(tensors, about), signature, name="m")


def test_damaged_bytes_are_refused() -> None:
    data, signature = model().to_bytes(), grounded(gripper(2)).signature
    for cut in (0, 7, 20, len(data) // 2, len(data) - 1):
        with pytest.raises(InputError, match="^m: "):
            Model.from_bytes(data[:cut], signature, name="m")
    with pytest.raises(InputError, match="no finite"):
        Model.from_bytes(data[:-4] + b"\xff\xff\xff\x7f", signature, name="m")
