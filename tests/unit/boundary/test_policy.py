"""What a policy about the boundary states."""

from __future__ import annotations

import pytest

from headwater_backend.privacy.forms import Form
from headwater_boundary.policy import Policy, PolicyError, parse_policy, read_policy


def test_only_figures_and_masked_values_leave_unless_a_policy_says_otherwise() -> None:
    policy = Policy()
    assert policy.may_leave(Form.AGGREGATED, ("user.name",))
    assert policy.may_leave(Form.MASKED, ("user.name",))
    for form in (Form.IDENTITY, Form.TRANSFORMED, Form.DERIVED, Form.PSEUDONYMISED, Form.POSSIBLE):
        assert not policy.may_leave(form, ("user.name",))


def test_the_nearest_category_decides_and_every_category_has_to_allow_it() -> None:
    policy = parse_policy({"forms": {"user.location": ["identity"], "user.location.precise": ["aggregated"]}})
    assert policy.may_leave(Form.IDENTITY, ("user.location.imprecise",))
    assert not policy.may_leave(Form.IDENTITY, ("user.location.precise",))
    assert not policy.may_leave(Form.IDENTITY, ("user.location", "user.name"))


def test_a_value_without_a_category_is_a_persons() -> None:
    assert not Policy().may_leave(Form.IDENTITY, ())


def test_paths_are_moved_into_the_region_by_their_beginning() -> None:
    policy = parse_policy({"places": {"/data/": "/data/{region}/"}})
    assert policy.place("/data/orders") == "/data/{region}/orders"
    assert policy.place("/other/orders") == "/other/orders"


def test_who_is_a_person_is_known_in_any_letter_case_and_a_promise_is_about_its_name_alone() -> None:
    policy = parse_policy({"persons": ["*/Orders Customer_Id"], "shared": ["*/Countries"]})
    assert policy.is_person("/data/orders", ("customer_id",))
    assert policy.is_shared("/data/Countries") and not policy.is_shared("/data/countries")


def test_colocated_paths_are_known_by_dataset_and_path() -> None:
    policy = parse_policy({"colocated": {"customer": ["*/orders customer_id", "*/customers id"]}})
    assert policy.colocation("/data/orders", ("customer_id",)) == "customer"
    assert policy.colocation("/data/orders", ("id",)) is None
    assert policy.colocation("/data/customers", ("id",)) == "customer"


@pytest.mark.parametrize(
    "content",
    [[], {"sharde": []}, {"least_group": 0}, {"least_group": True}, {"forms": {"user": ["secret"]}}],
)
def test_what_is_no_policy_is_refused(content: object) -> None:
    with pytest.raises(PolicyError):
        parse_policy(content)


def test_without_a_file_nothing_is_stated() -> None:
    assert read_policy(None) == Policy()
