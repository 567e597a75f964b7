"""A stored and sent event is compact on every transport, without loss of information."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent
from openlineage.client.facet_v2 import column_lineage_dataset
from openlineage.client.serde import Serde

from headwater_spark.capture.execution import Outcome
from headwater_spark.delivery.destination import Destination
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.emit import wire
from headwater_spark.emit.events import application_started, ended, started
from kit.events import validate_event
from kit.executions import application, execution
from kit.receiver import Receiver, eventually

DONE = Outcome(1_767_225_605_000)
EVENTS = [
    lambda: application_started(application()),
    lambda: started(execution()),
    lambda: ended(execution(), DONE),
]


each_event = pytest.mark.parametrize("build", EVENTS, ids=["application", "start", "end"])


@each_event
def test_what_is_removed_carries_no_information(build: Callable[[], RunEvent]) -> None:
    event = build()
    whole, short = Serde.to_dict(event), json.loads(wire.text(event))
    assert pruned(short) == pruned(json.loads(json.dumps(whole)))
    validate_event(short)


def pruned(value: Any) -> Any:
    """The document without objects of facets that have none."""
    if isinstance(value, list):
        return [pruned(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {k: pruned(v) for k, v in value.items() if v != {} or not k.lower().endswith("facets")}


@each_event
def test_no_blank_and_no_unexpected_empty_object_is_sent(build: Callable[[], RunEvent]) -> None:
    text = wire.text(build())
    assert text == json.dumps(json.loads(text), separators=(",", ":"))
    assert 'utFacets":{}' not in text
    event = json.loads(text)
    assert '"facets":{}' not in json.dumps(event["run"], separators=(",", ":"))
    assert all("facets" in each for each in (event["job"], *event["inputs"], *event["outputs"]))


def test_the_columns_of_a_lineage_without_any_are_still_an_object() -> None:
    event = ended(execution(), DONE)
    (out,) = event.outputs or []
    lineage = (out.facets or {})["columnLineage"]
    assert isinstance(lineage, column_lineage_dataset.ColumnLineageDatasetFacet)
    lineage.fields = {}
    facet = json.loads(wire.text(event))["outputs"][0]["facets"]["columnLineage"]
    assert facet["fields"] == {}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Delivers an event by a client with these tags of its user; the document in the file."""
    monkeypatch.chdir(tmp_path)

    def deliver(event: RunEvent, **tags: str) -> dict[str, Any]:
        (tmp_path / "openlineage.yml").write_text(json.dumps({"tags": {"run": tags}}))
        events = tmp_path / "events.ndjson"
        outbox = Outbox(
            [Destination({"type": "file", "log_file_path": str(events), "append": True})], tmp_path
        )
        outbox.start()
        OpenLineageClient(transport=outbox).emit(event)
        eventually(events.exists)
        assert outbox.flush(10) == 0 and outbox.close()
        document: dict[str, Any] = json.loads(events.read_text())
        return document

    return deliver


def test_the_clients_own_version_is_no_tag_of_a_run(kept: Callable[..., dict[str, Any]]) -> None:
    assert "tags" not in kept(started(execution()))["run"]["facets"]


def test_tags_of_the_clients_user_and_of_sparks_configuration_stay(
    kept: Callable[..., dict[str, Any]],
) -> None:
    event = kept(started(execution(spark__openlineage__run__tags="team:growth")), env="test")
    tags = event["run"]["facets"]["tags"]["tags"]
    assert [(tag["key"], tag["value"]) for tag in tags] == [("team", "growth"), ("env", "test")]


def test_every_transport_sends_the_same_text(tmp_path: Path) -> None:
    event = ended(execution(), DONE)
    Destination({"type": "file", "log_file_path": str(tmp_path / "events"), "append": True}).open().emit(
        event
    )
    with Receiver() as receiver:
        Destination({"type": "http", "url": receiver.url}).open().emit(event)
        ((_, headers),) = receiver.requests
        assert receiver.events == [json.loads(wire.text(event))]
    assert (tmp_path / "events").read_text() == wire.text(event) + "\n"
    assert int(headers["Content-Length"]) == len(wire.text(event))


def test_a_file_in_debug_mode_is_indented(tmp_path: Path) -> None:
    place = str(tmp_path / "events")
    Destination({"type": "file", "log_file_path": place, "append": True, "debug_mode": True}).open().emit(
        started(execution())
    )
    assert (tmp_path / "events").read_text().startswith("{\n  ")
