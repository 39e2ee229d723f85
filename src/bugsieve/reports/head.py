"""The first screen: the verdict, what was tested, and what is wrong in how many cases."""

from __future__ import annotations

from collections.abc import Container, Sequence

from bugsieve.base.wording import counted, kind_in_words
from bugsieve.campaigns.verdict import CampaignResult, Tone
from bugsieve.reports.contents import CausePart, Chapter, Contents, ShownCause
from bugsieve.reports.markup import Markup, element, joined, linked
from bugsieve.reports.panels import printed, table

_SIGNS = {
    "bug": ("bug", "M4 4 L16 16 M16 4 L4 16"),
    "undecided": ("undecided", "M6 7 A4 4 0 1 1 10 11 L10 13 M10 16 L10 16.5"),
    "fine": ("fine", "M3 11 L8 16 L17 5"),
    None: ("plain", "M4 10 L16 10"),
}
"""The tone of an outcome in the style sheet, and its sign: never its colour alone."""
_FEWEST_SHOWN = 8
"""Causes that are listed before the rest is folded away; of one of several folders fewer."""
_FEWEST_OF_SEVERAL = 3
_MOST_SHOWN = 200
"""Causes that are listed at all."""


def head(contents: Contents, anchors: Container[str]) -> Markup:
    """One verdict for each folder; one of them is the title of the page.

    `anchors` are those of the causes that are on the page.
    """
    chapters = contents.chapters
    causes = [*contents.causes()]
    tag = "h1" if len(chapters) == 1 else "h2"
    title = element("h1", f"{len(chapters)} folders", class_="small") if tag == "h2" else None
    verdicts = (
        _verdict(
            one,
            f"{place}. {one.folder}" if tag == "h2" else one.folder,
            tag,
            one.printed if contents.with_output else "",
            [_cause(shown, anchors) for shown in causes if shown.chapter is one],
        )
        for place, one in enumerate(chapters, 1)
    )
    return element("header", title, *verdicts, class_="head")


def _verdict(
    chapter: Chapter, name: str, tag: str, output: str, causes: Sequence[Markup]
) -> Markup:
    tone, _ = _SIGNS[_tone(chapter.outcome)]
    return element(
        "section",
        element("p", chapter.folder, class_="folder") if tag == "h2" else None,
        element("p", _sign(chapter.outcome), _badge(chapter), class_="badge"),
        element(tag, chapter.verdict, class_="verdict"),
        *(element("p", line, class_="more") for line in chapter.more),
        element("p", chapter.tested, class_="tested"),
        _unfinished(chapter),
        printed(output) if output else None,
        _causes(causes, _FEWEST_SHOWN if tag == "h1" else _FEWEST_OF_SEVERAL),
        _each(chapter),
        class_=f"chapter-head outcome-{tone}",
        aria_label=name,
    )


def _badge(chapter: Chapter) -> str:
    """The outcome in words that go with the sign."""
    if chapter.outcome is CampaignResult.BUGS:
        causes = sum(1 + len(cause.also) for cause in chapter.causes if cause.id)
        found = counted(chapter.bugs, "bug") if chapter.bugs else "bugs for certain"
        return f"{found}, {counted(causes, 'cause')}" if causes else found
    if chapter.outcome is None:
        return " and ".join(sorted({kind_in_words(part.kind) for part in chapter.campaigns}))
    if chapter.outcome is CampaignResult.PROVEN:
        return "no bugs (proven)"
    return "no bugs found" if chapter.outcome.is_fine else chapter.outcome.word


def _tone(outcome: CampaignResult | None) -> Tone | None:
    return None if outcome is None else outcome.tone


def _sign(outcome: CampaignResult | None) -> Markup:
    sign = element("path", d=_SIGNS[_tone(outcome)][1])
    return element("svg", sign, viewBox="0 0 20 20", class_="sign", aria_hidden="true")


def _unfinished(chapter: Chapter) -> Markup | None:
    if chapter.is_finished:
        return None
    return element("p", "not finished: this is how far it was", class_="more")


def _each(chapter: Chapter) -> Markup | None:
    """The outcome of each of several campaigns, folded away."""
    if not chapter.each:
        return None
    lines = (element("p", line, class_="more") for line in chapter.missing)
    rows = table(["campaign", "what has come of it"], [*chapter.each.items()], "the campaigns")
    title = element("summary", f"one by one: {len(chapter.each)}")
    return element("details", title, *lines, rows)


def _causes(rows: Sequence[Markup], fewest: int) -> Markup | None:
    """The causes with their counts."""
    if not rows:
        return None
    first = element("ol", *rows[:fewest], class_="causes")
    if len(rows) <= fewest:
        return first
    more = element("summary", f"{len(rows) - fewest} more")
    shown = rows[fewest:_MOST_SHOWN]
    rest = element("ol", *shown, class_="causes", start=fewest + 1)
    last = f"and {len(rows) - _MOST_SHOWN} others" if len(rows) > _MOST_SHOWN else None
    return joined(first, element("details", more, rest, last))


def _cause(shown: ShownCause, anchors: Container[str]) -> Markup:
    """A cause, which leads to its example."""
    cause = shown.cause
    count = element("span", f"{cause.count} ×", class_="count") if cause.id else None
    link = linked(joined(count, " ", cause.words), shown.anchor, anchors)
    return element("li", link, _also(cause.also))


def _also(others: Sequence[CausePart]) -> Markup | None:
    if not others:
        return None
    words = "; ".join(f"{other.count} {other.words}" for other in others)
    return element("span", f" also {words}", class_="also")
