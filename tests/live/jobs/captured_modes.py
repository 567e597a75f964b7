"""Writes each pipeline plainly and in every mode of capture, asks all the same, and prints what differed as JSON.

Its arguments are a folder and which pipelines: names of some, or a part of all as ``2/5`` (the third fifth).
``refused`` asks for those that cannot be traced.
"""

import json
import random
import re
import shutil
import sys
import time
import warnings
from pathlib import Path

import captured_pipelines
from captured_records import failure, session
from pyspark.sql import functions as F

import headwater_records_spark as hr
from headwater_records_spark.values import plain

FOLDER, PART, *NAMES = sys.argv[1:]
MODES = ("demand", "ends", "full")
JOB_ID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNORDERED = {"sort_and_limit", "sampled", "with_replacement", "rows_of_empty_partitions"}
"""Pipelines that give other rows when there are fewer."""
UNREPEATABLE = {"by chance"}
"""Pipelines that write other rows each time."""


def files(folder):
    """The bytes of each part of an output by its name without the job's id."""
    return sorted(
        (
            JOB_ID.sub("", str(each.relative_to(folder))),
            each.read_bytes(),
        )
        for each in Path(folder).rglob("part-*")
    )


def described(answer):
    return sorted(
        [item.source, *map(str, item.id), sorted(
            (str(each), each.contributes, sorted(each.accessed), sorted(each.manipulated)) for each in item.paths
        )]
        for item in answer.items()
    )  # fmt: skip


def rows(frame):
    return sorted(repr(plain(row)) for row in frame.collect())


def written(spark, frame, name):
    """The outputs by mode, with what a run of its own wrote, and what was refused."""
    frame.write.parquet(f"{FOLDER}/{name}/plain")
    outputs, wrong = {}, []
    for mode in MODES:
        output = f"{FOLDER}/{name}/{mode}"
        with hr.capture(spark, into=f"{FOLDER}/records/{mode}", mode=mode) as captured:
            frame.write.parquet(output)
        (run,) = captured.runs
        outputs[mode] = captured.written(output)
        if run.refused:
            wrong.append(f"{mode}: refused: {run.refused}")
        if not run.refused and files(output) != files(f"{FOLDER}/{name}/plain"):
            wrong.append(f"{mode}: other bytes")
        if left := [each.name for each in Path(output).rglob("*headwater*")]:
            wrong.append(f"{mode}: left {left}")
    return outputs, wrong


def asked(frame, dice):
    """Questions as arguments of ``why``: one row, and one column of some rows."""
    found = frame.collect()
    if not found:
        return [{}]
    row, name = dice.choice(found), dice.choice(frame.columns)
    kinds = dict(frame.dtypes)
    keys = [
        each for each in frame.columns if not kinds[each].startswith(("map", "array", "struct", "double"))
    ]
    one = F.lit(True)
    for each in keys:
        one &= F.col(f"`{each}`").eqNullSafe(F.lit(row[each]))
    some = F.col(f"`{keys[0]}`").eqNullSafe(F.lit(row[keys[0]])) if keys else F.lit(True)
    return [{"where": one}, {"where": some, "paths": [name]}]


def judged(spark, frame, name, dice):
    """What is wrong, as text; empty if nothing is."""
    outputs, wrong = written(spark, frame, name)
    if any(": refused: " in each for each in wrong):
        return wrong
    for question in asked(frame, dice):
        answers = {mode: outputs[mode].why(**question) for mode in MODES}
        wrong += [
            f"{mode}: another answer to {list(question)}" for mode in MODES[1:]
            if described(answers[mode]) != described(answers["demand"])
        ]  # fmt: skip
        if "paths" not in question and name not in UNORDERED:
            wrong += witnesses(frame, question, answers["full"], outputs["full"])
        if "paths" in question:
            wrong += other_direction(answers["demand"].items(), outputs, dice)
    return wrong


def witnesses(frame, question, answer, output):
    """The rows that are asked about come again from their witnesses alone."""
    where = question.get("where", F.lit(True))
    wanted, again = (rows(each.where(where)) for each in (frame, output.replay(only=answer)))
    return [] if wanted == again else [f"witnesses: {wanted[:2]} became {again[:2]}"]


def other_direction(items, outputs, dice):
    """A record that reached the output, or one of the same file of which nobody knows whether it did."""
    wrong = []
    for item in dice.sample(items, min(1, len(items))):
        another = (item.id[0], dice.randint(1, 3))
        records = {item.source: [dice.choice([item.id, another]) if item.id[0] else item.id]}
        forward = {mode: rows(outputs[mode].forward(records)) for mode in MODES}
        dropped = {mode: outputs[mode].why_not(records) for mode in MODES}
        erased = {mode: to_erase(outputs[mode], records) for mode in MODES[1:]}
        if erased["ends"] != erased["full"] or len(erased["ends"]) != len(forward["demand"]):
            wrong.append(f"erase {records}: {erased}")
        for mode in MODES[1:]:
            if forward[mode] != forward["demand"]:
                wrong.append(f"{mode}: forward {records}: {forward[mode]} and not {forward['demand']}")
            if dropped[mode] != dropped["demand"]:
                wrong.append(f"{mode}: why not {records}: {dropped[mode]} and not {dropped['demand']}")
    return wrong


def to_erase(output, records):
    """Of how many others are the records that have to go; equal ones may be another's after another run of the plan."""
    return sorted(each.others for each in output.erase(records))


def refused(spark):
    """Of each pipeline that cannot be traced, by mode: what the run says, and what came of the job and a question."""
    found = {}
    for name, frame in captured_pipelines.refused(spark).items():
        frame.write.parquet(f"{FOLDER}/{name}/plain")
        wanted = rows(spark.read.parquet(f"{FOLDER}/{name}/plain"))
        for mode in MODES:
            output = f"{FOLDER}/{name}/{mode}"
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                with hr.capture(spark, into=f"{FOLDER}/records", mode=mode) as captured:
                    frame.write.parquet(output)
            (run,) = captured.runs
            found[f"{name}, {mode}"] = {
                "operator": run.operator,
                "warned": any(
                    run.refused in str(each.message) for each in given if each.category is hr.RecordsWarning
                ),
                "job": name in UNREPEATABLE or rows(spark.read.parquet(output)) == wanted,
                "question": failure(captured.written(output).why),
            }
    return found


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    # compiling and re-planning hundreds of small queries takes most of the time
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    shutil.rmtree(f"{FOLDER}/tables", ignore_errors=True)
    captured_pipelines.tables(spark, f"{FOLDER}/tables")
    found = refused(spark) if PART == "refused" else pipelines(spark)
    print("FOUND " + json.dumps(found))
    spark.stop()


def pipelines(spark):
    """What is wrong with each of the pipelines that are asked for."""
    frames = {name: spark.sql(query) for name, query in captured_pipelines.SQL.items()}
    frames |= captured_pipelines.programs(spark)
    part, of = (int(each) for each in PART.split("/")) if "/" in PART else (0, 0)
    found = {}
    for number, (name, frame) in enumerate(frames.items()):
        if (of and number % of == part) or name in {PART, *NAMES}:
            start = time.monotonic()
            found[name] = judged(spark, frame, name.replace(" ", "_"), random.Random(number))
            print(name, round(time.monotonic() - start, 1), found[name], file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()
