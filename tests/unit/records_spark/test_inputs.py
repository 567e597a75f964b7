"""Files with size and time, as Spark's indexes write them."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_records_spark import inputs
from headwater_records_spark.errors import ChangedInputError
from headwater_records_spark.inputs import Input, _files, check

NO_JVM: Any = None
STATUS = (
    "LocatedFileStatus{{path={}; isDirectory=false; length={}; replication=1; blocksize=33554432; "
    "modification_time={}; access_time=0; owner=; group=; permission=rw-rw-rw-; isSymlink=false}}"
)


class Listed:
    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def allFiles(self) -> Listed:  # noqa: N802 - as Spark calls it
        return self

    def mkString(self, between: str) -> str:  # noqa: N802
        return between.join(self.texts)


def test_paths_may_have_any_character() -> None:
    odd = "file:/a; length=3; b=1/x\ny"
    assert _files(Listed(STATUS.format(odd, 7, 8), STATUS.format("s3://b/c", 0, 9))) == {
        odd: (7, 8),
        "s3://b/c": (0, 9),
    }
    assert _files(Listed("")) == {}


@pytest.mark.parametrize(
    ("now", "change"), [({}, "is gone"), ({"/a/x": (1, 3)}, "was changed"), ({"/a/x": (2, 2)}, "was changed")]
)
def test_a_change_names_the_file(
    monkeypatch: pytest.MonkeyPatch, now: dict[str, object], change: str
) -> None:
    monkeypatch.setattr(inputs, "listing", lambda jvm, folders: now)
    with pytest.raises(ChangedInputError, match=f"t is not what it was: /a/x {change}"):
        check(NO_JVM, [Input("t", {"/a/x": (1, 2)})])


def test_more_files_than_there_were_are_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "listing", lambda jvm, folders: {"/a/x": (1, 2), "/a/y": (1, 2)})
    check(NO_JVM, [Input("t", {"/a/x": (1, 2)})])
