"""Files that people write (rules, policies, organisations, names, declarations): each error has a code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.names.names_file import read_names
from headwater_backend.privacy.files import read_policies, read_rules
from headwater_backend.privacy.organisation.organisation_file import read_organisation
from headwater_plan.declarations import DeclarationError, read_declarations

DEEP = 100_000
READERS = (read_rules, read_policies, read_organisation, read_names, read_declarations)
CONTENTS = {
    "nothing": b"",
    "lists": b"[" * DEEP + b"]" * DEEP,
    "open maps": b"{a: " * DEEP,
    "blocks": b"- " * 5_000 + b"x",
    "JSON": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "itself": b"&a [*a]",
    "a merge of itself": b"a: &a {<<: *a}",
    "no date": b"- policy: 2026-99-99",
    "no time": b"rules: !!timestamp 2026-99-99",
    "no number": b"udfs: !!int x",
    "an object": b"!!python/object:os.system {}",
    "a large number": b"- " + b"9" * 5_000,
    "no text": b"\xff\xfe\xfa",
    "a zero": b"a\0b",
    "documents": b"---\n---\n",
    "a list as a key": b"? [a]\n: b\n",
    "a map as a key": b"? {a: b}\n: b\n",
    "keys of numbers": b"rules: {1: 2}\naliases: 7\nudfs: [7]\n",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("read", READERS, ids=lambda read: str(read.__name__))
def test_a_file_is_read_or_refused_with_a_code(
    read: Callable[[Path], Any], name: str, tmp_path: Path
) -> None:
    file = tmp_path / "file.yaml"
    file.write_bytes(CONTENTS[name])
    try:
        read(file)
    except (HeadwaterError, DeclarationError) as error:
        assert error.code
