"""Where the data of a person are, by which keys they are found, and in which order they are erased."""

from __future__ import annotations

from headwater_backend.domain.model import NodeKey
from headwater_backend.privacy.answers.subject import Erasure, Order, SubjectData, subject_data
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from kit.memory_store import MemoryStore, graph, node

MAIL = (node("t:mail"), "data_category", "user.contact.email")
AGE = (node("t:age"), "data_category", "user.demographic.age_range")
OTHER = (node("u:mail"), "data_category", "user.contact.email")


def data(edges: str, *tags: tuple[NodeKey, str, str], order: Order = Order.SOURCES_FIRST) -> SubjectData:
    store = MemoryStore(graph(edges), tags=tags or (MAIL, AGE))
    return subject_data(store, Scope(), Ruling(), order)


def paths(found: SubjectData) -> dict[str, tuple[str, list[str], bool]]:
    """Each path with its form, the keys by which the person is found, and whether it is erasable; keys that are only
    possible have a question mark.
    """
    return {
        f"{path.held.node.dataset.name}:{'.'.join(path.held.node.path)}": (
            path.held.forms[0].name,
            [
                *(f"{'.'.join(key.node.path)} {key.form.name}" for key in path.keys),
                *(f"{'.'.join(key.node.path)} {key.form.name}?" for key in path.possible_keys),
            ],
            path.erasable,
        )
        for dataset in found.datasets
        for path in dataset.paths
    }


def test_an_attribute_is_found_by_an_identifier_that_came_the_same_way() -> None:
    found = paths(data("t:mail -IDENTITY-> o:to @job\nt:age -IDENTITY-> o:years @job"))
    assert found == {
        "t:mail": ("IDENTITY", ["mail IDENTITY"], True),
        "t:age": ("IDENTITY", ["mail IDENTITY"], True),
        "o:to": ("IDENTITY", ["to IDENTITY"], True),
        "o:years": ("IDENTITY", ["to IDENTITY"], True),
    }


def test_a_pseudonym_is_a_key_and_a_computed_value_a_possible_one() -> None:
    found = paths(
        data(
            "t:mail -HASH-> o:token @job\nt:age -IDENTITY-> o:years @job\n"
            "t:mail -COMPUTE-> p:host @other\nt:age -IDENTITY-> p:years @other"
        )
    )
    assert found["o:years"] == ("IDENTITY", ["token PSEUDONYMISED"], True)
    assert found["p:years"] == ("IDENTITY", ["host TRANSFORMED?"], False)
    assert found["p:host"] == ("TRANSFORMED", ["host TRANSFORMED?"], False)


def test_an_identifier_that_came_another_way_is_no_key() -> None:
    found = paths(data("t:mail -IDENTITY-> o:to @one\nt:age -IDENTITY-> o:years @other"))
    assert found["o:years"] == ("IDENTITY", [], False)


def test_an_identifier_of_another_origin_in_the_same_rows_is_a_possible_key() -> None:
    found = paths(data("u:mail -IDENTITY-> o:to @job\nt:age -IDENTITY-> o:years @job", AGE, OTHER))
    assert found["o:years"] == ("IDENTITY", ["to IDENTITY?"], False)
    assert found["o:to"] == ("IDENTITY", ["to IDENTITY"], True)


def test_what_is_declared_in_the_dataset_is_a_possible_key_of_all_its_rows() -> None:
    found = paths(data("t:age -IDENTITY-> u:years @job", AGE, OTHER))
    assert found["u:years"] == ("IDENTITY", ["mail IDENTITY?"], False)


def test_why_a_path_is_not_erasable() -> None:
    found = data("t:mail -COMPUTE-> o:host @job\nt:age -SUM-> o:sum @job\nt:age -IDENTITY-> p:age @other")
    why = {
        (each.key.name, path.held.node.path): path.erasure for each in found.datasets for path in each.paths
    }
    assert why["t", ("age",)] is Erasure.ERASABLE
    assert why["o", ("host",)] is Erasure.POSSIBLE_KEY
    assert why["o", ("sum",)] is Erasure.NOT_OF_ONE_PERSON
    assert why["p", ("age",)] is Erasure.NO_KEY


def test_aggregates_are_not_erasable() -> None:
    found = paths(data("t:mail -IDENTITY-> o:to @job\nt:age -SUM-> o:sum @job"))
    assert found["o:sum"] == ("AGGREGATED", ["to IDENTITY"], False)


CITY = (node("t:city"), "data_category", "user.contact.address.city")
GENDER = (node("t:gender"), "data_category", "user.demographic.gender")
BORN = (node("t:born"), "data_category", "user.demographic.date_of_birth")
SALARY = (node("t:salary"), "data_category", "user.financial")


def test_a_city_is_nobodys_key() -> None:
    found = paths(data("t:city -IDENTITY-> o:city @job\nt:salary -IDENTITY-> o:salary @job", CITY, SALARY))
    assert found["o:salary"] == ("IDENTITY", [], False)
    assert found["o:city"] == ("IDENTITY", [], False)


def test_different_quasi_identifiers_are_possible_keys_together() -> None:
    edges = (
        "t:city -IDENTITY-> o:city @job\nt:gender -IDENTITY-> o:sex @job\nt:salary -IDENTITY-> o:salary @job"
    )
    found = paths(data(edges, CITY, GENDER, SALARY))
    assert found["o:salary"] == ("IDENTITY", ["city IDENTITY?", "sex IDENTITY?"], False)


def test_an_aggregate_by_city_is_of_nobody_and_one_by_three_quasi_identifiers_may_be_of_one() -> None:
    edges = "t:salary -SUM-> o:pay @job\nt:city -GROUP_BY-> o @job\nt:gender -GROUP_BY-> o @job"
    tags = (CITY, GENDER, BORN, SALARY)
    assert paths(data(edges, *tags))["o:pay"] == ("AGGREGATED", [], False)
    assert paths(data(f"{edges}\nt:born -GROUP_BY-> o @job", *tags))["o:pay"] == ("TRANSFORMED", [], False)


def test_what_a_decision_derived_is_of_one_person() -> None:
    found = paths(data("t:mail -IDENTITY-> o:to @job\nt:age -DECISION-> o:label @job"))
    assert found["o:label"] == ("DERIVED", ["to IDENTITY"], True)


def test_the_order_of_erasure_follows_the_data_or_goes_back() -> None:
    edges = "t:mail -IDENTITY-> o:to @first\no:to -IDENTITY-> a:to @second"
    first, last = (data(edges, MAIL, order=order) for order in Order)
    assert [each.key.name for each in first.datasets] == ["t", "o", "a"]
    assert [each.key.name for each in last.datasets] == ["a", "o", "t"]
    assert [[job.name for job in each.writers] for each in first.datasets] == [[], ["first"], ["second"]]
    assert [each.distance for each in first.datasets] == [0, 1, 2]
