"""The programs and schemas of a split, as files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from headwater_boundary.split.emission import Emission, Intermediate
from headwater_boundary.split.frames import text
from headwater_boundary.split.layout import indented
from headwater_boundary.split.placing import Place

INSIDE = "inside.py"
OUTSIDE = "outside.py"

_IMPORTS = """
import argparse
import json
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMAS = Path(__file__).parent / "schemas"
"""
_CHECK = '''
def schema_of(name: str) -> dict:
    """The schema of an intermediate."""
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


def columns_of(name: str) -> list[tuple[str, str]]:
    """The columns of an intermediate, with Spark's types."""
    return [(column, each["x-spark-type"]) for column, each in schema_of(name)["properties"].items()]


def check(frame: DataFrame, name: str) -> None:
    """Raise an error unless the frame has exactly the columns of its schema, and no group that is too small."""
    found = [(each.name, each.dataType.simpleString()) for each in frame.schema.fields]
    if found != columns_of(name):
        raise ValueError(f"{name} has {found}, and its schema {columns_of(name)}")
    size, least = schema_of(name)["x-group-size"], schema_of(name)["x-least-group"]
    if least > 1 and frame.filter(F.col(size) < least).limit(1).count():
        raise ValueError(f"{name} has a group of fewer than {least}")


def read(spark: SparkSession, name: str, boundary: str) -> DataFrame:
    """An intermediate, checked."""
    ddl = ", ".join(f"`{column}` {of_type}" for column, of_type in columns_of(name))
    frame = spark.read.schema(ddl).option("recursiveFileLookup", "true").parquet(f"{boundary}/{name}")
    check(frame, name)
    return frame
'''
_LEAVE = '''
def leave(frame: DataFrame, name: str, region: str, boundary: str) -> None:
    """Write what may leave the region, checked."""
    check(frame, name)
    frame.coalesce(1).write.mode("overwrite").parquet(f"{boundary}/{name}/{region}")
'''
_COME_BACK = '''
def come_back(spark: SparkSession, name: str, boundary: str) -> DataFrame:
    """What was merged outside in an earlier stage."""
    return read(spark, name, boundary)
'''
_ARRIVED = '''
def arrived(spark: SparkSession, name: str, boundary: str) -> DataFrame:
    """What left the regions, of all of them."""
    return read(spark, name, boundary)
'''
_SEND_BACK = '''
def send_back(frame: DataFrame, name: str, boundary: str) -> None:
    """Write what the regions need in the next stage, checked."""
    check(frame, name)
    frame.coalesce(1).write.mode("overwrite").parquet(f"{boundary}/{name}/merged")
'''
_MOMENTS = '''
def merged_moments(count: str, *parts: str) -> Column:
    """The number, the averages and the deviations of all regions, of those of each (Chan et al., 1979; Pébay, 2008).

    ``parts`` are the columns of one variable (mean, squares, and cubes and fourth powers), or of two (means, products,
    squares of both).
    """
    names = ("x", "xx", "xxx", "xxxx")[: len(parts)] if len(parts) in (2, 4) else ("x", "y", "xy", "xx", "yy")
    given = F.struct(
        F.col(count).cast("double").alias("n"),
        *[F.col(part).alias(name) for part, name in zip(parts, names)],
    )
    zero = F.struct(F.lit(0.0).alias("n"), *[F.lit(0.0).alias(name) for name in names])

    def distance(one: Column, other: Column, name: str) -> Column:
        apart = other[name] - one[name]
        constant = (one[name * 2] == 0) & (other[name * 2] == 0)
        rounding = (one["n"] + other["n"]) * 2.3e-16 * F.abs(one[name])
        return F.when(constant & (one["n"] > 0) & (F.abs(apart) <= rounding), 0.0).otherwise(apart)

    def merge(one: Column, other: Column) -> Column:
        n, a, b = one["n"] + other["n"], one["n"], other["n"]
        apart = {name: distance(one, other, name) for name in names if len(name) == 1}
        merged = [n.alias("n")]
        for name in names:
            d = apart[name[0]]
            if len(name) == 1:
                value = F.when(a == 0, other[name]).otherwise(one[name] + d * b / n)
            elif len(name) == 2:
                value = one[name] + other[name] + d * apart[name[1]] * a * b / n
            elif len(name) == 3:
                value = one[name] + other[name] + d * d * d * a * b * (a - b) / (n * n)
                value += 3 * d * (a * other["xx"] - b * one["xx"]) / n
            else:
                value = one[name] + other[name] + d * d * d * d * a * b * (a * a - a * b + b * b) / (n * n * n)
                value += 6 * d * d * (a * a * other["xx"] + b * b * one["xx"]) / (n * n)
                value += 4 * d * (a * other["xxx"] - b * one["xxx"]) / n
            merged.append(value.alias(name))
        return F.struct(*merged)

    return F.aggregate(F.filter(F.collect_list(given), lambda each: each["n"] > 0), zero, merge)
'''
_PERCENTILE = '''
def merged_percentile(
    values: str, share: float | list[float], *, discrete: bool, descending: bool
) -> Column:
    """The percentile, or each of several, of all regions' values: one of them (``discrete``), or between two."""
    ordered = F.sort_array(F.flatten(F.collect_list(values)), asc=not descending)

    def at(place: Column) -> Column:
        return F.get(ordered, place.cast("int"))

    def one(share: float) -> Column:
        if discrete:
            return at(F.greatest(F.ceil(F.size(ordered) * F.lit(share)), F.lit(1)) - 1)
        place = (F.size(ordered) - 1) * F.lit(share)
        below, above = at(F.floor(place)), at(F.ceil(place))
        between = (F.ceil(place) - place) * below + (place - F.floor(place)) * above
        return F.when(below == above, below).otherwise(between)

    if isinstance(share, list):
        return F.when(F.size(ordered) > 0, F.array(*map(one, share)))
    return one(share)
'''


@dataclass(slots=True)
class Files:
    """The files of a split, by their paths."""

    contents: dict[str, str] = field(default_factory=dict)
    stages: int = 1


def write_programs(
    emission: Emission, script: str, settings: dict[str, str], definitions: dict[str, str]
) -> Files:
    """Both programs and the schemas. ``definitions`` is code of the user's functions, by side."""
    stages = max([stage for _, stage in emission.blocks] or [1])
    files = Files(stages=stages)
    for side, name in ((Place.INSIDE, INSIDE), (Place.OUTSIDE, OUTSIDE)):
        files.contents[name] = _program(
            emission, side, script, settings, definitions.get(side.value, ""), stages
        )
    for each in emission.intermediates.values():
        files.contents[f"schemas/{each.name}.json"] = json.dumps(schema(each), indent=2) + "\n"
    return files


def _program(  # noqa: PLR0917 - the parts of a program
    emission: Emission, side: Place, script: str, settings: dict[str, str], definitions: str, stages: int
) -> str:
    blocks = {stage: block for (where, stage), block in emission.blocks.items() if where == side.value}
    code = "\n".join(each.code for block in blocks.values() for each in block.statements)
    inside = side is Place.INSIDE
    head = (
        f'"""The part of {script} that runs inside each region: what it writes to the boundary may leave."""\n'
        if inside
        else f'"""The part of {script} that runs outside, on what has left the regions."""\n'
    )
    parts = [head + _IMPORTS.rstrip("\n") + "\n"]
    parts.append(_CHECK.strip("\n") + "\n")
    parts += [
        helper.strip("\n") + "\n"
        for mark, helper in (
            ("leave(", _LEAVE),
            ("come_back(", _COME_BACK),
            ("arrived(", _ARRIVED),
            ("send_back(", _SEND_BACK),
            ("merged_moments(", _MOMENTS),
            ("merged_percentile(", _PERCENTILE),
        )
        if mark in code
    ]
    if definitions:
        parts.append(definitions.strip("\n") + "\n")
    for stage in range(1, stages + 1):
        parts.append(_stage(blocks.get(stage), stage, inside))
    parts.append(_main(settings, stages, inside))
    text_ = "\n\n".join(parts)
    if "Column" not in "".join(parts[1:]):
        text_ = text_.replace(
            "from pyspark.sql import Column, DataFrame, SparkSession",
            "from pyspark.sql import DataFrame, SparkSession",
        )
    return text_


def _stage(block: Any, stage: int, inside: bool) -> str:
    arguments = (
        "spark: SparkSession, region: str, boundary: str" if inside else "spark: SparkSession, boundary: str"
    )
    doc = "What this region computes by itself" if inside else "What is made of all regions"
    lines = [f"def stage_{stage}({arguments}) -> None:", f'    """{doc}, in stage {stage}."""']
    for each in block.statements if block else ():
        if each.line and not each.line.startswith(":"):
            lines.append(f"    # {each.line}")
        lines.append(indented(each.code, 1))
    return "\n".join(lines) + "\n"


def _main(settings: dict[str, str], stages: int, inside: bool) -> str:
    called = "region, boundary" if inside else "boundary"
    lines = ["def session() -> SparkSession:", '    """Spark, with the settings on which results depend."""']
    lines.append("    spark = SparkSession.builder.getOrCreate()")
    lines += [f"    spark.conf.set({text(k)}, {text(v)})" for k, v in settings.items()]
    lines += ["    return spark", "", ""]
    names = ", ".join(f"{n}: stage_{n}" for n in range(1, stages + 1))
    lines += [f"STAGES = {{{names}}}", "", "", "def main() -> None:", '    """Run one stage."""']
    lines.append("    parser = argparse.ArgumentParser(description=__doc__)")
    if inside:
        lines.append(
            '    parser.add_argument("--region", required=True, help="the region that this runs in")'
        )
    lines.append(
        '    parser.add_argument("--boundary", required=True, help="the folder of what crosses the boundary")'
    )
    lines.append('    parser.add_argument("--stage", type=int, default=1, choices=STAGES)')
    lines.append("    asked = parser.parse_args()")
    given = ", ".join(f"asked.{each}" for each in called.split(", "))
    lines.append(f"    STAGES[asked.stage](session(), {given})")
    lines += ["", "", 'if __name__ == "__main__":', "    main()", ""]
    return "\n".join(lines)


_JSON_TYPES = {
    "string": "string",
    "boolean": "boolean",
    "double": "number",
    "float": "number",
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "binary": "string",
    "date": "string",
    "timestamp": "string",
}


def schema(crossing: Intermediate) -> dict[str, Any]:
    """The JSON schema of what crosses the boundary."""
    sizes = [each.name for each in crossing.columns if each.name.startswith("group_size")]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": crossing.name,
        "description": f"From {crossing.line}, stage {crossing.stage}: "
        + ("goes back into the regions" if crossing.back else "leaves the regions"),
        "type": "object",
        "properties": {
            each.name: {
                "type": [
                    _JSON_TYPES.get(each.type, "array" if each.type.startswith("array") else "string"),
                    "null",
                ],
                "description": each.why,
                "x-spark-type": each.type,
            }
            for each in crossing.columns
        },
        "required": [each.name for each in crossing.columns],
        "additionalProperties": False,
        "x-least-group": crossing.least_group,
        "x-group-size": sizes[-1] if sizes and crossing.least_group > 1 else None,
    }
