"""What somebody types as a condition: read as terms, or refused with the place and the nearest name."""

from __future__ import annotations

import pytest

from headwater_backend.active.carrying import shown
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.questions.active.initial_conditions import read_conditions

TYPES = {
    ("country",): "string",
    ("Region",): "string",
    ("num",): "integer",
    ("price",): "decimal(10,2)",
    ("rate",): "double",
    ("day",): "date",
    ("at",): "timestamp",
    ("paid",): "boolean",
    ("tags",): "array",
    ("who",): "struct",
    ("who", "city"): "string",
}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("country = 'US'", ["country = 'US'"]),
        ("COUNTRY = 'US' AND num > 3", ["country = 'US'", "num > 3"]),
        ("region <> 'it\\'s'", ["NOT Region = 'it''s'"]),
        ("num IN (1, -2, NULL)", ["num IN (1, -2, NULL)"]),
        ("num BETWEEN 1 AND 3 OR num IS NULL", ["(num BETWEEN 1 AND 3 OR num IS NULL)"]),
        ("price >= 1.5", ["price >= 3/2"]),
        ("rate < 0.5", ["rate < 1/2"]),
        ("day = DATE'1970-01-02' AND day < '1970-02-01'", ["day = 1", "day < 31"]),
        ("at > TIMESTAMP'1970-01-01 00:00:01'", ["at > 1000000"]),
        ("upper(country) LIKE 'U%'", ["upper(country) LIKE 'U%'"]),
        ("coalesce(country, 'US') = region", ["coalesce(country, 'US') = Region"]),
        ("NOT paid", ["NOT paid"]),
        ("who.city = 'Rome' AND tags IS NOT NULL", ["who.city = 'Rome'", "NOT tags IS NULL"]),
        ("length(`country`) = 2 AND country <=> NULL", ["length(country) = 2", "country <=> NULL"]),
    ],
)
def test_a_condition_is_read_into_the_parts_that_hold_together(text: str, terms: list[str]) -> None:
    assert [shown(fact.term) for fact in read_conditions(text, TYPES)] == terms


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("num = 1 AND contry = 'US'", "no path contry in the dataset of the question, at character 13", "country"),
        ("country = = 'US'", "no SQL, at character", "may be compared"),
        ("country = 'US", "does not end, at character 13", "may be compared"),
        ("", "there is no condition", "may be compared"),
        (" -- nothing", "there is no condition", "may be compared"),
        ("num = 1; DROP TABLE x", "there are several statements", "may be compared"),
        ("num = 'x'", "'x' is no value of type integer", "may be compared"),
        ("country = 3", "3 is no value of type string", "may be compared"),
        ("num = 1.5", "1.5 is no value of type integer", "may be compared"),
        ("day = 'yesterday'", "is no value of type date", "may be compared"),
        ("num = country", "compared across types: integer and string, at character 1", "may be compared"),
        ("1 = 1", "1 is compared with constants alone", "may be compared"),
        ("tags = tags", "type array are not compared", "may be compared"),
        ("rand() > 0.5", "RAND() is not understood here", "may be compared"),
        ("ltrim(country) = 'US'", "LTRIM(country) is not understood here", "may be compared"),
        ("trim(TRAILING FROM country) = 'US'", "RTRIM(country) is not understood here", "may be compared"),
        ("trim(BOTH 'x' FROM country) = 'US'", "is not understood here", "may be compared"),
        ("num BETWEEN SYMMETRIC 3 AND 1", "BETWEEN SYMMETRIC is not understood here", "may be compared"),
        ("num IN (SELECT 1)", "a query in a condition", "may be compared"),
        ("SELECT 1", "is no condition", "may be compared"),
        ("country", "no truth value", "may be compared"),
        ("num > 1 AND my_function(country)", "no condition that is understood here", "may be compared"),
        ("x" * 10_001, "more than 10,000 characters", "fewer"),
        ("(" * 200 + "paid" + ")" * 200, "too deep", "may be compared"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(text: str, message: str, hint: str) -> None:
    with pytest.raises(BadQuestion) as raised:
        read_conditions(text, TYPES)
    assert message in raised.value.message
    assert raised.value.hint is not None and hint in raised.value.hint
