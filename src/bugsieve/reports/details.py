"""The part after the bugs: each campaign in figures, over time, with its options and origin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bugsieve.reports.charts import bugs_over_time
from bugsieve.reports.contents import CampaignPart, Contents
from bugsieve.reports.examples import PageBudget
from bugsieve.reports.markup import Markup, element
from bugsieve.reports.panels import pairs, panel_section


def details_section(contents: Contents, budget: PageBudget) -> Markup:
    """A part for each campaign; those that do not fit are named."""
    parts = [part for chapter in contents.chapters for part in chapter.campaigns]
    if len(parts) == 1:  # its first lines are those of the page
        known = {contents.chapters[0].verdict, *contents.chapters[0].more, parts[0].heading}
        lines = [line for line in parts[0].lines if line not in known]
        parts = [replace(parts[0], lines=lines)]
    made = [_fitting(part, budget, is_only=len(parts) == 1) for part in parts]
    return element(
        "section", element("h2", "In figures", id="figures"), *made, aria_labelledby="figures"
    )


def _fitting(part: CampaignPart, budget: PageBudget, *, is_only: bool) -> Markup:
    article = _campaign(part, is_only=is_only)
    if budget.takes(len(article.encode())):
        return article
    return element("p", f"{part.folder}: left out, --full brings it", class_="hint")


def _campaign(part: CampaignPart, *, is_only: bool) -> Markup:
    if is_only:
        return element("article", *_parts(part, "h3"), class_="campaign")
    title = element("summary", element("h3", part.name or part.folder))
    details = element("details", title, *_parts(part, "h4"))
    return element("article", details, class_="campaign")


def _parts(part: CampaignPart, heading: str) -> Iterator[Markup]:
    """All that is known of a campaign, under headings of this level."""
    yield element("ul", *(element("li", line) for line in part.lines), class_="lines")
    if part.bugs:
        seconds = [bug.seconds for bug in part.bugs]
        title = element(heading, "Bugs over time")
        yield element("section", title, bugs_over_time(seconds), class_="panel")
    for panel in part.panels:
        yield panel_section(panel, heading)
    for name, values in (("Options", part.options), ("Provenance", part.provenance)):
        yield element("section", element(heading, name), pairs(values, name), class_="panel")
