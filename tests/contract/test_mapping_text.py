"""Any job's lineage in the language of business mappings, which is read again; what it cannot express is a comment."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.lineage import Scope
from headwater_backend.reports.languages.catalogue import Language
from headwater_backend.reports.mapped.question import mapped
from headwater_facets.producer import FACET_PRODUCER
from headwater_facets.schemas import CONDITIONS
from headwater_mappings import Document, events_of, parse, render, tree
from kit.filtered import REGIONS, copied, literal
from kit.openlineage import NAMESPACE, dataset, event, facet, node, paths

TIME = "2026-01-01T00:00:00+00:00"


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def text_of(store: LineageStore, place: str, path: str = "x", language: Language = Language.EN) -> str:
    return mapped(store, node(place, path), Scope(), language).text


def read(text: str) -> tree.Mapping:
    """One mapping; ``x`` alone means times, and is a name here."""
    (found,) = parse(re.sub(r"\.x\b", ".`x`", text))
    return found


def comments(text: str) -> list[str]:
    return [line.strip()[2:] for line in text.splitlines() if line.strip().startswith("# ")]


def column(row: int, name: str, type_: str = "string") -> dict[str, Any]:
    return {"row": row, "path": [name], "type": type_}


def op(name: str, *args: Any, **rest: Any) -> dict[str, Any]:
    return {"op": name, "args": list(args), **rest}


def made(
    values: dict[str, tuple[Any, str]],
    edges: list[tuple[list[str], str, list[str], str]],
    sources: tuple[str, ...] = ("s",),
    passed: tuple[tuple[str, Any], ...] = (),
    **lineage: Any,
) -> dict[str, Any]:
    """A run that makes ``t``, with one population, each row of it of one of the sources."""
    out = dataset("t", *values, headwater_pathLineage={**paths(*edges), **lineage})
    columns = ("x", "y", "region", "n")
    found = event("COMPLETE", 1, "run", [dataset(each, *columns) for each in sources], [out], "make t")
    rows = [
        {"row": number, "datasets": [{"namespace": NAMESPACE, "name": each}], "kept": True}
        for number, each in enumerate(sources)
    ]
    population = {
        "rows": rows,
        "conditions": [{"operator": 1, "sql": sql, "expression": tree_} for sql, tree_ in passed],
        "values": [
            {"path": [name], "type": type_, "expression": value} for name, (value, type_) in values.items()
        ],
    }
    found["job"]["facets"] = {
        CONDITIONS: {**facet(conditions=[], populations=[population]), "_producer": FACET_PRODUCER}
    }
    return found


COPY = {"x": (column(0, "x"), "string")}
COPIED = [(["x"], "s", ["x"], "IDENTITY")]


def test_the_regions_are_mappings_with_their_conditions_and_what_is_cut_is_a_comment(
    store: LineageStore,
) -> None:
    take(store, *REGIONS)
    text = text_of(store, "a1")
    found = parse(text)
    assert [(each.target, each.driving) for each in found] == [("a1", "a3"), ("a3", "a5"), ("a5", "a7")]
    assert found[1].filter == tree.Comparison(tree.Attribute("a5", "region"), "=", tree.Text("Americas"))
    assert isinstance(found[0].filter, tree.AnyOf)
    cut = [each for each in comments(text) if each.startswith("Nothing comes from x of a9")]
    assert len(cut) == 1 and "Americas" in cut[0] and "Europe" in cut[0]
    assert "by a5 to a3" in comments(text)
    assert any(each.startswith("The data begin at x of a7") for each in comments(text))


def test_in_german_the_comments_are(store: LineageStore) -> None:
    take(store, *REGIONS)
    assert "durch a5 to a3" in comments(text_of(store, "a1", language=Language.DE))


def test_without_populations_the_edges_tell_and_the_job_is_named(store: LineageStore) -> None:
    take(store, copied(1, "a8", "a6", known=False))
    text = text_of(store, "a6")
    (mapping,) = parse(text)
    assert mapping == read("WHEN POPULATING a6 FROM a8 POPULATE a6.x WITH a8.x")


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (op("=", column(0, "region"), literal("EU")), 's.region = "EU"'),
        (op("=", literal("EU"), column(0, "region")), 's.region = "EU"'),
        (op("<", {"literal": 5, "type": "integer"}, column(0, "n", "integer")), "s.n > 5"),
        (op("not", op("=", column(0, "region"), literal("EU"))), 's.region != "EU"'),
        (op("in", column(0, "x"), literal("a"), literal("b")), 's.x = "a" OR s.x = "b"'),
        (op("not", op("in", column(0, "x"), literal("a"), literal("b"))), 's.x != "a" AND s.x != "b"'),
        (
            op("between", column(0, "n", "integer"), *({"literal": n, "type": "integer"} for n in (1, 3))),
            "s.n >= 1 AND s.n <= 3",
        ),
        (
            op(
                "not",
                op("or", op("=", column(0, "x"), literal("a")), op("<", column(0, "x"), column(0, "y"))),
            ),
            's.x != "a" AND s.x >= s.y',
        ),
        (op("like", column(0, "x"), literal("a%")), 's.x LIKE "a%"'),
        (op("startswith", column(0, "x"), literal("a")), 's.x LIKE "a%"'),
        (op("<=>", column(0, "x"), literal("a")), 's.x = "a"'),
        (
            op("=", column(0, "n", "date"), {"literal": 20454, "type": "date"}),
            "s.n = 01.01.2026",
        ),
        (
            op("<", column(0, "n", "decimal(9,2)"), {"literal": "12.50", "type": "decimal(9,2)"}),
            "s.n < 12.5",
        ),
    ],
)
def test_a_condition_is_expressed_where_the_language_has_words(
    store: LineageStore, term: dict[str, Any], expected: str
) -> None:
    take(store, made(COPY, COPIED, passed=(("SQL", term),)))
    text = text_of(store, "t")
    assert (
        parse(text)[0].filter
        == read(f"WHEN POPULATING t FROM s POPULATE t.x WITH s.x SELECT ROWS WHERE {expected}").filter
    )
    assert not any("SQL" in each for each in comments(text))


@pytest.mark.parametrize(
    "term",
    [
        op("isnull", column(0, "x")),
        op("isnotnull", column(0, "x")),
        op("not", op("<=>", column(0, "x"), literal("a"))),
        op("not", op("like", column(0, "x"), literal("a"))),
        op("startswith", column(0, "x"), literal("a_")),
        op("=", column(0, "x"), literal('a "b"')),
        op("=", column(0, "x"), {"token": "token:k:1", "type": "string"}),
        op("=", column(0, "x", "binary"), literal("a")),
        op("=", column(0, "n", "integer"), {"literal": -5, "type": "integer"}),
        op("=", op("upper", column(0, "x")), literal("A")),
        op("=", literal("b"), literal("b")),
        op("or", op("=", column(0, "x"), literal("a")), op("isnull", column(0, "x"))),
        {"opaque": True, "of": [column(0, "x")]},
    ],
)
def test_a_condition_without_words_is_a_comment_and_no_filter(
    store: LineageStore, term: dict[str, Any]
) -> None:
    take(store, made(COPY, COPIED, passed=(("what SQL says", term),)))
    text = text_of(store, "t")
    assert parse(text)[0].filter is None
    assert [each for each in comments(text) if "what SQL says" in each]


@pytest.mark.parametrize(
    ("value", "sources", "expected"),
    [
        (column(0, "x"), "x", "s.x"),
        (op("concat", column(0, "x"), op("concat", literal("-"), column(0, "y"))), "xy", 's.x || "-" || s.y'),
        (op("case", op("=", column(0, "y"), literal("a")), column(0, "x")), "x", 's.x IF s.y = "a"'),
        (
            op("case", op("=", column(0, "y"), literal("a")), column(0, "x"), literal("none")),
            "x",
            's.x IF s.y = "a" WITH "none"',
        ),
        (op("upper", column(0, "x")), "x", "s.x"),
        (op("coalesce", column(0, "x"), column(0, "y")), "xy", "s.x || s.y"),
        (
            op(
                "case",
                op("=", column(0, "y"), literal("a")),
                {"literal": None, "type": "string"},
                column(0, "x"),
            ),
            "x",
            "s.x",
        ),
    ],
)
def test_a_value_names_all_that_it_is_made_of(
    store: LineageStore, value: dict[str, Any], sources: str, expected: str
) -> None:
    edges = [(["x"], "s", [each], "TRANSFORMATION") for each in sources]
    take(store, made({"x": (value, "string")}, edges))
    text = text_of(store, "t")
    assert (
        parse(text)[0].populates == read(f"WHEN POPULATING t FROM s POPULATE t.x WITH {expected}").populates
    )
    coarse = value.get("op") in {"upper", "coalesce"} or '"literal": null' in str(value).replace(
        "None", "null"
    ).replace("'", '"')
    assert any(each.startswith("x is not only this, but ") for each in comments(text)) == coarse


def test_an_inner_join_navigates_and_says_that_rows_have_a_partner(store: LineageStore) -> None:
    values = {"x": (column(0, "x"), "string"), "y": (column(1, "y"), "string")}
    edges = [(["x"], "s", ["x"], "IDENTITY"), (["y"], "u", ["y"], "IDENTITY")]
    joined = ("s.n = u.n", op("=", column(0, "n"), column(1, "n")))
    take(store, made(values, edges, ("s", "u"), (joined,)))
    text = text_of(store, "t", "y")
    (mapping,) = parse(text)
    assert mapping.navigation == tree.Navigation(
        "s", "u", ((tree.Attribute("s", "n"), tree.Attribute("u", "n")),)
    )
    assert mapping.populates[0].choices[0].expression == tree.Attribute("u", "y")
    assert "only rows that have a partner" in comments(text)


def test_rows_of_one_dataset_twice_are_mappings_with_a_comment(store: LineageStore) -> None:
    joined = ("a.x = b.y", op("=", column(0, "x"), column(1, "y")))
    take(store, made(COPY, COPIED, ("s", "s"), (joined,)))
    text = text_of(store, "t")
    assert [each.navigation for each in parse(text)] == [None]
    assert any("how their rows are put together" in each for each in comments(text))
    assert any("a.x = b.y" in each for each in comments(text))


def test_what_groups_or_filters_without_words_is_a_comment(store: LineageStore) -> None:
    decided = {
        "namespace": NAMESPACE,
        "name": "s",
        "path": ["region"],
        "transformations": [{"type": "INDIRECT", "subtype": "GROUP_BY", "masking": False}],
    }
    take(store, made(COPY, COPIED, dataset=[decided]))
    assert "rows and values are decided by these, too: s.region (rows grouped by it)" in comments(
        text_of(store, "t")
    )


def test_a_foreign_producers_columns_are_mappings_too(store: LineageStore) -> None:
    field = {
        "inputFields": [
            {"namespace": NAMESPACE, "name": name, "field": "x", "transformations": [kind]}
            for name, kind in (
                ("s", {"type": "DIRECT", "subtype": "AGGREGATION"}),
                ("u", {"type": "DIRECT", "subtype": "IDENTITY"}),
                ("s", {"type": "INDIRECT", "subtype": "FILTER"}),
            )
        ]
    }
    out = dataset("t", "x", columnLineage=facet(fields={"x": field}))
    take(store, event("COMPLETE", 1, "r", [dataset("s", "x"), dataset("u", "x")], [out], "dbt"))
    text = text_of(store, "t")
    assert {(each.driving, each.populates[0].choices[0].expression) for each in parse(text)} == {
        ("s", tree.Attribute("s", "x")),
        ("u", tree.Attribute("u", "x")),
    }
    assert any("s.x (aggregated)" in each for each in comments(text))
    assert any("rows filtered by it" in each for each in comments(text))


def test_names_of_any_characters_stay_apart_and_are_read_again(store: LineageStore) -> None:
    lineage = paths((["a`b\n# c"], "/data/x y", ["from"], "IDENTITY"))
    out = dataset("WHEN", "a`b\n# c", headwater_pathLineage=lineage)
    take(store, event("COMPLETE", 1, "r", [dataset("/data/x y", "from")], [out], "evil\nWHEN POPULATING"))
    text = mapped(store, node("WHEN", "a`b\n# c"), Scope()).text
    (mapping,) = parse(text)
    assert (mapping.target, mapping.driving) == ("WHEN", "/data/x y")


def test_an_imported_mapping_is_its_own_text_without_other_attributes(store: LineageStore) -> None:
    text = """
WHEN POPULATING AGREEMENT FROM CUSTOMER MASTER DATA
  POPULATE AGREEMENT.OPEN DT
    WITH substr(CUSTOMER MASTER DATA.OPENING, 1, 8) IF CUSTOMER MASTER DATA.OPENING != 01010001
    WITH "DEFAULT UNKNOWN"
  POPULATE AGREEMENT.OTHER WITH CUSTOMER MASTER DATA.OTHER
  SELECT ROWS WHERE CUSTOMER MASTER DATA.AGE >= 18
  NAVIGATE FROM CUSTOMER MASTER DATA TO ADDRESS USING CUSTOMER MASTER DATA.ID = ADDRESS.ID
"""
    take(store, *events_of([Document("m.txt", TIME, parse(text))]))
    start = NodeKey(DatasetKey("mappings", "AGREEMENT"), ("OPEN DT",))
    (found,) = parse(mapped(store, start, Scope()).text)
    (whole,) = parse(text)
    assert render([found]) == render(
        [tree.Mapping(whole.target, whole.driving, whole.populates[:1], whole.filter, whole.navigation)]
    )


def test_a_text_that_is_not_what_made_the_rows_is_not_believed(store: LineageStore) -> None:
    changed = deepcopy(REGIONS[0])
    false = "WHEN POPULATING a6 FROM a8 POPULATE a6.`x` WITH a8.region"
    changed["job"]["facets"]["sourceCode"] = facet(language="mapping", sourceCode=false)
    take(store, changed)
    (mapping,) = parse(text_of(store, "a6"))
    assert mapping.populates[0].choices[0].expression == tree.Attribute("a8", "x")


def test_a_source_has_a_comment_alone(store: LineageStore) -> None:
    take(store, *REGIONS)
    assert text_of(store, "a9") == "# No lineage leads to x of a9.\n"
