"""The Grafana dashboard asks for figures that the server has."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.ingest.journal import Journal
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from kit.memory_store import MemoryStore
from kit.shared import ROOT

DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "headwater.json").read_text("utf-8"))
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
OF_PROMETHEUS = {"job", "instance"}
QUERY = re.compile(r"([a-z_]+)\{([^}]*)\}")


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Each name that the server exposes after a few requests, good and bad, and its labels."""
    folder = tmp_path_factory.mktemp("figures")
    store, journal = open_store(f"sqlite:///{folder}/lineage.db"), Journal.open(folder / "journal")
    text = ""
    for app in (create_app(store, Settings(), journal), create_app(Away([]), Settings())):
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            client.post("/api/v1/lineage", json={})
            client.get("/health")
            text += client.get("/metrics").text
    store.close()
    journal.close()
    samples = re.findall(r"^([a-z_]+)(?:\{(.*)\})? ", text, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for name, labels in samples:
        found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


class Away(MemoryStore):
    """A store that does not answer."""

    def ping(self) -> None:
        from headwater_backend.domain.errors import StoreUnavailable

        raise StoreUnavailable("it is away")


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: str(panel["title"]))
def test_each_figure_is_exposed_with_the_labels_that_are_asked_for(
    panel: dict[str, Any], exposed: dict[str, set[str]]
) -> None:
    assert panel["targets"]
    for target in panel["targets"]:
        asked = QUERY.findall(target["expr"])
        assert asked
        labels = set().union(*(exposed[name] for name, _ in asked)) | OF_PROMETHEUS
        for _, matchers in asked:
            assert set(re.findall(r"(\w+)=", matchers)) <= labels
        grouped = set(re.findall(r"[\w]+", " ".join(re.findall(r"by \(([^)]*)\)", target["expr"]))))
        assert grouped <= labels
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels


def test_every_figure_of_ours_is_on_the_dashboard(exposed: dict[str, set[str]]) -> None:
    shown = {
        name for panel in PANELS for target in panel["targets"] for name, _ in QUERY.findall(target["expr"])
    }
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) for name in exposed if name.startswith("headwater_")}
    assert ours == {re.sub(r"_bucket$", "", name) for name in shown if name.startswith("headwater_")}


def test_panels_do_not_cover_each_other() -> None:
    places = [
        (panel["gridPos"]["x"] + column, panel["gridPos"]["y"] + row)
        for panel in PANELS
        for column in range(panel["gridPos"]["w"])
        for row in range(panel["gridPos"]["h"])
    ]
    assert len(places) == len(set(places))
    assert max(column for column, _ in places) < 24
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_the_variables_ask_for_a_figure_that_there_is(exposed: dict[str, set[str]]) -> None:
    asked = [each["query"]["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    assert {re.search(r"\((\w+),", query).group(1) for query in asked} <= set(exposed)  # type: ignore[union-attr]
