"""Kafka as a source and as a sink, with a real broker: topics are datasets, and lineage goes through the messages."""

from __future__ import annotations

import json

import pytest

from kit.completed_writes import runs, written
from kit.connectors import KAFKA, jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.kafka import Broker
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


def order(number: int) -> bytes:
    customer = {"name": f"name{number}", "mail": f"{number}@example.org"}
    return json.dumps({"id": number, "customer": customer, "items": [{"sku": "a", "price": 1.0}]}).encode()


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def topics(
    request: pytest.FixtureRequest, kafka_broker: Broker, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Job, str, Broker]:
    folder, orders = tmp_path_factory.mktemp("topics"), kafka_broker.topic()
    kafka_broker.send(orders, [order(1), order(2), order(3)])
    conf = {"spark.jars": jars(request.param, *KAFKA), "spark.sql.shuffle.partitions": "1"}
    job = run_job(request.param, folder, "topics.py", kafka_broker.servers, orders, str(folder), conf=conf)
    assert job.code == 0, job.output
    return job, orders, kafka_broker


def test_every_event_is_valid(topics: tuple[Job, str, Broker]) -> None:
    for event in topics[0].events:
        validate_event(event)


def test_a_topic_is_a_dataset_of_the_first_server(topics: tuple[Job, str, Broker]) -> None:
    job, orders, broker = topics
    (read,) = written(job, "flat").inputs.values()

    assert (read["namespace"], read["name"]) == (f"kafka://{broker.servers}", orders)
    assert set(written(job, "both").inputs) == {orders, f"{orders}-messages"}


def test_what_is_parsed_comes_from_the_messages_text(topics: tuple[Job, str, Broker]) -> None:
    job, orders, _ = topics
    flat = written(job, "flat")

    assert flat.direct == {f"{name} <- {orders}:value TRANSFORMATION" for name in ("id", "mail", "sku")}
    assert flat.influences == {f"{orders}:value FILTER"}
    assert flat.complete


def test_a_message_is_made_of_what_was_put_into_it(topics: tuple[Job, str, Broker]) -> None:
    job, orders, broker = topics
    made = {"value <- flat:mail TRANSFORMATION", "value <- flat:sku TRANSFORMATION"}

    assert written(job, f"{orders}-messages").direct == {"key <- flat:id TRANSFORMATION", *made}
    assert written(job, f"{orders}-named").direct == made, "the topic stands in a column"
    assert json.loads(broker.read(f"{orders}-named", 3)[0]) == {"mail": "1@example.org", "what": "a"}


def test_a_query_between_topics_is_one_run_that_tells_of_its_progress(
    topics: tuple[Job, str, Broker],
) -> None:
    job, orders, _ = topics
    types_of = {name.rpartition(".")[2]: types for name, types in runs(job).items()}
    mails = written(job, f"{orders}-mails")

    name = orders.replace("-", "_")
    assert types_of[f"{name}_mails"] == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    assert mails.direct == {f"value <- {orders}:value TRANSFORMATION"}
    assert mails.influences == {f"{orders}:value FILTER"}
    assert mails.complete


def test_a_query_from_a_topic_to_files_counts_its_rows(topics: tuple[Job, str, Broker]) -> None:
    job, orders, _ = topics
    stored = written(job, "stored")

    parsed = ("id", "who.name", "who.mail")
    assert stored.direct == {f"{name} <- {orders}:value TRANSFORMATION" for name in parsed}
    (ended,) = (
        event
        for event in job.events
        if event["job"]["name"].endswith("_stored") and event["eventType"] == "COMPLETE"
    )
    assert ended["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 4
