"""``headwater_spark.explain``: what a data frame is made of, what personal data it holds, and where it may be written.

The frame's analysed plan is traced as the agent does it, and judged as ``headwater plan`` judges a planned write.
Nothing is executed.
"""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import schema_dataset
from openlineage.client.serde import Serde

from headwater_cli.boundary import answers
from headwater_cli.privacy.answer_text import held_text, path_text
from headwater_cli.questions.gaps import Gap, distinct, gap_line, grouped
from headwater_cli.terminal.errors import CommandError, command_error
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.tables import cell_len
from headwater_spark.capture.application import PRODUCER

if TYPE_CHECKING:
    from headwater_backend.privacy.policies import Policy
    from headwater_cli.client.graphql_client import GraphQLClient
    from headwater_spark.activation.frame_lineage import FrameLineage

Dataset = tuple[str, str]
FRAME: Final[Dataset] = ("frame", "this data frame")
LINEAGE: Final = ("column", "made from", "of", "how")
PERSONAL: Final = ("column", "holds", "category", "of", "as")
VERDICTS: Final = ("policy", "verdict", "because")
_UNCLASSIFIED: Final = "nothing is classified as personal: give rules"


class Column(NamedTuple):
    """A column of a frame, and its type as Spark writes it."""

    name: str
    type: str


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The answer: rows under ``LINEAGE``, ``PERSONAL`` and ``VERDICTS``, what is not known, and a drawing."""

    lineage: list[tuple[str, ...]]
    personal: list[tuple[str, ...]]
    verdicts: list[tuple[str, ...]]
    unknown: list[str]
    _graph: Mapping[str, Any]

    def _tables(self) -> Iterator[tuple[Sequence[str], list[tuple[str, ...]]]]:
        for headings, rows in ((LINEAGE, self.lineage), (PERSONAL, self.personal), (VERDICTS, self.verdicts)):
            if rows:
                yield headings, rows

    def _remarks(self) -> list[str]:
        none = [] if self.personal else ["no column holds what is known to be personal"]
        return [*none, *self.unknown]

    def __str__(self) -> str:
        tables = ("\n".join(_lines(headings, rows)) for headings, rows in self._tables())
        return "\n\n".join([*tables, "\n".join(map(visible, self._remarks()))]).strip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = (_html(headings, rows) for headings, rows in self._tables())
        remarks = "".join(f"<p>{escape(visible(each))}</p>" for each in self._remarks())
        return f"<div>{self.picture or ''}{''.join(tables)}{remarks}</div>"

    @cached_property
    def picture(self) -> str | None:
        """The lineage as the explorer draws it, in SVG; None without ``headwater[pictures]``."""
        from headwater_cli.questions.picture import write_picture

        node = {"namespace": FRAME[0], "name": FRAME[1], "path": []}
        question = {"node": node, "level": "PATH", "way": "backward", "depth": 1, "asOf": None}
        with tempfile.TemporaryDirectory(prefix="headwater-frame-") as folder:
            file = Path(folder) / "frame.svg"
            try:
                write_picture(file, question, {"backward": self._graph}, [], dark=False, address=None)
            except CommandError:
                return None
            return file.read_text("utf-8")


def explain(frame: Any, rules: str | Path | None = None, policies: str | Path | None = None) -> Explanation:
    """What a data frame of PySpark is made of, without running it; shown as tables.

    ``rules`` is a file that says what is personal, ``policies`` one as ``headwater check`` takes it: each policy's
    verdict is on a write of the frame to where the policy is.
    """
    from headwater_spark.activation.agent_settings import NoDriverError
    from headwater_spark.activation.frame_lineage import frame_lineage

    if not hasattr(frame, "_jdf"):
        raise NoDriverError(
            "this is a frame of a Spark Connect client: its plan is made on the server, where its sources are known",
            "explain it on the server, or run the program with `headwater plan`, in which frames have a driver",
        )
    columns = [Column(each.name, each.dataType.simpleString()) for each in frame.schema.fields]
    try:
        return explained(frame_lineage(frame), columns, rules, policies)
    except ModuleNotFoundError as error:
        raise command_error(error) from error


def explained(
    found: FrameLineage, columns: Sequence[Column], rules: str | Path | None, policies: str | Path | None
) -> Explanation:
    """The explanation of a frame with these columns, which has this lineage."""
    from headwater_cli.privacy.holdings import rule_variables

    variables = rule_variables(Path(rules) if rules else None)
    wanted = answers.read(Path(policies)) if policies else ()
    inputs = {(each.namespace, each.name) for each in found.inputs}
    places = [_place_of(each, inputs) for each in wanted]
    event = _event(found, columns, dict.fromkeys([FRAME, *filter(None, places)]))
    with tempfile.TemporaryDirectory(prefix="headwater-frame-") as folder:
        client = answers.stored(Path(folder) / "frame.db", [event])
        graph = _graph(client)
        holdings = answers.held(client, variables)
        held = [each for each in holdings.holdings if _of_frame(each["output"]["node"])]
        check = answers.check(client, variables, wanted)["verdicts"] if wanted else []
    classified = holdings.classified
    concerned = {*inputs, FRAME, ("", "")}
    gaps = [
        each for each in (*graph["incomplete"], *holdings.answer["incomplete"]) if _place(each) in concerned
    ]
    own = [each for each in gaps if _place(each) == FRAME]
    verdicts = [
        _verdict(each, place, concerned, own, classified=classified)
        for each, place in zip(check, places, strict=True)
    ]
    unknown = [*([] if classified else [_UNCLASSIFIED]), *grouped(distinct(gaps))]
    return Explanation(_lineage(graph), list(map(_held, held)), verdicts, unknown, graph)


def _event(found: FrameLineage, columns: Sequence[Column], places: Mapping[Dataset, None]) -> str:
    """The event of a write of the frame to each of the places."""
    fields = [schema_dataset.SchemaDatasetFacetFields(name=name, type=type_) for name, type_ in columns]
    facets = {
        "schema": schema_dataset.SchemaDatasetFacet(fields=fields),
        "headwater_pathLineage": found.paths,
    }
    event = RunEvent(
        eventTime=datetime.now(timezone.utc).isoformat(),
        eventType=RunState.COMPLETE,
        producer=PRODUCER,
        run=Run(str(uuid.uuid4())),
        job=Job(FRAME[0], "explain"),
        inputs=list(found.inputs),
        outputs=[OutputDataset(*place, facets=facets) for place in places],
    )
    return json.dumps(json.loads(Serde.to_json(event)))


def _graph(client: GraphQLClient) -> dict[str, Any]:
    node = {"namespace": FRAME[0], "name": FRAME[1]}
    return dict(client.query("backward", {"node": node, "depth": 1})["backwardLineage"])


def _place_of(policy: Policy, inputs: set[Dataset]) -> Dataset | None:
    """A dataset that the policy is about and that the frame does not read; None where none is found."""
    from headwater_backend.domain.model import DatasetKey

    namespace, name = (each.replace("*", "frame").replace("?", "f") for each in policy.dataset_text)
    first, _, rest = name.partition(" ")
    tried = [(namespace, name)] if namespace else [("frame", name), (first, rest)]
    fitting = (each for each in tried if each[1] and policy.covers(DatasetKey(*each)))
    return next((each for each in fitting if each not in inputs), None)


def _verdict(
    found: Mapping[str, Any],
    place: Dataset | None,
    concerned: set[Dataset],
    own: Sequence[Gap],
    *,
    classified: bool,
) -> tuple[str, ...]:
    from headwater_cli.privacy.policies.check_formats import violation_text

    if place is None:
        return found["policy"], "not known", "the frame reads the dataset that the policy is about"
    violations = [violation_text(each) for each in found["violations"] if _place(each["node"]) == place]
    if violations:
        because = "; ".join(violations).replace(place[1], FRAME[1])
        return found["policy"], "may not be written there", because
    gaps = [
        gap_line(each)
        for each in distinct([*found["incomplete"], *own])
        if each["reason"] not in answers.OF_OTHERS and _place(each) in {*concerned, place}
    ]
    if found["violationCount"] > len(found["violations"]):
        gaps.append("not all violations are listed")
    if not classified:
        gaps.append(_UNCLASSIFIED)
    return found["policy"], "not known" if gaps else "may be written there", "; ".join(gaps)


def _lineage(graph: Mapping[str, Any]) -> list[tuple[str, ...]]:
    nodes = graph["nodes"]
    edges = ((nodes[each["source"]], nodes[each["target"]], each) for each in graph["edges"])
    rows = (
        (path_text(target), path_text(source), source["name"], _how(edge))
        for source, target, edge in edges
        if _of_frame(target)
    )
    return sorted(dict.fromkeys(rows))


def _how(edge: Mapping[str, Any]) -> str:
    return ", ".join(
        dict.fromkeys(str(each["subtype"] or each["type"]).lower() for each in edge["transformations"])
    )


def _held(holding: Mapping[str, Any]) -> tuple[str, ...]:
    attribute, output = holding["attribute"], holding["output"]
    node = attribute["node"]
    categories = ", ".join(attribute["categories"])
    return path_text(output["node"]), path_text(node), categories, node["name"], held_text(output)


def _of_frame(node: Mapping[str, Any]) -> bool:
    return _place(node) == FRAME


def _place(each: Mapping[str, Any]) -> Dataset:
    return each["namespace"] or "", each["name"] or ""


def _lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    cells = [headings, *([visible(cell) for cell in row] for row in rows)]
    widths = [max(cell_len(row[place]) for row in cells) for place in range(len(headings))]
    for row in cells:
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _html(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(visible(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
