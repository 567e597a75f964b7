"""A program's split: from its plans to programs that were checked, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater_backend.privacy.classification.rules import Rules
from headwater_boundary.judging import Held, Judged, dataset_names, events_of, judge
from headwater_boundary.planning.commands import to_source
from headwater_boundary.planning.program import PlannedWrite, Program, WrittenTo
from headwater_boundary.policy import Policy
from headwater_boundary.split.checking import violations
from headwater_boundary.split.emission import Emission, Intermediate
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.frames import Statement, arguments, text
from headwater_boundary.split.functions import Functions
from headwater_boundary.split.merging import arguments_of
from headwater_boundary.split.placing import Place, Placing, aggregates
from headwater_boundary.split.programs import Files, write_programs
from headwater_boundary.split.rowsets import RowSet, RowSets, below
from headwater_boundary.split.sources import is_own, own_rows
from headwater_boundary.split.text import Texts, alias, quoted
from headwater_records_spark.jvm import LOGICAL, Jvm, kind, listed

CANDIDATE = "/headwater-boundary-candidate/"
SETTINGS = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a row set is computed, in which stage and why; ``inputs`` are the numbers of those that it is made of.

    ``name`` is the variable that has it in the program, ``source`` the dataset that it reads, and ``target`` whether it
    is put together outside from parts that leave the regions.
    """

    number: int
    line: str
    operator: str
    name: str
    source: str
    side: str
    stage: int
    why: str
    target: bool
    inputs: tuple[int, ...]


@dataclass(slots=True)
class Split:
    """The files of a split, what crosses, and the sentences that explain it."""

    files: Files
    intermediates: list[Intermediate]
    placements: list[Placement] = field(default_factory=list)
    """In the order of the program, each after its inputs."""
    open: list[str] = field(default_factory=list)
    """What of the sources looks personal, and nobody has decided."""


def split(jvm: Jvm, program: Program, rules: Rules, policy: Policy) -> Split:
    """Split the program. Raises ``CannotSplitError``."""
    _check_planned(program)
    graph = RowSets(
        jvm, program, lambda leaf: kind(leaf) != "LogicalRelation" or policy.is_shared(_dataset(jvm, leaf))
    )
    roots = [(write, graph.root(write.query, write.line)) for write in program.writes]
    sources = {rows.number: _dataset(jvm, rows.node) for rows in graph.all if rows.kind == "LogicalRelation"}
    judged, held = _judged(jvm, graph.all, program.writes, rules)
    personal = {name: paths for name, paths in judged.personal.items() if name in set(sources.values())}
    placing = Placing(policy, sources, personal, held)
    placing.place_all(graph.all)
    _check_constants(jvm, graph.all, placing, program)
    functions = Functions(program, jvm.spark)
    ansi = jvm.spark.conf.get("spark.sql.ansi.enabled") == "true"
    emission = Emission(jvm, placing, Texts(jvm, functions.name), ansi=ansi)
    for write, root in roots:
        _write(emission, write, root)
    definitions = {}
    for side in (Place.INSIDE, Place.OUTSIDE):
        blocks = [block for (where, _), block in emission.blocks.items() if where == side.value]
        code = "\n".join(each.code for block in blocks for each in block.statements)
        definitions[side.value] = functions.definitions(code)
        for block in blocks if definitions[side.value] else ():
            block.statements.insert(0, Statement("register(spark)", ""))
    settings = {key: jvm.spark.conf.get(key) for key in SETTINGS}
    files = write_programs(emission, program.script.name, settings, definitions)
    wrong = violations(jvm, emission, files, rules, policy)
    if wrong:
        raise CannotSplitError("the check of the split", "; ".join(wrong))
    undecided = [
        f"{name}: {gap}"
        for name in sorted(set(sources.values()))
        for gap in judged.gaps.get(name, ())
        if gap.startswith("OPEN_PROPOSAL") and not policy.is_shared(name)
    ]
    placements = [_placement(rows, placing) for rows in graph.all]
    return Split(files, list(emission.intermediates.values()), placements, undecided)


def _placement(rows: RowSet, placing: Placing) -> Placement:
    placed = placing.of[rows.number]
    return Placement(
        number=rows.number,
        line=str(rows.line),
        operator=rows.kind,
        name=rows.name,
        source=placing.sources.get(rows.number, ""),
        side=placed.place.value,
        stage=placed.stage,
        why=placed.why,
        target=placed.target,
        inputs=tuple(each.number for each in (*rows.inputs, *(scalar for _, scalar in rows.scalars))),
    )


def _check_planned(program: Program) -> None:
    if not program.complete:
        stop = program.stops[0]
        raise CannotSplitError("the program", f"it could not be planned: {stop.reason}", str(stop.line))
    if not program.writes:
        raise CannotSplitError("the program", "it writes nothing")
    for write in program.writes:
        if write.to.kind == "stream":
            raise CannotSplitError("a streaming query", "streams are not split", str(write.line))
        if write.to.kind == "source":
            raise CannotSplitError(f"a write of {write.to.format}", "it has no path", str(write.line))
        if write.to.kind == "sql" and kind(write.command) != "CreateDataSourceTableAsSelectCommand":
            raise CannotSplitError(
                kind(write.command), "a statement that writes into what exists has no rule", str(write.line)
            )


def _check_constants(jvm: Jvm, all_of_them: list[RowSet], placing: Placing, program: Program) -> None:
    """Refuse a program that would take texts outside that do not stand in it: it may have read them from personal
    data.
    """
    for rows in all_of_them:
        if placing.of[rows.number].place is Place.INSIDE or placing.of[rows.number].target:
            continue
        texts = _own_texts(jvm, rows) if rows.kind in {"LocalRelation", "LogicalRDD"} else _literals(rows)
        for each in texts:
            if not program.states(each):
                reason = (
                    "a constant of it does not stand in the program, which may have read it from anywhere"
                )
                raise CannotSplitError(rows.kind, reason, str(rows.line))


def _own_texts(jvm: Jvm, rows: RowSet) -> Iterator[str]:
    if rows.kind == "LogicalRDD" and not is_own(rows.node.rdd()):
        raise CannotSplitError(
            "LogicalRDD", "its rows come out of an RDD, which nothing is known of", str(rows.line)
        )
    for row in own_rows(jvm, rows):
        yield from (
            str(each) for each in row if isinstance(each, str | int | float) and not isinstance(each, bool)
        )


def _literals(rows: RowSet) -> Iterator[str]:
    for expression in listed(rows.node.expressions()):
        for each in below(expression):
            if (
                kind(each) == "Literal"
                and each.value() is not None
                and "STRING" in str(each.dataType().sql())
            ):
                yield str(each.value().toString()) if hasattr(each.value(), "toString") else str(each.value())


def _dataset(jvm: Jvm, leaf: Any) -> str:
    """The name of the one dataset that the leaf reads."""
    found = dataset_names(jvm, leaf)
    if len(found) != 1:
        raise CannotSplitError("a source", "it is several datasets at once, or one without a name")
    return found[0]


def _judged(
    jvm: Jvm, all_of_them: list[RowSet], writes: list[PlannedWrite], rules: Rules
) -> tuple[Judged, Mapping[tuple[int, int], tuple[Held, ...]]]:
    """What the keys and arguments of all aggregates hold, as if their rows were written."""
    commands = [write.command for write in writes]
    candidates = []
    for rows in all_of_them:
        if rows.kind == "Aggregate" and rows.inputs:
            items = [*listed(rows.node.groupingExpressions())]
            for each in aggregates(rows):
                items.extend(arguments_of(each))
            if not items:
                continue
            columns = [alias(jvm, each, f"c{number}") for number, each in enumerate(items)]
            query = jvm.type(LOGICAL + "Project")(jvm.seq(columns), rows.node.child())
            query.setAnalyzed()
            commands.append(to_source(jvm, query, WrittenTo("path", f"{CANDIDATE}{rows.number}")))
            candidates.append((rows.number, len(items)))
    judged = judge(events_of(jvm, commands), rules)
    held: dict[tuple[int, int], tuple[Held, ...]] = {}
    for number, count in candidates:
        of_dataset = judged.held.get(f"{CANDIDATE}{number}", ())
        for position in range(count):
            held[number, position] = tuple(each for each in of_dataset if each.path[:1] == (f"c{position}",))
    return judged, held


def _write(emission: Emission, write: PlannedWrite, root: RowSet) -> None:
    placed = emission.placing.of[root.number]
    side = Place.INSIDE if placed.place is Place.INSIDE else Place.OUTSIDE
    frame = emission.frame(root, side, placed.stage)
    columns = [frame.names[each] for each in root.ids]
    if columns != root.names or tuple(columns) != frame.columns:
        items = [
            text(quoted(old) if old == new else f"{quoted(old)} AS {quoted(new)}")
            for old, new in zip(columns, root.names, strict=True)
        ]
        frame = frame.then(f".selectExpr({arguments(items)})")
    block = emission.block(side, placed.stage)
    if frame.calls:
        frame = block.settle(frame, root.name or "result", str(write.line))
    block.add(f"{frame.head}{_writer(emission, write, side)}", str(write.line))


def _writer(emission: Emission, write: PlannedWrite, side: Place) -> str:
    to = write.to
    code = ".write"
    if to.kind == "sql":
        name = str(write.command.table().identifier().unquotedString())
        return f".write.saveAsTable({text(name)})"
    if to.mode not in {"error", "errorifexists"}:
        code += f".mode({text(to.mode)})"
    for key, value in to.options:
        if key.lower() != "path":
            code += f".option({text(key)}, {text(value)})"
    if to.partition_by:
        code += f".partitionBy({', '.join(map(text, to.partition_by))})"
    if to.kind == "path":
        place = emission.placing.policy.place(to.place) if side is Place.INSIDE else to.place
        named = f"f{text(place)}" if "{region}" in place else text(place)
        return f"{code}.format({text(to.format)}).save({named})"
    if to.kind == "insert":
        return f"{code}.insertInto({text(to.place)})"
    return f"{code}.format({text(to.format)}).saveAsTable({text(to.place)})"
