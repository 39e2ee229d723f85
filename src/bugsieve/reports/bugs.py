"""All bugs in one table, which the script can search, filter and sort."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from bugsieve.base.wording import counted
from bugsieve.reports.contents import BugLine, CampaignPart, Contents
from bugsieve.reports.examples import PageBudget
from bugsieve.reports.markup import Markup, element, joined, linked

_COLUMNS = {
    "bug": "text",
    "kind": "text",
    "what is wrong": "text",
    "cause": "number",
    "steps": "number",
    "found by": "text",
    "after": "number",
}


def bugs_section(contents: Contents, budget: PageBudget, anchors: Container[str]) -> Markup | None:
    """The table with what chooses among its rows; None where there are no bugs.

    `anchors` are those of the causes that are on the page.
    """
    parts = [part for chapter in contents.chapters for part in chapter.campaigns if part.bugs]
    if not parts:
        return None
    several = sum(len(chapter.campaigns) for chapter in contents.chapters) > 1
    causes, retold = _cause_numbers(contents, anchors), _examples(contents)
    rows, left_out = [], sum(part.bugs_left_out for part in parts)
    for part in parts:
        for bug in part.bugs:
            about = retold.get((part.folder, bug.id)) or bug.about
            row = _row(replace(bug, about=about), part, causes, several=several)
            if budget.takes(len(row.encode())):
                rows.append(row)
            else:
                left_out += 1
    note = f"{counted(left_out, 'bug')} more: --full lists all" if left_out else ""
    return element(
        "section",
        element("h2", "All bugs", id="bugs"),
        element("p", note, class_="hint") if note else None,
        _choices(),
        _table(rows, several=several),
        element("p", counted(len(rows), "bug"), id="shown", role="status", class_="hint"),
        aria_labelledby="bugs",
    )


def _cause_numbers(
    contents: Contents, anchors: Container[str]
) -> Mapping[tuple[str, str], Markup]:
    """The number of each cause, a link where it can be, by the folder of a campaign and its id."""
    found = {}
    for number, anchor, chapter, cause in contents.causes():
        link = linked(str(number), anchor, anchors)
        for one in (cause, *cause.also):
            for part in chapter.campaigns:
                found[part.folder, one.id] = link
    return found


def _examples(contents: Contents) -> Mapping[tuple[str, str], str]:
    """The words of the causes on their examples, by the folder of a campaign and the bug."""
    causes = [shown.cause for shown in contents.causes()]
    examples = [one.example for cause in causes for one in (cause, *cause.also)]
    return {(example.campaign.folder, example.bug): example.about for example in examples}


def _choices() -> Markup:
    """Hidden until the script is there to obey them."""
    search = element("label", "Search ", element("input", type="search", id="search"))
    kinds = element("label", "Kind ", element("select", id="kind"))
    causes = element("label", "Cause ", element("select", id="cause"))
    return element("div", search, kinds, causes, class_="choices", hidden="")


def _table(rows: list[Markup], *, several: bool) -> Markup:
    columns = {**({"campaign": "text"} if several else {}), **_COLUMNS}
    heads = (_head(name, how) for name, how in columns.items())
    made = element(
        "table", element("thead", element("tr", *heads)), element("tbody", *rows), id="all-bugs"
    )
    label = {"role": "group", "aria_label": "table of all bugs", "tabindex": "0"}
    return element("div", made, class_="scroll", **label)


def _head(name: str, how: str) -> Markup:
    is_number = "number" if how == "number" else None
    return element("th", name, scope="col", data_sort=how, class_=is_number)


def _row(
    bug: BugLine,
    part: CampaignPart,
    causes: Mapping[tuple[str, str], Markup],
    *,
    several: bool,
) -> Markup:
    link = causes.get((part.folder, bug.cause)) if bug.cause else None
    cells = [
        element("td", part.name or part.folder) if several else None,
        element("td", element("code", bug.id)),
        element("td", bug.kind),
        element("td", bug.about),
        element("td", link, class_="number"),
        element("td", bug.steps, class_="number"),
        element("td", ", ".join(bug.finders)),
        element("td", f"{bug.seconds:.1f} s", class_="number"),
    ]
    return element("tr", joined(*cells))
