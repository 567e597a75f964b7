# ruff: noqa: E501 - a line of calls is read as a whole
"""What the independent reader (``readback``) gets back from each call of a function, recorded beside the plans.

`captures/readings.ndjson` holds one JSON object a line: the version of Spark and a digest of what executes and reads,
then each call with the columns that were got back, null where the call cannot be computed::

    {"version": "4.3.0", "made_by": "5c…"}
    {"kind": "scalar", "call": "upper(a_text)", "read": ["a_text"]}

What is got back depends on nothing but Spark and the call. So each test run holds the lineage of today against the
record, and executes only calls that are new; the long run executes all.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from golden import function_values, functions, readback
from golden.captures import FOLDER
from golden.functions import PREVIEWS, SQL, TYPED, Sample, alone, in_portions, samples
from golden.readback import PROBES, grouped, is_read, one_to_one, varied
from kit.perturbation import Row
from kit.spark_lines import SPARK_4, Planner, SparkLine, spark_version, what_answers

FILE = FOLDER / "readings.ndjson"
KINDS = ("scalar", "constant", "aggregate", "window", "program")
_OF_ROWS = ("scalar", "constant")

Readings = Mapping[Sample, frozenset[str] | None]
"""The columns that were got back from each call; None where it cannot be computed over these rows."""

DIGESTS = frozenset(("md5", "sha", "sha1", "sha2", "hmac", "crc32", "hash", "xxhash64"))
"""Functions whose results are one to one, which no formula computes backwards."""

SHORT_INPUTS = frozenset(
    {"texts", "items", "pairs", "a_pair", "ints", "more_ints", "floats", "a_unit", "a_zone"}
)
"""Columns of so few and short values that a fact about them may tell them all apart."""

CONSTANTS = """
mask(a_text, NULL, NULL, NULL, NULL) | mask(a_text) | mask(a_text, NULL, 'x', 'n') | mask(a_text, 'X', NULL, NULL, NULL)
mask(a_text, 'X', 'x', NULL) | translate(a_text, '', '') | translate(a_text, '#', '-') | overlay(a_text PLACING '' FROM 1 FOR 0)
overlay(a_text PLACING '--' FROM 3 FOR 0) | substr(a_text, 1) | substr(a_text, 0) | substr(a_text, 1, 1000) | substr(a_text, -1000)
substr(a_text, 1, 3) | substr(a_text, -3) | substr(a_text, 2) | left(a_text, 1000) | left(a_text, 3) | right(a_text, 1000) | right(a_text, 3)
regexp_replace(a_text, '#never#', '') | regexp_replace(a_text, '(.+)', '<$0>') | replace(a_text, '#', '') | lpad(a_text, 100, '*')
regexp_extract(a_text, '(.*)', 1) | regexp_substr(a_text, '.*') | split(a_text, '') | split_part(a_text, '#', 1)
substring_index(a_text, '#', 5) | sha2(a_text, 256) | sha2(a_text, 0) | md5(concat(a_text, b_text)) | crc32(a_text)
base64(aes_encrypt(a_text, '0000111122223333')) | cast(aes_decrypt(aes_encrypt(a_text, b_text || 'abcdefghijklmn'), b_text || 'abcdefghijklmn') as string)
concat('x', a_text) | substr(concat('x', a_text), 2, 4) | split(concat_ws('|', a_text, b_text), '[|]')[1] | hex(reverse(a_text))
substring_index(concat(a_text, '|', b_text), '|', 1) | parse_url(concat('http://x/?m=', a_text), 'QUERY', 'm') | upper(trim(a_text))
instr('ab', a_text) | find_in_set(digits, '4929174803,5929174803,4929174813,4929174804,4930174803') | array_position(array(3, 13, 23, 103, 2, 4, 6, 7), an_int)
locate(digits, '4929174803;5929174803;4929174813;4929174804;4930174803') | a_flag = true | a_flag <=> false | a_flag in (true) | not a_flag | a_flag > false
a_text = 'x' | an_int in (1, 2) | an_int > 3 | isnull(a_text) | length(a_text) | an_int % 1000 | an_int % 10 | pmod(an_int, 5000) | 5000 % a_long
hash(an_int) | xxhash64(a_long) | hash(a_text) | hash(an_int, 7) | date_format(a_stamp, 'yyyy-MM-dd HH:mm:ss.SSSSSS') | date_format(a_date, 'yyyyMMdd')
date_format(a_date, 'DDD-yyyy') | date_format(a_stamp, 'yyyy-MM') | date_format(a_stamp, 'HH') | trunc(a_date, 'DAY') | trunc(a_date, 'MM')
date_trunc('MICROSECOND', a_stamp) | date_trunc('YEAR', a_stamp) | bround(a_decimal, 5) | floor(an_int) | an_int * 2 + 1 | cast(a_pair as string)
exists(array(a_flag), x -> x) | to_json(struct(a_text, b_text)) | decode(encode(a_text, 'UTF-8'), 'UTF-8') | repeat(a_text, 1) | soundex(a_text)
greatest(a_text, '') | coalesce(a_text, 'x') | nullif(a_text, 'x') | format_string('%s', a_text) | levenshtein(a_text, 'Bern') | initcap(a_text)
"""
"""Calls of which constants, types or places decide what can be read back."""


@dataclass
class Recorded:
    """The columns that were got back, the version of Spark, and the digest of what got them back."""

    version: str = ""
    made_by: str = ""
    readings: dict[Sample, frozenset[str] | None] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether Spark and what reads are those of the record."""
        return (self.version, self.made_by) == (spark_version(SPARK_4), made_by())


@cache
def made_by() -> str:
    """A short hash of what executes the calls and reads their results at present; of the calls, each stands alone."""
    contents = [inspect.getsource(each) for each in (readback, function_values, functions)]
    contents += [Path(__file__).read_text("utf-8").replace(CONSTANTS, ""), what_answers()]
    return hashlib.sha256("".join(contents).encode()).hexdigest()[:12]


def calls(line: SparkLine) -> list[Sample]:
    """All calls in SQL that the line has."""
    found = [s for s in samples() if s.language == SQL and s.kind in KINDS and s.line in (None, line.name)]
    texts = [c.strip() for text in CONSTANTS.strip().splitlines() for c in text.split(" | ")]
    return found + [Sample(text.partition("(")[0], SQL, "constant", text, None) for text in texts]


def reader(line: SparkLine) -> Planner:
    """A session that has all functions of the line."""
    planner = Planner(line)
    settings = (*(f"{preview}=true" for preview in PREVIEWS), "spark.sql.ansi.enabled=false")
    planner.results({}, [{}], sql="".join(f"SET {setting};" for setting in settings) + "SELECT 1")
    return planner


def observe(planner: Planner, found: Sequence[Sample]) -> Readings:
    """Execute the calls, and try to get their arguments back."""
    readings: dict[Sample, frozenset[str] | None] = {}
    for kind, of_kind in groupby(sorted(found, key=lambda s: KINDS.index(s.kind)), key=lambda s: s.kind):
        for portion in in_portions(list(of_kind)):
            readings |= _of_rows(planner, portion) if kind in _OF_ROWS else _of_groups(planner, portion)
    return readings


@cache
def recorded() -> Recorded:
    """What is recorded; nothing where there is no file."""
    found, known = Recorded(), {(s.kind, s.call): s for s in calls(SPARK_4)}
    lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    for row in map(json.loads, lines):
        if "version" in row:
            found.version, found.made_by = row["version"], row["made_by"]
        elif call := known.get((row["kind"], row["call"])):
            found.readings[call] = None if row["read"] is None else frozenset(row["read"])
    return found


def recorded_of(found: Sequence[Sample]) -> Readings:
    """The record of those calls that it has, nothing unless it is that of the present Spark and way of reading."""
    known = recorded().readings if recorded().is_current else {}
    return {call: known[call] for call in found if call in known}


def record(readings: Readings) -> None:
    """Write what was got back: the same text for the same readings, whatever their order."""
    rows: list[dict[str, Any]] = [{"version": spark_version(SPARK_4), "made_by": made_by()}]
    for call, read in sorted(readings.items(), key=lambda each: (KINDS.index(each[0].kind), each[0].call)):
        rows.append({"kind": call.kind, "call": call.call, "read": None if read is None else sorted(read)})
    FILE.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _of_rows(planner: Planner, found: Sequence[Sample]) -> Readings:
    rows = [(column, row) for column in PROBES for row in varied(column)]
    content = [{**row, "id": number} for number, (_, row) in enumerate(rows)]
    readings: dict[Sample, frozenset[str] | None] = {}
    for part, results in _executed(planner, found, content):
        ordered = sorted(results, key=lambda row: int(row["id"])) if results is not None else None
        for number, call in enumerate(part):
            readings[call] = None
            if ordered is not None:
                seen = {
                    column: [
                        ordered[i].get(f"c{number}")
                        for i, (varying, _) in enumerate(rows)
                        if varying == column
                    ]
                    for column in PROBES
                }
                readings[call] = frozenset(c for c, values in seen.items() if _got_back(call, c, values))
    return readings


def _got_back(call: Sample, column: str, results: Sequence[Any]) -> bool:
    """Where each of a column's values stands in its result, or gives another result than all others."""
    if all(is_read(value, result) for value, result in zip(PROBES[column], results, strict=True)):
        return True
    return call.name not in DIGESTS and column not in SHORT_INPUTS and one_to_one(results)


def _of_groups(planner: Planner, found: Sequence[Sample]) -> Readings:
    """Of a call over groups, a column is got back if a value of a single record stands in each result."""
    rows = grouped()
    readings: dict[Sample, frozenset[str] | None] = {}
    for part, results in _executed(planner, found, rows):
        for number, call in enumerate(part):
            readings[call] = None
            if results is not None:
                shown = [c for c in PROBES if all(_shows_one(row, rows, number, c) for row in results)]
                readings[call] = frozenset(shown)
    return readings


def _shows_one(result: Row, rows: Sequence[Row], number: int, column: str) -> bool:
    of_group = [row[column] for row in rows if row["id"] == result["id"] or number == 0]
    return any(is_read(value, result.get(f"c{number}")) for value in of_group)


def _executed(
    planner: Planner, found: Sequence[Sample], content: list[Row]
) -> Iterator[tuple[Sequence[Sample], list[Row] | None]]:
    """The rows of the calls, all at once if all of them can be computed; None for one that cannot."""
    (rows,) = planner.results({"typed": TYPED}, [{"typed": content}], python=alone(found))
    if rows is not None or len(found) == 1:
        yield found, rows
    else:
        half = len(found) // 2
        yield from _executed(planner, found[:half], content)
        yield from _executed(planner, found[half:], content)
