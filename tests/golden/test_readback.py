# ruff: noqa: E501 - a line of calls is read as a whole
"""What can be got back from a function's result is never called less: every function of Spark is executed.

An independent reader (``readback``) tries to get the arguments back. ``retains`` of the lineage may say more than the
reader finds, never less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from golden.cases import lineage_of_plan
from golden.functions import PREVIEWS, SQL, TYPED, Sample, alone, in_portions, samples
from golden.readback import PROBES, grouped, is_read, one_to_one, varied
from headwater_facets.kinds import LineageType, Retains, strongest
from headwater_spark.tracing import PlanLineage
from kit.perturbation import Row
from kit.spark_lines import EITHER_LINE, Planner

pytestmark = pytest.mark.spark

Claims = dict[tuple[int, str], Retains]
"""(number of the call, column) → what the lineage says can be read back."""

DIGESTS = frozenset(("md5", "sha", "sha1", "sha2", "hmac", "crc32", "hash", "xxhash64"))
"""Functions whose results are one to one, which no formula computes backwards."""

SHORT_INPUTS = frozenset(
    {"texts", "items", "pairs", "a_pair", "ints", "more_ints", "floats", "a_unit", "a_zone"}
)
"""Columns of so few and short values that a fact about them may tell them all apart."""

IMPOSSIBLE = {
    "bit_get": "fails at a position above those of the number",
    "getbit": "fails at a position above those of the number",
    "make_time": "fails for an hour above 23",
    "measure": "is valid only over a metric view",
    "raise_error": "raises, and gives nothing",
    "regexp_extract": "fails for a group that the pattern does not have",
    "st_setsrid": "fails for a reference system that does not exist",
    "to_number": "fails for a text of more digits than its format has",
}
"""Functions that cannot be executed over these rows, each with the reason."""

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


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = Planner(request.param)
    settings = (*(f"{preview}=true" for preview in PREVIEWS), "spark.sql.ansi.enabled=false")
    planner.results({}, [{}], sql="".join(f"SET {setting};" for setting in settings) + "SELECT 1")
    yield planner
    planner.close()


def _calls(planner: Planner, kind: str) -> list[Sample]:
    line = planner.line.name
    return [s for s in samples() if s.language == SQL and s.kind == kind and s.line in (None, line)]


def test_no_function_retains_more_than_its_row_says(planner: Planner) -> None:
    failed: list[Sample] = []
    assert [
        found for p in in_portions(_calls(planner, "scalar")) for found in _understated(planner, p, failed)
    ] == []
    assert {s.name for s in failed} <= set(IMPOSSIBLE)


def test_constants_decide_what_can_be_read_back(planner: Planner) -> None:
    calls = [c.strip() for line in CONSTANTS.strip().splitlines() for c in line.split(" | ")]
    found = [Sample(c.partition("(")[0], SQL, "scalar", c, None) for c in calls]
    failed: list[Sample] = []
    assert list(_understated(planner, found, failed)) == []
    assert failed == []


@pytest.mark.parametrize("kind", ["aggregate", "window", "program"])
def test_no_value_of_a_single_record_is_called_a_statistic(planner: Planner, kind: str) -> None:
    failed: list[Sample] = []
    for portion in in_portions(_calls(planner, kind)):
        assert list(_read_in_groups(planner, portion, failed)) == []
    assert {s.name for s in failed} <= set(IMPOSSIBLE)


def _understated(planner: Planner, found: Sequence[Sample], failed: list[Sample]) -> Iterator[str]:
    """The calls from which a column can be got back, and of which the lineage says less."""
    rows = [(column, i, row) for column in PROBES for i, row in enumerate(varied(column))]
    content = [{**row, "id": number} for number, (_, _, row) in enumerate(rows)]
    for part, results in _executed(planner, found, content, failed):
        ordered = sorted(results, key=lambda row: int(row["id"]))
        claims = _claims(planner, part)
        for (number, column), claim in claims.items():
            given = [i for i, (varying, _, _) in enumerate(rows) if varying == column]
            seen = [ordered[i].get(f"c{number}") for i in given]
            if not claim.readable and _got_back(part[number], column, seen):
                yield f"{part[number]}: {column} is {claim}"


def _got_back(sample: Sample, column: str, results: Sequence[Any]) -> bool:
    if all(is_read(value, result) for value, result in zip(PROBES[column], results, strict=True)):
        return True
    return sample.name not in DIGESTS and column not in SHORT_INPUTS and one_to_one(results)


def _read_in_groups(planner: Planner, found: Sequence[Sample], failed: list[Sample]) -> Iterator[str]:
    """The calls over groups in each of whose results a value of a single record stands, which are not said to."""
    rows = grouped()
    for part, results in _executed(planner, found, rows, failed):
        for (number, column), claim in _claims(planner, part).items():
            if not claim.readable and all(_shows_one(row, rows, number, column) for row in results):
                yield f"{part[number]}: {column} is {claim}"


def _shows_one(result: Row, rows: Sequence[Row], number: int, column: str) -> bool:
    of_group = [row[column] for row in rows if row["id"] == result["id"] or number == 0]
    return any(is_read(value, result.get(f"c{number}")) for value in of_group)


def _executed(
    planner: Planner, found: Sequence[Sample], content: list[Row], failed: list[Sample]
) -> Iterator[tuple[Sequence[Sample], list[Row]]]:
    """The rows of the calls, all at once if all of them can be computed."""
    (rows,) = planner.results({"typed": TYPED}, [{"typed": content}], python=alone(found))
    if rows is not None:
        yield found, rows
    elif len(found) == 1:
        failed += found
    else:
        half = len(found) // 2
        yield from _executed(planner, found[:half], content, failed)
        yield from _executed(planner, found[half:], content, failed)


def _claims(planner: Planner, found: Sequence[Sample]) -> Claims:
    lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, python=alone(found)))
    ways: dict[tuple[int, str], list[Retains]] = {}
    for number in range(len(found)):
        for column, way in _direct(lineage, f"c{number}"):
            ways.setdefault((number, column), []).append(way)
    return {key: strongest(each) for key, each in ways.items()}


def _direct(lineage: PlanLineage, output: str) -> Iterator[tuple[str, Retains]]:
    for field in lineage.fields:
        for entry in field.inputs:
            for way in entry.transformations:
                if field.path[0] == output and way.type is LineageType.DIRECT and entry.path[0] in PROBES:
                    yield entry.path[0], way.retains or Retains.VALUE
