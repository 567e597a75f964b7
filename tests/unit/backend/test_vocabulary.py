"""Every key of fideslang's taxonomy has a term of DPV, and those special by law have their article."""

from __future__ import annotations

import pytest
from fideslang.default_taxonomy import DEFAULT_TAXONOMY

from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.vocabulary import (
    BROADER,
    DPV,
    EXACT,
    PD,
    SPECIAL,
    Article,
    DpvTerm,
    dpv_iri,
    dpv_term,
    special_category,
)

_TAXONOMY = {
    each.fides_key
    for kind in (DEFAULT_TAXONOMY.data_category, DEFAULT_TAXONOMY.data_use, DEFAULT_TAXONOMY.data_subject)
    for each in kind
}


def test_the_tables_list_each_key_of_the_taxonomy_once_and_no_other() -> None:
    assert not EXACT.keys() & BROADER.keys()
    assert EXACT.keys() | BROADER.keys() == _TAXONOMY
    assert SPECIAL.keys() <= categories.known()


@pytest.mark.parametrize("key", sorted(_TAXONOMY))
def test_an_iri_is_one_of_dpv(key: str) -> None:
    namespace, name = dpv_iri(key).rsplit("#")
    assert f"{namespace}#" in (DPV, PD)
    assert name.isalpha()


def test_a_term_is_exact_or_the_nearest_broader_one() -> None:
    assert dpv_term("user.contact.email") == DpvTerm("https://w3id.org/dpv/pd#EmailAddress", exact=True)
    assert dpv_term("user.name.first") == DpvTerm("https://w3id.org/dpv/pd#Name", exact=False)
    assert dpv_term("marketing") == DpvTerm("https://w3id.org/dpv#Marketing", exact=True)
    assert dpv_term("customer") == DpvTerm("https://w3id.org/dpv#Customer", exact=True)


def test_a_key_that_no_table_lists_has_the_term_above_it() -> None:
    assert dpv_term("user.contact.email.work") == DpvTerm(dpv_iri("user.contact.email"), exact=False)
    with pytest.raises(KeyError):
        dpv_iri("weather.rain")


@pytest.mark.parametrize(
    ("key", "article"),
    [
        ("user.health_and_medical", Article.ART_9),
        ("user.health_and_medical.genetic", Article.ART_9),
        ("user.biometric.voice", Article.ART_9),
        ("user.authorization.biometric", Article.ART_9),
        ("user.demographic.race_ethnicity", Article.ART_9),
        ("user.demographic.sexual_orientation", Article.ART_9),
        ("user.criminal_history", Article.ART_10),
        ("user.demographic", None),
        ("user.demographic.gender", None),
        ("user", None),
        ("user.biometrics", None),
    ],
)
def test_special_categories_have_their_article(key: str, article: Article | None) -> None:
    assert special_category(key) is article


def test_categories_by_which_a_person_is_found_are_known() -> None:
    assert set(categories.IDENTIFYING) <= categories.known()
