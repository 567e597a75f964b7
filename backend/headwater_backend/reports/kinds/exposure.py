"""The exposure of personal data: which attributes are where, in which form, and by which jobs."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput, labels_of
from headwater_backend.privacy.forms import Form
from headwater_backend.reports.document.model import Cell, Section
from headwater_backend.reports.kinds.blocks import Blocks, form_names
from headwater_backend.reports.kinds.material import Material


def exposure(blocks: Blocks) -> list[Section]:
    """The figures count everything; of many paths, the strongest of each attribute are listed."""
    outputs = list(_strongest(blocks.material))
    return [_figures(blocks), _attributes(blocks), _holders(blocks, outputs)]


def _figures(blocks: Blocks) -> Section:
    report = blocks.material.report
    influenced = report.scope.influenced
    rows = (
        ((form.name,), blocks.words(f"form_meanings.{form.name}"), report.totals[form])
        for form in Form
        if influenced or form is not Form.INFLUENCED
    )
    return blocks.section(
        "figures",
        blocks.facts(
            "figures",
            paths=f"{report.count:,}",
            datasets_reached=f"{report.datasets:,}",
        ),
        None if influenced else blocks.paragraph("influences_not_asked"),
        blocks.table("figures", "form meaning count", rows),
    )


def _attributes(blocks: Blocks) -> Section:
    """All attributes; those that reach the most first, where not all fit."""
    report, most = blocks.material.report, blocks.material.question.rows
    attributes = list(report.attributes)
    if len(attributes) > most:
        attributes.sort(key=lambda each: -sum(each.totals.values()))
    place = blocks.material.places(each.attribute.node for each in attributes)
    influenced = report.scope.influenced
    rows = (
        (
            place(each.attribute.node).path,
            *each.attribute.node.dataset,
            each.attribute.categories,
            tuple(map(blocks.words.detail, each.attribute.named_by)),
            sum(count for form, count in each.totals.items() if form is not Form.INFLUENCED),
            *((each.totals.get(Form.INFLUENCED, 0),) if influenced else ()),
            len(each.incomplete),
        )
        for each in attributes
    )
    columns = f"attribute namespace dataset categories named_by held {'influences ' * influenced}gaps"
    return blocks.section("attributes", blocks.table("attributes", columns, rows))


def _strongest(material: Material) -> Iterator[tuple[AttributeExposure, ExposedOutput]]:
    """All outputs if they fit, else as many of each attribute, the strongest."""
    report, most = material.report, material.question.rows
    room = report.count if report.count <= most else max(1, most // max(1, len(report.attributes)))
    for each in report.attributes[:most]:
        for node in each.holders[:room]:
            yield each, each.output(node)


def _holders(blocks: Blocks, found: list[tuple[AttributeExposure, ExposedOutput]]) -> Section:
    labels = labels_of(
        blocks.material.store, [output for _, output in found], [each.attribute for each, _ in found]
    )
    rows: Iterator[tuple[Cell, ...]] = (
        (
            labels[each.attribute.node] if each.attribute.node.path else "",
            each.attribute.node.dataset.name,
            *output.node.dataset,
            labels[output.node] if output.node.path else "",
            form_names(output.forms),
            output.kinds,
            tuple(dict.fromkeys(edge.job.title for edge in output.witness)),
        )
        for each, output in found
    )
    columns = "attribute attribute_dataset namespace dataset path forms kinds jobs"
    table = blocks.table("holders", columns, rows)
    total = blocks.material.report.count
    drawn = ((each.attribute, output.node, output.forms, output.witness, "") for each, output in found)
    more = blocks.paragraph("more_holders", listed=f"{len(table.rows):,}", all=f"{total:,}")
    return blocks.section(
        "holders",
        more if len(table.rows) < total else None,
        table,
        blocks.findings("holders", drawn, total),
    )
