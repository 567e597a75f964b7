"""Functions of Python and its libraries, by dotted names: what their results are made of.

Modules in ``PURE`` do nothing but compute, apart from what ``REFUSED`` has. What is in no table is code that is
not read: its result may hold whatever it can touch. What acts on the world outside makes the function opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import UNREAD, Call, Closure, Library, OwnClass
from headwater_functions.analysis.calls import apart, call_value, refuse_callbacks
from headwater_functions.analysis.frame import LAZY, Frame
from headwater_functions.analysis.frames import computing, concatenated, merge
from headwater_functions.analysis.heap import BY_KEYS, ORDERED, UNORDERED, Object, is_index
from headwater_functions.analysis.instructions import class_of, size_of, update
from headwater_functions.analysis.methods import method_result
from headwater_functions.analysis.values import (
    AGGREGATE,
    CAST,
    COMPUTE,
    COMPUTED,
    FACT,
    KEYED,
    NONE,
    NOTHING,
    PARSE,
    PART,
    PLAIN,
    SERIALIZE,
    TOKEN,
    Edge,
    How,
    Value,
    constant,
    join,
    with_edges,
)
from headwater_functions.code import Class

Rule = Callable[[Frame, Call], Value]

PURE = [
    "math",
    "cmath",
    "re",
    "json",
    "datetime",
    "time.strftime",
    "time.strptime",
    "time.mktime",
    "decimal",
    "fractions",
    "statistics",
    "string",
    "textwrap",
    "unicodedata",
    "collections",
    "itertools",
    "functools",
    "operator",
    "base64",
    "binascii",
    "urllib.parse",
    "html",
    "hashlib",
    "hmac",
    "uuid",
    "zlib",
    "calendar",
    "copy",
    "numbers",
    "bisect",
    "heapq",
    "difflib",
    "struct",
    "ipaddress",
    "dateutil",
    "zoneinfo",
    "colorsys",
    "typing",
    "dataclasses",
    "enum",
    "numpy",
    "pandas",
    "pyarrow",
    "codecs",
    "quopri",
    "os.path",
    "posixpath",
    "keyword",
]

REFUSED: Mapping[str, str] = {
    "open": "it opens a file",
    "input": "it reads from a terminal",
    **dict.fromkeys(
        ["eval", "exec", "compile", "__import__", "importlib"],
        "it executes code that only running it would tell",
    ),
    **dict.fromkeys(
        ["globals", "locals", "vars", "setattr", "delattr"],
        "it changes names that only running it would tell",
    ),
    **dict.fromkeys(
        ["os", "sys", "io", "pathlib", "shutil", "tempfile", "glob", "fileinput"],
        "it uses the machine's files",
    ),
    **dict.fromkeys(
        [
            "socket",
            "requests",
            "urllib",
            "urllib3",
            "http",
            "httpx",
            "aiohttp",
            "ftplib",
            "smtplib",
            "boto3",
            "botocore",
            "pymongo",
            "psycopg2",
            "redis",
            "sqlite3",
            "sqlalchemy",
            "pyodbc",
        ],
        "it speaks to something outside",
    ),
    **dict.fromkeys(
        ["subprocess", "multiprocessing", "threading", "concurrent", "asyncio", "signal"],
        "it starts something else",
    ),
    **dict.fromkeys(["ctypes", "cffi", "numba"], "it calls native code"),
    **dict.fromkeys(
        ["pickle", "marshal", "dill", "shelve"], "it reads objects that only running it would tell"
    ),
    **dict.fromkeys(["gc", "inspect", "traceback", "weakref"], "it looks at the interpreter"),
    **dict.fromkeys(
        [
            "numpy.load",
            "numpy.save",
            "numpy.fromfile",
            "numpy.loadtxt",
            "numpy.memmap",
            "numpy.genfromtxt",
            "numpy.savetxt",
            "numpy.copyto",
            "numpy.put",
            "pandas.read_csv",
            "pandas.read_parquet",
            "pandas.read_json",
            "pandas.read_sql",
            "pandas.read_excel",
            "pandas.read_pickle",
            "pandas.read_table",
            "pandas.read_html",
            "pandas.read_feather",
            "pandas.read_xml",
            "pandas.read_orc",
            "pandas.read_sas",
            "pandas.read_spss",
            "pandas.read_fwf",
            "pandas.read_clipboard",
            "pandas.read_hdf",
            "pandas.read_stata",
            "pandas.read_gbq",
            "pandas.read_sql_query",
            "pandas.read_sql_table",
            "pandas.HDFStore",
            "pandas.ExcelFile",
            "pandas.ExcelWriter",
            "pandas.eval",
            # Expressions name columns of a table that they are not given.
            "pyarrow.compute.field",
            "pyarrow._compute",
            "pyarrow.acero",
            "pyarrow.dataset",
            "pyarrow.parquet",
            "pyarrow.csv",
            "pyarrow.json",
            "pyarrow.feather",
            "pyarrow.orc",
            "pyarrow.fs",
            "pyarrow.flight",
            "pyarrow.ipc",
            "pyarrow.memory_map",
            "pyarrow.OSFile",
            "pyarrow.lib.memory_map",
            "pyarrow.lib.OSFile",
            "pyarrow.substrait",
            "pyarrow.cuda",
            "numpy.random",
            "numpy.place",
            "numpy.putmask",
            "numpy.put_along_axis",
            "numpy.fill_diagonal",
            "numpy.seterr",
            "numpy.vectorize",
            "pandas.set_option",
            "pandas.options",
            "decimal.setcontext",
            "decimal.getcontext",
            "decimal.localcontext",
            "collections.UserDict",
            "collections.UserList",
            "itertools.tee",
            "heapq.heappush",
            "heapq.heappop",
            "heapq.heapify",
            "heapq.heappushpop",
            "heapq.heapreplace",
            "bisect.insort",
            "bisect.insort_left",
            "bisect.insort_right",
            "operator.setitem",
            "operator.delitem",
            "operator.iadd",
            "operator.iand",
            "operator.iconcat",
            "operator.ifloordiv",
            "operator.ilshift",
            "operator.imatmul",
            "operator.imod",
            "operator.imul",
            "operator.ior",
            "operator.ipow",
            "operator.irshift",
            "operator.isub",
            "operator.itruediv",
            "operator.ixor",
            "struct.pack_into",
            "functools.singledispatch",
            "functools.cached_property",
            "codecs.open",
            "operator.methodcaller",
        ],
        "it uses what is not read",
    ),
}


def library_result(f: Frame, called: Library, call: Call) -> Value:
    """The result of a function, or of a class, of a library."""
    name = called.name
    if name == "\0class":
        return class_of(f, call)
    rule = LIBRARY.get(name)
    if rule is not None:
        return apart(f, rule, call, arguments=True) if rule in _BUILDING else rule(f, call)
    refused = _refused(name)
    if refused:
        raise f.unreadable("OUTSIDE", f"{refused} ({name})", "give the function what it needs as an argument")
    if name.startswith(UNREAD):
        return f.touched([*called.values, *call.all], f"it calls {name[1:]}, which is not read")
    base, _, attribute = name.rpartition(".")
    if base.endswith("()") or base.split(".")[0] in _TYPES:
        return _method_of_library(f, called, base, attribute, call)
    if any(name == p or name.startswith(f"{p}.") for p in PURE):
        refuse_callbacks(f, call)
        if "out" in call.keywords or name.endswith(".at"):
            raise f.unreadable("IN_PLACE", f"{name} changes an array in place", "take its result")
        return f.compute([*called.values, *call.all])
    return f.touched([*called.values, *call.all], f"it calls {name}, which is not known")


_TYPES = frozenset({"str", "bytes", "int", "float", "dict", "list", "set"})


def _refused(name: str) -> str:
    parts = name.split(".")
    whole = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    found = next((p for p in whole if p in REFUSED), "")
    if any(name == p or name.startswith(f"{p}.") for p in PURE if len(p) > len(found)):
        return ""
    return REFUSED.get(found, "")


def _method_of_library(f: Frame, called: Library, base: str, name: str, call: Call) -> Value:
    """A method of an object that the module made, or of a type, whose first argument is the object."""
    if base in _TYPES and call.args and not call.spread:
        return method_result(f, Call(name, call.args[1:], call.keywords, call.args[0]))
    if not base.endswith("()") or not any(base.startswith(p) for p in PURE):
        return f.touched([*called.values, *call.all], f"it calls {base}.{name}, which is not known")
    if name in ("update", "append", "add", "setdefault", "pop", "extend", "clear", "popitem", "remove"):
        raise f.unreadable("GLOBAL", "it changes an object of its module", "keep state out of functions")
    return method_result(f, Call(name, call.args, call.keywords, Value(other=True), call.spread))


# Types


def convert(how: How) -> Rule:
    return computing(how)


def number(f: Frame, call: Call) -> Value:
    """``int`` of a number leaves out its fraction; that may be nothing."""
    return f.compute(call.all, CAST)


def made_of(kind: str) -> Rule:
    """``list``, ``tuple``, ``set``: the elements of what is given."""

    def rule(f: Frame, call: Call) -> Value:
        if not call.args:
            return f.new(Object(kind), kind)
        source = call.args[0]
        objects = f.objects(source)
        decides = f.extent(source)
        if (
            kind != "set"
            and len(objects) == 1
            and not source.edges
            and objects[0][1].kind in ("list", "tuple")
        ):
            made = objects[0][1]
            return f.new(Object(kind, made.own, made.members, made.elements), kind)
        elements = f.element(source)
        own = Value(decides.edges, opaque=decides.opaque)
        if kind == "set":
            own = f.decided(own, [elements])
        return f.new(Object(kind, own, elements=elements), kind)

    return rule


def dictionary(f: Frame, call: Call) -> Value:
    made = f.new(Object("dict"), "dict")
    if call.args:
        _fill(f, made, call.args[0])
    for name, value in call.keywords.items():
        if name == "**":
            update(f, made, value)
        else:
            f.put(made, constant(name), value)
    return made


def from_keys(f: Frame, call: Call) -> Value:
    """``dict.fromkeys``: the same value under each of the names."""
    if not call.args or call.spread or call.keywords:
        return f.touched(call.all)
    made, key = f.new(Object("dict"), "dict"), f.element(call.args[0])
    value = f.decided(call.argument(1) or NONE, [Value(f.extent(call.args[0]).edges)])
    plain = not (key.edges or key.refs or key.calls or key.other)
    for name in [Value(constants=frozenset((c,))) for c in key.constants] if plain else [key]:
        f.put(made, name, value, certain=False)
    return made


def _with_default(f: Frame, call: Call) -> Value:
    """A dictionary that makes what it has not."""
    maker = call.args[0] if call.args else COMPUTED
    elements = call_value(f, maker, Call("", [])) if maker.calls else COMPUTED
    return f.new(Object("dict", elements=elements), "default")


def _fill(f: Frame, made: Value, source: Value) -> None:
    """From another dictionary, or from pairs. Of an argument nobody knows which; its values are values either way."""
    kinds = {m.kind for _, m in f.objects(source)}
    if (kinds and kinds <= {"dict", "argument"}) or (source.constants and not source.refs):
        update(f, made, source)
        return
    pair = f.element(source)
    key, value = f.item(pair, constant(0)), f.item(pair, constant(1))
    decides = Value(f.extent(source).edges)
    key = Value(key.edges, key.refs, key.constants, other=True, opaque=key.opaque)
    f.put(made, key, f.decided(value, [decides]), certain=False)


def row(f: Frame, call: Call) -> Value:
    """A ``Row`` by names, or by positions."""
    if call.spread or "**" in call.keywords:
        return f.compute(call.all)
    members: dict[Any, Value] = {**dict(enumerate(call.args)), **call.keywords}
    members.update(dict(enumerate(call.keywords.values(), len(call.args))))
    return f.new(Object("record", members=members), "row")


# Iterators


def mapped(f: Frame, call: Call) -> Value:
    if call.spread or not call.args:
        return f.touched(call.all)
    function, *sources = call.args
    result = call_value(f, function, Call("", [f.element(s) for s in sources]))
    return f.iterator(result, sources)


def filtered(f: Frame, call: Call) -> Value:
    if len(call.args) != 2 or call.spread:
        return f.touched(call.all)
    function, source = call.args
    element = f.element(source)
    test = call_value(f, function, Call("", [element])) if function.calls else element
    return _as_decided(f, f.iterator(f.decided(element, [test]), [source]), test)


def _as_decided(f: Frame, iterator: Value, test: Value) -> Value:
    """An iterator of which something decides how many elements it has."""
    for ref, made in f.objects(iterator):
        f.state.change(ref, replace(made, own=f.decided(made.own, [test])))
    return iterator


def runs(f: Frame, call: Call) -> Value:
    """``itertools.groupby``: pairs of a key and an iterator, of which the keys decide what is in them."""
    source, key = call.argument(0, "iterable"), call.argument(1, "key")
    if source is None:
        return f.touched(call.all)
    element = f.element(source)
    by = call_value(f, key, Call("", [element])) if key is not None and key.calls else element
    run = _as_decided(f, f.iterator(f.decided(element, [by]), [source]), by)
    pair = f.new(Object("tuple", members={0: f.decided(by, [by]), 1: run}), "pair")
    return _as_decided(f, f.iterator(pair, [source]), by)


def accumulated(f: Frame, call: Call) -> Value:
    """``itertools.accumulate``: each element is made of those before it, by a function or as their sum."""
    source, function = call.argument(0, "iterable"), call.argument(1, "func")
    if source is None:
        return f.touched(call.all)
    start = [v for v in (call.keywords.get("initial"),) if v is not None]
    given = function if function is not None and function.calls else Value(calls=frozenset((Library("max"),)))
    return f.iterator(reduced(f, Call("reduce", [given, source, *start])), [source])


def zipped(f: Frame, call: Call) -> Value:
    if call.spread:
        return f.iterator(f.compute(call.all), call.args)
    sources = call.args
    pair = f.new(Object("tuple", members={i: f.element(s) for i, s in enumerate(sources)}), "pair")
    return f.iterator(pair, sources)


def enumerated(f: Frame, call: Call) -> Value:
    source = call.args[0] if call.args else NOTHING
    counted = f.compute(call.args[1:]) if len(call.args) > 1 else COMPUTED
    pair = f.new(Object("tuple", members={0: counted, 1: f.element(source)}), "pair")
    return f.iterator(pair, [source])


def iterated(f: Frame, call: Call) -> Value:
    """``iter``: an object that knows where it stands."""
    if len(call.args) != 1:
        return f.touched(call.all)
    (source,) = call.args
    lazy = source.refs and all(m.kind in LAZY for _, m in f.objects(source))
    return source if lazy and not source.edges else f.iterator(f.element(source), [source])


def following(f: Frame, call: Call) -> Value:
    """``next``: the first element, which how many there are decides about."""
    source = call.args[0] if call.args else NOTHING
    decides = f.extent(source)
    element = with_edges(f.element(source), decides.edges, decides.opaque)
    f.advance(source)
    return join(element, *call.args[1:])


def reordered(f: Frame, call: Call) -> Value:
    """``sorted``, ``reversed``: the elements, whose order all of them decide."""
    source = call.args[0] if call.args else NOTHING
    element = f.element(source)
    by = [_by_key(f, call, element)] if call.name == "sorted" else []
    if call.name == "reversed":
        return f.iterator(element, [source])
    own = f.decided(
        Value(f.extent(source).edges), [*by, *(v for n, v in call.keywords.items() if n != "key")]
    )
    return f.new(Object("list", own, elements=element), "sorted")


def _by_key(f: Frame, call: Call, element: Value) -> Value:
    key = call.keywords.get("key")
    return call_value(f, key, Call("", [element])) if key is not None and key.calls else element


def extreme(f: Frame, call: Call) -> Value:
    """``min``, ``max``: one of the elements, chosen by all of them."""
    elements = [f.element(call.args[0])] if len(call.args) == 1 else call.args
    default = call.keywords.get("default")
    found = join(*elements, *([default] if default is not None else []))
    by = [_by_key(f, call, e) for e in elements]
    decides = f.extent(call.args[0]) if len(call.args) == 1 else NOTHING
    found = with_edges(f.decided(found, by), decides.edges, decides.opaque)
    return found if found.refs else with_edges(f.compute([found], PLAIN), ())


def total(f: Frame, call: Call) -> Value:
    elements = [f.element(a) for a in call.args[:1]]
    decides = [Value(f.extent(a).edges) for a in call.args[:1]]
    return f.compute([*elements, *decides, *call.args[1:], *call.keywords.values()], AGGREGATE)


def truths(f: Frame, call: Call) -> Value:
    """``any``, ``all``: facts about facts; of truth values, nearly the values."""
    elements = [f.element(a) for a in call.args]
    decides = [Value(f.extent(a).edges) for a in call.args]
    for source, element in zip(call.args, elements, strict=True):
        f.advance(source, [element])
    return f.compute([*elements, *decides])


def reduced(f: Frame, call: Call) -> Value:
    if len(call.args) < 2 or call.spread:
        return f.touched(call.all)
    function, source, *start = call.args
    element = f.element(source)
    held = join(element, *start)
    for _ in range(3):
        held = join(held, call_value(f, function, Call("", [held, element])))
    decides = f.extent(source)
    return with_edges(f.compute([held]), decides.edges, decides.opaque)


def repeated(f: Frame, call: Call) -> Value:
    return f.iterator(f.decided(call.args[0], call.args[1:]), call.args[1:]) if call.args else COMPUTED


def copied(f: Frame, call: Call) -> Value:
    return method_result(f, Call("copy", [], receiver=call.args[0])) if call.args else COMPUTED


def copied_deeply(f: Frame, call: Call) -> Value:
    """A copy of something flat, or else a value that cannot be changed: its parts are others than those copied."""
    is_flat = not any(
        p.refs for a in call.args for _, m in f.objects(a) for p in (*m.members.values(), m.elements)
    )
    return copied(f, call) if is_flat else f.compute(call.all)


def chained(f: Frame, call: Call) -> Value:
    inner = call.name.endswith("from_iterable")
    sources = [f.element(a) for a in call.args] if inner else call.args
    elements = join(*(f.element(s) for s in sources))
    return f.iterator(elements, [*call.args, *sources])


def elements_as_they_are(f: Frame, call: Call) -> Value:
    """Some elements of the first argument, as others decide."""
    source = call.args[0] if call.args else NOTHING
    return f.iterator(f.decided(f.element(source), call.args[1:]), [source])


# Attributes


def attribute_by_name(f: Frame, call: Call) -> Value:
    name = call.argument(1)
    if name is None:
        return f.compute(call.all)
    values = [c.value for c in name.constants]
    if name.refs or name.calls or name.other or not values or not all(isinstance(v, str) for v in values):
        refuse = any(m.kind == "object" for _, m in f.objects(call.args[0]))
        return (
            f.touched(call.all, "it reads an attribute by a computed name")
            if refuse
            else f.compute(call.args)
        )
    found = join(*(f.attribute(call.args[0], v) for v in values), *call.args[2:])
    return f.decided(found, [name])


def getter(f: Frame, call: Call) -> Value:
    """``operator.itemgetter``, ``operator.attrgetter``."""
    made = call.name.rpartition(".")[2]
    return f.new(Object("getter", members=dict(enumerate(call.args)), made=made), "getter")


def map_of_maps(f: Frame, call: Call) -> Value:
    """``ChainMap``: shows what its dictionaries hold, also later, if the function can change these."""
    if any(made.kind != "argument" for value in call.all for _, made in f.objects(value)):
        raise f.unreadable("CONSTRUCT", "it makes a ChainMap of what it may change", "merge dictionaries")
    return f.compute(call.all)


def fields_of(f: Frame, call: Call) -> Value:
    """``asdict``, ``astuple``, ``replace`` of an instance of a dataclass that has no parts in its fields."""
    made = _flat_instance(f, call)
    if made is None:
        return f.compute(call.all)
    if call.name.endswith("replace"):
        return f.new(replace(made, members={**made.members, **call.keywords}), "replaced")
    if call.name.endswith("asdict"):
        return f.new(Object("dict", made.own, made.members), "fields")
    members = {i: made.members[name] for i, name in enumerate(made.made.fields)}
    return f.new(Object("tuple", made.own, members), "fields")


def _flat_instance(f: Frame, call: Call) -> Object | None:
    objects = f.objects(call.args[0]) if len(call.args) == 1 and not call.spread else []
    made = objects[0][1] if len(objects) == 1 and call.args[0] == Value(refs=call.args[0].refs) else None
    kind = made.made if made is not None else None
    if made is None or not isinstance(kind, OwnClass) or kind.kind != "dataclass":
        return None
    known = list(made.members) == list(kind.fields) and made.elements is NOTHING
    given = call.keywords.keys() <= made.members.keys() and not any(v.refs for v in made.members.values())
    return made if known and given and "__post_init__" not in kind.record.members else None


def with_fixed(f: Frame, call: Call) -> Value:
    raise f.unreadable("CONSTRUCT", "functools.partial is not read", "write a function with the arguments")


def type_of(f: Frame, call: Call) -> Value:
    if len(call.args) != 1:
        raise f.unreadable("CONSTRUCT", "it makes a class by calling type", "write a class statement")
    return f.compute(call.args[:1], FACT)


def is_instance(f: Frame, call: Call) -> Value:
    return f.compute(call.args[:1], FACT)


def length(f: Frame, call: Call) -> Value:
    return join(*(size_of(f, a) for a in call.args)) if call.args else COMPUTED


# Hashes


def hashed(f: Frame, call: Call) -> Value:
    """A new hash object with what it was made of."""
    values = call.args[1:] if call.name == "hashlib.new" else call.args
    refuse_callbacks(f, call)
    return f.new(Object("hash", f.compute([*values, *call.keywords.values()], TOKEN)), "hash")


def keyed_hash(f: Frame, call: Call) -> Value:
    """``hmac``: a bare digest for whoever has the program, if its key stands there."""
    key, message = call.argument(0, "key"), call.argument(1, "msg")
    if key is None:
        return f.compute(call.all)
    in_program = bool(key.constants) and not (key.edges or key.refs or key.other or key.calls)
    how = TOKEN if in_program or not key.edges else KEYED
    own = join(f.compute([message] if message is not None else [], how), f.compute([key], KEYED))
    return f.new(Object("hash", own, made=how), "hash")


def named_uuid(f: Frame, call: Call) -> Value:
    return f.compute(call.all, TOKEN)


# Frames


def frame(f: Frame, call: Call) -> Value:
    """A new frame of columns, of rows, or of a frame."""
    data, columns = call.argument(0, "data"), call.keywords.get("columns")
    if data is None and not call.keywords and not call.spread:
        return f.new(Object("frame", made=ORDERED), "frame")
    if data is None or set(call.keywords) - {"data", "columns"} or call.spread:
        return f.compute(call.all)
    objects = f.objects(data)
    names = f.columns(columns) if columns is not None else None
    if len(objects) != 1 or data.edges:
        return f.compute(call.all)
    made = objects[0][1]
    if made.kind == "dict" and columns is None and made.elements is NOTHING:
        parts = {n: join(*_column(f, v)) for n, v in made.members.items()}
        chosen = _rows_of(f, made.members.values())
        of = ORDERED if made.made != UNORDERED else UNORDERED
        return f.new(Object("frame", with_edges(made.own, chosen), parts, made=of), "frame")
    if made.kind == "list":
        rows = [m for _, m in f.objects(made.each())]
        own = f.decided(Value(made.own.edges, opaque=made.own.opaque), [Value(f.extent(data).edges)])
        decided = join(own, *(Value(frozenset(e for e in r.own.edges if not e.how.moves)) for r in rows))
        if rows and columns is None and all(r.kind == "dict" and r.elements is NOTHING for r in rows):
            members = {n: join(*(r.part(n) for r in rows)) for r in rows for n in r.members}
            return f.new(Object("frame", decided, members), "frame")
        listed = all(r.kind in ("tuple", "list") and r.elements is NOTHING and not r.own.edges for r in rows)
        if rows and columns is None and listed and len({len(r.members) for r in rows}) == 1:
            places = range(len(rows[0].members))
            members = {i: join(*(r.part(i) for r in rows)) for i in places}
            return f.new(Object("frame", decided, members, made=ORDERED), "frame")
        if (
            rows
            and names is not None
            and all(r.kind == "tuple" and r.elements is NOTHING and not r.own.edges for r in rows)
        ):
            members = {n: join(*(r.part(i) for r in rows)) for i, n in enumerate(names)}
            return f.new(Object("frame", decided, members), "frame")
    return f.compute(call.all)


def _rows_of(f: Frame, columns: Iterable[Value]) -> list[Edge]:
    """What decides how many rows columns have: of a list how long it is, of a series whatever decided about it."""
    found: list[Edge] = []
    for value in columns:
        lists = [m for _, m in f.objects(value) if m.kind in ("list", "tuple")]
        is_list = bool(lists) and len(lists) == len(value.refs) and not value.other
        reached = f.extent(value).edges if is_list else f.state.reached(value)[0]
        found += [e for e in reached if e.how.decides]
    return found


def _column(f: Frame, value: Value) -> list[Value]:
    """A column of a frame: a series, or the elements of a list."""
    lists = [m for _, m in f.objects(value) if m.kind in ("list", "tuple", "iterator")]
    return [f.element(value)] if lists else [value]


def arrow_frame(f: Frame, call: Call) -> Value:
    """A table or a batch of Arrow: of a dictionary of columns, of rows, or of columns and their names."""
    names, metadata = call.argument(1, "names"), {"names", "metadata"}
    if call.args and names is not None and set(call.keywords) <= metadata and len(call.args) < 3:
        return _of_columns(f, call.args[0], names) or f.compute(call.all)
    if len(call.args) == 1 and not call.keywords:
        return frame(f, call)
    return f.compute(call.all)


def _of_columns(f: Frame, columns: Value, names: Value) -> Value | None:
    objects, listed = f.objects(columns), f.columns(names)
    if len(objects) != 1 or columns.edges or listed is None:
        return None
    made = objects[0][1]
    known = made.kind in ("list", "tuple") and made.elements is NOTHING and len(made.members) == len(listed)
    if not known or any(e.how.moves for e in made.own.edges) or len(set(listed)) < len(listed):
        return None
    parts = {n: join(*_column(f, made.members[i])) for i, n in enumerate(listed)}
    chosen = _rows_of(f, made.members.values())
    return f.new(Object("frame", with_edges(made.own, chosen), parts, made=ORDERED), "table")


def of_pandas(f: Frame, call: Call) -> Value:
    """A frame of pandas as one of Arrow: the same columns in the same order, and an index behind them."""
    given = call.argument(0, "df")
    if given is None or set(call.keywords) - {"df", "preserve_index"} or len(call.args) > 1:
        return f.compute(call.all)
    indexed = any(is_index(n) or m.kind == BY_KEYS for _, m in f.objects(given) for n in m.members)
    return f.compute(call.all) if indexed else given


def series(f: Frame, call: Call) -> Value:
    data = call.argument(0, "data")
    return (
        join(*_column(f, data))
        if data is not None and len(call.args) == 1 and not call.keywords
        else f.compute(call.all)
    )


def chosen(f: Frame, call: Call) -> Value:
    """``numpy.where``: one of two values by a condition."""
    if len(call.args) != 3 or call.spread:
        return f.compute(call.all)
    condition, first, second = call.args
    values = f.compute([first, second], PLAIN)
    return f.decided(values, [condition])


# Modules as they are read


def decorated(f: Frame, call: Call) -> Value:
    """A decorator that leaves a function as it is, as far as its result is concerned."""
    functions = [a for a in call.args if any(isinstance(c, Closure) for c in a.calls)]
    if "cache" in call.name and any(c.cells for a in functions for c in a.calls if isinstance(c, Closure)):
        raise f.unreadable(
            "GLOBAL", "it keeps results of a function that sees others' variables", "do not cache it"
        )
    if not functions and call.name == "\0decorator":
        return f.touched(call.all, "it calls a function that is not read")
    return functions[0] if functions else Value(calls=frozenset((Library("\0decorator"),)))


def descriptor(f: Frame, call: Call) -> Value:
    """``property``, ``staticmethod``: what a class does with the function is told where an instance is asked for it."""
    functions = [c for v in call.args for c in v.calls]
    plain = all(isinstance(c, Closure) and not any(v.calls or v.refs for v in c.values) for c in functions)
    if call.spread or call.keywords or not plain:
        return f.touched(call.all, f"{call.name} is not read as it is called")
    return Value(calls=frozenset((Library(f"{call.name}()", tuple(call.args)),)))


def data_class(f: Frame, call: Call) -> Value:
    classes = [c for a in call.args for c in a.calls if isinstance(c, OwnClass)]
    if not classes and call.args:
        return f.touched(call.all, "it calls a class that is not read")
    if not classes:
        return Value(calls=frozenset((Library("dataclasses.dataclass"),)))
    made = classes[0]
    fields = made.record.members.get("\0fields")
    annotated = fields.single.value if isinstance(fields, Value) and fields.single is not None else ()
    return Value(calls=frozenset((OwnClass(made.record, made.scope, "dataclass", tuple(annotated)),)))


def named_tuple(f: Frame, call: Call) -> Value:
    fields = call.argument(1, "field_names")
    single = fields.single if fields is not None else None
    names = f.columns(fields) if fields is not None and single is None else None
    if single is not None and isinstance(single.value, str):
        names = single.value.replace(",", " ").split()
    if names is None:
        return COMPUTED
    record = Class("namedtuple", (), {})
    return Value(calls=frozenset((OwnClass(record, f.function.scope, "namedtuple", tuple(names)),)))


def nothing(f: Frame, call: Call) -> Value:
    """What only tells people something."""
    return NONE


def generated(f: Frame, call: Call) -> Value:
    return COMPUTED


def _names(rule: Rule, text: str) -> dict[str, Rule]:
    return dict.fromkeys(text.split(), rule)


LIBRARY: Mapping[str, Rule] = {
    **_names(
        convert(CAST),
        "str int float bool complex decimal.Decimal fractions.Fraction numpy.float64 numpy.int64",
    ),
    **_names(computing(SERIALIZE), "repr format json.dumps ascii bytes bytearray"),
    **_names(computing(PARSE), "json.loads"),
    **_names(
        computing(COMPUTE),
        "abs round divmod pow ord chr bin hex oct range slice hash id callable hasattr pandas.to_datetime "
        "datetime.datetime.strptime",
    ),
    **_names(
        computing(FACT),
        "pandas.isna pandas.isnull pandas.notna pandas.notnull numpy.isnan math.isnan math.isinf",
    ),
    **_names(computing(PART), "zlib.crc32 zlib.adler32 binascii.crc32"),
    "len": length,
    "list": made_of("list"),
    "tuple": made_of("tuple"),
    "collections.deque": made_of("list"),
    **_names(made_of("set"), "set frozenset"),
    **_names(dictionary, "dict collections.OrderedDict"),
    "collections.ChainMap": map_of_maps,
    **_names(fields_of, "dataclasses.asdict dataclasses.astuple dataclasses.replace"),
    "dict.fromkeys": from_keys,
    "collections.defaultdict": _with_default,
    **_names(row, "pyspark.sql.types.Row pyspark.sql.Row pyspark.Row"),
    "map": mapped,
    **_names(filtered, "filter itertools.filterfalse itertools.takewhile itertools.dropwhile"),
    **_names(zipped, "zip itertools.zip_longest itertools.product"),
    "enumerate": enumerated,
    "iter": iterated,
    "next": following,
    **_names(reordered, "sorted reversed"),
    **_names(extreme, "min max"),
    "sum": total,
    **_names(truths, "any all"),
    "functools.reduce": reduced,
    "_functools.reduce": reduced,
    **_names(chained, "itertools.chain itertools.chain.from_iterable"),
    **_names(elements_as_they_are, "itertools.islice itertools.cycle"),
    "itertools.accumulate": accumulated,
    "itertools.groupby": runs,
    "contextlib.suppress": computing(COMPUTE),
    "contextlib.nullcontext": lambda f, call: join(*call.all) if call.all else NONE,
    "itertools.repeat": repeated,
    "copy.copy": copied,
    "copy.deepcopy": copied_deeply,
    "getattr": attribute_by_name,
    "type": type_of,
    **_names(is_instance, "isinstance issubclass"),
    **_names(
        hashed,
        "hashlib.md5 hashlib.sha1 hashlib.sha224 hashlib.sha256 hashlib.sha384 hashlib.sha512 hashlib.sha3_224 "
        "hashlib.sha3_256 hashlib.sha3_384 hashlib.sha3_512 hashlib.blake2b hashlib.blake2s hashlib.new "
        "_hashlib.openssl_md5 _hashlib.openssl_sha1 _hashlib.openssl_sha224 _hashlib.openssl_sha256 "
        "_hashlib.openssl_sha384 _hashlib.openssl_sha512 _hashlib.openssl_sha3_256 _hashlib.openssl_sha3_512 "
        "_blake2.blake2b _blake2.blake2s",
    ),
    **_names(keyed_hash, "hmac.new hmac.HMAC hmac.digest"),
    **_names(named_uuid, "uuid.uuid3 uuid.uuid5"),
    **_names(frame, "pandas.DataFrame pandas.core.frame.DataFrame"),
    **_names(
        arrow_frame,
        "pyarrow.table pyarrow.record_batch pyarrow.lib.table pyarrow.lib.record_batch "
        "pyarrow.Table.from_pydict pyarrow.RecordBatch.from_pydict pyarrow.lib.Table.from_pydict "
        "pyarrow.lib.RecordBatch.from_pydict pyarrow.Table.from_arrays pyarrow.RecordBatch.from_arrays "
        "pyarrow.lib.Table.from_arrays pyarrow.lib.RecordBatch.from_arrays pyarrow.Table.from_pylist "
        "pyarrow.RecordBatch.from_pylist pyarrow.lib.Table.from_pylist pyarrow.lib.RecordBatch.from_pylist",
    ),
    **_names(
        of_pandas,
        "pyarrow.Table.from_pandas pyarrow.RecordBatch.from_pandas pyarrow.lib.Table.from_pandas "
        "pyarrow.lib.RecordBatch.from_pandas",
    ),
    **_names(
        series,
        "pandas.Series pandas.core.series.Series numpy.array numpy.asarray pyarrow.array pyarrow.lib.array "
        "pyarrow.chunked_array pyarrow.lib.chunked_array",
    ),
    **_names(merge, "pandas.merge pandas.core.reshape.merge.merge"),
    **_names(
        concatenated,
        "pandas.concat pandas.core.reshape.concat.concat pyarrow.concat_tables pyarrow.lib.concat_tables "
        "pyarrow.concat_batches pyarrow.lib.concat_batches",
    ),
    "numpy.where": chosen,
    **_names(
        decorated,
        "pyspark.sql.functions.udf pyspark.sql.functions.pandas_udf pyspark.sql.functions.arrow_udf "
        "headwater_spark.lineage functools.lru_cache functools.cache functools.wraps \0decorator "
        "functions.examples.example pyspark.sql.functions.udtf",
    ),
    **_names(descriptor, "property staticmethod"),
    **_names(data_class, "dataclasses.dataclass"),
    **_names(named_tuple, "collections.namedtuple"),
    **_names(
        nothing,
        "print warnings.warn logging.debug logging.info logging.warning logging.error logging.exception",
    ),
    **_names(
        generated,
        "uuid.uuid1 uuid.uuid4 secrets.token_hex secrets.token_bytes secrets.token_urlsafe "
        "random.random "
        "time.time time.time_ns time.monotonic datetime.datetime.now datetime.datetime.utcnow datetime.date.today",
    ),
    **_names(
        computing(COMPUTE),
        "secrets.choice secrets.randbelow random.randint random.choice random.uniform random.gauss",
    ),
    "functools.partial": with_fixed,
    **_names(getter, "operator.itemgetter operator.attrgetter"),
    **_names(
        lambda f, call: COMPUTED,
        "Exception ValueError TypeError KeyError RuntimeError IndexError object StopIteration",
    ),
}
"""Rules of functions and classes of libraries."""

_BUILDING = frozenset(
    {frame, arrow_frame, of_pandas, merge, concatenated, series, LIBRARY["list"], LIBRARY["tuple"]}
)
"""Rules that look into the containers they are given."""
