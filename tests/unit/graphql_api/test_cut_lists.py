"""A list of which only the first entries are given says so: it is a page, or its whole size stands beside it."""

from __future__ import annotations

import pytest
from graphql import (
    GraphQLList,
    GraphQLObjectType,
    GraphQLOutputType,
    build_schema,
    get_named_type,
    get_nullable_type,
)

from headwater_graphql.schema import schema

STATED_BY = {
    "BothWays": "backward.cursor forward.cursor",
    "Breach": "valueCount influenceCount joinableCount matched.count matched.unknownCount",
    "Cuts": "cutCount keptCount",
    "DataFlow": "datasetCount",
    "ExposureChanges": "totalCount",
    "JobGraph": "cursor",
    "LineageGraph": "cursor",
    "Overview": "groupCount",
    "PolicyCheck": "verdicts.violationCount",
    "Reidentifications": "findingCount unclassifiedKeyCount smallGroupCount",
    "Witnesses": "more",
}
"""Of an answer that is no page: the fields by which its cuts are known."""
NUMBERED = "auditLog"
"""A list whose entries are numbered without gaps."""
SDL = build_schema(schema.as_str())
CUT = sorted(
    (kind.name, name)
    for kind in SDL.type_map.values()
    if isinstance(kind, GraphQLObjectType)
    for name, field in kind.fields.items()
    if "first" in field.args
)


def of(kind: str, name: str) -> GraphQLOutputType:
    found = SDL.type_map[kind]
    assert isinstance(found, GraphQLObjectType)
    answer: GraphQLOutputType = get_nullable_type(found.fields[name].type)
    return answer


@pytest.mark.parametrize(("kind", "name"), CUT, ids=".".join)
def test_what_is_cut_says_so(kind: str, name: str) -> None:
    answer = of(kind, name)
    if isinstance(answer, GraphQLList):
        assert name == NUMBERED
        return
    assert isinstance(answer, GraphQLObjectType)
    if "pageInfo" in answer.fields:
        return
    for path in STATED_BY[answer.name].split():
        found: GraphQLOutputType = answer
        for step in path.split("."):
            named = get_named_type(found)
            assert isinstance(named, GraphQLObjectType)
            found = named.fields[step].type
