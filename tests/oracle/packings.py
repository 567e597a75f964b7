"""Random packings and takings: a text that is made of members, and a value that is taken out of it.

Written after Spark's documentation, and apart from what follows them: constants, options and values are such as break
a text that is taken apart carelessly. ``rows`` varies one member at a time, so that one execution shows which members
change what is taken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kit.perturbation import Row

TABLE: Final = "people"
COLUMNS: Final = (
    "row long, base long, id long, zip int, price double, amount decimal(10,2), flag boolean, born date, "
    "seen timestamp, mail string, city string, note string, name struct<first:string,last:string>, tags array<string>"
)
_NUMBERS: Final = ("id", "zip", "price", "amount", "flag", "born", "seen")
_TEXTS: Final = ("mail", "city", "note", "name.first", "name.last")
_PLAIN: Final[dict[str, list[Any]]] = {
    "id": [1, -3, 0, None, 1234567890123],
    "zip": [3011, 0, -1, None, 7],
    "price": [1.5, -0.25, 1e-12, None, 3e20],
    "amount": [10.25, -1.0, None],
    "flag": [True, False, None],
    "born": ["1980-01-02", "2024-12-31", None],
    "seen": ["2024-01-02T03:04:05.678Z", "1999-12-31T00:00:00Z", None],
    "tags": [["a", "b"], [], None, ["x,y", "|", '"'], [None, "k:v"], ["&mail=z", "<mail>t</mail>"]],
}
_HOSTILE: Final = [
    "anna@x.org", "Bern", "", None, " ", "a,b", "p|q|r", "x;y", "k:v", "m::n", "u/v", "h-i", "t\tu", "q\"r", "\"w\"",
    "\"a,b", "c\",\"d", "back\\", "\\\",z", "\\", "e\\,f", "l\nm", "l\r\nm", "$d$", "'s'", "{c, d}", "[1, 2]", "null",
    " Bern ", "#f", "a#b", "?mail=1&city=2&note=3&id=4", "&mail=5&city=6&id=7&note=8", "z=1", "%2C%26", "a+b",
    "x@y:1/z",
    ",mail:6,city:7,id:8,note:9", "mail=6;city=7;id=8;note=9", "<mail>x</mail>", "</mail><city>y</city><mail>",
    "&amp;", "]]>",
    "<!-- c -->", "<?pi?>", "<ROW>", "a<b", "\u007f", "é", "Σ", "1", "2020-01-01", "true", "_c0", "--", "^", "~",
    "http://u:p@h.org/p?mail=w",
]  # fmt: skip
"""Texts that hold what stands between, around and in front of members in some notation."""
_BASES: Final = 6


def rows(chance: random.Random) -> list[Row]:
    """Rows in threes and more: a base, and the same with one member changed; ``base`` is the number of the base."""
    found: list[Row] = []
    for number in range(_BASES):
        texts = {each: chance.choice(_HOSTILE if number else _HOSTILE[:2]) for each in _TEXTS}
        values = {each: chance.choice(some[:1] if number < 2 else some) for each, some in _PLAIN.items()}
        base = {**values, **texts}
        found.append(_row(len(found), number, base))
        for member, value in base.items():
            for other in _others(chance, member, value):
                found.append(_row(len(found), number, {**base, member: other}))
    return found


def _others(chance: random.Random, member: str, value: Any) -> Iterator[Any]:
    some = _PLAIN.get(member) or [*_HOSTILE[:4], *chance.sample(_HOSTILE, 22)]
    return (each for each in some if each != value)


def _row(row: int, base: int, members: Row) -> Row:
    flat = {name: value for name, value in members.items() if "." not in name}
    return {
        "row": row,
        "base": base,
        **flat,
        "name": {"first": members["name.first"], "last": members["name.last"]},
    }


class Packing(NamedTuple):
    """An expression that makes a text, and what its takers know: what stands between parts, the names, options."""

    text: str
    notation: str
    between: str = ","
    within: str = ":"
    names: tuple[str, ...] = ()
    options: str = ""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """A packing, and an expression over its text ``t``."""

    packing: str
    taking: str

    def taken(self, text: str) -> str:
        """The taking over the text of that name."""
        return self.taking.replace("«t»", text)


def pairs(chance: random.Random, count: int, *, xml: bool) -> list[Pair]:
    """That many packings, each with a taking; ``xml``: whether Spark has functions for it."""
    return [_Maker(chance, xml).pair() for _ in range(count)]


def _quoted(text: str) -> str:
    """The text as a literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"'{escaped}'"


_BETWEEN: Final = (
    ",",
    "|",
    ";",
    "/",
    ":",
    "-",
    "::",
    ", ",
    "#",
    " ",
    "&",
    "\t",
    "\n",
    "--",
    "=",
    "x",
    ".",
    "^",
    "_",
)


class _Maker:
    def __init__(self, chance: random.Random, xml: bool) -> None:
        self.chance = chance
        self.xml = xml

    def pair(self) -> Pair:
        packing = self.packing()
        takes = self.chance.choice([self.matching, self.matching, self.matching, self.any_taking])
        taking = takes(packing)
        return Pair(self.changed(packing.text), taking)

    def changed(self, text: str) -> str:
        """The text, at times as it is after something else was done to it."""
        way = self.chance.random()
        if way < 0.75:
            return text
        return self.chance.choice(
            [
                f"cast(cast({text} AS binary) AS string)",
                f"coalesce({text}, '')",
                f"trim({text})",
                f"lower({text})",
                f"CASE WHEN flag THEN {text} ELSE {self.packing().text} END",
                f"concat({text}, {_quoted(self.chance.choice(_BETWEEN))}, {self.part()})",
                f"concat({self.part()}, {_quoted(self.chance.choice(_BETWEEN))}, {text})",
                f"get_json_object(to_json(struct({text} AS t, mail AS m)), '$.t')",
                f"substring({text}, 1, 1000)",
                f"if(length(city) > 3, {text}, note)",
            ]
        )

    # what texts are made of

    def members(self, least: int = 2, most: int = 5) -> list[str]:
        chosen = [*self.chance.sample(_NUMBERS, 3), *self.chance.sample(_TEXTS, 3)]
        self.chance.shuffle(chosen)
        return chosen[: self.chance.randint(least, most)]

    def part(self) -> str:
        """Something to put into a text."""
        member = self.chance.choice(self.members())
        way = self.chance.random()
        if way < 0.55:
            return member
        return self.chance.choice(
            [
                f"cast({member} AS string)",
                f"coalesce(cast({member} AS string), '')",
                f"coalesce(cast({member} AS string), 'none')",
                f"md5(cast({member} AS string))",
                f"sha2(cast({member} AS string), 256)",
                f"hex({self.chance.choice(('id', 'zip', 'mail', 'note'))})",
                f"base64(cast({member} AS binary))"
                if member in _TEXTS
                else f"date_format(seen, {_quoted(self.chance.choice(('yyyy-MM-dd', 'dd/MM/yyyy', 'HH:mm', 'E, d')))})",
                f"url_encode(cast({member} AS string))",
                f"upper(cast({member} AS string))",
                f"if(flag, cast({member} AS string), 'no')",
                f"CASE WHEN {member} IS NULL THEN 'n' ELSE cast(id AS string) END",
                "cast(tags AS string)",
                "array_join(tags, '')",
                "cast(born AS string)",
                "format_number(price, 2)",
                "zip + id",
                "cast(flag AS int)",
                "unix_timestamp(seen)",
                f"concat({member}, '')",
                "zip / 3",
                "round(price, 1)",
                "'fixed'",
                "'fi,x'",
                "12",
            ]
        )

    def between(self) -> str:
        return self.chance.choice(_BETWEEN[:8] if self.chance.random() < 0.8 else _BETWEEN)

    def packing(self) -> Packing:
        makers: list[Callable[[], Packing]] = [
            self.joined, self.joined, self.joined, self.joined_ws, self.formatted, self.formatted, self.as_struct,
            self.csv, self.csv, self.csv, self.address, self.address, self.keyed, self.keyed, self.json,
        ]  # fmt: skip
        if self.xml:
            makers += [self.as_xml, self.as_xml, self.as_xml]
        makers.append(self.hand_made_xml)
        return self.chance.choice(makers)()

    def joined(self) -> Packing:
        between, parts = self.between(), [self.part() for _ in range(self.chance.randint(2, 4))]
        pieces = [parts[0]]
        for each in parts[1:]:
            own = between if self.chance.random() < 0.9 else self.between()
            pieces += [_quoted(own), each]
        if self.chance.random() < 0.15:
            pieces.insert(0, _quoted(self.chance.choice(("id=", "<", "a,b,", "", "("))))
        if self.chance.random() < 0.15:
            pieces.append(_quoted(self.chance.choice((between, ">", ",", "x"))))
        if self.chance.random() < 0.3:
            return Packing("(" + " || ".join(pieces) + ")", "places", between)
        return Packing(f"concat({', '.join(pieces)})", "places", between)

    def joined_ws(self) -> Packing:
        between = self.between()
        parts = [self.part() for _ in range(self.chance.randint(2, 4))]
        if self.chance.random() < 0.6:
            parts = [f"coalesce(cast({each} AS string), {self.chance.choice(_EMPTY)})" for each in parts]
        if self.chance.random() < 0.1:
            parts.append("tags")
        return Packing(f"concat_ws({_quoted(between)}, {', '.join(parts)})", "places", between)

    def formatted(self) -> Packing:
        between = self.between()
        parts, places = [], []
        for _ in range(self.chance.randint(2, 4)):
            if self.chance.random() < 0.3:
                parts.append(self.chance.choice(("id", "zip")))
                places.append(self.chance.choice(("%d", "%s", "%05d", "%,d", "%x", "%-8d")))
            elif self.chance.random() < 0.1:
                parts.append("price")
                places.append(self.chance.choice(("%s", "%.2f", "%e")))
            else:
                parts.append(self.part())
                places.append(self.chance.choice(("%s", "%s", "%s", "%s", "%-12s", "%S", "%.3s")))
        pattern = between.replace("%", "%%").join(places)
        if self.chance.random() < 0.1:
            pattern = between.join(f"%{at + 1}$s" for at in self.chance.sample(range(len(parts)), len(parts)))
        if self.chance.random() < 0.1:
            pattern += self.chance.choice(("%n", "%%", "!"))
        return Packing(f"format_string({_quoted(pattern)}, {', '.join(parts)})", "places", between)

    def as_struct(self) -> Packing:
        parts = self.chance.choice(
            [self.members(), [self.part() for _ in range(3)], ["id", "name"], ["tags", "id"]]
        )
        made = ", ".join(f"{each} AS m{at}" for at, each in enumerate(parts))
        return Packing(f"cast(struct({made}) AS string)", "places", self.chance.choice((",", ", ")))

    def csv(self) -> Packing:
        parts = self.members() if self.chance.random() < 0.7 else [self.part() for _ in range(3)]
        if self.chance.random() < 0.1:
            parts.append("tags" if self.chance.random() < 0.5 else "name")
        made = ", ".join(f"{each} AS m{at}" for at, each in enumerate(parts))
        options, between = self.csv_options()
        kinds = tuple("string" for _ in parts)
        return Packing(f"to_csv(struct({made}){options})", "csv", between, options=options, kinds=kinds)

    def csv_options(self) -> tuple[str, str]:
        given: dict[str, str] = {}
        between = ","
        if self.chance.random() < 0.35:
            between = self.chance.choice(("|", ";", "\t", "::", ":", " ", "/", "-", "a", "."))
            given[self.chance.choice(("sep", "delimiter", "SEP"))] = between
        more = {
            "quote": ("'", "$", "", "|"), "escape": ('"', "\\", "/", "^"), "quoteAll": ("true",),
            "nullValue": ("null", "-", "a"),
            "emptyValue": ("", "empty"), "escapeQuotes": ("false",), "header": ("true",), "comment": ("#", "a"),
            "ignoreLeadingWhiteSpace": ("false", "true"), "ignoreTrailingWhiteSpace": ("false", "true"),
            "charToEscapeQuoteEscaping": ("\\", "/"), "mode": ("PERMISSIVE",), "dateFormat": ("dd/MM/yyyy", "d,M,y"),
            "timestampFormat": ("yyyy-MM-dd HH:mm",), "lineSep": ("\n", "|"),
            "unescapedQuoteHandling": ("STOP_AT_DELIMITER", "SKIP_VALUE"),
            "maxColumns": ("30",), "maxCharsPerColumn": ("-1",), "encoding": ("UTF-8",), "multiLine": ("true",),
            "locale": ("de",),
            "columnNameOfCorruptRecord": ("m1",), "enforceSchema": ("false",), "timeZone": ("UTC",),
            "nanValue": ("a",),
            "columnPruning": ("false",),
        }  # fmt: skip
        while self.chance.random() < 0.3:
            name = self.chance.choice(list(more))
            given[name] = self.chance.choice(more[name])
        return self.options(given), between

    @staticmethod
    def options(given: dict[str, str]) -> str:
        flat = ", ".join(f"{_quoted(name)}, {_quoted(value)}" for name, value in given.items())
        return f", map({flat})" if flat else ""

    def json(self) -> Packing:
        parts = self.members()
        names = tuple(each.rpartition(".")[2] for each in parts)
        made = ", ".join(f"{each} AS {name}" for each, name in zip(parts, names, strict=True))
        return Packing(f"to_json(struct({made}))", "json", ",", names=names)

    def _names(self, count: int) -> tuple[str, ...]:
        return tuple(self.chance.sample(("mail", "city", "note", "id", "Mail", "zip"), count))

    def address(self) -> Packing:
        parts = [self.part() for _ in range(self.chance.randint(1, 4))]
        names = self._names(len(parts))
        start = self.chance.choice(
            ("http://h.org/?", "https://h.org/p/q?", "?", "http://h.org/p?x=1&", "h.org?")
        )
        pieces = [_quoted(start)]
        if self.chance.random() < 0.2:
            pieces = [_quoted("http://h.org/"), self.part(), _quoted("?")]
        for at, (name, part) in enumerate(zip(names, parts, strict=True)):
            encode = self.chance.random() < 0.5
            pieces += [
                _quoted(("&" if at else "") + name + "="),
                f"url_encode(cast({part} AS string))" if encode else part,
            ]
        if self.chance.random() < 0.2:
            pieces += [_quoted("#"), self.part()]
        return Packing(f"concat({', '.join(pieces)})", "address", "&", "=", names=names)

    def keyed(self) -> Packing:
        parts = [self.part() for _ in range(self.chance.randint(1, 4))]
        names = self._names(len(parts))
        between, within = self.chance.choice(
            ((",", ":"), (";", "="), ("|", ":"), ("&", "="), (", ", ": "), ("\n", "="))
        )
        pieces: list[str] = []
        for at, (name, part) in enumerate(zip(names, parts, strict=True)):
            pieces += [_quoted((between if at else "") + name + within), part]
        return Packing(f"concat({', '.join(pieces)})", "keyed", between, within, names=names)

    def as_xml(self) -> Packing:
        parts = self.members()
        if self.chance.random() < 0.15:
            parts.append(
                self.chance.choice(("tags", "name", "array(name, name)", "map('k', mail)", "array(tags)"))
            )
        names = tuple(
            {"name": "name", "tags": "tags"}.get(each, each.rpartition(".")[2])
            if each.replace(".", "").isalpha()
            else "more"
            for each in parts
        )
        names = tuple(self.xml_name(each) for each in names)
        made = ", ".join(f"'{name}', {each}" for each, name in zip(parts, names, strict=True))
        given: dict[str, str] = {}
        more = {
            "rowTag": ("person", "mail", "ROW"), "attributePrefix": ("@", "m", "c"), "valueTag": ("mail", "text"),
            "nullValue": ("null", "-"),
            "arrayElementName": ("mail", "e"), "rootTag": ("all",), "declaration": ("version='1.0'",),
            "mode": ("PERMISSIVE",),
            "indent": ("", " "), "dateFormat": ("dd/MM/yyyy",), "excludeAttribute": ("true",),
            "ignoreSurroundingSpaces": ("false", "true"),
            "wildcardColName": ("mail",), "ignoreNamespace": ("true",), "columnNameOfCorruptRecord": ("mail",),
            "timeZone": ("UTC",),
        }  # fmt: skip
        while self.chance.random() < 0.3:
            name = self.chance.choice(list(more))
            given[name] = self.chance.choice(more[name])
        options = self.options(given)
        return Packing(f"to_xml(named_struct({made}){options})", "xml", names=names, options=options)

    def xml_name(self, name: str) -> str:
        way = self.chance.random()
        if way < 0.7:
            return name
        return self.chance.choice(
            (name.upper(), name.title(), f"_{name}", f"{name}-x", "_VALUE", f"_{name}_")
        )

    def hand_made_xml(self) -> Packing:
        parts = [self.part() for _ in range(self.chance.randint(1, 3))]
        names = self._names(len(parts))
        pieces = [_quoted("<ROW>")]
        for name, part in zip(names, parts, strict=True):
            safe = f"replace(replace(cast({part} AS string), '&', '&amp;'), '<', '&lt;')"
            pieces += [_quoted(f"<{name}>"), part if part in _NUMBERS else safe, _quoted(f"</{name}>")]
        pieces.append(_quoted("</ROW>"))
        return Packing(f"concat({', '.join(pieces)})", "xml", names=names)

    # what is taken out of them

    def matching(self, p: Packing) -> str:
        """A taking in the notation of the packing."""
        match p.notation:
            case "places":
                return self.at_place(p.between)
            case "csv":
                return self.from_csv(p.options, len(p.kinds))
            case "address":
                return self.chance.choice([self.of_query, self.of_query, self.of_address])(p)
            case "keyed":
                return self.of_pairs(p)
            case "json":
                return self.from_json(p)
            case _:
                return self.from_xml(p)

    def any_taking(self, p: Packing) -> str:
        return self.chance.choice(
            [
                self.at_place(self.between()),
                self.at_place(p.between),
                self.from_csv(self.csv_options()[0], 3),
                self.from_csv("", 3),
                self.of_query(p),
                self.of_pairs(p),
                self.from_json(p),
                self.from_xml(p) if self.xml and p.notation != "xml" else self.from_json(p),
                "substring(«t», 1, 8)",
                "length(«t»)",
                "reverse(split(«t», ','))[0]",
            ]
        )

    def at_place(self, between: str) -> str:
        at = self.chance.choice((0, 0, 1, 1, 2, 3))
        mark = _quoted(between)
        pattern = _quoted(self.pattern(between))
        if len(between) > 1 and self.chance.random() < 0.2:
            mark = _quoted(between[0])
        group = f"[^{between[0] if between[0] not in '^-' else chr(92) + between[0]}]"
        delimiter = self.chance.choice(
            (f"[{between[0]}]" if between[0] != "^" else "\\^", self.pattern(between[0]))
        )
        groups = delimiter.join([f"({group}*)"] * (at + 1))
        behind = self.chance.choice(("$", delimiter + ".*", ".*", "+"))
        return self.chance.choice(
            [
                f"split(«t», {pattern})[{at}]",
                f"split(«t», {pattern})[{at}]",
                f"split(«t», {pattern}, {self.chance.choice((-1, 0, 2, 3))})[{at}]",
                f"element_at(split(«t», {pattern}), {self.chance.choice((at + 1, -1 - at))})",
                f"split_part(«t», {mark}, {self.chance.choice((at + 1, -1 - at))})",
                f"split_part(«t», {mark}, {self.chance.choice((at + 1, -1 - at))})",
                f"substring_index(«t», {mark}, {self.chance.choice((at + 1, -1 - at))})",
                f"regexp_extract(«t», {_quoted('^' + groups)}, {self.chance.randint(1, at + 1)})",
                f"regexp_extract(«t», {_quoted('^' + groups + behind)}, {at + 1})",
                f"regexp_extract(«t», {_quoted(groups)}, {at + 1})",
                f"split_part(substring_index(«t», {mark}, {at + 2}), {mark}, -1)",
                f"trim(split(«t», {pattern})[{at}])",
                f"split(split(«t», {pattern})[{at}], {_quoted(self.pattern(self.between()))})[0]",
                f"try_element_at(split(«t», {pattern}), {self.chance.choice((at + 1, -1 - at))})",
                f"get(split(«t», {pattern}), {at})",
                f"slice(split(«t», {pattern}), {at + 1}, 1)[0]",
            ]
        )

    def pattern(self, between: str) -> str:
        """The delimiter as a regular expression, mostly a right one."""
        special = "\\^$.|?*+()[]{}"
        ways = ["".join("\\" + c if c in special else c for c in between)]
        if len(between) == 1 and between not in "^\\":
            ways.append(f"[{between}]")
        ways.append("\\Q" + between + "\\E")
        if self.chance.random() < 0.1:
            ways = [between, f"[{between}]", between + "+", f"\\s*{between}\\s*"]
        return self.chance.choice(ways)

    def from_csv(self, options: str, count: int) -> str:
        if self.chance.random() < 0.15:
            options = ""
        count = max(1, count + self.chance.choice((0, 0, 0, 0, -1, 1)))
        types = [
            self.chance.choice(("string",) * 5 + ("bigint", "date", "double", "boolean"))
            for _ in range(count)
        ]
        names = [f"m{at}" for at in range(count)]
        if self.chance.random() < 0.1:
            names[-1] = "_corrupt_record"
        if self.chance.random() < 0.1:
            names[0] = "_c9"
        schema = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
        taken = f"from_csv(«t», '{schema}'{options})"
        return taken if self.chance.random() < 0.1 else f"{taken}.{self.chance.choice(names)}"

    def of_query(self, p: Packing) -> str:
        key = self.chance.choice(p.names or ("mail", "id"))
        key = key if self.chance.random() < 0.85 else self.chance.choice(("city", "x", "m.*", "ail"))
        return self.chance.choice(
            [
                f"parse_url(«t», 'QUERY', '{key}')",
                f"parse_url(«t», 'QUERY', '{key}')",
                f"upper(parse_url(«t», 'QUERY', '{key}'))",
                f"str_to_map(parse_url(«t», 'QUERY'), '&', '=')['{key}']",
                f"split_part(split_part(«t», '{key}=', 2), '&', 1)",
                f"regexp_extract(«t», '{key}=([^&]*)', 1)",
            ]
        )

    def of_address(self, p: Packing) -> str:
        part = self.chance.choice(
            ("HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY", "USERINFO")
        )
        return f"parse_url(«t», '{part}')"

    def of_pairs(self, p: Packing) -> str:
        key = self.chance.choice(p.names or ("mail", "id"))
        key = key if self.chance.random() < 0.85 else self.chance.choice(("city", "x", " mail"))
        between, within = self.pattern(p.between), self.pattern(p.within)
        pairs_ = f"str_to_map(«t», {_quoted(between)}, {_quoted(within)})"
        return self.chance.choice(
            [
                f"{pairs_}['{key}']",
                f"{pairs_}['{key}']",
                f"element_at({pairs_}, '{key}')",
                f"str_to_map(«t»)['{key}']",
                f"map_keys({pairs_})[0]",
                f"split_part(split_part(«t», {_quoted(key + p.within)}, 2), {_quoted(p.between)}, 1)",
            ]
        )

    def from_json(self, p: Packing) -> str:
        name = self.chance.choice(p.names or ("mail", "id"))
        return self.chance.choice(
            [
                f"get_json_object(«t», '$.{name}')",
                f"from_json(«t», '{name} string').{name}",
                f"from_json(«t», '{name} string, other string')",
                f"from_json(«t», '{name} bigint').{name}",
                f"split_part(get_json_object(«t», '$.{name}'), ',', 1)",
                f"split(«t», ',')[{self.chance.randint(0, 2)}]",
            ]
        )

    def from_xml(self, p: Packing) -> str:
        name = self.chance.choice(p.names or ("mail", "id"))
        tag = self.chance.choice(("ROW", "ROW", "ROW", "*", "person"))
        paths = [
            f"xpath_string(«t», '{tag}/{name}')",
            f"xpath_string(«t», '/{tag}/{name}/text()')",
            f"xpath(«t», '/{tag}/{name}/text()')",
            f"xpath_int(«t», '{tag}/{name}')",
            f"xpath_boolean(«t», '{tag}/{name}')",
            f"xpath_string(«t», '//{name}')",
            f"xpath_string(«t», '{tag}/{name}[2]')",
            f"xpath_string(«t», '{tag}/@{name.strip('_')}')",
            f"xpath(«t», '{tag}/name/first/text()')",
            f"split_part(«t», '<{name}>', 2)",
        ]
        if not self.xml:
            return self.chance.choice(paths if p.notation == "xml" else paths[-1:])
        if p.notation != "xml":
            paths = paths[-1:]
        options = p.options if self.chance.random() < 0.85 else ""
        kind = self.chance.choice(
            ("string", "string", "string", "bigint", "array<string>", "struct<first:string,_VALUE:string>")
        )
        lower = name.lower() if self.chance.random() < 0.3 else name
        parsed = f"from_xml(«t», '`{lower}` {kind}, other string'{options})"
        whole = f"from_xml(«t», '`{name}` string, _corrupt_record string'{options})"
        return self.chance.choice(
            [*paths, f"{parsed}.`{lower}`", f"{parsed}.`{lower}`", f"{parsed}.other", whole]
        )


_EMPTY: Final = ("''", "'none'", "'0'")
