"""The report of where a value comes from: for an audit, with names and positions, and without the values themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from headwater_backend.reports.document.model import Cell, ColumnKind, Document, Section
from headwater_backend.reports.kinds.blocks import PlainBlocks
from headwater_backend.reports.languages.catalogue import Language, words
from headwater_records.nested.tree import text_of

if TYPE_CHECKING:
    from headwater_records.nested.answer import Item
    from headwater_records_spark import Origins

SIGN_OFF: Final = "reviewer role date signature remarks"
_KINDS: Final = {
    **dict.fromkeys(["run", "source", "file", "contributing", "influencing"], ColumnKind.NAME),
    "position": ColumnKind.NUMBER,
}


def report_of(found: Origins, asked: Mapping[str, Any], *, language: Language, as_of: datetime) -> Document:
    """The report of an answer; ``asked`` is the question: output, pattern, where, paths and folders of records."""
    text = words(language)
    return Document(
        kind="origin",
        language=language.value,
        title=text("titles.origin"),
        law=text("laws.origin"),
        as_of=as_of,
        version=version("headwater"),
        question=dict(asked),
        complete=not found.unknown,
        classified=True,
        sections=tuple(_sections(PlainBlocks(text, kinds=_KINDS), found, asked)),
    )


def _sections(blocks: PlainBlocks, found: Origins, asked: Mapping[str, Any]) -> Iterator[Section]:
    items = sorted(found.sources.items(), key=lambda each: (each.source, str(each.id)))
    yield blocks.section(
        "status",
        blocks.paragraph("origin", records=found.sources.records, output=asked["output"], found=len(items)),
        blocks.paragraph("origin_unknown", notice=True) if found.unknown else None,
        blocks.facts(
            "origin",
            output=asked["output"],
            pattern=asked["pattern"],
            condition=asked["where"],
            asked_paths=asked["paths"],
            folders=asked["records"],
        ),
        blocks.paragraph("origin_values"),
    )
    stages = [
        (number, each.output, each.run, tuple(f"{step} {title}" for step, title in each.answer.steps.items()))
        for number, each in enumerate(found.stages, 1)
    ]
    yield blocks.section("way_there", blocks.table("way_there", "number dataset run operators", stages))
    yield blocks.section(
        "records",
        blocks.paragraph("origin_paths"),
        blocks.table(
            "records",
            "source file position contributing influencing accessed_by manipulated_by",
            map(_row, items),
        ),
    )
    if found.unknown:
        yield blocks.section("not_known", blocks.table("not_known", "file detail", found.unknown.items()))
    yield blocks.section("sign_off", blocks.lines(SIGN_OFF))


def _row(item: Item) -> tuple[Cell, ...]:
    file, position = item.id
    return (
        item.source,
        file,
        position,
        tuple(text_of(each.path) or "*" for each in item.paths if each.contributes),
        tuple(text_of(each.path) or "*" for each in item.paths if not each.contributes),
        _numbers(number for each in item.paths for number in each.accessed),
        _numbers(number for each in item.paths for number in each.manipulated),
    )


def _numbers(numbers: Iterator[int]) -> str:
    return ", ".join(map(str, sorted(set(numbers))))
