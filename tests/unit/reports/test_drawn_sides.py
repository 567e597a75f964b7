"""What is computed on which side of a boundary, as a picture in reports."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from headwater_backend.reports.document.model import Computed, Sides
from headwater_backend.reports.formats.drawings.sides import WIDTH, draw_sides, is_tall, sides_text
from headwater_backend.reports.languages.catalogue import Language, words

SVG = "{http://www.w3.org/2000/svg}"
SIDES = Sides(
    "sides",
    "Statements",
    (
        Computed("1", "orders: read orders", "inside"),
        Computed("2", "large", "inside", ("1",)),
        Computed("c", "by_country", "boundary", ("2",)),
        Computed("3", "countries <read>", "anywhere"),
        Computed("4", "report", "outside", ("c", "3")),
        Computed("b", "overall", "boundary", ("4",)),
        Computed(
            "5", "a very long name of a statement that is made of all that was merged", "inside", ("1", "b")
        ),
    ),
)


def drawn(sides: Sides, title: str = "") -> ET.Element:
    return ET.fromstring(draw_sides(words(Language.EN), sides, title=title))


def boxes(picture: ET.Element) -> dict[str, dict[str, float]]:
    """The rectangles by the texts in them."""
    found = {}
    for group in picture.iter(f"{SVG}g"):
        box, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        assert box is not None and text is not None
        found[text.text or ""] = {each: float(box.attrib[each]) for each in ("x", "y", "width", "height")}
    return found


def test_each_statement_stands_in_the_lane_of_its_side_below_what_it_is_made_of() -> None:
    found = boxes(drawn(SIDES))
    inside, boundary, outside = (found[each]["x"] for each in ("large", "by_country", "report"))
    assert inside < boundary < outside == found["countries <read>"]["x"]
    assert found["large"]["y"] < found["by_country"]["y"] < found["report"]["y"]
    assert all(each["x"] >= 0 and each["x"] + each["width"] <= WIDTH for each in found.values())
    titles = [each.text for each in drawn(SIDES).findall(f"{SVG}text")]
    assert titles == ["Inside each region", "Crosses the boundary", "Outside"]


def test_there_is_a_line_for_each_input() -> None:
    lines = [each for each in drawn(SIDES).iter(f"{SVG}path") if each.get("class") == "line"]
    assert len(lines) == sum(len(each.inputs) for each in SIDES.computed)


def test_long_names_are_cut_and_the_text_has_them_in_full() -> None:
    long = SIDES.computed[-1].label
    assert not any(len(each) > 30 for each in boxes(drawn(SIDES)))
    assert f"Inside each region: {long}" in sides_text(words(Language.EN), SIDES)
    title = drawn(SIDES, "What <is> where").find(f"{SVG}title")
    assert title is not None and title.text == "What <is> where"


def test_a_picture_of_many_statements_is_as_high_as_a_page() -> None:
    many = tuple(Computed(str(number), "rows", "inside") for number in range(40))
    assert is_tall(Sides("sides", "", many)) and not is_tall(SIDES)
