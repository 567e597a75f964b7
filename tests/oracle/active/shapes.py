"""Queries by chance: each reads ``a``, or ``a`` and ``b``, and makes all columns; tokens carry their ways."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.active.expressions import TYPES, Chance

MOVED = ("x", "y")
"""Columns with a token in each row of a source; ``xt`` and ``yt`` have the nodes that it came through."""


@dataclass(frozen=True)
class Query:
    """A query, and whether it picks rows: then what it did not pick may arrive with other data."""

    sql: str
    picks: bool = False


def taken(chance: Chance, alias: str, depth: int = 0) -> tuple[str, str]:
    """A token of a row, and the way of it: they choose alike."""
    roll = chance.random()
    if roll < 0.7 or depth > 1:
        column = chance.choice(MOVED)
        return f"{alias}.{column}", f"{alias}.{column}t"
    if roll < 0.9:
        condition = chance.condition(alias, 1)
        one, other = taken(chance, alias, depth + 1), taken(chance, alias, depth + 1)
        otherwise = chance.random() < 0.8
        return tuple(
            f"CASE WHEN {condition} THEN {a}{f' ELSE {b}' if otherwise else ''} END"
            for a, b in zip(one, other, strict=True)
        )  # type: ignore[return-value]
    condition = chance.condition(alias, 1)
    one, other = taken(chance, alias, depth + 1), taken(chance, alias, depth + 1)
    return (
        f"coalesce(CASE WHEN {condition} THEN {one[0]} END, {other[0]})",
        f"coalesce(CASE WHEN {condition} AND {one[0]} IS NOT NULL THEN {one[1]} END, {other[1]})",
    )


def columns(chance: Chance, output: str, *aliases: str) -> str:
    """The select list: other columns mostly as they are, and tokens with the ways that they took."""
    made = []
    for name, type_ in TYPES.items():
        alias = chance.choice(aliases)
        value = f"{alias}.{name}" if chance.random() < 0.65 else chance.typed(type_, alias)
        made.append(
            f"CAST({value} AS {type_}) AS {name}"
            if "NULL" in value or chance.random() < 0.2
            else f"{value} AS {name}"
        )
    for name in MOVED:
        value, way = taken(chance, chance.choice(aliases))
        made += [f"{value} AS {name}", f"concat({way}, '>{output}.{name}') AS {name}t"]
    return ", ".join(made)


def where(chance: Chance, *aliases: str) -> str:
    passed = [
        chance.condition(alias)
        for alias in aliases
        for _ in range(chance.choice((0, 1, 1, 2) if len(aliases) == 1 else (0, 0, 1)))
    ]
    return f" WHERE {' AND '.join(passed)}" if passed else ""


def filtered(chance: Chance, output: str) -> Query:
    return Query(f"SELECT {columns(chance, output, 'a')} FROM a{where(chance, 'a')}")


def united(chance: Chance, output: str) -> Query:
    other = f"SELECT {columns(chance, output, 'b')} FROM b{where(chance, 'b')}"
    return Query(f"{filtered(chance, output).sql} UNION ALL {other}")


def joined(chance: Chance, output: str) -> Query:
    kind = chance.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
    on = "a.region = b.region AND a.num = b.num AND a.code = b.code AND a.day = b.day"
    if chance.random() < 0.4:
        on = on.replace("a.region = b.region", "a.region <=> b.region").replace(
            "a.day = b.day", "a.day <=> b.day"
        )
    if chance.random() < 0.3:
        on += f" AND {chance.condition('b')}"
    return Query(
        f"SELECT {columns(chance, output, 'a', 'b')} FROM a {kind} b ON {on}{where(chance, 'a', 'b')}"
    )


def decided(chance: Chance, output: str) -> Query:
    """The presence or absence of rows of ``b`` decides."""
    kind = chance.choice(("LEFT SEMI", "LEFT ANTI"))
    on = f"a.region = b.region AND {chance.condition('b')}"
    sql = f"SELECT {columns(chance, output, 'a')} FROM a {kind} JOIN b ON {on}{where(chance, 'a')}"
    return Query(sql, picks=kind == "LEFT ANTI")


def compared(chance: Chance, output: str) -> Query:
    """Rows that are, or are not, in another set of rows."""
    kind = chance.choice(("EXCEPT", "INTERSECT", "EXCEPT ALL"))
    sets = f"(SELECT region, num FROM a {kind} SELECT region, num FROM b{where(chance, 'b')})"
    return Query(
        f"SELECT {columns(chance, output, 'a')} FROM a JOIN (SELECT DISTINCT * FROM {sets}) s"
        f" ON a.region <=> s.region AND a.num <=> s.num{where(chance, 'a')}"
    )


def nothing_found(chance: Chance, output: str) -> Query:
    """Rows of an outer join that found no partner."""
    return Query(
        f"SELECT {columns(chance, output, 'a')} FROM a LEFT JOIN (SELECT *, 1 AS found FROM b{where(chance, 'b')}) b"
        f" ON a.region = b.region AND a.num = b.num WHERE b.found IS NULL AND {chance.condition('a')}"
    )


def aggregated(chance: Chance, output: str) -> Query:
    """One row a group: the greatest token, and its way."""
    grouped = chance.choice(("a.region", "a.region, a.num"))
    num = "a.num" if "num" in grouped else chance.choice(("max(a.num)", "sum(a.num)", "count(*)"))
    having = chance.choice(("", " HAVING count(*) > 3", " HAVING max(a.num) > 0", " HAVING a.region = 'EU'"))
    made = f"a.region AS region, {num} AS num, max(a.code) AS code, min(a.day) AS day"
    for name in MOVED:
        made += (
            f", max(a.{name}) AS {name}, concat(max_by(a.{name}t, a.{name}), '>{output}.{name}') AS {name}t"
        )
    return Query(f"SELECT {made} FROM a{where(chance, 'a')} GROUP BY {grouped}{having}", picks=True)


def windowed(chance: Chance, output: str) -> Query:
    """The first rows of each region, or tokens of the row before."""
    if chance.random() < 0.5:
        ranked = "SELECT *, row_number() OVER (PARTITION BY region ORDER BY x) AS n FROM a"
        return Query(
            f"SELECT {columns(chance, output, 'a')} FROM ({ranked}) a WHERE n <= 2 AND {chance.condition('a')}",
            picks=True,
        )
    over = "OVER (PARTITION BY region ORDER BY x)"
    before = ", ".join(f"lag({name}) {over} {name}" for name in ("x", "y", "xt", "yt"))
    before = f"SELECT region, num, code, day, {before} FROM a"
    return Query(f"SELECT {columns(chance, output, 'a')} FROM ({before}) a{where(chance, 'a')}", picks=True)


def limited(chance: Chance, output: str) -> Query:
    inner = chance.choice((
        f"SELECT * FROM a{where(chance, 'a')} ORDER BY x LIMIT 20",
        "SELECT * FROM a TABLESAMPLE (50 PERCENT)",
        f"SELECT DISTINCT * FROM a{where(chance, 'a')}",
        f"SELECT a.* FROM a LATERAL VIEW explode(array(1, 2)) AS n{where(chance, 'a')} LIMIT 30",
    ))  # fmt: skip
    return Query(f"SELECT {columns(chance, output, 'a')} FROM ({inner}) a{where(chance, 'a')}", picks=True)


def nested(chance: Chance, output: str) -> Query:
    """Filters before and after, around named subqueries and structures."""
    inner = f"SELECT {columns(chance, output, 'a')} FROM a{where(chance, 'a')}"
    again = "region, num, code, day, x, y, xt, yt"
    struct = "SELECT s.region, s.num, s.code, s.day, s.x, s.y, s.xt, s.yt FROM"
    return Query(chance.choice((
        f"WITH c AS ({inner}) SELECT {again} FROM c{where(chance, 'c')}",
        f"{struct} (SELECT struct(*) AS s FROM ({inner}) i{where(chance, 'i')})",
        f"SELECT {again} FROM ({inner}) c WHERE {chance.condition('c')} DISTRIBUTE BY region",
    )))  # fmt: skip


DECIDABLE = (filtered,) * 5 + (united,) * 2 + (joined, decided, nested)
HOSTILE = (*DECIDABLE, compared, nothing_found, aggregated, windowed, limited, nested)
TWO = frozenset({united, joined, decided, compared, nothing_found})
JOINS = frozenset({joined, compared})
