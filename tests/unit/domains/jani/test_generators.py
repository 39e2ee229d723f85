"""Every generator of models: the same text for ever, readable, and as it was asked for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.rooms.zoo.model_domains import MODEL_DOMAINS, GeneratedModel, generate_model
from tests.unit.domains.jani.exploration import listed, made
from tests.unit.domains.jani.sizes import FINITE, LARGE, REAL, Size

ACTIONS = {
    "beluga": {"unload_beluga", "push_front_rack_1", "pop_back_rack_2", "send_to_factory"},
    "bouncing-ball": {"push", "skip"},
    "cartpole": {"left", "right"},
    "follow-car": {"accelerate", "brake"},
    "inverted-pendulum": {"rotate_left", "rotate_right", "skip"},
    "n-puzzle": {"up", "down", "left", "right"},
    "nd-blocksworld": {"move_1_to_2", "move_5_to_table"},
    "one-way-line": {"pick_up", "drop", "acc", "dec", "move", "park"},
    "two-way-line": {"pick_up", "drop", "acc", "dec", "move", "park"},
}

DIGESTS = {
    "beluga": "10fba2813647e74c",
    "bouncing-ball": "a97ea2c901926c27",
    "cartpole": "e9c858d60d053636",
    "follow-car": "f214d92c25c11b56",
    "inverted-pendulum": "4f022e8f86e2c559",
    "n-puzzle": "3a82148156edbc93",
    "nd-blocksworld": "792ed880246d838e",
    "one-way-line": "1e99df500055ba8a",
    "two-way-line": "c417604275882c04",
}

RANDOM = ("beluga", "one-way-line", "two-way-line")
"""Those whose seed matters although no start states are listed."""


def digest(name: str) -> str:
    texts = [generate_model(name, seed=seed, starts=5).text for seed in range(3)]
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", MODEL_DOMAINS)
def test_texts_are_pinned(name: str) -> None:
    """A seed that someone wrote down must give the same model on any machine, later too."""
    assert digest(name) == DIGESTS[name]


@pytest.mark.parametrize("name", MODEL_DOMAINS)
def test_seeds_differ(name: str) -> None:
    def body(seed: int, starts: int) -> str:
        document = generate_model(name, seed=seed, starts=starts).document
        return json.dumps([document["properties"], document["automata"]])

    assert len({body(seed, 3) for seed in range(5)}) == 5
    assert (len({body(seed, 0) for seed in range(5)}) > 1) == (name in RANDOM)


@pytest.mark.parametrize("name", MODEL_DOMAINS)
def test_the_file_loads_and_is_the_document(name: str, tmp_path: Path) -> None:
    generated = generate_model(name, seed=4)
    assert isinstance(generated, GeneratedModel)
    assert json.loads(generated.text) == generated.document
    path = tmp_path / "model.jani"
    path.write_text(generated.text, "utf-8")
    model = load_model(path)
    assert model.name == generated.name == f"{name}-seed-4"
    assert set(model.actions) >= ACTIONS[name]
    assert model.start_states is None


@pytest.mark.parametrize("size", [*FINITE, *REAL, *LARGE], ids=str)
def test_all_sizes_load_and_list_start_states(size: Size) -> None:
    model = made(size.domain, seed=7, starts=12, **size.parameters)
    starts = listed(model)
    assert len(starts) == 12
    assert not model.is_unsafe(starts).any()
    assert model.is_start(starts).all()
    condition = made(size.domain, seed=7, **size.parameters)
    assert condition.is_start(starts).all()


@pytest.mark.parametrize("name", MODEL_DOMAINS)
def test_lines_of_text_are_short(name: str) -> None:
    text = generate_model(name, starts=2).text
    lines = text.splitlines()
    long = [line for line in lines if len(line) > 99 and '": "' not in line]  # but for sentences
    assert not long
    assert text.endswith("}\n")


def test_models_with_mishaps_have_probabilities() -> None:
    kinds = {name: generate_model(name).document["type"] for name in MODEL_DOMAINS}
    certain = {"bouncing-ball", "cartpole", "follow-car", "inverted-pendulum"}
    assert {name for name, kind in kinds.items() if kind == "lts"} == certain
    line = generate_model("one-way-line", variant="deterministic").document
    assert line["type"] == "lts"
    assert "park" not in [action["name"] for action in line["actions"]]


OTHER_VALUES: dict[str, Any] = {
    "variant": {"one-way-line": "icy", "two-way-line": "icy", "n-puzzle": "cost"},
    "capacity": 3,
    "slots": 2,
    "dt": 0.05,
}
IN_VARIANT = {("nd-blocksworld", "time"): "time", ("n-puzzle", "limit"): "cost"}
"""Parameters that matter in a variant that is not the default."""


@pytest.mark.parametrize("name", MODEL_DOMAINS)
def test_every_parameter_has_an_effect(name: str) -> None:
    for option in fields(MODEL_DOMAINS[name].Options):
        variant = IN_VARIANT.get((name, option.name))
        base: dict[str, Any] = {"variant": variant} if variant else {}
        other: Any = OTHER_VALUES.get(option.name)
        if isinstance(other, dict):
            other = other.get(name, "time")
        if other is None:
            is_flag = isinstance(option.default, bool)
            other = not option.default if is_flag else int(str(option.default)) + 1
        plain = generate_model(name, **base).document
        varied = generate_model(name, **base | {option.name: other}).document
        parts = ("variables", "constants", "properties", "automata")
        assert [plain[part] for part in parts] != [varied[part] for part in parts], option.name


def test_names_tell_what_is_not_default() -> None:
    model = generate_model("two-way-line", seed=3, max_speed=2, loss=False, variant="icy")
    assert model.name == "two-way-line-max-speed-2-variant-icy-no-loss-seed-3"
    assert model.document["metadata"]["description"] == (
        "Made by: bugsieve generate two-way-line --length 10 --packages 5 --capacity 0 "
        "--max-speed 2 --variant icy --icy 2 --failing --no-loss --starts 0 --seed 3"
    )
    assert generate_model("bouncing-ball", dt=0.25).name == "bouncing-ball-dt-0.25-seed-0"


def test_names_are_sorted_and_new() -> None:
    assert list(MODEL_DOMAINS) == sorted(MODEL_DOMAINS)
    assert not set(MODEL_DOMAINS) & set(DOMAINS)
    for name in MODEL_DOMAINS:
        assert MODEL_DOMAINS[name].SUMMARY


def test_a_model_is_no_task() -> None:
    with pytest.raises(UsageError, match="domain 'cartpole' is for models, not for"):
        generate("cartpole")
    with pytest.raises(UsageError, match=r"no domain of models 'cartpol'.*'cartpole'"):
        generate_model("cartpol")


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("bouncing-ball", {"dt": 1}, "dt must be at most 0.9, got 1"),
        ("bouncing-ball", {"dt": "1"}, "dt must be a number, got '1'"),
        ("bouncing-ball", {"dt": True}, "dt must be a number, got True"),
        ("bouncing-ball", {"dt": float("nan")}, "dt must be at least 0.01, got nan"),
        ("cartpole", {"episodes": 0}, "episodes must be at least 1, got 0"),
        ("one-way-line", {"failing": 1}, "failing must be true or false, got 1"),
        ("one-way-line", {"variant": "x"}, "variant must be park or icy or deterministic, got x"),
        ("one-way-line", {"length": 4}, "icy must be at most 1 on a line of length 4, got 2"),
        ("n-puzzle", {"tile": 9}, "tile must be one of the 8 tiles, got 9"),
        ("n-puzzle", {"cell": 10}, "cell must be one of the 9 cells, got 10"),
        ("n-puzzle", {"cell": 1}, "tile 1 belongs into cell 1"),
        (
            "n-puzzle",
            {"variant": "cost", "failing": False},
            "the variant cost needs slides that may fail",
        ),
        ("nd-blocksworld", {"table": 5}, "table must be below the number of blocks (5), got 5"),
        (
            "two-way-line",
            {"lenght": 5},
            "the domain 'two-way-line' has no parameter 'lenght' (did you mean 'length'?); it has "
            "length, packages, capacity, max_speed, variant, icy, failing, loss, starts",
        ),
        ("beluga", {"seed": "1"}, "seed must be a whole number, got '1'"),
    ],
)
def test_sentence(name: str, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        generate_model(name, **parameters)
    assert str(caught.value) == sentence
