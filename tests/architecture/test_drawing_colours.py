"""Drawings have the colours of the explorer's page, which are written twice: no file that leaves it has its styles."""

from __future__ import annotations

import re

import pytest

from kit.shared import ROOT

SOURCES = ROOT / "graphql/explorer/src"


@pytest.mark.parametrize(
    ("constant", "selector"), [("LIGHT", ":root {"), ("DARK", ':root[data-theme="dark"] {')]
)
def test_the_colours_are_the_page_s(constant: str, selector: str) -> None:
    css = (SOURCES / "styles/colours.css").read_text("utf-8").partition(f"\n{selector}")[2].partition("}")[0]
    script = (SOURCES / "drawing/palette.ts").read_text("utf-8")
    palette = script.partition(f"export const {constant}: Palette = {{")[2].partition("}")[0]
    drawn = {
        re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name): value
        for name, value in re.findall(r'(\w+): "(#\w+)"', palette)
    }
    assert len(drawn) == 20
    assert drawn.items() <= dict(re.findall(r"--([a-z-]+): (#\w+);", css)).items()
