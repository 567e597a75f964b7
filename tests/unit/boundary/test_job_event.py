"""The event by which a store learns how a job is split."""

from __future__ import annotations

import json
from datetime import datetime, timezone

from headwater_boundary.job_event import job_event
from headwater_facets.codec import read_split
from headwater_facets.schemas import SPLIT
from kit.events import validate_event
from kit.split_answer import MADE

MOMENT = datetime(2026, 1, 1, tzinfo=timezone.utc)


def test_it_is_a_job_event_of_the_application_that_validates() -> None:
    event = json.loads(job_event(MADE, MOMENT))
    validate_event(event)
    assert (event["job"]["namespace"], event["job"]["name"]) == ("default", "report")
    assert "run" not in event


def test_its_facet_has_each_statement_with_its_side_and_what_crosses() -> None:
    facet = read_split(json.loads(job_event(MADE, MOMENT))["job"]["facets"][SPLIT])
    assert facet.leastGroup == 5
    found = [(each.label, each.side, each.stage) for each in facet.statements]
    assert found[:3] == [
        ("orders: read orders", "inside", 1),
        ("large", "inside", 1),
        ("by_country", "boundary", 1),
    ]
    keys = {each.key for each in facet.statements}
    assert all(set(each.inputs or ()) <= keys for each in facet.statements)
    assert [each.label for each in facet.statements if each.back] == ["overall_2"]
    crossing = next(each for each in facet.statements if each.label == "by_country")
    assert [(column.name, column.why) for column in crossing.columns or ()] == [("n", "a number of rows")]
