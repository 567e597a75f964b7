"""Flows between countries as a picture in reports."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from headwater_backend.reports.document.model import Flow, Flows
from headwater_backend.reports.formats.drawings.flows import draw_flows, flows_text
from headwater_backend.reports.languages.catalogue import Language, words

FLOWS = Flows(
    "flows",
    "Flows",
    (
        Flow(("DE",), "US", "VIOLATION", 10),
        Flow((), "US", "UNKNOWN", 1),
        Flow(("DE",), "CH", "SAFEGUARDED", 2),
        Flow(("DE",), "", "UNKNOWN", 3),
    ),
)
SVG = "{http://www.w3.org/2000/svg}"


def picture(flows: Flows, title: str = "") -> ET.Element:
    return ET.fromstring(draw_flows(words(Language.EN), flows, title=title))


def texts(drawn: ET.Element) -> list[str]:
    return [each.text or "" for each in drawn.iter(f"{SVG}text")]


def test_each_flow_is_a_band_with_its_count_and_verdict() -> None:
    drawn = picture(FLOWS)
    assert len(list(drawn.iter(f"{SVG}path"))) == len(FLOWS.flows)
    assert {"10 violation", "1 not known", "2 safeguarded", "3 not known"} <= set(texts(drawn))
    assert texts(drawn).count("Germany (DE)") == 1 and texts(drawn).count("United States (US)") == 1
    assert texts(drawn).count("not stated") == 2


def test_bands_of_a_country_do_not_overlap() -> None:
    tops = [
        float(found[1])
        for each in picture(FLOWS).iter(f"{SVG}path")
        if (found := re.match(r"M\d+ ([\d.]+)C", each.attrib["d"]))
    ]
    heights = [
        float(each.attrib["d"].split("v")[1].split("C")[0]) for each in picture(FLOWS).iter(f"{SVG}path")
    ]
    bands = sorted(zip(tops, heights, strict=True))
    assert all(top + height <= below + 0.2 for (top, height), (below, _) in pairwise(bands))


def test_what_somebody_stated_is_text_and_no_markup() -> None:
    hostile = Flows("flows", "", (Flow(("<script>&",), "\u202eUS\x00", "ALLOWED", 1),))
    drawn = picture(hostile, title="<b>")
    assert "<script>&" in texts(drawn)
    assert not any("\u202e" in each or "\x00" in each for each in texts(drawn))
    assert drawn.find(f"{SVG}title") is not None


def test_nothing_is_an_empty_picture() -> None:
    assert texts(picture(Flows("flows", "", ()))) == []


def test_the_same_is_stated_in_words() -> None:
    assert flows_text(words(Language.DE), FLOWS).startswith(
        "Deutschland (DE) → Vereinigte Staaten (US): 10 Verstoß; nicht angegeben → Vereinigte Staaten (US): 1 nicht"
    )


def test_names_that_are_too_long_for_the_picture_are_codes() -> None:
    flows = Flows("flows", "", (Flow(("DE", "FR"), "HK", "ALLOWED", 1),))
    assert {"DE, FR", "HK"} <= set(texts(picture(flows)))
