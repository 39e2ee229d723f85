from __future__ import annotations

import pytest

from bugsieve.reports.markup import Markup, element, joined
from bugsieve.reports.privacy import Veil, typed_folder, without_paths


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("</script><b>&\"'", "&lt;/script&gt;&lt;b&gt;&amp;&quot;&#x27;"),
        ("two\nlines\x1b[31m", "two\\nlines\\x1b[31m"),
        ("right\u202eleft", "right\\u202eleft"),
        ("surrogate \ud800", "surrogate \\ud800"),
        ("ü × →", "ü × →"),
    ],
)
def test_strangers_texts_stay_texts(text: str, shown: str) -> None:
    assert element("p", text) == f"<p>{shown}</p>"
    assert element("p", title=text) == f'<p title="{shown}"></p>'
    joined(text).encode()


def test_elements_hold_markup_and_leave_out_nothing() -> None:
    inner = element("b", 3, None, Markup("<i>x</i>"))
    assert inner == "<b>3<i>x</i></b>"
    assert element("li", inner, class_="a", data_step=2, id=None) == (
        '<li class="a" data-step="2"><b>3<i>x</i></b></li>'
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("policy python:/home/alice/my/policy.py:act", "policy python:policy.py:act"),
        ("cmd:/usr/bin/prog --model /srv/x/net.onnx", "cmd:prog --model net.onnx"),
        ("cannot open '/home/alice/a.txt'", "cannot open 'a.txt'"),
        ("~/secret/x.py and ~bob/x.py", "x.py and x.py"),
        ("a/b, 1/2, x / y, blocks/problem.pddl", "a/b, 1/2, x / y, blocks/problem.pddl"),
        ("G(a -> b) & c", "G(a -> b) & c"),
        ("cmd:env -C/home/alice/x python3 p.py", "cmd:env -Cx python3 p.py"),
        ("see file:///home/alice/x.py", "see x.py"),
        ("//home/alice/x.py", "x.py"),
        ("C:\\Users\\alice\\x.py", "x.py"),
        ("C:/Users/alice/x.py", "x.py"),
        ("http://host/a/b", "http://host/a/b"),
    ],
)
def test_absolute_paths_lose_all_but_their_last_name(text: str, left: str) -> None:
    assert without_paths(text) == left


def test_a_veil_also_hides_names_with_spaces_and_hosts() -> None:
    veil = Veil(["/home/al ice/code"], ["example.org:50051", "unix:/run/user/7/x"])
    assert veil("python:/home/al ice/code/p.py") == "python:p.py"
    assert veil("phrm:example.org:50051") == "phrm:HOST:50051"


def test_folders_are_shown_as_typed_but_never_absolute(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    here = Path(str(tmp_path))
    monkeypatch.chdir(here)
    assert typed_folder(Path("../runs/a")) == "../runs/a"
    assert typed_folder(here / "runs" / "a") == "runs/a"
    assert typed_folder(Path("/srv/runs/a")) == "a"
