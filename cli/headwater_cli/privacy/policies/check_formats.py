"""Results of ``headwater check`` as text, in SARIF 2.1.0 (OASIS) and in JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import click

from headwater_cli.privacy.answer_text import HOW, Answer, barred_text, forms_text, held_text, jobs_text
from headwater_cli.privacy.declassified import declassification_lines
from headwater_cli.questions.gaps import gap_lines, grouped
from headwater_cli.terminal.escaping import all_visible, visible
from headwater_cli.terminal.output import as_json, counted

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SIGNS = {"VIOLATED": ("✗", "red"), "UNKNOWN": ("?", "yellow"), "SATISFIED": ("✓", "green")}
_LEVELS = {"ERROR": "error", "WARNING": "warning", "NOTE": "note"}


def as_text(found: Answer) -> str:
    """Return the verdicts for people, with violations and gaps."""
    return "\n".join([*_lines(all_visible(found)), summary(found)])


def _lines(found: Answer) -> Iterator[str]:
    for verdict in found["verdicts"]:
        sign, colour = _SIGNS[verdict["outcome"]]
        severity = "" if verdict["severity"] == "ERROR" else f" ({verdict['severity'].lower()})"
        yield (
            click.style(f"{sign} {verdict['policy']}", fg=colour)
            + f": {verdict['outcome'].lower()}{severity}"
        )
        yield from (f"    {line}" for line in _violation_lines(verdict))
        if verdict["outcome"] == "UNKNOWN":
            yield from (f"    {line}" for line in grouped(verdict["incomplete"]))
        yield from (f"    {line}" for line in declassification_lines(verdict["declassifications"]))


def _violation_lines(verdict: Answer) -> Iterator[str]:
    """Yield a line for each violation, and one for those that are not listed."""
    yield from map(violation_text, verdict["violations"])
    if more := _more(verdict):
        yield more


def _more(verdict: Answer) -> str:
    """Return how many violations are not listed, or nothing."""
    more = verdict["violationCount"] - len(verdict["violations"])
    return f"and {more:,} more" if more else ""


def violation_text(violation: Answer) -> str:
    """Return what is where, in which form, by which jobs, and in which countries it may not be."""
    if violation["reidentification"]:
        return _readable_text(violation, violation["reidentification"])
    attribute, node = violation["attribute"]["node"], violation["node"]
    data, place = _place_text(attribute), _place_text(node)
    outside = f"; the dataset is in {', '.join(violation['outside'])}" if violation["outside"] else ""
    if not violation["witness"]:
        return f"{data} ({', '.join(violation['attribute']['categories'])}) is declared there{outside}"
    held = f"{held_text(violation)}, by {jobs_text(violation['witness'])}"
    return f"{place} holds {data}: {held}{outside}{_barred_text(violation)}"


def _barred_text(violation: Answer) -> str:
    """Return why no row can take the violation, and who has acknowledged that; nothing where one may."""
    barred = violation["barred"]
    if not barred:
        return ""
    accepted = barred["accepted"]
    by = f" Acknowledged by {accepted['by']}: {accepted['reason']}." if accepted else ""
    return f"; {barred_text(barred['because'])}{by}"


def _readable_text(violation: Answer, found: Answer) -> str:
    """Return of what something is a pseudonym, and what makes it readable."""
    data, pseudonym, source = (
        _place_text(each)
        for each in (violation["attribute"]["node"], found["pseudonym"]["node"], found["source"]["node"])
    )
    way = f"by {jobs_text(found['source']['witness'])}" if found["source"]["witness"] else "declared there"
    readable = f"readable by {source} ({forms_text([found['source']['form']])}, {way})"
    jobs = jobs_text(violation["witness"])
    if found["how"] != "KEY_TABLE":
        return f"{pseudonym} is a pseudonym of {data}, by {jobs}: {readable}, {HOW[found['how']]}"
    brought = _place_text(found["brought"]["node"])
    return (
        f"{_place_text(violation['node'])} are joined by {pseudonym}, a pseudonym of {data}, by {jobs}: {readable}, "
        f"in a key table from which {brought} came"
    )


def _place_text(node: Answer) -> str:
    return f"{node['label']} of {node['name']}" if node["path"] else f"the rows of {node['name']}"


def summary(found: Answer) -> str:
    """Return the numbers of policies by outcome, and what they were checked against."""
    outcomes = [verdict["outcome"] for verdict in found["verdicts"]]
    counts = (f"{outcomes.count(each)} {each.lower()}" for each in _SIGNS)
    known = found["classification"]
    policies = counted(len(outcomes), "policy", "policies")
    attributes = counted(known["attributes"], "personal attribute")
    return (
        f"{policies}: {', '.join(counts)}; {attributes} in "
        f"{known['classifiedDatasets']} of {known['datasets']} datasets, as of {found['asOf'][:19]}"
    )


def sarif(found: Answer, file: Path) -> str:
    """Return the result in SARIF; a violation is a result at the policy's line, with its routes as code flows."""
    return sarif_log(sarif_run(found, file, "headwater check"))


def sarif_log(run: Answer) -> str:
    """Return the document with this run."""
    return as_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def sarif_run(found: Answer, file: Path, tool: str) -> dict[str, Any]:
    """Return the run of a tool that has checked the policies of a file."""
    rules = [
        {
            "id": verdict["policy"],
            "shortDescription": _message(f"{verdict['policy']} ({verdict['category']})"),
            "defaultConfiguration": {"level": _LEVELS[verdict["severity"]]},
        }
        for verdict in found["verdicts"]
    ]
    driver = {"name": tool, "rules": rules}
    uri = _uri(file)
    results = [
        {"ruleId": verdict["policy"], "ruleIndex": index, **result}
        for index, verdict in enumerate(found["verdicts"])
        for result in _results(verdict, uri)
    ]
    return {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}


def sarif_remark(file: Path, places: Iterable[Answer], text: str, **fields: str) -> dict[str, Any]:
    """Return a result that is no policy's, about these places of datasets, in a file."""
    return _result({"artifactLocation": {"uri": _uri(file)}}, places, text, **fields)


def _uri(file: Path) -> str:
    """Return the file as build servers find it: relative to the working directory, if it is in there."""
    file = file.absolute()
    root = Path.cwd()
    return quote(file.relative_to(root).as_posix()) if file.is_relative_to(root) else file.as_uri()


def _results(verdict: Answer, uri: str) -> Iterator[dict[str, Any]]:
    at = {"artifactLocation": {"uri": uri}, "region": {"startLine": verdict["line"]}}
    level = _LEVELS[verdict["severity"]]
    for violation in verdict["violations"]:
        held = _readable_paths(violation)
        places = [violation["node"], *(each["node"] for each in held)]
        result = _result(at, places, violation_text(violation), level=level)
        flows = [_flow(each["witness"]) for each in (violation, *held[1:]) if each["witness"]]
        yield {**result, "codeFlows": flows} if flows else result
    if more := _more(verdict):
        yield _result(at, [], more, level=level)
    if verdict["incomplete"]:
        text = "; ".join(gap_lines(verdict))
        yield _result(at, verdict["incomplete"], text, level="none", kind="open")
    for line in declassification_lines(verdict["declassifications"]):
        yield _result(at, [], line, level="none", kind="informational")


def _readable_paths(violation: Answer) -> list[Answer]:
    """Return the paths of a pseudonym, of what makes it readable, and of what came from a key table; or none."""
    found = violation["reidentification"]
    return [found[each] for each in ("pseudonym", "source", "brought") if found[each]] if found else []


def _result(at: Answer, places: Iterable[Answer], text: str, **fields: str) -> dict[str, Any]:
    """Return a result at this place of a file, about these places of datasets."""
    logical = {
        name: {"fullyQualifiedName": name, "kind": "member"} for name in map(_qualified, places) if name
    }
    location = {"physicalLocation": at, **({"logicalLocations": [*logical.values()]} if logical else {})}
    return {**fields, "message": _message(text), "locations": [location]}


def _flow(witness: list[Answer]) -> dict[str, Any]:
    steps = [(witness[0]["source"], "the attribute")]
    steps += [(step["target"], f"by the job {step['job']['name']}") for step in witness]
    locations = [
        {
            "location": {
                "logicalLocations": [{"fullyQualifiedName": _qualified(node), "kind": "member"}],
                "message": _message(text),
            }
        }
        for node, text in steps
    ]
    return {"threadFlows": [{"locations": locations}]}


def _qualified(place: Answer) -> str:
    """Return the place's namespace, dataset and path; a gap may be at none."""
    path = (place.get("label") or ".".join(place["path"])) if place["path"] else ""
    return " ".join(filter(None, (place["namespace"], place["name"], path)))


def _message(text: str) -> dict[str, str]:
    """Return a message in which SARIF finds no placeholders (section 3.11.5) and no links (3.11.6)."""
    text = visible(text).replace("{", "{{").replace("}", "}}").replace("](", "]\\(")
    return {"text": text}


def _unknown_texts(verdict: Answer) -> list[str]:
    """Return what is not known about the policy."""
    return [
        f"{gap['reason']}: {gap['detail']}" if gap["detail"] else gap["reason"]
        for gap in verdict["incomplete"]
    ]


def junit(found: Answer) -> str:
    """Return the result in JUnit XML: a policy is a test case, which fails or has an error if it is not known."""
    outcomes = [_deciding(verdict) for verdict in found["verdicts"]]
    suite = ET.Element(
        "testsuite",
        name="headwater check",
        tests=str(len(outcomes)),
        failures=str(outcomes.count("VIOLATED")),
        errors=str(outcomes.count("UNKNOWN")),
        timestamp=found["asOf"][:19],
    )
    for verdict, outcome in zip(found["verdicts"], outcomes, strict=True):
        case = ET.SubElement(suite, "testcase", classname=verdict["category"], name=verdict["policy"])
        lines = [*_violation_lines(verdict), *_unknown_texts(verdict)]
        if outcome == "VIOLATED":
            ET.SubElement(case, "failure", message=f"{verdict['violationCount']} violations").text = _xml(
                lines
            )
        elif outcome == "UNKNOWN":
            ET.SubElement(case, "error", message="not known whether it is violated").text = _xml(lines)
        else:
            lines = [] if verdict["outcome"] == "SATISFIED" else lines
            if lines := [*lines, *declassification_lines(verdict["declassifications"])]:
                ET.SubElement(case, "system-out").text = _xml(lines)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=False)


def _deciding(verdict: Answer) -> str:
    """The outcome as far as it decides: a warning or note does not."""
    return str(verdict["outcome"]) if verdict["severity"] == "ERROR" else "SATISFIED"


def _xml(lines: list[str]) -> str:
    """The lines without characters that XML does not have."""
    text = "\n".join(lines)
    return "".join(each for each in text if each in "\n\t" or each.isprintable())
