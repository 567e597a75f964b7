"""The lineage of a report's findings in the W3C's PROV: paths are entities, jobs are activities.

A path was derived from another one by a job, which used the one and generated the other. PROV-JSON and PROV-O (in
Turtle) say the same. The same report has the same bytes.
"""

from __future__ import annotations

from typing import Any

from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.document.model import Document, Imprint, Place
from headwater_backend.reports.formats.names import BASE, job_name, local_name, place_name
from headwater_backend.reports.formats.packages import require


def as_prov_json(document: Document, _imprint: Imprint) -> str:
    """The lineage as PROV-JSON. Raises ``ReportsMissing`` without the package ``prov``."""
    return str(_provenance(document).serialize(format="json", indent=1)) + "\n"


def as_prov_o(document: Document, _imprint: Imprint) -> str:
    """The lineage as PROV-O in Turtle. Raises ``ReportsMissing`` without the packages ``prov`` and ``rdflib``."""
    require("rdflib", "PROV-O")
    return str(_provenance(document).serialize(format="rdf", rdf_format="turtle"))


def _provenance(document: Document) -> Any:
    found = require("prov.model", "PROV").ProvDocument()
    names = found.add_namespace("hw", BASE)
    report = digest(as_json(document))
    found.entity(names[local_name("report", report)], {"prov:label": document.title, "hw:hash": report})
    steps = _steps(document)
    places = {place for source, target, _ in steps for place in (source, target)}
    for place in sorted(places.union(each.place for each in document.findings()), key=_order):
        label = f"{place.name} {place.path}".strip()
        kind = names["Path" if place.path else "Dataset"]
        found.entity(names[place_name(place)], {"prov:label": label, "prov:type": kind})
    for job in sorted({job for _, _, job in steps}):
        found.activity(names[job_name(*job)], other_attributes={"prov:label": job[1]})
    for source, target, job in steps:
        used, generated, by = place_name(source), place_name(target), job_name(*job)
        # Named, because nodes without a name have no order of their own in Turtle.
        name = names[f"derivation:{digest([used, generated, by])}"]
        found.wasDerivedFrom(names[generated], names[used], names[by], identifier=name)
    for place, job in dict.fromkeys((source, job) for source, _, job in steps):
        found.used(names[job_name(*job)], names[place_name(place)])
    for place, job in dict.fromkeys((target, job) for _, target, job in steps):
        found.wasGeneratedBy(names[place_name(place)], names[job_name(*job)])
    return found


def _steps(document: Document) -> list[tuple[Place, Place, tuple[str, str]]]:
    """The steps of all findings, each once, with their jobs, in order."""
    steps = {
        (step.source, step.target, (step.job_namespace, step.job))
        for finding in document.findings()
        for step in finding.steps
    }
    return sorted(steps, key=lambda step: (_order(step[0]), _order(step[1]), step[2]))


def _order(place: Place) -> tuple[str, str, str]:
    return place.namespace, place.name, place.path
