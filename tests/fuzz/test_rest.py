"""REST against its own OpenAPI document: whatever is sent, the answer is one of those that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import given
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from kit.fuzzing import EFFORTS, effort_of

EXAMPLES = 25
OPERATIONS = [
    ("POST", "/api/v1/lineage"),
    ("POST", "/api/v1/lineage/batch"),
    ("GET", "/health"),
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", "/metrics"),
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The OpenAPI document of a server, and the server."""
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('fuzz')}/lineage.db")
    app = create_app(store, Settings(max_event_bytes=100_000, allowed_hosts=("testserver",)))
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    store.close()


def test_every_operation_of_ours_is_tried(api: Any) -> None:
    found = {(each.ok().method.upper(), each.ok().path) for each in api.get_all_operations()}
    assert {each for each in found if each[1] != "/graphql"} == set(OPERATIONS)


@EFFORTS
@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_every_answer_is_one_that_is_documented(api: Any, operation: tuple[str, str], effort: int) -> None:
    ask(api, operation, effort, GenerationMode.POSITIVE)


@EFFORTS
@pytest.mark.parametrize("operation", OPERATIONS[:2], ids=" ".join)
def test_what_breaks_the_document_is_refused_as_documented(
    api: Any, operation: tuple[str, str], effort: int
) -> None:
    ask(api, operation, effort, GenerationMode.NEGATIVE)


def ask(api: Any, operation: tuple[str, str], effort: int, mode: GenerationMode) -> None:
    method, path = operation

    @given(api[path][method].as_strategy(generation_mode=mode))
    @effort_of(effort, EXAMPLES if method == "POST" else 1)
    def send(case: Any) -> None:
        # Times before the first year in UTC, and names too long for any store, are beyond what a schema expresses.
        excluded = [positive_data_acceptance]
        # A batch is answered with what became of each of its events, bad ones too.
        excluded += [negative_data_rejection] if path.endswith("/batch") else []
        case.call_and_validate(excluded_checks=excluded)

    send()
