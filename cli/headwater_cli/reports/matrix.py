"""The files beside the page of an exposure report: the whole matrix as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from headwater_cli.client.graphql_client import require_store
from headwater_cli.reports.options import Common


def write_matrix(common: Common, variables: Mapping[str, Any], as_of: str) -> list[Path]:
    """Write the matrix that the report was made of, as of the same moment, and return the files."""
    from headwater_backend.domain.model import DatasetKey, NodeKey
    from headwater_backend.privacy.classification.rules import NO_RULES
    from headwater_backend.privacy.exposure import Ruling, exposed
    from headwater_backend.privacy.exposure_search import Scope
    from headwater_backend.privacy.files import read_rules
    from headwater_backend.questions.traversal import Bounds
    from headwater_backend.reports.exposure_matrix import write_csv, write_json
    from headwater_backend.stores import open_store

    node = variables["node"]
    scope = Scope(
        of=node and NodeKey(DatasetKey(node["namespace"], node["name"]), tuple(node["path"])),
        category=common.category,
        influenced=variables["influenced"],
        bounds=Bounds(common.depth, nodes=1_000_000, as_of=datetime.fromisoformat(as_of)),
    )
    ruling = Ruling(asked=read_rules(common.rules) if common.rules else NO_RULES, lenient=common.lenient)
    require_store(common.store)
    files = [common.out.with_suffix(".csv"), common.out.with_suffix(".json")]
    with closing(open_store(common.store)) as store:
        report = exposed(store, scope, ruling)
        write_csv(store, report, files[0])
        write_json(store, report, files[1])
    return files
