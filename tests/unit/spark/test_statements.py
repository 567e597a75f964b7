"""SQL text leaves without the constants of its values; those that are compared in a predicate may stay."""

from __future__ import annotations

import time

import pytest

from headwater_spark.capture.statements import is_script, statement
from headwater_spark.constants import Constants, Setting, Tokens

PREDICATES, HIDE, SHOW = (Constants(each) for each in (Setting.PREDICATES, Setting.HIDE, Setting.SHOW))
SECRET = "hunter2"

KEPT = [
    "SELECT a FROM t WHERE b = 'kept'",
    "SELECT a FROM t WHERE (b = 'kept' OR c > 5) AND NOT (d <=> 'kept')",
    "SELECT a FROM t WHERE 'kept' <= b AND b IN ('kept', 'kept') AND c NOT IN (5, 5L)",
    "SELECT a FROM t WHERE b BETWEEN 'kept' AND 'kept' AND c LIKE 'kept%' AND d >= DATE 'kept' AND e < -5",
    "SELECT max(a) FROM t GROUP BY b HAVING max(a) > 5",
    "SELECT a FROM t JOIN s ON t.b = s.b AND s.c = 'kept'",
    "SELECT a FROM t WHERE EXISTS (SELECT s.a FROM s WHERE s.c = 'kept')",
    "UPDATE t SET a = b WHERE c = 'kept'",
    "DELETE FROM t WHERE c = 'kept'",
    "SELECT CASE WHEN b = 'kept' THEN c ELSE d END FROM t",
    "SELECT CASE WHEN b = 'kept' THEN c WHEN d = 'kept' THEN c END AS x FROM t WHERE e = 'kept'",
    "SELECT a, count(*) FILTER (WHERE b = 'kept') FROM t",
    "MERGE INTO t USING s ON t.a = s.a AND t.b = 'kept' WHEN MATCHED AND s.c = 'kept' THEN DELETE",
    "FROM t |> WHERE b = 'kept' |> SELECT a",
]
HIDDEN = [
    "SELECT 'hunter2'",
    "SELECT 'hunter2' AS a, t.b FROM t WHERE t.b = 'kept'",
    "SELECT concat(a, 'hunter2'), map('hunter2', 1), array('hunter2'), a || 'hunter2' FROM t",
    "SELECT CASE WHEN a = 'kept' THEN 'hunter2' ELSE 'hunter2' END FROM t",
    "SELECT CASE a WHEN 'hunter2' THEN b END FROM t",
    "SELECT a FROM t WHERE coalesce(b, 'hunter2') = 'kept'",
    "SELECT a FROM t WHERE map('hunter2', 'hunter2')[b] = 'kept'",
    "SELECT a FROM t WHERE b = upper('hunter2')",
    "SELECT * FROM VALUES ('hunter2', 1), ('b', 2) AS t(a, b)",
    "INSERT INTO t VALUES ('hunter2', 'hunter2')",
    "INSERT INTO t (a, b) SELECT b, 'hunter2' FROM s WHERE c = 'kept'",
    "INSERT OVERWRITE t PARTITION (day = 'hunter2') SELECT a FROM s",
    "UPDATE t SET a = 'hunter2', b = 'hunter2' WHERE c = 'kept'",
    "UPDATE t SET when = 'hunter2', t.on = 'hunter2', where = 'hunter2' WHERE c = 'kept'",
    "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED AND s.b = 'kept' THEN UPDATE SET a = 'hunter2', b = 'hunter2' "
    "WHEN NOT MATCHED THEN INSERT (a) VALUES ('hunter2')",
    "CREATE TABLE t (a STRING DEFAULT 'hunter2' COMMENT 'hunter2') COMMENT 'hunter2' TBLPROPERTIES ('x' = 'hunter2')",
    "CREATE TABLE t USING csv OPTIONS (path 'hunter2', k = 'hunter2') AS SELECT 1",
    "ALTER TABLE t ADD CONSTRAINT c CHECK (a = 'hunter2')",
    "ALTER TABLE t DROP PARTITION (day = 'hunter2')",
    "DECLARE VARIABLE v STRING DEFAULT 'hunter2'; SET VAR v = 'hunter2'; SELECT v",
    "EXECUTE IMMEDIATE 'SELECT 1 WHERE a = ''hunter2''' USING 'hunter2'",
    "SELECT * FROM t PIVOT (sum(a) FOR b IN ('hunter2' AS x))",
    "SELECT a FROM t WHERE b = 'kept' -- for hunter2",
    "SELECT /* hunter2 */ a FROM t /* hunter2",
    "SELECT a FROM t WHERE b LIKE 'kept' ESCAPE 'hunter2'",
    "SELECT f(x => 'hunter2') FROM t",
    "SELECT a FROM t ORDER BY b = 'hunter2'",
    "SELECT a FROM t WHERE b = 'kept' LIMIT 1; INSERT INTO s VALUES ('hunter2')",
    r"""SELECT X'hunter2', r'hunter2', "hunter2", 'it''s hunter2', 'it\'s hunter2'""",
    "SELECT 'hunter2",
    'SELECT "hunter2',
    "SELECT 1 /* hunter2",
    "SELECT 1 -- hunter2",
    r"SELECT 'a\'hunter2'",
    "FROM t |> WHERE a = 'kept' |> SET b = 'hunter2' |> EXTEND 'hunter2' AS c",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_predicate_keeps_what_it_compares_with(text: str) -> None:
    assert statement(text, PREDICATES) == text
    hidden = statement(text, HIDE)
    assert "kept" not in hidden and "5" not in hidden


@pytest.mark.parametrize("text", HIDDEN)
def test_a_value_keeps_no_constant(text: str) -> None:
    shown = statement(text, PREDICATES)
    assert SECRET not in shown
    assert shown.count("kept") == text.count("kept"), shown
    assert statement(text, SHOW) == text


@pytest.mark.parametrize("text", [text for text in KEPT if "'kept'" in text])
def test_after_a_collect_a_predicate_keeps_only_equality(text: str) -> None:
    constants = Constants(tokens=Tokens())
    shown = statement(text, constants)
    assert "kept" not in shown
    assert constants.in_predicate("kept", "", "") in shown


def test_the_shape_of_a_statement_stays() -> None:
    text = r"""
      -- for ada@example.org
      SELECT /*+ BROADCAST(t) */ `a 1`, col_2, x'ff', date '2026-01-01', r"raw", 1.5e-3d + .5 AS c3 /* 12 */
      FROM t WHERE name = 'it''s' AND n IN (1, 2L) AND s LIKE "a\"b%"
    """
    assert " ".join(statement(text, HIDE).split()) == (
        "SELECT /*+ BROADCAST(t) */ `a 1`, col_2, <binary>, date <string>, <string>, <number> + <number> AS c3"
        " FROM t WHERE name = <string> AND n IN (<number>, <number>) AND s LIKE <string>"
    )


PARTS = ["a", "'", '"\\', "/*", "`", "1.", "(", ")", "CASE ", "WHEN ", "x = 'y' AND ", "r'", "- "]


@pytest.mark.parametrize("part", PARTS)
def test_no_text_takes_long(part: str) -> None:
    text = "WHERE " + part * (60_000 // len(part)) + " 'z'"
    began = time.process_time()
    statement(text, PREDICATES)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    ["BEGIN SELECT 1; END", " -- why\n/* so */ begin\nSELECT 1; END", "`a b`: BEGIN END", "l : begin END"],
)
def test_a_script_is_known_by_its_beginning(text: str) -> None:
    assert is_script(text)


@pytest.mark.parametrize(
    "text", ["", "SELECT begin FROM t", "-- BEGIN\nSELECT 1", "CREATE TABLE begin (a INT)"]
)
def test_other_statements_are_no_scripts(text: str) -> None:
    assert not is_script(text)
