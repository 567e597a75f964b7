"""Fixtures: a server of an empty SQLite store in a temporary directory, and the schema as clients read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema
from starlette.testclient import TestClient

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.schema import schema
from kit import sqlite


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LineageStore]:
    opened = open_store(sqlite.empty(tmp_path / "lineage.db"))
    yield opened
    opened.close()


@pytest.fixture
def client(store: LineageStore) -> Iterator[TestClient]:
    settings = Settings(max_body_bytes=200_000, max_event_bytes=100_000)
    app = create_app(store, settings)
    with TestClient(app, base_url="http://localhost:8055", raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def published() -> GraphQLSchema:
    """The schema as clients read it. To print it and read it takes longer than what tests ask of it."""
    return build_schema(schema.as_str())
