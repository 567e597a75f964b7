"""Composition of the server from an open store, the settings and the GraphQL routes."""

from __future__ import annotations

from fastapi import FastAPI

from headwater_backend.ingest.journal import Journal
from headwater_backend.ports import LineageStore
from headwater_backend.server import app
from headwater_backend.settings import Settings
from headwater_graphql.http.routes import routes


def create_app(store: LineageStore, settings: Settings, journal: Journal | None = None) -> FastAPI:
    """Return the complete server over an open store; see ``headwater_backend.server.app.create_app``."""
    return app.create_app(store, settings, routes, journal)
