"""The first screen: the verdict, what was tested, and what is wrong in how many cases."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.basis.wording import counted, kind_in_words
from bugsieve.campaigns.summary import Outcome
from bugsieve.reports.page.contents import CausePart, Chapter, Contents
from bugsieve.reports.page.markup import Markup, element, joined
from bugsieve.reports.page.panels import printed

_SIGNS = {
    Outcome.BUG: ("bug", "M4 4 L16 16 M16 4 L4 16"),
    Outcome.UNDECIDED: ("undecided", "M6 7 A4 4 0 1 1 10 11 L10 13 M10 16 L10 16.5"),
    Outcome.FINE: ("fine", "M3 11 L8 16 L17 5"),
    None: ("plain", "M4 10 L16 10"),
}
"""How an outcome is called in the style sheet, and its sign: never its colour alone."""
_FEWEST_SHOWN = 8
"""Causes that are listed before the rest is folded away."""
_MOST_SHOWN = 200
"""Causes that are listed at all."""


def head(contents: Contents) -> Markup:
    """One verdict for each folder; one of them is the title of the page."""
    chapters = contents.chapters
    tag = "h1" if len(chapters) == 1 else "h2"
    title = element("h1", f"{len(chapters)} folders", class_="small") if tag == "h2" else None
    verdicts = (
        _verdict(one, place, tag, one.printed if contents.with_output else "")
        for place, one in enumerate(chapters, 1)
    )
    return element("header", title, *verdicts, class_="head")


def _verdict(chapter: Chapter, place: int, tag: str, output: str) -> Markup:
    name, _ = _SIGNS[chapter.outcome]
    return element(
        "section",
        element("p", _sign(chapter.outcome), _badge(chapter), class_="badge"),
        element(tag, chapter.verdict, class_="verdict"),
        *(element("p", line, class_="more") for line in chapter.more),
        element("p", chapter.tested, class_="tested"),
        _unfinished(chapter),
        printed(output) if output else None,
        _causes(chapter, place),
        class_=f"chapter-head outcome-{name}",
        aria_label=chapter.folder,
    )


def _badge(chapter: Chapter) -> str:
    """What the outcome is, in words that go with the sign."""
    if chapter.outcome is Outcome.BUG:
        causes = sum(1 + len(cause.also) for cause in chapter.causes if cause.id)
        found = counted(chapter.bugs, "bug") if chapter.bugs else "bugs for certain"
        return f"{found}, {counted(causes, 'cause')}" if causes else found
    if chapter.outcome is None:
        return " and ".join(sorted({kind_in_words(part.kind) for part in chapter.campaigns}))
    is_fine = chapter.outcome is Outcome.FINE
    return "nothing found, nothing left open" if is_fine else "undecided"


def _sign(outcome: Outcome | None) -> Markup:
    sign = element("path", d=_SIGNS[outcome][1])
    return element("svg", sign, viewBox="0 0 20 20", class_="sign", aria_hidden="true")


def _unfinished(chapter: Chapter) -> Markup | None:
    if chapter.is_finished:
        return None
    return element("p", "not finished: this is how far it was", class_="more")


def _causes(chapter: Chapter, place: int) -> Markup | None:
    """The causes with their counts; each leads to its example."""
    causes = chapter.causes
    if not causes:
        return None
    rows = [_cause(cause, f"{place}-{n}") for n, cause in enumerate(causes, 1)]
    first = element("ol", *rows[:_FEWEST_SHOWN], class_="causes")
    if len(rows) <= _FEWEST_SHOWN:
        return first
    more = element("summary", f"{len(rows) - _FEWEST_SHOWN} more")
    shown = rows[_FEWEST_SHOWN:_MOST_SHOWN]
    rest = element("ol", *shown, class_="causes", start=_FEWEST_SHOWN + 1)
    last = f"and {len(rows) - _MOST_SHOWN} others" if len(rows) > _MOST_SHOWN else None
    return joined(first, element("details", more, rest, last))


def _cause(cause: CausePart, anchor: str) -> Markup:
    count = element("span", f"{cause.count} ×", class_="count") if cause.id else None
    link = element("a", count, " ", cause.words, href=f"#cause-{anchor}")
    return element("li", link, _also(cause.also))


def _also(others: Sequence[CausePart]) -> Markup | None:
    if not others:
        return None
    words = "; ".join(f"{other.count} {other.words}" for other in others)
    return element("span", f" also {words}", class_="also")
