"""The right to erasure: Art. 17 GDPR. Where the data are, by which keys, in which order, and what brings them back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.privacy.answers.subject import (
    HeldPath,
    SubjectData,
    owners_of,
    subject_data_in,
)
from headwater_backend.reports.document.model import Cell, Section
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import Blocks
from headwater_backend.reports.kinds.material import shown_forms_of


def erasure(blocks: Blocks) -> list[Section]:
    """What is to be erased, where, and in which order."""
    question = blocks.material.question
    found = subject_data_in(blocks.material.report, question.order)
    return [
        processing.parties_of_controller(blocks),
        _datasets(blocks, found),
        _paths(blocks, found),
        _remaining(blocks, found),
        processing.retention(blocks),
    ]


def _datasets(blocks: Blocks, found: SubjectData) -> Section:
    shown = blocks.listed(found.datasets)
    owners = owners_of(blocks.material.store, [each.key for each in shown])
    rows = (
        (
            number,
            *each.key,
            len(each.paths),
            tuple(owner.name for owner in owners.get(each.key, ())) or None,
            tuple(job.title for job in each.writers) or (blocks.words("values.source"),),
        )
        for number, each in enumerate(shown, 1)
    )
    return blocks.section(
        "erasure_order",
        blocks.paragraph(f"order_{found.order.value.lower()}"),
        blocks.table(
            "erasure_order", "number namespace dataset count owners writers", rows, len(found.datasets)
        ),
    )


def _paths(blocks: Blocks, found: SubjectData) -> Section:
    every = [(number, each, path) for number, each in enumerate(found.datasets, 1) for path in each.paths]
    held = blocks.listed(every)
    nodes = chain.from_iterable(
        (path.held.node, path.held.attribute.node, *_keys(path)) for _, _, path in held
    )
    place = blocks.material.places(nodes)
    rows: Iterator[tuple[Cell, ...]] = (
        (
            number,
            each.key.name,
            place(path.held.node).path,
            f"{place(path.held.attribute.node).path} ({path.held.attribute.node.dataset.name})",
            path.held.attribute.categories,
            shown_forms_of(path.held.forms, path.held.witness),
            tuple(place(key).path for key in _keys(path)) or None,
            (path.erasure.value,),
        )
        for number, each, path in held
    )
    return blocks.section(
        "erasure_paths",
        blocks.paragraph("erasure_paths"),
        blocks.table(
            "erasure_paths",
            "number dataset path attribute categories forms keys erasable",
            rows,
            len(every),
            annex=True,
        ),
    )


def _keys(path: HeldPath) -> list[NodeKey]:
    return [key.node for key in path.keys or path.possible_keys]


def _remaining(blocks: Blocks, found: SubjectData) -> Section:
    """What cannot be erased by path."""
    place = blocks.material.places(
        path.held.node for each in found.datasets for path in each.paths if not path.erasable
    )
    grouped: dict[tuple[DatasetKey, str], dict[str, None]] = {}
    for each in found.datasets:
        for path in each.paths:
            if not path.erasable:
                grouped.setdefault((each.key, path.erasure.value), {})[place(path.held.node).path] = None
    rows = ((*dataset, (why,), len(paths), tuple(paths)) for (dataset, why), paths in grouped.items())
    left = [path for each in found.datasets for path in each.paths if not path.erasable]
    if not left:
        return blocks.section("not_erasable", blocks.paragraph("all_erasable"))
    drawn = (
        (
            path.held.attribute,
            path.held.node,
            path.held.forms,
            path.held.witness,
            blocks.words.of("erasable", path.erasure.value),
        )
        for path in left
    )
    return blocks.section(
        "not_erasable",
        blocks.paragraph("not_erasable"),
        blocks.table("not_erasable", "namespace dataset erasable count paths", rows),
        blocks.findings("not_erasable", drawn),
    )
