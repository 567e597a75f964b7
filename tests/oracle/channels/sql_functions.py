"""Channels through functions of SQL that keep a value, or take it apart and put it together again."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from oracle.channels.program import Program, as_text, of_spark_4


def _of_all(program: Program, expression: str) -> DataFrame:
    """One row: an aggregate over any frame."""
    return as_text(program.frame().select(F.expr(expression).alias("text")), "text")


def _of_each(program: Program, expression: str) -> DataFrame:
    """A row for each of any frame, with an expression over it."""
    return program.frame().select("id", F.expr(expression).alias("a"), "b")


@of_spark_4
def most_frequent(program: Program) -> DataFrame:
    return _of_all(program, "to_json(approx_top_k(a, 3))")


@of_spark_4
def most_frequent_by_sketch(program: Program) -> DataFrame:
    return _of_all(program, "to_json(approx_top_k_estimate(approx_top_k_accumulate(a), 3))")


@of_spark_4
def sketches_combined(program: Program) -> DataFrame:
    sketches = program.frame().groupBy("id").agg(F.expr("approx_top_k_accumulate(b) AS sketch"))
    return as_text(
        sketches.select(F.expr("to_json(approx_top_k_estimate(approx_top_k_combine(sketch)))").alias("t")),
        "t",
    )


def mode_of_all(program: Program) -> DataFrame:
    return _of_all(program, "mode(a)")


def at_the_greatest(program: Program) -> DataFrame:
    return _of_all(program, "max_by(a, b)")


def greatest_of_struct(program: Program) -> DataFrame:
    return _of_all(program, "max(struct(id, b)).b")


def first_that_fits(program: Program) -> DataFrame:
    return _of_all(program, "first(a) FILTER (WHERE id > 2)")


def any_of_all(program: Program) -> DataFrame:
    return _of_all(program, "any_value(b)")


@of_spark_4
def listed(program: Program) -> DataFrame:
    return _of_all(program, "listagg(DISTINCT a, '|')")


def folded(program: Program) -> DataFrame:
    return _of_all(program, "aggregate(collect_list(a), '', (text, each) -> concat(text, each))")


def reduced_by_windows(program: Program) -> DataFrame:
    return program.frame().selectExpr(
        "id", "lead(a, 1, b) OVER (ORDER BY id) AS a", "first(b) OVER (ORDER BY id) AS b"
    )


def matched_groups(program: Program) -> DataFrame:
    return _of_each(program, "concat_ws('', regexp_extract_all(a, '(z)(.*)', 2))")


def replaced_around(program: Program) -> DataFrame:
    return _of_each(program, "concat('z', regexp_replace(a, '^z', ''))")


def parts_put_together(program: Program) -> DataFrame:
    return _of_each(program, "concat(left(a, 4), substr(a, 5))")


def letters_put_together(program: Program) -> DataFrame:
    return _of_each(program, "array_join(transform(sequence(1, length(a)), i -> substr(a, i, 1)), '')")


def codes_put_together(program: Program) -> DataFrame:
    return _of_each(
        program, "array_join(transform(sequence(1, length(a)), i -> char(ascii(substr(a, i, 1)))), '')"
    )


def sentences(program: Program) -> DataFrame:
    return _of_each(program, "array_join(flatten(sentences(concat('Of ', a, '.'))), ' ')")


def part_of_address(program: Program) -> DataFrame:
    return _of_each(program, "parse_url(concat('http://x/', a, '?q=', b), 'QUERY', 'q')")


def from_xml_by_path(program: Program) -> DataFrame:
    return _of_each(program, "xpath_string(concat('<r><v>', a, '</v></r>'), 'r/v')")


def of_pairs(program: Program) -> DataFrame:
    return _of_each(program, "str_to_map(concat('k:', a, ',l:', b))['l']")


def key_of_map(program: Program) -> DataFrame:
    return _of_each(program, "map_keys(map(a, b))[0]")


def entries_of_map(program: Program) -> DataFrame:
    return _of_each(program, "map_entries(map_filter(map(a, b), (k, v) -> true))[0].value")


def keys_turned(program: Program) -> DataFrame:
    return _of_each(program, "map_keys(transform_keys(map('k', a), (k, v) -> v))[0]")


def zipped(program: Program) -> DataFrame:
    return _of_each(program, "arrays_zip(array(a), array(b))[0]['1']")


def sorted_by(program: Program) -> DataFrame:
    return _of_each(program, "array_sort(array(a, b), (x, y) -> length(x) - length(y))[0]")


def encrypted_and_back(program: Program) -> DataFrame:
    key = "'0000111122223333'"
    return _of_each(program, f"CAST(aes_decrypt(aes_encrypt(a, {key}), {key}) AS string)")


def encoded_and_back(program: Program) -> DataFrame:
    return _of_each(program, "decode(unhex(hex(unbase64(base64(encode(a, 'utf-16'))))), 'utf-16')")


def translated(program: Program) -> DataFrame:
    return _of_each(program, "translate(translate(a, 'zq', '12'), '12', 'zq')")


def written_backwards(program: Program) -> DataFrame:
    return _of_each(program, "reverse(reverse(a))")


def masked_by_nothing(program: Program) -> DataFrame:
    return _of_each(program, "mask(a, NULL, NULL, NULL, NULL)")


def put_over(program: Program) -> DataFrame:
    return _of_each(program, "overlay(b PLACING a FROM 1)")


def filled_up(program: Program) -> DataFrame:
    return _of_each(program, "lpad('', length(a), a)")


def printed(program: Program) -> DataFrame:
    return _of_each(program, "printf('%2$s %1$s', a, b)")


@of_spark_4
def of_another_collation(program: Program) -> DataFrame:
    return _of_each(program, "CAST(collate(a, 'UTF8_LCASE') AS string)")


@of_spark_4
def in_a_variant(program: Program) -> DataFrame:
    return _of_each(program, "variant_get(parse_json(to_json(struct(a, b))), '$.b', 'string')")


def what_could_not_be_parsed(program: Program) -> DataFrame:
    parsed = "from_json(a, 'x int, _corrupt_record string', map('mode', 'PERMISSIVE'))"
    return _of_each(program, f"{parsed}._corrupt_record")


def lines_that_could_not_be_read(program: Program) -> DataFrame:
    path = program.path()
    program.frame().select("a").write.text(path)
    read = (
        program.spark.read.schema("x int, bad string").option("columnNameOfCorruptRecord", "bad").json(path)
    )
    return as_text(read.cache(), "bad")


def text_of_an_error(program: Program) -> DataFrame:
    try:
        program.frame().select(F.expr("raise_error(concat(a, ''))")).collect()
    except Exception as error:  # noqa: BLE001 - whatever Spark makes of it, its text is the channel
        return program.given([(1, str(error)[:2000], "none")])
    return program.frame()


def text_of_a_cast(program: Program) -> DataFrame:
    program.spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        program.frame().select(F.col("a").cast("int")).collect()
    except Exception as error:  # noqa: BLE001 - whatever Spark makes of it, its text is the channel
        return program.given([(1, str(error)[:2000], "none")])
    finally:
        program.spark.conf.unset("spark.sql.ansi.enabled")
    return program.frame()


def statistics_of_columns(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR ALL COLUMNS")
    rows = program.spark.sql(f"DESCRIBE EXTENDED {name} a").collect()
    return program.given([(number, str(row), "none") for number, row in enumerate(rows)])


def clustered(program: Program) -> DataFrame:
    return program.spark.sql(f"SELECT id, b AS a, a AS b FROM {program.view()} CLUSTER BY a")


def sampled(program: Program) -> DataFrame:
    return program.spark.sql(f"SELECT id, a, b FROM {program.view()} TABLESAMPLE (100 PERCENT)")


def unpivoted(program: Program) -> DataFrame:
    return program.frame().unpivot("id", ["a", "b"], "b", "a").select("id", "a", "b")


@of_spark_4
def piped(program: Program) -> DataFrame:
    return program.spark.sql(
        f"FROM {program.view()} |> EXTEND concat(a, b) AS c |> SET a = c |> SELECT id, a, b"
    )


@of_spark_4
def recursive(program: Program) -> DataFrame:
    name = program.view()
    return program.spark.sql(
        f"WITH RECURSIVE r(id, a, n) AS (SELECT id, a, 0 FROM {name} UNION ALL"
        " SELECT id, concat(a, '!'), n + 1 FROM r WHERE n < 2) SELECT id, a, 'none' AS b FROM r"
    )


@of_spark_4
def function_of_sql(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(
        f"CREATE TEMPORARY FUNCTION {name}(x STRING, y STRING DEFAULT '') RETURNS STRING RETURN y || x"
    )
    return program.spark.sql(f"SELECT id, {name}(y => a, x => b) AS a, b FROM {program.view()}")


@of_spark_4
def measured(program: Program) -> DataFrame:
    name = program.name()
    text = f"""CREATE VIEW {name} WITH METRICS LANGUAGE YAML AS $$
version: 0.1
source: {program.table()}
dimensions:
  - name: id
    expr: id
measures:
  - name: longest
    expr: max(a)
$$"""
    program.spark.sql(text)
    return program.spark.sql(f"SELECT id, MEASURE(longest) AS a, 'none' AS b FROM {name} GROUP BY id")
