"""Mappings are read as the grammar says, also where the published one leaves a choice; errors say where and what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_mappings import MappingError, parse, render
from headwater_mappings import tree as t
from headwater_mappings.rendering import KEYWORDS
from headwater_mappings.tree import attributes

ROOT = Path(__file__).parents[3]
HEAD = "WHEN POPULATING TARGET FROM SOURCE POPULATE TARGET.NAME WITH "
AGREEMENT = """
WHEN POPULATING Entity: AGREEMENT FROM Entity: CUSTOMER MASTER DATA
POPULATE Attribute: AGREEMENT.ACCOUNT CLOSE DT
  WITH CUSTOMER MASTER DATA.LAST ACCOUNT CLOSING DATE
    IF CUSTOMER MASTER DATA.LAST ACCOUNT CLOSING DATE != 01010001
  WITH "DEFAULT MAX"
POPULATE AGREEMENT.ACCOUNT FIRST RELATIONSHIP DT
  WITH CUSTOMER MASTER DATA.FIRST ACCOUNT OPENING DATE
    IF CUSTOMER MASTER DATA.FIRST ACCOUNT OPENING DATE != 01010001
  WITH "DEFAULT MIN"
POPULATE AGREEMENT.ACCOUNT OPEN DT # the rest is not known
  WITH CUSTOMER MASTER DATA.CIF OPENING DATE IF CUSTOMER MASTER DATA.CIF OPENING DATE != 01010001
  WITH "DEFAULT UNKNOWN"
"""


def expression(text: str) -> t.Expression:
    return parse(HEAD + text)[0].populates[0].choices[0].expression


def condition(text: str) -> t.Condition:
    found = parse(f"{HEAD}SOURCE.AA IF {text}")[0].populates[0].choices[0].condition
    assert found is not None
    return found


def a(name: str) -> t.Attribute:
    return t.Attribute("SOURCE", name)


def test_a_real_mapping_is_read() -> None:
    (mapping,) = parse(AGREEMENT)
    assert (mapping.target, mapping.driving) == ("AGREEMENT", "CUSTOMER MASTER DATA")
    assert [each.attribute.name for each in mapping.populates] == [
        "ACCOUNT CLOSE DT",
        "ACCOUNT FIRST RELATIONSHIP DT",
        "ACCOUNT OPEN DT",
    ]
    last = mapping.populates[2]
    opening = t.Attribute("CUSTOMER MASTER DATA", "CIF OPENING DATE")
    assert last.choices == (
        t.With(opening, t.Comparison(opening, "!=", t.Value("01010001"))),
        t.With(t.Text("DEFAULT UNKNOWN")),
    )
    assert opening in set(attributes(last.choices[0].condition))


def test_the_mapping_of_the_guide_is_read() -> None:
    guide = (ROOT / "docs" / "mappings.md").read_text("utf-8")
    found = re.search(r"^```\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert found
    (mapping,) = parse(found[1])
    assert [len(each.choices) for each in mapping.populates] == [2, 1]
    assert mapping.filter and mapping.navigation


def test_filter_and_navigation_are_read() -> None:
    (mapping,) = parse(
        HEAD + 'ADDRESS.CITY SELECT ROWS WHERE SOURCE.KIND = "P" '
        "NAVIGATE FROM SOURCE TO ADDRESS USING SOURCE.ID = ADDRESS.ID, SOURCE.DAY = ADDRESS.DAY"
    )
    assert mapping.filter == t.Comparison(a("KIND"), "=", t.Text("P"))
    assert mapping.navigation is not None
    assert mapping.navigation.pairs == (
        (a("ID"), t.Attribute("ADDRESS", "ID")),
        (a("DAY"), t.Attribute("ADDRESS", "DAY")),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SOURCE.AA", a("AA")),
        ("SOURCE.FIRST NAME", a("FIRST NAME")),
        ("SOURCE.`FROM & TO`", a("FROM & TO")),
        ("SOURCE.NR 2ND", a("NR 2ND")),
        ('""', t.Text("")),
        ("01.02.2026", t.Value("01.02.2026")),
        ("1.5", t.Value("1.5")),
        ("substr(SOURCE.AA, 1, 3)", t.Substring(a("AA"), "1", "3")),
        ('SOURCE.AA || "-" || SOURCE.BB', t.Concatenation((a("AA"), t.Text("-"), a("BB")))),
        ("SUM(SOURCE.AA)", t.Aggregation("SUM", a("AA"))),
        ("SOURCE.AA x SOURCE.BB", t.Computation("x", a("AA"), a("BB"))),
        ("SOURCE.AA * SOURCE.BB", t.Computation("x", a("AA"), a("BB"))),
        (
            "SOURCE.AA + SOURCE.BB x SOURCE.CC",
            t.Computation("+", a("AA"), t.Computation("x", a("BB"), a("CC"))),
        ),
        (
            "SOURCE.AA - SOURCE.BB - SOURCE.CC",
            t.Computation("-", t.Computation("-", a("AA"), a("BB")), a("CC")),
        ),
        (
            "(SOURCE.AA + 1) / AVG(SOURCE.BB)",
            t.Computation("/", t.Computation("+", a("AA"), t.Value("1")), t.Aggregation("AVG", a("BB"))),
        ),
    ],
)
def test_an_expression_is_read_as_it_is_meant(text: str, found: t.Expression) -> None:
    assert expression(text) == found


def test_and_binds_more_than_or_and_parentheses_more_than_both() -> None:
    one, two, three = (t.Comparison(a(name), "=", t.Text("x")) for name in ("AA", "BB", "CC"))
    texts = [f'SOURCE.{name} = "x"' for name in ("AA", "BB", "CC")]
    assert condition(f"{texts[0]} OR {texts[1]} AND {texts[2]}") == t.AnyOf((one, t.AllOf((two, three))))
    assert condition(f"({texts[0]} OR {texts[1]}) AND {texts[2]}") == t.AllOf((t.AnyOf((one, two)), three))


def test_a_word_may_compare() -> None:
    assert condition('SOURCE.FIRST NAME LIKE "B%"') == t.Comparison(a("FIRST NAME"), "LIKE", t.Text("B%"))


@pytest.mark.parametrize(
    ("text", "line", "column", "problem", "hint"),
    [
        ("", 1, 1, "ends too early", "WHEN"),
        ("WHEN POPULATING TARGET FROM SOURCE", 1, 29, "ends too early", "POPULATE"),
        (f"{HEAD}SOURCE.AA\n  IF SOURCE.BB >", 2, 16, "ends too early", "a text in quotes"),
        (f"{HEAD}'text'", 1, 62, '"\'" is not expected', "a text in quotes"),
        (f"{HEAD}SOURC.AA", 1, 62, "SOURC is no entity of this mapping", "did you mean SOURCE?"),
        (
            "WHEN POPULATING TARGET FROM SOURCE POPULATE SOURCE.AA WITH SOURCE.BB",
            1,
            45,
            "SOURCE is no",
            "TARGET",
        ),
        (f'{HEAD}"all" WITH SOURCE.AA', 1, 45, "never taken", "let the one without IF be the last"),
        (
            f"{HEAD}SOURCE.AA POPULATE TARGET.NAME WITH SOURCE.BB",
            1,
            81,
            "NAME is populated twice",
            "another WITH",
        ),
        (
            f"{HEAD}SOURCE.AA NAVIGATE FROM OTHER TO TARGET USING OTHER.ID = TARGET.ID",
            1,
            72,
            "begins at OTHER",
            "SOURCE",
        ),
        (f"{HEAD}SOURCE.FIRST\nNAME", 2, 1, "'NAME' is not expected", "WHEN"),
    ],
)
def test_an_error_names_line_column_and_what_was_expected(
    text: str, line: int, column: int, problem: str, hint: str
) -> None:
    with pytest.raises(MappingError) as raised:
        parse(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert problem in raised.value.problem
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SOURCE.AA" + " + SOURCE.AA" * 100, 1, 45),
        ("SOURCE.AA IF " + "(SOURCE.AA = 1 AND (SOURCE.AA = 1 OR " * 60 + "SOURCE.AA = 2" + "))" * 60, 1, 45),
        ("SOURCE.AA" + " + SOURCE.AA" * 20_000, 1, 45),
        (
            "SOURCE.AA SELECT ROWS WHERE "
            + "(SOURCE.AA = 1 AND (SOURCE.AA = 1 OR " * 5_000
            + "SOURCE.AA = 2"
            + "))" * 5_000,
            1,
            1,
        ),
    ],
)
def test_what_is_nested_too_deeply_is_refused(text: str, line: int, column: int) -> None:
    with pytest.raises(MappingError) as raised:
        parse(HEAD + text)
    assert "more than 100 deep" in raised.value.problem
    assert (raised.value.line, raised.value.column) == (line, column)


def test_what_is_as_deep_as_may_be_is_read_and_written() -> None:
    text = HEAD + "(" * 5_000 + "SOURCE.AA" + " + SOURCE.AA" * 99 + ")" * 5_000
    assert parse(render(parse(text))) == parse(text)


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_keyword_ends_a_name_that_has_no_backquotes(word: str) -> None:
    named = (
        t.Mapping(f"TO {word}", word, (t.Populate(t.Attribute(f"TO {word}", word), (t.With(t.Text("")),)),)),
    )
    assert parse(render(named)) == named
    with pytest.raises(MappingError):
        parse(f"WHEN POPULATING {word} FROM SOURCE POPULATE {word}.AA WITH SOURCE.AA")


def test_blanks_in_a_name_are_one_and_those_in_backquotes_are_kept() -> None:
    assert expression("SOURCE.FIRST \t NAME") == a("FIRST NAME")
    assert expression("SOURCE.`FIRST  NAME`") == a("FIRST  NAME")


def test_a_comment_stands_behind_a_blank_so_that_no_name_is_cut_off() -> None:
    assert expression("SOURCE.AA # SOURCE.BB") == a("AA")
    assert expression('"# text"') == t.Text("# text")
    assert expression("SOURCE.`AA#`") == a("AA#")
    with pytest.raises(MappingError) as raised:
        parse(HEAD + "SOURCE.AA#BB")
    assert "'#' is not expected" in raised.value.problem


def test_the_hint_for_a_name_with_a_keyword_is_backquotes() -> None:
    with pytest.raises(MappingError) as raised:
        parse(HEAD + "SOURCE.VALID TO DT")
    assert raised.value.hint.endswith("a name with the word TO in it stands in backquotes")
    assert expression("SOURCE.`VALID TO DT`") == a("VALID TO DT")


words = st.sampled_from(["AA", "NAME", "FIRST NAME", "ZIP 2", "from", "FROM & TO", "x", "SUM", "Straße"])
entities = st.sampled_from(["SOURCE", "ADDRESS"])
named = st.builds(t.Attribute, entities, words)
texts = st.builds(
    t.Text, st.text(st.characters(exclude_characters='"\n', exclude_categories=["C"]), max_size=8)
)
values = st.builds(t.Value, st.sampled_from(["1", "12.5", "01010001", "01.02.2026"]))
atoms = (
    named
    | texts
    | values
    | st.builds(t.Aggregation, st.sampled_from(["SUM", "AVG", "MIN", "MAX"]), named)
    | st.builds(t.Substring, named, st.just("1"), st.just("3"))
)
computations = st.recursive(
    atoms,
    lambda inner: st.builds(t.Computation, st.sampled_from(["+", "-", "x", "/"]), inner, inner),
    max_leaves=6,
)
expressions = computations | st.lists(computations, min_size=2, max_size=3).map(
    lambda parts: t.Concatenation(tuple(parts))
)
comparisons = st.builds(
    t.Comparison,
    named,
    st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "LIKE", "CONTAINS", "IN"]),
    named | texts | values,
)
conditions = st.recursive(
    comparisons,
    lambda inner: st.builds(
        lambda kind, parts: kind(tuple(parts)),
        st.sampled_from([t.AllOf, t.AnyOf]),
        st.lists(inner, min_size=2, max_size=3),
    ),
    max_leaves=6,
)
populates = st.builds(
    lambda name, guarded, last: t.Populate(t.Attribute("TARGET", name), (*guarded, last)),
    words,
    st.lists(st.builds(t.With, expressions, conditions), max_size=2),
    st.builds(t.With, expressions, st.none() | conditions),
)
navigations = st.lists(st.tuples(named, named), min_size=1, max_size=2).map(
    lambda pairs: t.Navigation("SOURCE", "ADDRESS", tuple(pairs))
)
mappings = st.builds(
    t.Mapping,
    st.just("TARGET"),
    st.just("SOURCE"),
    st.lists(populates, min_size=1, max_size=3, unique_by=lambda each: each.attribute.name).map(tuple),
    st.none() | conditions,
    navigations,
)


@settings(deadline=None)  # the first example builds the parser
@given(st.lists(mappings, min_size=1, max_size=2))
def test_what_is_written_is_read_as_the_same(several: list[t.Mapping]) -> None:
    text = render(several)
    assert parse(text) == tuple(several)
    assert render(parse(text)) == text
