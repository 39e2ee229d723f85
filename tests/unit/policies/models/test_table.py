"""Tables of actions with a default policy: reading, writing, moving, and files that are wrong."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ModelPolicy
from bugsieve.rooms.jani.policies.registry import check_model_spec, make_model_policy
from bugsieve.rooms.jani.policies.table import TablePolicy, write_table
from tests.unit.policies.models.lift import floors, lift, names

UPWARDS = "def choose(values, applicable):\n    return 'up' if 'up' in applicable else None\n"


def table(path: Path, **fields: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"model": "lift", "default": None, "rows": [], **fields}))
    return path


def chosen(policy: ModelPolicy, model: JaniModel, *numbers: int) -> list[str | None]:
    return names(model, policy.choose(floors(model, *numbers)).tolist())


def test_listed_states_and_no_default(tmp_path: Path) -> None:
    model = lift()
    rows = [[[1, False, 0.0], "down"], [[2, False, 0], None], [[3, True, 0.5], "up"]]
    policy = make_model_policy(f"table:{table(tmp_path / 't.json', rows=rows)}", model)
    assert isinstance(policy, TablePolicy) and len(policy) == 3
    assert chosen(policy, model, 0, 1, 2, 3, 1) == [None, "down", None, None, "down"]
    assert names(model, policy.choose(model.state([3, True, 0.5])[np.newaxis]).tolist()) == ["up"]
    assert policy.choose(floors(model, 1)[:0]).tolist() == []
    assert not policy.troubles


def test_the_default_decides_elsewhere(tmp_path: Path) -> None:
    model = lift()
    path = table(tmp_path / "t.json", default="random:3", rows=[[[2, False, 0], "down"]])
    policy = make_model_policy(f"table:{path}", model)
    expected = make_model_policy("random:3", model).choose(floors(model, *range(6)))
    expected[2] = model.actions.index("down")
    assert policy.choose(floors(model, *range(6))).tolist() == expected.tolist()
    seeded = table(tmp_path / "s.json", default="random")
    policy = make_model_policy(f"table:{seeded}", model, seed=8)
    assert isinstance(policy, TablePolicy) and policy.default is not None
    assert policy.default.spec == "random:8"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    model = lift()
    states = [model.state([2, True, 0.1]), model.state([3, False, 2]), model.state([0, True, 0])]
    choices = [(states[0], 0), (states[1], 1), (states[2], NO_ACTION), (states[0], 2)]
    path = tmp_path / "t.json"
    write_table(path, model, choices, default="random:1")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["model"] == "lift" and document["default"] == "random:1"
    assert document["rows"][0] == [[2, True, 0.1], model.actions[2]]
    policy = make_model_policy(f"table:{path}", model)
    assert policy.choose(np.array(states)).tolist() == [2, 1, NO_ACTION]
    write_table(path, model, [])
    assert json.loads(path.read_text())["rows"] == []
    assert make_model_policy(f"table:{path}", model).choose(floors(model, 1)).tolist() == [-1]


def test_a_table_moves_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the default needs lies beside the table; the folder's name has a blank."""
    model = lift()
    old, new = tmp_path / "old", tmp_path / "new one"
    old.mkdir()
    (old / "walk.py").write_text(UPWARDS)
    table(old / "inner.json", rows=[[[1, False, 0], "down"], [[2, False, 0], "down"]])
    monkeypatch.chdir(old)
    write_table("python.json", model, [], default="python:walk.py:choose")
    write_table("table.json", model, [(floors(model, 1)[0], 0)], default="table:./inner.json")
    program = f"cmd:{sys.executable} ./answer.py 'a b'"
    (old / "answer.py").write_text(ANSWER)
    write_table("cmd.json", model, [], default=program)
    shutil.move(old, new)
    monkeypatch.chdir(tmp_path)
    for name in ("python", "cmd"):
        with make_model_policy(f"table:{new / name}.json", model, trust_policy=True) as policy:
            assert chosen(policy, model, 1, 2, 5) == ["up", "up", None], policy.troubles
    policy = make_model_policy("table:new one/table.json", model)
    assert chosen(policy, model, 1, 2) == [model.actions[0], "down"]
    assert str(old) not in "".join((new / f"{n}.json").read_text() for n in ("python", "table"))


ANSWER = """
import json, sys
assert sys.argv[1] == "a b"
assert json.loads(sys.stdin.readline())["model"]["name"] == "lift"
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    batch = json.loads(line)
    actions = ["up" if "up" in state["applicable"] else None for state in batch["states"]]
    print(json.dumps({"id": batch["id"], "actions": actions}), flush=True)
"""


def test_files_elsewhere_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.py").write_text(UPWARDS)
    (tmp_path / "7").write_text("a file that is called as a seed is")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b,c.txt").write_text("")
    for spec, written in [
        ("python:walk.py:choose", f"python:{tmp_path}/walk.py:choose"),
        ("python:walk:choose", "python:walk:choose"),
        ("random:7", "random:7"),
        ("mlp:net.st,filter=no", f"mlp:{tmp_path}/net.st,filter=no"),
        ("trees:out/a.txt", "trees:{here}/a.txt"),
        ("trees:out/b,c.txt,filter=no", "trees:{here}/b,c.txt,filter=no"),
        ("random", "random"),
        ("cmd:'open", "cmd:'open"),
    ]:
        write_table("out/t.json", lift(), [], default=spec)
        assert json.loads((tmp_path / "out" / "t.json").read_text())["default"] == written


def test_troubles_and_processes_are_those_of_the_default(tmp_path: Path) -> None:
    model = lift()
    (tmp_path / "walk.py").write_text("def choose(values, applicable):\n    1 / 0\n")
    path = table(tmp_path / "t.json", default="python:{here}/walk.py:choose")
    with make_model_policy(f"table:{path}", model, trust_policy=True) as policy:
        assert chosen(policy, model, 1) == [None]
        assert policy.troubles.sentences() == [
            "policy crash in 1 answer, first: ZeroDivisionError: division by zero"
        ]


LONG = 300  # tables one behind the other, more than Python would recurse into politely


def test_tables_behind_tables(tmp_path: Path) -> None:
    model = lift()
    for number in range(LONG):
        default = f"table:{{here}}/{number + 1}.json"
        row = [[number % 4, bool(number // 4 % 2), 0], ["up", "down"][number // 8 % 2]]
        table(tmp_path / f"{number}.json", default=default, rows=[row])
    table(tmp_path / f"{LONG}.json", default=f"table:{{here}}/{LONG - 1}.json")
    with pytest.raises(InputError, match=rf"{LONG}\.json: default: the table is its own default"):
        make_model_policy(f"table:{tmp_path / '0.json'}", model)
    table(tmp_path / f"{LONG}.json", rows=[[[4, False, 0], "down"]])
    policy = make_model_policy(f"table:{tmp_path / '0.json'}", model)
    assert chosen(policy, model, 0, 3, 4) == ["up", "up", "down"]  # the outermost row counts


WRONG = [
    ({"model": "stairs"}, "model: the table is for 'stairs', not for 'lift'"),
    ({"model": 5}, "model: must be a name, but is 5"),
    ({"default": 5}, "default: must be a name, but is 5"),
    ({"default": "gredy"}, "default: there is no policy 'gredy'"),
    ({"default": "greedy:hff"}, "default: policy 'greedy' is for planning tasks"),
    ({"default": "table:"}, "'table:' must be followed by a file"),
    ({"default": "table:{here}/no.json"}, "no.json: there is no such file"),
    ({"rows": {}}, "rows: must be a list, but is an object"),
    ({"rows": [5]}, "rows[0]: must be a list, but is 5"),
    ({"rows": [[]]}, "rows[0]: must be a state and an action, but has 0 items"),
    ({"rows": [["x", "up"]]}, "rows[0][0]: must be a list of values, but is 'x'"),
    ({"rows": [[[1, False], "up"]]}, "rows[0][0]: a state has 3 values, one per variable, not 2"),
    ({"rows": [[[9, False, 0], "up"]]}, "rows[0][0]: 9 is no value of 'floor', which is int from"),
    ({"rows": [[["1", False, 0], "up"]]}, "rows[0][0]: '1' is no value of 'floor'"),
    ({"rows": [[[1, None, 0], "up"]]}, "rows[0][0]: null is no value of 'open', which is bool"),
    ({"rows": [[[1, False, "a"], "up"]]}, "rows[0][0]: 'a' is no value of 'load'"),
    ({"rows": [[[1.5, False, 0], "up"]]}, "rows[0][0]: 1.5 is no value of 'floor'"),
    ({"rows": [[[1, False, 0], "upp"]]}, "rows[0][1]: there is no action 'upp' in the model (did"),
    ({"rows": [[[1, False, 0], 0]]}, "rows[0][1]: must be a name, but is 0"),
    (
        {"rows": [[[1, False, 0], "up"], [[1, False, 0.0], "down"]]},
        "rows[1]: an earlier row has the same state and another action",
    ),
]


@pytest.mark.parametrize(("fields", "sentence"), WRONG)
def test_wrong_tables(fields: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = table(tmp_path / "t.json", **fields)
    with pytest.raises((InputError,)) as error:
        make_model_policy(f"table:{path}", lift())
    assert sentence in str(error.value)
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty, a table file was expected"),
        ("{", "line 1, column 2: is not valid JSON"),
        ('{"rows": [[[1e999, false, 0], "up"]]}', "inf is no value of 'floor'"),
        ('{"rows": [[[NaN, false, 0], "up"]]}', "NaN is no JSON number"),
        ("[]", "must be an object, but is a list"),
        ("{}", "has no 'rows'"),
    ],
)
def test_files_that_are_no_tables(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        make_model_policy(f"table:{path}", lift())
    assert sentence in str(error.value)


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder, name a file"):
        check_model_spec(f"table:{tmp_path}")


def test_forgetting_reaches_the_default(tmp_path: Path) -> None:
    model = lift()
    (tmp_path / "fickle.py").write_text(
        "calls = []\n\ndef choose(values, applicable):\n    calls.append(values)\n"
        "    return applicable[len(calls) % 2]\n"
    )
    path = table(tmp_path / "t.json", default="python:{here}/fickle.py:choose")
    with make_model_policy(f"table:{path}", model, trust_policy=True) as policy:
        first = chosen(policy, model, 1)
        assert chosen(policy, model, 1) == first
        policy.forget()
        assert chosen(policy, model, 1) != first
