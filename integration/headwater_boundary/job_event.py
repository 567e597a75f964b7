"""The event by which a store learns how a job is split: what is inside, what is outside, and what crosses between."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from openlineage.client.event_v2 import Job, JobEvent
from openlineage.client.serde import Serde

from headwater_backend.reports.languages.catalogue import Language, words
from headwater_boundary.statements import statements_of
from headwater_facets.facets import SplitJobFacet
from headwater_facets.producer import FACET_PRODUCER, VERSION, stated
from headwater_facets.schemas import SPLIT


def job_event(made: Mapping[str, Any], at: datetime) -> str:
    """The event of a split that was not refused, as JSON; its job is the application, as the agent names it."""
    facet = SplitJobFacet(
        leastGroup=made["leastGroup"],
        statements=[*statements_of(words(Language.EN), made)],
    )
    job = Job(made["job"]["namespace"], made["job"]["name"], {SPLIT: stated(facet)})
    producer = f"{FACET_PRODUCER}/boundary/{VERSION}"
    return Serde.to_json(JobEvent(eventTime=at.isoformat(), producer=producer, job=job))
