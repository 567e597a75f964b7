"""Names in the world's scripts, and characters that no font has, in reports."""

from __future__ import annotations

import html
import io
import re

import pytest

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.formats.scripts.breaking import isolated, pieces
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from kit.memory_store import MemoryStore, edge
from kit.reports import AS_OF, IMPRINT

pypdf = pytest.importorskip("pypdf")

LONG = "datenschutz-beauftragte@eine-sehr-lange-adresse.beispiel.example"
RIGHT_TO_LEFT = "\u0627\u0633\u0645 \u0627\u0644\u0639\u0645\u064a\u0644"
SCRIPTS = {
    "thai": "ชื่อลูกค้า",
    "arabic": RIGHT_TO_LEFT,
    "hebrew": "שם הלקוח",
    "devanagari": "ग्राहक का नाम",
    "chinese": "客户姓名",
    "korean": "고객이름",
    "amharic": "የደንበኛ ስም",
    "greek": "Όνομα πελάτη",
    "emoji": "👩‍👩‍👧 ok",
}
ODD = {
    "line separator": ("x\u2028y", r"x\u2028y"),
    "private use": ("x\ue000y", r"x\ue000y"),
    "unassigned": ("x\U000e0fffy", r"x\U000e0fffy"),
    "a script without a font": ("x\U00012000y", r"x\U00012000y"),
    "invisible": ("x\u200by", r"x\u200by"),
    "turned": ("x\u202ey", r"x\u202ey"),
    "a mark of another script": ("e\u0e31", r"e\u0e31"),
    "surrogate": ("x\ud800y", r"x\ud800y"),
}


def about(name: str, *, drawings: bool = False) -> Document:
    """The exposure of a path, a dataset and a job of that name."""
    copied = edge("t:user.mail -IDENTITY-> o:mail")
    named = copied._replace(target=NodeKey(DatasetKey("ns", name), (name,)), job=JobKey("ns", name))
    tags = [(copied.source, "data_category", "user.contact.email")]
    question = ReportQuestion(Kind.EXPOSURE, bounds=Bounds(as_of=AS_OF), drawings=drawings)
    return build(MemoryStore([named], tags=tags), question)


def copied_text(document: Document) -> str:
    """What a reader copies out of the PDF."""
    reader = pypdf.PdfReader(io.BytesIO(render(document, IMPRINT, Format.PDF)))
    return "\n".join(page.extract_text() for page in reader.pages)


@pytest.mark.parametrize("drawings", [False, True])
@pytest.mark.parametrize("name", SCRIPTS.values(), ids=SCRIPTS)
def test_a_name_in_any_script_is_set(name: str, drawings: bool) -> None:
    content = render(about(name, drawings=drawings), IMPRINT, Format.PDF)
    assert content.startswith(b"%PDF")


@pytest.mark.parametrize("name", ["chinese", "korean", "greek"])
def test_a_name_in_another_script_is_found_in_the_text(name: str) -> None:
    assert "".join(SCRIPTS[name].split()) in "".join(copied_text(about(SCRIPTS[name])).split())


@pytest.mark.parametrize("drawings", [False, True])
@pytest.mark.parametrize(("name", "shown"), ODD.values(), ids=ODD)
def test_what_no_font_has_is_shown_by_its_escape(name: str, shown: str, drawings: bool) -> None:
    assert shown in copied_text(about(name, drawings=drawings)).replace("\n", "")


@pytest.mark.parametrize(
    "name",
    [
        "\ufa37\U0001fd7e\u04fc\u083b\U0010ffa0\ufe8f",
        "\U0001f650\uda06\u05f6\u04be\U00011585\u2a3e\u4f9e\u3391\u290b\U00011a03",
        "\u4eea\u2a43\u1043\ua321\uad8d\u01c3\U0002005d\uff39\u01ae\U0001f367",
    ],
)
def test_a_name_in_many_scripts_at_once_is_set_in_a_picture(name: str) -> None:
    text = copied_text(about(name, drawings=True))
    assert "user.mail" in text


def test_an_odd_character_leaves_the_others_as_they_are() -> None:
    name = SCRIPTS["chinese"]
    assert rf"{name}\ue000" in copied_text(about(f"{name}\ue000")).replace("\n", "")


def test_a_long_address_and_the_hash_are_copied_whole() -> None:
    document = about(LONG)
    text = copied_text(document)
    assert "\u200b" not in text
    assert LONG in "".join(text.split())
    assert re.search(r"sha256:[0-9a-f]{64}", text)


def test_a_long_name_is_broken_where_it_has_parts() -> None:
    assert pieces("by s3://lake/core/customers, daily") == ["by s3://", "lake/", "core/", "customers, daily"]
    assert pieces("short.name") == "short.name"
    assert "".join(map(str, pieces(LONG))) == LONG
    thai = SCRIPTS["thai"] * 3
    assert pieces(thai) == thai


def test_a_name_from_right_to_left_is_set_apart() -> None:
    assert isolated(f"{RIGHT_TO_LEFT}, x ({RIGHT_TO_LEFT}) of y") == [
        (RIGHT_TO_LEFT, True),
        (", x (", False),
        (RIGHT_TO_LEFT, True),
        (") of y", False),
    ]
    assert pieces(f"a {RIGHT_TO_LEFT}") == ["a ", {"dir": "rtl", "text": [RIGHT_TO_LEFT]}]


def test_a_page_sets_names_from_right_to_left_apart() -> None:
    page = html.unescape(render(about(RIGHT_TO_LEFT), IMPRINT, Format.HTML).decode()).replace("<wbr>", "")
    shown = page.split('<script type="application/json"')[0]
    assert f"user.mail of t in \u2068{RIGHT_TO_LEFT}\u2069 of \u2068{RIGHT_TO_LEFT}\u2069" in shown
