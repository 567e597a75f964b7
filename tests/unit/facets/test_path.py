from __future__ import annotations

import pytest

from headwater_facets.path import ELEMENT, KEY, PACKED, VALUE, Path, PathSyntaxError

SCHEMA = [
    {"name": "user_mentions", "type": "array", "fields": [{"name": "_element", "type": "struct"}]},
    {"name": "props", "type": "map<string,string>", "fields": [{"name": "key"}, {"name": "value"}]},
    {"name": "row", "type": "struct", "fields": [{"name": "_element"}, {"name": "key"}]},
    {
        "name": "grid",
        "type": "array",
        "fields": [{"name": "_element", "type": "map", "fields": [{"name": "key"}, {"name": "value"}]}],
    },
]

NOTATIONS = {
    "": Path(),
    "user": Path.of("user"),
    "user.name": Path.of("user", "name"),
    "user_mentions[].id_str": Path.of("user_mentions", ELEMENT, "id_str"),
    "props{}": Path.of("props", VALUE),
    "props{key}": Path.of("props", KEY),
    "grid[][]{}.x": Path.of("grid", ELEMENT, ELEMENT, VALUE, "x"),
    "`a.b`.`c``d`.``": Path.of("a.b", "c`d", ""),
    "body{packed}.user.mail": Path.of("body", PACKED, "user", "mail"),
    "two words.é": Path.of("two words", "é"),
    "a._element.key": Path.of("a", "_element", "key"),
}


@pytest.mark.parametrize(("text", "path"), NOTATIONS.items())
def test_a_path_is_printed_and_parsed_back(text: str, path: Path) -> None:
    assert str(path) == text
    assert Path.parse(text) == path


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("items[0]", "PATH_COLLECTION", 5),
        ("props{k}", "PATH_COLLECTION", 5),
        ("a.", "PATH_NAME_EXPECTED", 2),
        (".a", "PATH_NAME_EXPECTED", 0),
        ("a..b", "PATH_NAME_EXPECTED", 2),
        ("a[]b", "PATH_DOT_EXPECTED", 3),
        ("`a", "PATH_QUOTE_OPEN", 0),
        ("`a`b", "PATH_DOT_EXPECTED", 3),
        ("a]", "PATH_COLLECTION", 1),
    ],
)
def test_an_invalid_path_reports_position_and_code(text: str, code: str, position: int) -> None:
    with pytest.raises(PathSyntaxError) as caught:
        Path.parse(text)
    assert (caught.value.code, caught.value.position) == (code, position)
    assert caught.value.hint


def test_without_a_schema_only_elements_are_distinguished_from_members() -> None:
    assert Path.from_wire(["a", "_element", "key"]) == Path.of("a", ELEMENT, "key")


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        (["user_mentions", "_element", "id_str"], "user_mentions[].id_str"),
        (["props", "key"], "props{key}"),
        (["props", "value"], "props{}"),
        (["row", "_element"], "row._element"),
        (["row", "key"], "row.key"),
        (["grid", "_element", "value"], "grid[]{}"),
        (["unheard_of", "_element", "value"], "unheard_of[].value"),
    ],
)
def test_the_schema_distinguishes_members_elements_keys_and_values(wire: list[str], text: str) -> None:
    path = Path.from_wire(wire, SCHEMA)
    assert str(path) == text
    assert path.to_wire() == wire


def test_a_text_is_entered_and_a_struct_is_not() -> None:
    fields = [{"name": "body", "type": "string"}, {"name": "row", "type": "struct", "fields": []}]
    assert str(Path.from_wire(["body", "_packed", "mail"], fields)) == "body{packed}.mail"
    assert str(Path.from_wire(["row", "_packed", "mail"], fields)) == "row._packed.mail"
    assert str(Path.from_wire(["body", "_packed", "mail"])) == "body{packed}.mail"


def test_a_path_contains_the_paths_below_it() -> None:
    user = Path.of("user")
    assert (user / "name").starts_with(user)
    assert (user / ELEMENT).starts_with(Path())
    assert not user.starts_with(user / "name")
