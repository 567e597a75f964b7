"""The answer of ``headwater diff`` as text, in Markdown for a comment on a change, and in SARIF 2.1.0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from headwater_cli.privacy.answer_text import forms_text, held_text, path_text
from headwater_cli.privacy.policies.check_formats import sarif_log, sarif_remark, sarif_run, violation_text
from headwater_cli.questions.gaps import grouped
from headwater_cli.terminal.escaping import visible

Answer = Mapping[str, Any]
MOST: Final = 50
"""How many lines a part of a comment has: hosts of code refuse long ones."""
_SIDES: Final = {"base": "before: ", "head": "after: "}
_TOOL: Final = "headwater diff"


def as_text(found: Answer) -> str:
    """The change for people."""
    parts = [visible(line) for title, lines in _parts(found) for line in (f"{title}:", *_indented(lines))]
    return "\n".join([*parts, summary(found)])


def as_markdown(found: Answer) -> str:
    """The change as a comment. What producers of events have named stands in code, in which nothing is marked up."""
    parts = [f"### Lineage of this change\n\n{summary(found)}"]
    for title, lines in _parts(found):
        listed = [f"- {_code(line.strip())}" for line in lines[:MOST]]
        more = [f"- and {len(lines) - MOST:,} more"] if len(lines) > MOST else []
        parts.append("\n".join([f"**{title}**\n", *listed, *more]))
    return "\n\n".join(parts)


def as_sarif(found: Answer, policies: Path | None, head: Path) -> str:
    """New violations at the policies' lines, and what else the change does as remarks about the new events."""
    verdicts = [
        {
            **each,
            "violations": each["new"],
            "violationCount": len(each["new"]) + each["notListed"],
            "declassifications": [],
        }
        for each in found["policies"]
    ]
    run = sarif_run({"verdicts": verdicts}, policies or head, _TOOL)
    for each in found["personal"]["new"]:
        places = [each["output"]["node"], each["attribute"]["node"]]
        run["results"].append(sarif_remark(head, places, _held_text(each), level="note", kind="fail"))
    for each in found["outputs"]:
        remark = sarif_remark(head, [], _output_text(each), level="none", kind="informational")
        run["results"].append(remark)
    for text in _unknown(found):
        run["results"].append(sarif_remark(head, [], text.strip(), level="none", kind="open"))
    return sarif_log(run)


def summary(found: Answer) -> str:
    """The answer in a sentence or two."""
    new = sum(bool(each["new"]) and each["severity"] == "ERROR" for each in found["policies"])
    verdict = {
        "VIOLATED": f"This change newly violates {new} of {len(found['policies'])} policies.",
        "UNCLASSIFIED": "Nothing is classified as personal, so what this change does to personal data is not known.",
        "UNKNOWN": "It is not known whether this change violates a policy.",
        "SATISFIED": "No policy that decides is newly violated."
        if found["policies"]
        else "No policies were given.",
    }[found["outcome"]]
    known = bool(found["outputs"] or any(found["personal"].values()))
    change = "" if known else "No path of an output and no personal data in one changes, as far as is known. "
    gaps = bool(list(_unknown(found)))
    return f"{change}{verdict}" + (
        " Lineage is incomplete: there may be more than is listed." if gaps else ""
    )


def _parts(found: Answer) -> Iterator[tuple[str, list[str]]]:
    """The parts that have something to say: a title, and lines."""
    personal, policies = found["personal"], found["policies"]
    for title, lines in (
        ("Outputs", [_output_text(each) for each in found["outputs"]]),
        ("Personal data that newly reach an output", [_held_text(each) for each in personal["new"]]),
        ("Personal data that no longer reach an output", [_held_text(each) for each in personal["gone"]]),
        ("Newly violated", [line for each in policies for line in _policy_lines(each, "new")]),
        ("No longer violated", [line for each in policies for line in _policy_lines(each, "ended")]),
        ("Not known", list(_unknown(found))),
    ):
        if lines:
            yield title, lines


def _output_text(output: Answer) -> str:
    gained, lost = (", ".join(output[each]) for each in ("gained", "lost"))
    changed = "; ".join(filter(None, (gained and f"gains {gained}", lost and f"loses {lost}")))
    if output["pathsUnknown"]:
        return f"{output['name']}'s paths are not known on one side"
    return {
        "NEW": f"{output['name']} is new: {gained}",
        "GONE": f"{output['name']} is no longer written: {lost}",
        "CHANGED": f"{output['name']} {changed}",
    }[output["change"]]


def _held_text(holding: Answer) -> str:
    attribute, output = holding["attribute"], holding["output"]
    node, source = output["node"], attribute["node"]
    before = f", before as {forms_text(holding['before'])}" if holding.get("before") else ""
    return (
        f"{path_text(node)} of {node['name']} holds {path_text(source)} of {source['name']} "
        f"({', '.join(attribute['categories'])}) as {held_text(output)}{before}"
    )


def _policy_lines(policy: Answer, kind: str) -> Iterator[str]:
    severity = "" if policy["severity"] == "ERROR" else f" ({policy['severity'].lower()})"
    for each in policy[kind]:
        yield f"{policy['policy']}{severity}: {violation_text(each)}"


def _unknown(found: Answer) -> Iterator[str]:
    for side, gaps in found["incomplete"].items():
        yield from grouped(gaps, _SIDES[side])
    for each in found["policies"]:
        if each["notListed"]:
            yield f"{each['policy']}: {each['notListed']:,} violations are not listed"


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _code(text: str) -> str:
    """The text as a span of code, with a longer fence than any in it."""
    text = visible(text)
    fence = "`" * (1 + max((len(each) for each in re.findall("`+", text)), default=0))
    room = " " if "`" in text else ""
    return f"{fence}{room}{text}{room}{fence}"
