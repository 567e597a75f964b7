"""Each root field declares the permission that it needs; one that does not is the administrator's."""

from __future__ import annotations

from graphql import GraphQLSchema

from headwater_backend.domain.roles import Permission
from headwater_graphql.engine.root_fields import DECLARED, access_of


def test_every_root_field_declares_its_permission(published: GraphQLSchema) -> None:
    kinds = (published.query_type, published.mutation_type, published.subscription_type)
    names = [name for kind in kinds if kind for name in kind.fields]
    assert len(names) > 30
    assert [name for name in names if name not in DECLARED] == []


def test_a_forgotten_declaration_refuses_everybody_but_administrators() -> None:
    assert "forgotten" not in DECLARED
    assert access_of("forgotten").permission is Permission.ADMINISTER


def test_the_schema_itself_may_be_asked_for_by_everybody_who_may_ask() -> None:
    assert access_of("__schema").permission is Permission.ASK


def test_personal_answers_are_audited() -> None:
    audited = {name for name in ("attributeExposure", "holdings", "auditLog") if access_of(name).action}
    assert audited == {"attributeExposure", "holdings", "auditLog"}
