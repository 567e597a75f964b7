"""Where the data of a person are: the same on both stores."""

from __future__ import annotations

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.subject import owners_of, subject_data
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from kit.openlineage import dataset, event, facet, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.demographic.age_range", "source": "CONFIG", "field": "age"},
    ]
)
OWNED = facet(owners=[{"name": "team:shop", "type": "MAINTAINER"}])


def test_paths_keys_owners_and_jobs(store: LineageStore) -> None:
    traced = paths((["to"], "people", ["mail"], "IDENTITY"), (["years"], "people", ["age"], "TRANSFORMATION"))
    counted = paths(
        (["years"], "mailing", ["years"], "AGGREGATION"), manipulation=["AGGREGATE"], functions=["sum"]
    )
    people = dataset("people", "mail", "age", tags=TAGS)
    mailing = dataset("mailing", "to", "years", headwater_pathLineage=traced, ownership=OWNED)
    events = [
        event("COMPLETE", 1, "one", [people], [mailing], "mails"),
        event(
            "COMPLETE",
            2,
            "two",
            [dataset("mailing", "to", "years")],
            [dataset("ages", "years", headwater_pathLineage=counted)],
            "counts",
        ),
    ]
    assert all(outcome.stored for outcome in ingest(store, events))
    source, copy, sums = subject_data(store, Scope(), Ruling()).datasets
    assert [(each.key.name, each.distance) for each in (source, copy, sums)] == [
        ("people", 0),
        ("mailing", 1),
        ("ages", 2),
    ]
    owners = {key.name: [each.name for each in named] for key, named in owners_of(store, [copy.key]).items()}
    assert owners == {"mailing": ["team:shop"]}
    assert [job.name for job in copy.writers] == ["mails"]
    assert {(path.held.node.path, path.held.forms[0].name, path.erasable) for path in copy.paths} == {
        (("to",), "IDENTITY", True),
        (("years",), "TRANSFORMED", True),
    }
    (total,) = sums.paths
    assert (total.held.forms[0].name, total.keys, total.erasable) == ("AGGREGATED", (), False)


def test_what_a_decision_writes_is_held_and_what_it_leaves_of_the_rows_is_not(store: LineageStore) -> None:
    decision = [{"type": "INDIRECT", "subtype": "CONDITIONAL", "access": "CONDITION"}]
    traced = paths((["label"], "people", ["mail"], "IDENTITY"), (["rows"], "people", ["age"], "IDENTITY"))
    of_label, of_rows = (field["inputFields"][0] for field in traced["fields"])
    for entry in (of_label, of_rows):
        entry["transformations"] = decision
    traced |= {"fields": traced["fields"][:1], "dataset": [of_rows]}
    people = dataset("people", "mail", "age", tags=TAGS)
    labels = dataset("labels", "label", headwater_pathLineage=traced)
    assert all(
        outcome.stored
        for outcome in ingest(store, [event("COMPLETE", 1, "one", [people], [labels], "labels")])
    )
    source, derived = subject_data(store, Scope(), Ruling()).datasets
    assert (source.key.name, derived.key.name) == ("people", "labels")
    (path,) = derived.paths
    assert (path.held.node.path, path.held.forms[0].name) == (("label",), "DERIVED")
    assert path.held.attribute.node.path == ("mail",)
