"""The GraphQL schema matches the committed one, and the kept operations are valid in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphql import (
    EnumTypeDefinitionNode,
    GraphQLSchema,
    InputObjectTypeDefinitionNode,
    Node,
    ObjectTypeDefinitionNode,
    OperationDefinitionNode,
    TypeDefinitionNode,
    parse,
    validate,
)

from headwater_graphql.queries import queries
from headwater_graphql.schema import schema

KEPT = Path(__file__).resolve().parents[3] / "graphql" / "schema.graphql"

CONTRACT = """
input NodeRef { namespace: String!, name: String!, path: [String!] }
type Query {
  backwardLineage(node: NodeRef!, depth: Int = 50, types: [LineageType!] = [DIRECT]): LineageGraph!
  forwardLineage(node: NodeRef!, depth: Int = 50, types: [LineageType!] = [DIRECT]): LineageGraph!
  attributeExposure(node: NodeRef, category: String, depth: Int = 50): ExposureReport!
  dataset(namespace: String!, name: String!): Dataset
  datasets(search: String, first: Int = 50, after: String): DatasetConnection!
}
type LineageGraph { nodes: [LineageNode!]!, edges: [LineageEdge!]!, complete: Boolean!, incomplete: [Incomplete!]! }
enum LineageType { DIRECT INDIRECT }
enum Reach { DIRECT INFLUENCED }
type LineageNode {
  namespace: String!, name: String!, path: [String!]!, label: String!, distance: Int!, reach: Reach!
}
type LineageEdge { source: Int!, target: Int!, transformations: [Transformation!]!, job: JobRef! }
type Transformation {
  type: LineageType!, subtype: String!, masking: Boolean!, manipulation: [String!]!, access: String
}
"""


def test_the_schema_is_the_committed_one() -> None:
    assert schema.as_str() + "\n" == KEPT.read_text(encoding="utf-8"), (
        "the schema changed: when that is meant, write it again: make generated"
    )


def test_the_agreed_names_exist_with_the_agreed_types(published: GraphQLSchema) -> None:
    for definition in parse(CONTRACT).definitions:
        assert isinstance(definition, TypeDefinitionNode)
        theirs: Any = published.type_map[definition.name.value]
        if isinstance(definition, EnumTypeDefinitionNode):
            assert set(theirs.values) == {value.name.value for value in definition.values or ()}
            continue
        assert isinstance(definition, ObjectTypeDefinitionNode | InputObjectTypeDefinitionNode)
        for field in definition.fields or ():
            found = theirs.fields[field.name.value]
            assert str(found.type) == _printed(field.type)
            for argument in getattr(field, "arguments", None) or ():
                assert str(found.args[argument.name.value].type) == _printed(argument.type)


def _printed(type_node: Node) -> str:
    from graphql import print_ast

    return print_ast(type_node)


@pytest.mark.parametrize("name", sorted(queries()))
def test_each_kept_operation_fits_the_schema(name: str, published: GraphQLSchema) -> None:
    document = parse(queries()[name])
    assert validate(published, document) == []
    operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    assert [operation.name and operation.name.value for operation in operations] == [
        name.title().replace("_", "")
    ]
