"""Changes of an event at JSON pointers."""

from __future__ import annotations

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ingest.letter_changes import Change, changed

EVENT = {"job": {"name": "a", "x/y": {"~": 1}}, "outputs": [{"name": "o"}]}


def test_what_is_at_a_pointer_is_replaced_added_or_removed() -> None:
    changes = [
        Change("/job/name", '"b"'),
        Change("/job/namespace", '"n"'),
        Change("/job/x~1y/~0", None),
        Change("/outputs/0/name", '"p"'),
    ]
    assert changed(EVENT, changes) == {
        "job": {"name": "b", "namespace": "n", "x/y": {}},
        "outputs": [{"name": "p"}],
    }
    assert EVENT["job"] == {"name": "a", "x/y": {"~": 1}}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", "{}"),
        ("job", "1"),
        ("/none/name", "1"),
        ("/outputs/7", "1"),
        ("/outputs/x/name", "1"),
        ("/job/none", None),
        ("/job/name", "unquoted"),
        ("/job/name", "[" * 100_000),
        ("/job/name/deeper", "1"),
    ],
)
def test_what_cannot_be_changed_is_refused(pointer: str, value: str | None) -> None:
    with pytest.raises(BadQuestion):
        changed(EVENT, [Change(pointer, value)])
