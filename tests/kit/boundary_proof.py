"""Proves a split by running it: the original over the union, the parts in folders of their own, and a comparison."""

from __future__ import annotations

import json
import math
import os
import runpy
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pyspark
from pyspark import SparkContext
from pyspark.sql import SparkSession

from headwater_backend.privacy.files import parse_rules
from headwater_boundary.planning.watch import plan
from headwater_boundary.policy import parse_policy
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.split import Split, split
from headwater_records_spark.jvm import Jvm
from kit import boundary_data, boundary_generator, boundary_tpch
from kit.class_archive import CLASS_PATH, class_path

SKETCH_ERROR = 0.03
POLICY = "# policy: "
"""Before what a job's policy states beside what all have."""
HEAD = "import sys\nfrom pyspark.sql import SparkSession, Window, functions as F\n"
START = 'spark = SparkSession.builder.appName("{name}").getOrCreate()\ndata, out = sys.argv[1:3]\n'


@dataclass(slots=True)
class Proof:
    """What came of one job: ``refused`` with the reason, or what is ``wrong``, or neither."""

    name: str
    refused: str = ""
    wrong: list[str] = field(default_factory=list)
    split: Split | None = None


def corpus(file: Path) -> Iterator[tuple[str, str]]:
    """The jobs of a file: a name behind ``###``, then the program without its beginning, which all have in common."""
    for part in file.read_text("utf-8").split("\n### ")[1:]:
        name, _, body = part.partition("\n")
        yield name.strip(), HEAD + START.format(name=name.strip()) + body


@contextmanager
def never_stopping() -> Iterator[None]:
    """Let programs stop the session as they like."""
    before = SparkSession.stop, SparkContext.stop
    SparkSession.stop = SparkContext.stop = lambda *_: None
    try:
        yield
    finally:
        SparkSession.stop, SparkContext.stop = before


def prove(spark: Any, company: ModuleType, data: Path, folder: Path, name: str, program: str) -> Proof:
    """Split the program over the data of a company, run both, and compare."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script, out, parts = folder / f"{name}.py", folder / "split", folder / "programs"
    script.write_text(program, "utf-8")
    planned = plan(script, [str(data / "all"), str(out)])
    stated: dict[str, Any] = next(
        (json.loads(line[len(POLICY) :]) for line in program.splitlines() if line.startswith(POLICY)), {}
    )
    policy = parse_policy(company.policy(data, out, **stated))
    proof = Proof(name)
    try:
        proof.split = made = split(Jvm(spark), planned, parse_rules(company.RULES), policy)
    except CannotSplitError as error:
        proof.refused = str(error)
        return proof
    for path, content in made.files.contents.items():
        (parts / path).parent.mkdir(parents=True, exist_ok=True)
        (parts / path).write_text(content, "utf-8")
    original = folder / "original"
    with never_stopping():
        run(script, str(data / "all"), str(original))
    spark.catalog.clearCache()
    run_split(parts, made.files.stages, folder / "boundary", company.REGIONS)
    proof.wrong.extend(compared(spark, original, out, company.REGIONS, sketch=_has_sketch(made)))
    proof.wrong.extend(leaked(spark, folder / "boundary", company.tokens()))
    return proof


def run(script: Path, *arguments: str) -> None:
    """Run a program in this process."""
    before, sys.argv = sys.argv, [str(script), *arguments]
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = before


def run_split(parts: Path, stages: int, boundary: Path, regions: Iterable[str]) -> None:
    """Run each stage in all regions, then outside."""
    for stage in range(1, stages + 1):
        given = ("--boundary", str(boundary), "--stage", str(stage))
        for region in regions:
            run(parts / "inside.py", "--region", region, *given)
        run(parts / "outside.py", *given)


def _has_sketch(made: Split) -> bool:
    return any(column.sketch for each in made.intermediates for column in each.columns)


def compared(
    spark: Any, original: Path, out: Path, regions: Iterable[str], *, sketch: bool = False
) -> Iterator[str]:
    """How the outputs differ."""
    names = {each.name for each in original.iterdir()} if original.exists() else set()
    if not names:
        yield "the original wrote nothing"
    for name in sorted(names):
        wanted = _rows(spark, [original / name])
        places = [out / name, *(out / "inside" / region / name for region in regions)]
        present = [each for each in places if each.exists()]
        if not present:
            yield f"{name} was not written"
            continue
        found = _rows(spark, present)
        if found[0] != wanted[0]:
            yield f"{name} has the columns {found[0]}, not {wanted[0]}"
        elif not _equal(wanted[1], found[1], sketch=sketch):
            more = [r for r in found[1] if r not in wanted[1]][:3]
            yield f"{name} differs: {len(found[1])} and {len(wanted[1])} rows; {more} not in {wanted[1][:3]}"


def _rows(spark: Any, places: list[Path]) -> tuple[list[str], list[Any]]:
    schema, found = [], []
    for place in places:
        frame = spark.read.parquet(str(place))
        schema = [f"{each.name} {each.dataType.simpleString()}" for each in frame.schema.fields]
        found += [_plain(tuple(row)) for row in frame.collect()]
    return schema, found


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, list):
        return ("list", *sorted(map(_plain, value), key=repr))
    if isinstance(value, dict):
        return ("map", *sorted((_plain(k), _plain(v)) for k, v in value.items()))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.7g}")
    return value


def _equal(wanted: list[Any], found: list[Any], *, sketch: bool) -> bool:
    if Counter(map(repr, wanted)) == Counter(map(repr, found)):
        return True
    if len(wanted) != len(found):
        return False
    pairs = zip(sorted(wanted, key=_key), sorted(found, key=_key), strict=True)
    return all(_close(a, b, SKETCH_ERROR if sketch else 1e-6) for a, b in pairs)


def _key(row: Any) -> tuple[str, list[float]]:
    numbers = [each for each in row if isinstance(each, int | float) and not isinstance(each, bool)]
    return repr([each for each in row if not any(each is number for number in numbers)]), numbers


def _close(one: Any, other: Any, error: float) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_close(a, b, error) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return bool(one == other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        bound = error if isinstance(one, float) or error > 1e-3 else 0
        return math.isclose(one, other, rel_tol=bound, abs_tol=1e-7)
    return bool(one == other)


def leaked(spark: Any, boundary: Path, tokens: Iterable[str]) -> Iterator[str]:
    """Personal values in what crossed the boundary: in the files' bytes and in their rows."""
    known = list(tokens)
    for file in sorted(boundary.rglob("*.parquet")):
        raw = file.read_bytes()
        text = "\n".join(map(str, spark.read.parquet(str(file)).collect()))
        for token in known:
            if token in text or token.encode() in raw:
                yield f"{token} is in {file.relative_to(boundary)}"


def main() -> None:
    """Prove the jobs of corpora (``FILE,FILE``), generated ones (``generated:FROM:TO``) or TPC-H's (``tpch``).

    Behind ``=`` are the names of those to prove, ``tpch=q5,q15``. Each is a line of JSON.
    """
    jar, folder, *asked = sys.argv[1:]
    spark = session(jar)
    for each in asked:
        which, _, names = each.partition("=")
        company = boundary_tpch if which == "tpch" else boundary_data
        data = Path(folder) / f"regions_of_{company.__name__}"
        if not data.exists():
            company.write(spark, data)
        for name, program in _chosen(which):
            if not names or name in names.split(","):
                found = _guarded(spark, company, data, Path(folder) / name, name, program)
                print(json.dumps({"which": which, **found}), flush=True)


def _guarded(
    spark: Any, company: ModuleType, data: Path, folder: Path, name: str, program: str
) -> dict[str, Any]:
    try:
        proof = prove(spark, company, data, folder, name, program)
    except Exception as error:  # noqa: BLE001 - what fails is as wrong as what differs
        last = traceback.extract_tb(error.__traceback__)[-1]
        lines = str(error).strip().splitlines() or [""]
        wrong = [f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {lines[0][:300]}"]
        return {"name": name, "refused": "", "wrong": wrong}
    return {"name": name, "refused": proof.refused, "wrong": proof.wrong}


def _chosen(which: str) -> Iterator[tuple[str, str]]:
    if which == "tpch":
        yield from _begun(boundary_tpch.jobs())
    elif which.startswith("generated:"):
        first, last = map(int, which.split(":")[1:])
        yield from _begun(boundary_generator.programs(range(first, last)))
    else:
        for file in which.split(","):
            yield from corpus(Path(file))


def _begun(jobs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, body in jobs:
        yield name, HEAD + START.format(name=name) + body


def session(jar: str) -> Any:
    """A Spark that starts small jobs quickly: it interprets, and has one partition."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1500m",
        CLASS_PATH: os.pathsep.join((*class_path(Path(pyspark.__path__[0])).values(), jar)),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss8m",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.leafNodeDefaultParallelism": "1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


if __name__ == "__main__":
    main()
