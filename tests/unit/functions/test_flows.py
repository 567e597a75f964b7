"""Flows between the types of a call, and what a file's functions do, as the command line prints it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from headwater_cli.agent.functions import functions
from headwater_facets.kinds import Manipulation, Retains
from headwater_functions.flows import reading_of
from headwater_functions.resolve import Form
from headwater_functions.source import check
from headwater_plan.readings import ReadFlow
from headwater_plan.types import ArrayType, AtomicType, DataType, StructField, StructType

TEXT, NUMBER = AtomicType("string"), AtomicType("long")
ADDRESS = StructType((StructField("city", TEXT), StructField("zip", TEXT)))


def _flows(source: str, *arguments: DataType, result: DataType = TEXT) -> set[ReadFlow]:
    (checked,) = check(source, "module.py")
    assert checked.analysis is not None, checked.unreadable
    return set(reading_of(checked.analysis, arguments, result, Form.VALUES).flows)


def test_a_member_that_is_given_back_is_extracted_and_no_other_is_read() -> None:
    flows = _flows("def f(a):\n    return a.city\n", ADDRESS)
    assert flows == {ReadFlow(0, ("city",), (), (Manipulation.EXTRACT,))}


def test_a_dictionary_maps_member_by_member_and_a_length_is_a_fact() -> None:
    result = StructType((StructField("n", TEXT), StructField("k", NUMBER)))
    flows = _flows(
        "def f(name, items):\n    return {'n': name, 'k': len(items)}\n", TEXT, ArrayType(TEXT), result=result
    )
    assert ReadFlow(0, (), ("n",)) in flows
    direct = {(f.argument, f.target, f.retains) for f in flows if not f.decides}
    assert direct == {(0, ("n",), Retains.VALUE), (1, ("k",), Retains.FACT)}


def test_a_digest_is_a_token() -> None:
    source = (
        "import hashlib\ndef f(salt, mail):\n    return hashlib.sha256((salt + mail).encode()).hexdigest()\n"
    )
    assert {f.retains for f in _flows(source, TEXT, TEXT)} == {Retains.TOKEN}


@pytest.mark.parametrize(
    "body",
    [
        "return {a.city: a.zip}",
        "return {'other': 1, a.city: a.zip}",
        "return {k: a.zip for k in ['n', a.city]}",
        "d = {}; d[a.city] = a.zip; return d",
        "d = dict.fromkeys([a.city], a.zip); return d",
        "return dict([(a.city, a.zip)])",
    ],
)
def test_values_under_names_that_are_computed_may_be_in_any_member(body: str) -> None:
    result = StructType((StructField("n", TEXT), StructField("k", TEXT)))
    direct = {f.source for f in _flows(f"def f(a):\n    {body}\n", ADDRESS, result=result) if not f.decides}
    assert ("zip",) in direct


_MANY = "; ".join(f"v{i} = {'b' if i == 10 else i}" for i in range(13))


@pytest.mark.parametrize(
    "body",
    [
        "return [b for i in a] if a else []",
        "r = ''\n    if a:\n        r = sum(1 for i in a if i > b)\n    return r",
        "for i in a:\n        f = lambda: b\n        return f()",
        "for i in a:\n        f = lambda v=b: v\n        return f()",
        "for i in a:\n        f = lambda *, v=b: v\n        return f()",
        "try:\n        return list(map(lambda i: i + b, a))\n    except ValueError:\n        return ''",
        f"{_MANY}\n    g = lambda: (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12)\n    return g()[10]",
        "t = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, b, 11)\n    g = lambda *v: v[10]\n    return g(*t)",
    ],
)
def test_functions_that_are_made_where_something_decides_keep_what_they_are_bound_to(body: str) -> None:
    assert 1 in {f.argument for f in _flows(f"def f(a, b):\n    {body}\n", ArrayType(TEXT), TEXT)}


@pytest.mark.parametrize(
    "source",
    [
        "class K:\n    city = 'c'\ndef f(a):\n    match a:\n        case {K.city: v}:\n"
        "            return v\n    return ''\n",
        "def f(a):\n    class C:\n        x = a\n    return C.x\n",
        "def f(a):\n    if a:\n        class C:\n            x = a\n        return C.x\n    return ''\n",
    ],
)
def test_what_a_class_or_a_pattern_takes_from_an_argument_is_listed(source: str) -> None:
    (checked,) = check(source, "module.py")
    assert checked.analysis is not None
    found = checked.analysis.result.all_edges()
    assert [e.path for e in found if not e.how.decides] != []


def test_a_method_of_an_own_class_reads_what_it_reads() -> None:
    source = (
        "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    one: str\n    other: str\n"
        "    def first(self):\n        return self.one\ndef f(a, b):\n    return Pair(a, b).first()\n"
    )
    assert {f.argument for f in _flows(source, TEXT, TEXT)} == {0}


_CONTACT = (
    "from dataclasses import dataclass\n@dataclass\nclass Contact:\n    mail: str\n    city: str = ''\n"
    "    @property\n    def host(self):\n        return self.mail\n"
    "    @staticmethod\n    def second(one, other):\n        return other\n"
    "    @classmethod\n    def made(cls, city):\n        return cls('', city)\n"
)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("return Contact(a, b).host", {0}),
        ("return [Contact(a, b).host for i in range(3)]", {0}),
        ("c = Contact(a, b)\n    if a:\n        c = Contact(b, a)\n    return c.host", {0, 1}),
        ("return Contact(a, a).second(a, b)", {1}),
        ("return Contact.second(a, b)", {1}),
        ("return Contact.made(a).city", {0}),
        ("return Contact(a, b).made(b).city", {1}),
    ],
)
def test_a_property_and_a_static_method_give_what_they_compute(body: str, read: set[int]) -> None:
    (checked,) = check(f"{_CONTACT}def f(a, b):\n    {body}\n", "module.py")
    assert checked.analysis is not None, checked.unreadable
    assert checked.analysis.unread == frozenset()
    found = reading_of(checked.analysis, (TEXT, TEXT), TEXT, Form.VALUES).flows
    assert {f.argument for f in found if not f.decides} == read


@pytest.mark.parametrize(
    "body",
    [
        "c = Contact(a, b); c.host = b; return c.host",
    ],
)
def test_what_a_class_computes_in_other_ways_is_opaque(body: str) -> None:
    (checked,) = check(f"{_CONTACT}def f(a, b):\n    {body}\n", "module.py")
    assert checked.unreadable is not None or (checked.analysis is not None and checked.analysis.unread)


@pytest.mark.parametrize(
    "step", ["m = m.more", "m = property(m)", "m = property(lambda v=m: v)", "m = m.more if b else m"]
)
def test_what_grows_in_a_loop_is_read_in_time(step: str) -> None:
    before = time.process_time()
    check(
        f"import math\ndef f(a, b):\n    m = math\n    while b:\n        {step}\n    return a, m\n",
        "module.py",
    )
    assert time.process_time() - before < 2


@pytest.mark.parametrize("names", ["'xy'", "['x', 'y']", "[a, 'y']"])
def test_a_value_under_several_names_is_under_each(names: str) -> None:
    result = StructType((StructField("x", TEXT), StructField("y", TEXT)))
    flows = _flows(f"def f(a, b):\n    return dict.fromkeys({names}, b)\n", TEXT, TEXT, result=result)
    assert {f.argument for f in flows if not f.decides} >= {1}


PEOPLE = StructType((StructField("id", NUMBER), StructField("name", TEXT), StructField("town", TEXT)))


def _over_frame(body: str, *names: str, by_name: bool = True) -> set[tuple[str, str, bool]]:
    """(column of the result, column of the frame, whether it only moved) of what is not only decided."""
    (checked,) = check(f"def f(df):\n    {body}\n", "module.py")
    assert checked.analysis is not None, checked.unreadable
    result = StructType(tuple(StructField(n, NUMBER if n == "id" else TEXT) for n in names))
    found = reading_of(checked.analysis, (PEOPLE,), result, Form.FRAMES, by_name=by_name).flows
    targets = {f: f.target[:1] or names for f in found if not f.decides}
    sources = {f: f.source[:1] or [x.name for x in PEOPLE.fields] for f in targets}
    return {(t, s, f.moves) for f, ts in targets.items() for t in ts for s in sources[f]}


@pytest.mark.parametrize("by_name", [True, False])
def test_columns_in_the_order_of_the_result_go_where_they_are_named(by_name: bool) -> None:
    found = _over_frame("return df[['id', 'town']]", "id", "town", by_name=by_name)
    assert found == {("id", "id", True), ("town", "town", True)}


def test_columns_in_another_order_go_where_they_are_placed_unless_names_count() -> None:
    body = "return df[['town', 'name']]"
    assert _over_frame(body, "name", "town") == {("name", "name", True), ("town", "town", True)}
    assert _over_frame(body, "name", "town", by_name=False) == {
        ("name", "town", True),
        ("town", "name", True),
    }


@pytest.mark.parametrize(
    "body",
    [
        "return df[df.columns[::-1]]",
        "return df.sample(frac=1.0, axis=1)",
        "return df[['town', 'name', 'id']].sort_index(axis=1)",
        "d = df[['name', 'town']]; d.insert(0, 'id', df['id']); return d",
        "d = df[['id', 'name', 'town']]; del d['id']; d['id'] = df['id']; return d",
        "d = df[['id', 'name', 'town']]; d['id'] = d.pop('id'); return d",
        "d = {}\n    if len(df):\n        d['id'] = df.id; d['name'] = df.name\n    else:\n"
        "        d['name'] = df.name; d['id'] = df.id\n    d['town'] = df.town\n"
        "    import pandas\n    return pandas.DataFrame(d)",
    ],
)
def test_columns_whose_order_is_not_known_may_go_anywhere_by_position(body: str) -> None:
    found = _over_frame(body, "id", "name", "town", by_name=False)
    assert {t for t, s, _ in found if s == "id"} == {"id", "name", "town"}


def test_a_frame_that_is_given_back_by_position_takes_the_result_s_names() -> None:
    found = _over_frame("return df.head(5)", "town", "name", "id", by_name=False)
    assert {(t, s) for t, s, _ in found} == {("town", "id"), ("name", "name"), ("id", "town")}


def test_a_frame_that_is_given_back_keeps_its_columns_but_those_that_were_written() -> None:
    body = "df['name'] = df['town'].str.upper(); return df"
    expected = {("id", "id", True), ("name", "town", False), ("town", "town", True)}
    assert _over_frame(body, "id", "name", "town") == expected


@pytest.mark.parametrize(
    "body",
    [
        "return df.set_axis(['town', 'id', 'name'], axis=1)",
        "return df.rename(columns=dict(zip(df.columns, ['town', 'id', 'name'])))",
    ],
)
def test_columns_whose_names_are_not_known_may_go_anywhere(body: str) -> None:
    pairs = {(t, s) for t, s, _ in _over_frame(body, "id", "name", "town")}
    assert pairs >= {("town", "id"), ("id", "name"), ("name", "town")}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return open(a).read()", "OUTSIDE"),
        ("return eval(a)", "OUTSIDE"),
        ("global seen; seen = a; return a", "GLOBAL"),
        ("SEEN.append(a); return a", "GLOBAL"),
    ],
)
def test_what_acts_on_more_than_its_arguments_is_opaque_with_the_reason(body: str, code: str) -> None:
    found = check(f"SEEN = []\ndef f(a):\n    {body}\n", "module.py")
    assert found[0].unreadable is not None
    assert found[0].unreadable.code == code


def test_the_command_prints_what_results_are_made_of_and_fails_if_asked_to(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def city(a):\n    return a.city\n\ndef reads(p):\n    return open(p).read()\n")
    result = CliRunner().invoke(functions, ["check", str(module)])
    assert result.exit_code == 0
    assert "result  a.city  VALUE" in result.output
    assert "opaque: it opens a file (open) (line 5)" in result.output
    assert CliRunner().invoke(functions, ["check", "--strict", str(module)]).exit_code == 1


def test_a_module_is_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    module = tmp_path / "module.py"
    module.write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n\ndef f(a):\n    return a\n")
    CliRunner().invoke(functions, ["check", str(module)])
    assert not mark.exists()
