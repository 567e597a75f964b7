"""What leaves of a constant: by the setting, by where it stands, and by whether data was collected before."""

from __future__ import annotations

import pytest

from headwater_spark.constants import Constants, Setting, Tokens


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("", "predicates"),
        ("SHOW", "show"),
        (" hide ", "hide"),
        ("predicates", "predicates"),
        ("none", "predicates"),
    ],
)
def test_a_setting_is_read_and_what_is_none_counts_as_unset(text: str, setting: str) -> None:
    assert Setting.of(text).value == setting


@pytest.mark.parametrize(
    ("setting", "collected", "value", "predicate"),
    [
        (Setting.SHOW, False, "'ada'", "'ada'"),
        (Setting.SHOW, True, "'ada'", "'ada'"),
        (Setting.PREDICATES, False, "<string>", "'ada'"),
        (Setting.PREDICATES, True, "<string>", "token:"),
        (Setting.HIDE, False, "<string>", "<string>"),
        (Setting.HIDE, True, "<string>", "<string>"),
    ],
)
def test_each_setting_has_one_answer_a_position(
    setting: Setting, collected: bool, value: str, predicate: str
) -> None:
    constants = Constants(setting, Tokens() if collected else None)
    assert constants.in_value("'ada'", "<string>") == value
    assert constants.in_predicate("ada", "'ada'", "<string>").startswith(predicate)


def test_tokens_keep_equality_within_an_application_and_nothing_across() -> None:
    one, other = Tokens(), Tokens()
    assert one.of("123-45-6789") == one.of("123-45-6789") != one.of("123-45-6780")
    assert one.of("123-45-6789") != other.of("123-45-6789")
    assert one.of("a").split(":")[1] != other.of("a").split(":")[1], "each names its application"


def test_no_text_of_the_policy_holds_its_key() -> None:
    tokens = Tokens()
    assert tokens._key.hex() not in repr(Constants(tokens=tokens)) + repr(tokens) + tokens.of("a")
