"""Laws of the wire: writing and reading are inverse, for any names and any content."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headwater_facets import facets as f
from headwater_facets.codec import READERS, to_json
from headwater_facets.kinds import Access, LineageType, Manipulation, OperatorType, Subtype
from headwater_facets.path import ELEMENT, KEY, VALUE, Member, Path, PathSyntaxError
from kit.events import facet_problems

awkward = st.text(st.sampled_from(".[]{}`a key_element\n"), max_size=6)
names = st.one_of(st.text(max_size=8), awkward, st.sampled_from(["_element", "key", "value", ""]))
steps = st.one_of(st.builds(Member, names), st.sampled_from([ELEMENT, KEY, VALUE]))
paths = st.builds(Path, st.lists(steps, max_size=6).map(tuple))
wire_paths = st.lists(names, max_size=4)
words = st.text(max_size=12)
codes = st.sampled_from(["TRUNCATED", "RDD", "ERROR", "X_9"])
optional_text = st.one_of(st.none(), words)
ids = st.integers(0, 1000)


@given(paths)
def test_parsing_undoes_writing(path: Path) -> None:
    assert Path.parse(str(path)) == path


@given(st.one_of(st.text(max_size=20), awkward))
def test_a_text_is_a_path_or_a_syntax_error(text: str) -> None:
    try:
        path = Path.parse(text)
    except PathSyntaxError as error:
        assert 0 <= error.position <= len(text)
    else:
        assert Path.parse(str(path)) == path


def schema_of(path: Path) -> list[dict[str, Any]]:
    """The narrowest schema facet that has the path: one field a level."""
    fields: list[dict[str, Any]] = []
    for name, inner in zip(reversed(path.to_wire()), (None, *reversed(path.steps)), strict=False):
        kind = {None: "string", ELEMENT: "array", KEY: "map", VALUE: "map"}.get(inner, "struct")  # type: ignore[arg-type]
        fields = [{"name": name, "type": kind, "fields": fields}]
    return fields


@given(st.builds(lambda first, rest: Path((Member(first), *rest)), names, st.lists(steps, max_size=5)))
def test_the_schema_gives_back_the_steps_that_the_wire_form_lost(path: Path) -> None:
    assert Path.from_wire(path.to_wire(), schema_of(path)) == path


@st.composite
def transformations(draw: st.DrawFn) -> f.PathTransformation:
    subtype = draw(st.sampled_from(Subtype))
    return f.PathTransformation(
        type=subtype.type,
        subtype=subtype,
        masking=draw(st.booleans()),
        description=draw(optional_text),
        manipulation=draw(st.lists(st.sampled_from(Manipulation), max_size=3)),
        access=draw(st.one_of(st.none(), st.sampled_from(Access))),
        at=draw(st.lists(words, max_size=2)),
        functions=draw(st.lists(words, max_size=2)),
        operators=draw(st.lists(ids, max_size=3)),
    )


inputs = st.builds(f.PathInput, words, words, wire_paths, st.lists(transformations(), min_size=1, max_size=2))


@st.composite
def path_lineages(draw: st.DrawFn) -> f.PathLineageDatasetFacet:
    entry = st.builds(f.IncompleteEntry, codes, st.lists(wire_paths, max_size=2), optional_text)
    incomplete = draw(st.lists(entry, max_size=2))
    return f.PathLineageDatasetFacet(
        fields=draw(st.lists(st.builds(f.PathField, wire_paths, st.lists(inputs, max_size=2)), max_size=3)),
        dataset=draw(st.lists(inputs, max_size=2)),
        generated=draw(st.lists(st.builds(f.Generated, wire_paths, words), max_size=2)),
        opaque=draw(st.lists(st.builds(f.Opaque, wire_paths, codes, optional_text), max_size=2)),
        complete=not incomplete,
        incomplete=incomplete,
    )


accessed = st.builds(f.AccessedPath, ids, wire_paths, st.sampled_from(Access))
manipulated = st.fixed_dictionaries({"input": ids, "from": wire_paths, "to": wire_paths})
operators = st.builds(
    f.Operator,
    ids,
    st.sampled_from(OperatorType),
    st.lists(ids, max_size=2),
    optional_text,
    st.lists(accessed, max_size=2),
    st.one_of(st.none(), st.lists(manipulated, max_size=2)),
)
input_paths = st.builds(f.InputPath, words, words, wire_paths)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(st.none(), words, st.booleans(), st.integers(), finite)
leaves = st.one_of(
    st.builds(f.PathReference, input_paths),
    st.builds(f.Literal, scalars, words),
    st.builds(f.OpaqueExpression, words, st.lists(input_paths, max_size=2)),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.builds(f.Operation, st.sampled_from(["and", "=", "in"]), st.lists(inner, min_size=1)),
    max_leaves=5,
)
guarding = st.sampled_from([Access.FILTER, Access.JOIN, Access.CONDITION])
conditions = st.builds(f.Condition, ids, guarding, words, expressions, st.lists(wire_paths, max_size=2))
entries = st.builds(
    f.AccessEntry, wire_paths, st.lists(st.sampled_from(Access), min_size=1, max_size=3), st.booleans()
)
moments = st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")
facets = st.one_of(
    st.tuples(st.just("headwater_pathLineage"), path_lineages()),
    st.tuples(
        st.just("headwater_operators"), st.builds(f.OperatorsJobFacet, st.lists(operators, max_size=3))
    ),
    st.tuples(
        st.just("headwater_conditions"), st.builds(f.ConditionsJobFacet, st.lists(conditions, max_size=2))
    ),
    st.tuples(
        st.just("headwater_access"),
        st.builds(f.AccessInputDatasetFacet, st.lists(entries, max_size=3), st.none() | moments),
    ),
)


@given(facets)
def test_every_facet_is_valid_on_the_wire_and_read_back_the_same(named: tuple[str, f.Facet]) -> None:
    key, facet = named
    wire = to_json(facet)
    assert facet_problems(key, wire) == []
    assert READERS[key](wire) == facet


@given(st.sampled_from(LineageType))
def test_every_type_has_subtypes(kind: LineageType) -> None:
    assert any(subtype.type is kind for subtype in Subtype)
