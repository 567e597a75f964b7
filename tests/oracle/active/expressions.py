"""SQL by chance: expressions of a type, and conditions, over the columns of an alias."""

from __future__ import annotations

import random
from datetime import date

TEXTS = (None, "EU", "US", "eu ", "02", "zz")
DOMAINS = {
    "region": (*TEXTS, "us"),
    "num": (None, -5, -1, 0, 1, 2, 3, 7, 9),
    "code": (*TEXTS, "us"),
    "day": (
        None,
        *(
            date(*day)
            for day in ((2020, 1, 1), (2024, 2, 29), (2025, 1, 1), (2025, 6, 1), (2030, 1, 1), (2040, 1, 1))
        ),
    ),
}
"""All values of the sources: NULL, the constants of the programs, and values before, between and after them."""
TYPES = {"region": "string", "num": "bigint", "code": "string", "day": "date"}
PATTERNS = ("U%", "E%", "EU", "e%", "0%", "z%")
ODD_PATTERNS = ("%U", "_U", "", "E\\\\%", "%", "U%U", "e_ ")

ODD = """
{a}.num = '2'
{a}.code = 2
{a}.code = 2.0
{a}.code IN (1, 2)
{a}.code > 1
{a}.day = '2024-02-29'
{a}.day > '2024'
year({a}.day) = 2024
{a}.day = TIMESTAMP'2024-02-29 00:00:00'
{a}.num = 2.0D
{a}.num = 2.5
{a}.num IN ('2', '0')
{a}.num % 2 = 0
{a}.region RLIKE '^E'
{a}.region ILIKE 'eu%'
{a}.region LIKE '%U%'
contains({a}.region, 'U')
startswith({a}.region, 'E')
nvl({a}.region, 'EU') = 'EU'
nullif({a}.region, 'EU') IS NULL
if({a}.num > 0, 'EU', 'US') = {a}.region
substring({a}.region, 1, 2) = 'EU'
{a}.region || {a}.code = 'EU1'
length({a}.region) = 3
{a}.region IN (SELECT region FROM other WHERE num = 2)
{a}.num = (SELECT max(num) FROM other)
EXISTS (SELECT 1 FROM other WHERE other.region = {a}.region AND other.num = 0)
{a}.region NOT IN (SELECT coalesce(code, 'EU') FROM other WHERE num = 2)
named_struct('r', {a}.region).r = 'EU'
array({a}.region, {a}.code)[0] = 'EU'
array_contains(array('EU', 'US'), {a}.region)
exists(array({a}.region, {a}.code), v -> v = 'EU')
(CASE {a}.region WHEN 'EU' THEN 1 WHEN 'US' THEN 2 END) = 2
isnull({a}.region) = ({a}.num > 0)
({a}.num > 0) <=> NULL
({a}.region, {a}.num) IN (('EU', 2L), ('US', 0L))
{a}.region = 'EU' = ({a}.num = 2)
true
false
NULL
1 = 1
CAST({a}.region AS BOOLEAN) IS NULL
{a}.num BETWEEN {a}.num AND 2
{a}.region LIKE {a}.code
{a}.region LIKE 'E/%' ESCAPE '/'
{a}.region = concat('E', 'U')
cast({a}.num as int) = 2
hash({a}.region) % 2 = 0
{a}.region > {a}.code
rtrim({a}.region) = 'eu'
""".strip().splitlines()
"""Conditions whose meaning depends on the session, on implicit casts, or on code."""
COLLATED = """
{a}.region COLLATE UTF8_LCASE = 'eu '
{a}.region COLLATE UTF8_LCASE IN ('us', 'EU')
collate({a}.region, 'UNICODE_CI') = 'eu'
{a}.region COLLATE UTF8_LCASE LIKE 'e%'
""".strip().splitlines()


class Chance(random.Random):
    """Makes SQL; ``hostile`` has all that the analysis may misunderstand, and not only what it should decide."""

    hostile: bool = False
    collations: bool = False

    def literal(self, of: str) -> str:
        if self.random() < 0.04:
            return "NULL"
        if of == "bigint":
            return str(self.choice((-1, 0, 2, 7)))
        if of == "date":
            return self.choice(("DATE'2024-02-29'", "DATE'2025-06-01'", "DATE'2030-01-01'"))
        return f"'{self.choice(TEXTS[1:])}'"

    def of(self, type_: str) -> str:
        return self.choice([name for name, kind in TYPES.items() if kind == type_])

    def typed(self, type_: str, alias: str, depth: int = 0) -> str:
        """An expression of a type."""
        column = f"{alias}.{self.of(type_)}"
        roll = self.random()
        if roll < 0.45 or depth > 1:
            return column
        if roll < 0.55:
            return self.literal(type_)
        if roll < 0.65:
            return f"coalesce({column}, {self.typed(type_, alias, depth + 1)})"
        if roll < 0.8:
            otherwise = f" ELSE {self.typed(type_, alias, depth + 1)}" if self.random() < 0.8 else ""
            chosen = self.typed(type_, alias, depth + 1)
            return f"CASE WHEN {self.condition(alias, depth + 1)} THEN {chosen}{otherwise} END"
        return self.computed(type_, alias)

    def computed(self, type_: str, alias: str) -> str:
        plain = {
            "string": (
                "upper({a}.region)", "lower({a}.code)", "trim({a}.region)", "CAST({a}.num AS STRING)",
                "concat({a}.region, '')", "concat({a}.code, {a}.region)",
            ),
            "bigint": (
                "{a}.num + 1", "{a}.num - 2", "{a}.num * 2", "length({a}.region)",
                "CAST(CAST({a}.num AS INT) AS BIGINT)", "CAST({a}.code AS BIGINT)",
            ),
            "date": ("CAST({a}.day AS DATE)",),
        }  # fmt: skip
        odd = {
            "string": (
                "substring({a}.region, 1, 1)", "CAST({a}.day AS STRING)", "rpad({a}.region, 4, ' ')",
                "CAST({a}.num AS DOUBLE) || ''", "rtrim({a}.region)", "nullif({a}.region, 'EU')", "initcap({a}.code)",
                "CAST({a}.num > 0 AS STRING)", "regexp_replace({a}.region, 'E', 'U')", "greatest({a}.region, {a}.code)",
            ),
            "bigint": (
                "CAST({a}.num / 2 AS BIGINT)", "{a}.num % 2", "abs({a}.num)", "-{a}.num", "CAST({a}.num AS TINYINT)",
                "year({a}.day)", "CAST(CAST({a}.num AS DECIMAL(3,1)) AS BIGINT)", "ascii({a}.region)",
                "CAST(CAST({a}.num AS FLOAT) AS BIGINT)", "greatest({a}.num, 0)", "datediff({a}.day, DATE'2024-02-29')",
            ),
            "date": ("date_add({a}.day, 1)", "CAST(CAST({a}.day AS TIMESTAMP) AS DATE)", "trunc({a}.day, 'MM')",
                     "CAST(CAST({a}.day AS STRING) AS DATE)"),
        }  # fmt: skip
        listed = (*plain[type_], *odd[type_]) if self.hostile else plain[type_]
        return self.choice(listed).format(a=alias)

    def condition(self, alias: str, depth: int = 0) -> str:
        roll = self.random()
        if depth < 2 and roll < 0.2:
            joined = self.choice((" AND ", " OR "))
            return f"({self.condition(alias, depth + 1)}{joined}{self.condition(alias, depth + 1)})"
        if depth < 2 and roll < 0.27:
            return f"NOT ({self.condition(alias, depth + 1)})"
        if self.hostile and roll < 0.4:
            return self.odd(alias)
        type_ = self.choice(("string", "string", "string", "bigint", "date"))
        value = f"{alias}.{self.of(type_)}" if self.random() < 0.85 else self.typed(type_, alias, 1)
        return self.comparison(type_, value, alias)

    def comparison(self, type_: str, value: str, alias: str) -> str:
        roll = self.random()
        if roll < 0.45:
            return f"{value} = {self.literal(type_)}"
        if roll < 0.6:
            listed = ", ".join(self.literal(type_) for _ in range(self.randint(1, 3)))
            return f"{value} {self.choice(('', '', 'NOT '))}IN ({listed})"
        if roll < 0.7:
            return f"{value} {self.choice(('<', '<=', '>', '>=', '<=>', '<>'))} {self.literal(type_)}"
        if roll < 0.78:
            return f"{value} BETWEEN {self.literal(type_)} AND {self.literal(type_)}"
        if roll < 0.86:
            return f"{value} IS {self.choice(('', 'NOT '))}NULL"
        if roll < 0.93 and type_ == "string":
            return f"{value} LIKE '{self.choice((*PATTERNS, *(ODD_PATTERNS if self.hostile else ())))}'"
        return f"{value} = {self.typed(type_, alias, 1)}"

    def odd(self, alias: str) -> str:
        """A condition whose meaning depends on the session, on implicit casts, or on code."""
        return self.choice(ODD + (COLLATED if self.collations else [])).format(a=alias)
