"""Conversion of Headwater's facets from and to JSON.

The reader accepts facets of newer producers: unknown fields are ignored, and words outside ``kinds`` stay plain
strings. Known fields must have the right shape: otherwise a ``FacetError`` points to the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from openlineage.client.serde import Serde

from headwater_facets import facets as f
from headwater_facets import schemas
from headwater_facets.kinds import (
    Access,
    Difference,
    IncompleteReason,
    Known,
    LineageType,
    Manipulation,
    OperatorType,
    Replaced,
    Retains,
    Subtype,
    known,
)

T = TypeVar("T")
Reader = Callable[["At"], T]
MAX_EXPRESSION_DEPTH = 40
"""Maximum nesting of a condition, so that schema validators do not exhaust the stack; and/or take many arguments."""


_TEXTS = frozenset({str})
_OBJECT = (dict, Mapping)
"""Concrete types first, because instance checks of abstract classes are slow."""


class FacetError(ValueError):
    """A facet is invalid: ``code`` is stable, ``pointer`` is a JSON pointer into the facet."""

    def __init__(self, code: str, pointer: str, hint: str) -> None:
        super().__init__(f"{code} at {pointer or '/'}: {hint}")
        self.code = code
        self.pointer = pointer
        self.hint = hint


def to_json(facet: f.Facet) -> dict[str, Any]:
    """Return the facet as JSON, as in an event."""
    return cast("dict[str, Any]", Serde.to_dict(facet))


class At:
    """A JSON value with its position; accessors check the shape."""

    __slots__ = ("_holder", "_key", "value")

    def __init__(self, value: Any, holder: At | None = None, key: str | int = "") -> None:
        self.value = value
        self._holder = holder
        self._key = key

    @property
    def pointer(self) -> str:
        """The JSON pointer to this value; computed on demand, because only errors use it."""
        keys: list[str] = []
        at = self
        while at._holder is not None:
            keys.append(f"/{_escaped(str(at._key))}")
            at = at._holder
        return "".join(reversed(keys))

    def wrong(self, expected: str) -> FacetError:
        """Return the error that this value is not what was expected."""
        return FacetError("FACET_SHAPE", self.pointer, f"expected {expected}, found {_shape(self.value)}")

    def __getitem__(self, key: str) -> At:
        try:
            return At(self._object()[key], self, key)
        except KeyError:
            place = f"{self.pointer}/{_escaped(key)}"
            raise FacetError("FACET_MISSING", place, f'the field "{key}" is required') from None

    def object(self) -> dict[str, Any]:
        """Return the object as it is."""
        return dict(self._object())

    def _object(self) -> Mapping[str, Any]:
        if isinstance(self.value, _OBJECT):
            return self.value
        raise self.wrong("an object")

    def has(self, key: str) -> bool:
        """Return whether the field exists and is not null."""
        return self._object().get(key) is not None

    def maybe(self, key: str, read: Reader[T]) -> T | None:
        """Return the field, or None if it is missing."""
        return read(self[key]) if self.has(key) else None

    def read_items(self, read: Reader[T]) -> list[T]:
        """Return the items of this array."""
        if not isinstance(self.value, list):
            raise self.wrong("an array")
        return [read(At(item, self, index)) for index, item in enumerate(self.value)]

    def list_of(self, key: str, read: Reader[T]) -> list[T]:
        """Return the items of the array in that field; empty if it is missing."""
        return self[key].read_items(read) if self.has(key) else []


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _shape(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)


def text(at: At) -> str:
    """Return the value as a string."""
    if not isinstance(at.value, str):
        raise at.wrong("a string")
    return at.value


def _address(at: At) -> str:
    """A URL."""
    found = text(at)
    try:
        urlsplit(found)
    except ValueError:
        raise at.wrong("a URL") from None
    return found


def integer(at: At) -> int:
    """Return the value as an integer."""
    if not isinstance(at.value, int) or isinstance(at.value, bool):
        raise at.wrong("a whole number")
    return at.value


def boolean(at: At) -> bool:
    """Return the value as a boolean."""
    if not isinstance(at.value, bool):
        raise at.wrong("a boolean")
    return at.value


def path(at: At) -> list[str]:
    """Return the value as a path: an array of step names."""
    steps = at.value
    if isinstance(steps, list) and _TEXTS.issuperset(map(type, steps)):
        return list(steps)
    return at.read_items(text)


def read_path_lineage(document: Mapping[str, Any]) -> f.PathLineageDatasetFacet:
    """Read ``headwater_pathLineage`` from its JSON."""
    at = At(document)
    return _with_producer(
        at,
        f.PathLineageDatasetFacet(
            fields=[*at["fields"].read_items(_path_field), *_fields_alike(at)],
            dataset=at.list_of("dataset", _path_input),
            generated=at.list_of("generated", lambda e: f.Generated(path(e["path"]), text(e["how"]))),
            opaque=at.list_of("opaque", _opaque),
            complete=boolean(at["complete"]),
            incomplete=at.list_of("incomplete", _incomplete),
        ),
    )


def read_operators(document: Mapping[str, Any]) -> f.OperatorsJobFacet:
    """Read ``headwater_operators`` from its JSON."""
    at = At(document)
    return _with_producer(at, f.OperatorsJobFacet(operators=at["operators"].read_items(_operator)))


def read_functions(document: Mapping[str, Any]) -> f.FunctionsJobFacet:
    """Read ``headwater_functions`` from its JSON."""
    at = At(document)
    return _with_producer(at, f.FunctionsJobFacet(functions=at["functions"].read_items(_user_function)))


def read_conditions(document: Mapping[str, Any]) -> f.ConditionsJobFacet:
    """Read ``headwater_conditions`` from its JSON."""
    at = At(document)
    facet = f.ConditionsJobFacet(
        conditions=at["conditions"].read_items(_condition), populations=at.list_of("populations", _population)
    )
    return _with_producer(at, facet)


def read_access(document: Mapping[str, Any]) -> f.AccessInputDatasetFacet:
    """Read ``headwater_access`` from its JSON."""
    at = At(document)
    facet = f.AccessInputDatasetFacet(
        paths=at["paths"].read_items(_access_entry), readAt=at.maybe("readAt", text)
    )
    return _with_producer(at, facet)


def read_layout(document: Mapping[str, Any]) -> f.LayoutDatasetFacet:
    """Read ``headwater_layout`` from its JSON."""
    at = At(document)
    facet = f.LayoutDatasetFacet(
        partitions=at.maybe("partitions", lambda e: e.read_items(text)),
        separator=at.maybe("separator", text),
        caseSensitive=at.maybe("caseSensitive", boolean),
        reads=at.maybe("reads", lambda e: e.read_items(path)),
        matching=at.maybe("matching", text),
        fieldIds=at.maybe("fieldIds", lambda e: e.read_items(_field_id)),
    )
    return _with_producer(at, facet)


def _field_id(at: At) -> f.FieldId:
    return f.FieldId(
        name=text(at["name"]),
        id=at.maybe("id", text),
        fields=at.maybe("fields", lambda e: e.read_items(_field_id)),
    )


def read_extent(document: Mapping[str, Any]) -> f.ExtentDatasetFacet:
    """Read ``headwater_extent`` from its JSON."""
    at = At(document)
    facet = f.ExtentDatasetFacet(
        at.maybe("replaced", lambda e: known(Replaced, text(e))),
        found=at.maybe("found", boolean),
        base=at.maybe("base", _content_state),
        state=at.maybe("state", _content_state),
        bases=at.maybe("bases", lambda e: e.read_items(_content_state)),
    )
    return _with_producer(at, facet)


def _content_state(at: At) -> f.ContentState:
    counts = (at.maybe(name, integer) for name in ("files", "size", "rows"))
    return f.ContentState(at.maybe("version", text), *counts)


def read_records(document: Mapping[str, Any]) -> f.RecordsRunFacet:
    """Read ``headwater_records`` from its JSON."""
    at = At(document)
    facet = f.RecordsRunFacet(
        mode=text(at["mode"]),
        folder=text(at["folder"]),
        entry=text(at["entry"]),
        carried=at.maybe("carried", boolean),
        files=at.maybe("files", integer),
        rows=at.maybe("rows", integer),
        operators=at.list_of("operators", _kept_operator),
        refused=at.maybe("refused", text),
        operator=at.maybe("operator", text),
    )
    return _with_producer(at, facet)


def _kept_operator(at: At) -> f.KeptOperator:
    return f.KeptOperator(integer(at["id"]), text(at["type"]), at.maybe("rows", integer))


def read_split(document: Mapping[str, Any]) -> f.SplitJobFacet:
    """Read ``headwater_split`` from its JSON."""
    at = At(document)
    facet = f.SplitJobFacet(
        leastGroup=integer(at["leastGroup"]), statements=at["statements"].read_items(_split_statement)
    )
    return _with_producer(at, facet)


def _split_statement(at: At) -> f.SplitStatement:
    return f.SplitStatement(
        key=text(at["key"]),
        label=text(at["label"]),
        side=text(at["side"]),
        stage=integer(at["stage"]),
        line=at.maybe("line", text),
        why=at.list_of("why", text),
        inputs=at.list_of("inputs", text),
        columns=at.list_of("columns", _split_column),
        back=at.maybe("back", boolean),
    )


def _split_column(at: At) -> f.SplitColumn:
    return f.SplitColumn(text(at["name"]), text(at["type"]), text(at["why"]))


READERS: dict[str, Callable[[Mapping[str, Any]], f.Facet]] = {
    schemas.PATH_LINEAGE: read_path_lineage,
    schemas.OPERATORS: read_operators,
    schemas.FUNCTIONS: read_functions,
    schemas.CONDITIONS: read_conditions,
    schemas.ACCESS: read_access,
    schemas.LAYOUT: read_layout,
    schemas.EXTENT: read_extent,
    schemas.RECORDS: read_records,
    schemas.SPLIT: read_split,
}

F = TypeVar("F", bound=f.Facet)


def _with_producer(at: At, facet: F) -> F:
    """Return the facet with the producer from its JSON."""
    facet._producer = at.maybe("_producer", _address) or facet._producer
    return facet


def _path_field(at: At) -> f.PathField:
    return f.PathField(path(at["path"]), at["inputFields"].read_items(_path_input))


def _fields_alike(at: At) -> Iterator[f.PathField]:
    """Yield the fields of a compact group one by one."""
    for group in at.list_of("alike", lambda e: e):
        namespace, name = text(group["namespace"]), text(group["name"])
        transformations = group["transformations"].read_items(_transformation)
        for source, target in group["pairs"].read_items(lambda e: (path(e["from"]), path(e["to"]))):
            yield f.PathField(target, [f.PathInput(namespace, name, source, transformations)])


def _path_input(at: At) -> f.PathInput:
    return f.PathInput(
        text(at["namespace"]),
        text(at["name"]),
        path(at["path"]),
        at["transformations"].read_items(_transformation),
    )


def _transformation(at: At) -> f.PathTransformation:
    return f.PathTransformation(
        type=known(LineageType, text(at["type"])),
        subtype=known(Subtype, text(at["subtype"])),
        masking=at.maybe("masking", boolean) or False,
        description=at.maybe("description", text),
        manipulation=at.list_of("manipulation", lambda e: known(Manipulation, text(e))),
        access=at.maybe("access", lambda e: known(Access, text(e))),
        at=at.list_of("at", text),
        functions=at.list_of("functions", text),
        operators=at.list_of("operators", integer),
        retains=at.maybe("retains", lambda e: known(Retains, text(e))),
        unpacked=at.list_of("unpacked", text),
        packed=at.list_of("packed", text),
    )


def _opaque(at: At) -> f.Opaque:
    return f.Opaque(path(at["path"]), text(at["reason"]), at.maybe("name", text))


def _incomplete(at: At) -> f.IncompleteEntry:
    reason = known(IncompleteReason, text(at["reason"]))
    return f.IncompleteEntry(reason, at.list_of("paths", path), at.maybe("detail", text))


def _operator(at: At) -> f.Operator:
    return f.Operator(
        id=integer(at["id"]),
        type=known(OperatorType, text(at["type"])),
        inputs=at["inputs"].read_items(integer),
        text=at.maybe("text", text),
        accessed=at.list_of("accessed", _accessed),
        manipulated=at.maybe("manipulated", lambda e: e.read_items(_manipulated)),
    )


def _accessed(at: At) -> f.AccessedPath:
    return f.AccessedPath(integer(at["input"]), path(at["path"]), known(Access, text(at["access"])))


def _manipulated(at: At) -> f.ManipulatedPath:
    return {"input": integer(at["input"]), "from": path(at["from"]), "to": path(at["to"])}


def _user_function(at: At) -> f.UserFunction:
    return f.UserFunction(
        name=text(at["name"]),
        sort=text(at["sort"]),
        known=known(Known, text(at["known"])),
        operators=at.list_of("operators", integer),
        code=at.maybe(
            "code", lambda e: f.CodePlace(text(e["function"]), text(e["file"]), integer(e["line"]))
        ),
        why=at.list_of("why", _why),
        differences=at.list_of("differences", _difference),
        declaredBy=at.maybe("declaredBy", text),
    )


def _why(at: At) -> f.Why:
    return f.Why(
        code=text(at["code"]),
        reason=text(at["reason"]),
        hint=at.maybe("hint", text),
        line=at.maybe("line", integer),
    )


def _difference(at: At) -> f.FunctionDifference:
    return {
        "difference": known(Difference, text(at["difference"])),
        "argument": integer(at["argument"]),
        "from": path(at["from"]),
        "to": path(at["to"]),
    }


def _condition(at: At) -> f.Condition:
    return f.Condition(
        operator=integer(at["operator"]),
        access=known(Access, text(at["access"])),
        sql=text(at["sql"]),
        expression=_expression(at["expression"], MAX_EXPRESSION_DEPTH),
        guards=at.list_of("guards", path),
    )


def _expression(at: At, depth: int) -> f.Expression:
    if depth == 0:
        raise FacetError(
            "FACET_DEPTH", at.pointer, f"a condition may nest at most {MAX_EXPRESSION_DEPTH} levels"
        )
    if at.has("op"):
        return f.Operation(text(at["op"]), at["args"].read_items(lambda e: _expression(e, depth - 1)))
    if at.has("path"):
        return f.PathReference(_input_path(at["path"]))
    if at.has("opaque"):
        return f.OpaqueExpression(text(at["opaque"]), at.list_of("paths", _input_path))
    return f.Literal(at.maybe("literal", _scalar), text(at["type"]))


def _input_path(at: At) -> f.InputPath:
    return f.InputPath(text(at["namespace"]), text(at["name"]), path(at["path"]))


def _scalar(at: At) -> str | int | float | bool:
    if not isinstance(at.value, str | int | float):
        raise at.wrong("a string, number or boolean")
    return at.value


def _population(at: At) -> f.Population:
    return f.Population(
        rows=at["rows"].read_items(_population_row),
        conditions=at["conditions"].read_items(
            lambda e: f.Passed(integer(e["operator"]), text(e["sql"]), e["expression"].object())
        ),
        values=at["values"].read_items(
            lambda e: f.PopulationValue(path(e["path"]), e["expression"].object(), e.maybe("type", text))
        ),
    )


def _population_row(at: At) -> f.PopulationRow:
    return f.PopulationRow(
        row=integer(at["row"]),
        datasets=at["datasets"].read_items(
            lambda e: {"namespace": text(e["namespace"]), "name": text(e["name"])}
        ),
        kept=at.maybe("kept", boolean) or False,
        folders=at.list_of("folders", text),
    )


def _access_entry(at: At) -> f.AccessEntry:
    return f.AccessEntry(
        path(at["path"]),
        at["access"].read_items(lambda e: known(Access, text(e))),
        boolean(at["reachesOutput"]),
    )
