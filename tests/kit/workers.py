"""How the tests of one run are spread over worker processes (``pytest -n 2``).

The tests of a file stay together, because fixtures start a Spark once for a file. Tests that need the session's Neo4j
or Kafka stay together whatever their files are: one worker starts that server, and nobody else empties it meanwhile.
What takes longest comes first, so that no worker is left with it when the other has nothing to do.

Only workers know the tests, the controlling process has no more than their ids. So the first worker writes the groups
into a file, in a folder of the run, and the scheduler reads it. xdist's own way, a suffix of the id, has no effect
since pytest 9.2.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

SERVERS = {"neo4j_server": "neo4j", "kafka_broker": "kafka"}
"""Fixtures that start a server for the session, and the group of the tests that need it."""
_FOLDER = pytest.StashKey[Path]()
_INPUT = "headwater_folder"
_GROUPS = "groups.json"


class FilesAndServers(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Hands out groups, and for tests without a group their file, in the order in which the tests are."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False
        self._groups: dict[str, str] = {}

    def schedule(self) -> None:
        if self.collection is None:
            self._groups = json.loads((_folder(self.config) / _GROUPS).read_text("utf-8"))
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._groups.get(nodeid) or nodeid.partition("::")[0]


def prepare(config: pytest.Config, worker_input: dict[str, Any]) -> None:
    """Let a worker know the run's folder; called in the controlling process."""
    worker_input[_INPUT] = str(_folder(config))


def arrange(items: list[pytest.Item], worker_input: dict[str, Any]) -> None:
    """Put the tests that share a server first, then those with a Spark; called in each worker."""
    groups = _groups(items)
    items.sort(key=lambda item: (item.nodeid not in groups, not _needs_spark(item)))
    if worker_input["workerid"] == "gw0":
        Path(worker_input[_INPUT], _GROUPS).write_text(json.dumps(groups), "utf-8")


def claim(config: pytest.Config, server: str) -> None:
    """Fail where another worker of the run has started that server."""
    if worker_input := getattr(config, "workerinput", None):
        try:
            Path(worker_input[_INPUT], server).touch(exist_ok=False)
        except FileExistsError:
            pytest.fail(
                f"two workers start {server}: the tests that need it have to be one group, see {__file__}"
            )


def _folder(config: pytest.Config) -> Path:
    """A temporary folder that is there as long as the controlling process."""
    if _FOLDER not in config.stash:
        folder = tempfile.TemporaryDirectory(prefix="headwater-tests-")
        config.add_cleanup(folder.cleanup)
        config.stash[_FOLDER] = Path(folder.name)
    return config.stash[_FOLDER]


def _groups(items: list[pytest.Item]) -> dict[str, str]:
    """The groups by the ids of their tests. A file with a Spark is in its server's group as a whole."""
    found = {item: group for item in items if (group := _group(item))}
    files = {item.path: group for item, group in found.items() if _needs_spark(item)}
    return {item.nodeid: group for item in items if (group := found.get(item) or files.get(item.path))}


def _needs_spark(item: pytest.Item) -> bool:
    return item.get_closest_marker("spark") is not None


def _group(item: pytest.Item) -> str | None:
    if item.get_closest_marker("neo4j"):
        return "neo4j"
    fixtures = getattr(item, "fixturenames", ())
    return next((group for fixture, group in SERVERS.items() if fixture in fixtures), None)
