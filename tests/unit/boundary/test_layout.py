"""How emitted code is laid out."""

from __future__ import annotations

from headwater_boundary.split.frames import Frame, select_text, text, unique
from headwater_boundary.split.layout import indented


def test_lines_are_indented_by_the_brackets_that_are_open() -> None:
    code = 'rows = (\norders\n.agg(\nF.expr("sum(x) )"),\n)\n)'
    assert indented(code) == 'rows = (\n    orders\n    .agg(\n        F.expr("sum(x) )"),\n    )\n)'


def test_texts_are_literals_that_give_the_text_again() -> None:
    for each in ("plain", 'with "quotes"', "it's", "back\\slash", "line\nbreak", "ü", "\x00"):
        assert eval(text(each)) == each


def test_names_differ_whatever_their_case() -> None:
    assert unique("Id", ["id", "ID_2"]) == "Id_3"


def test_columns_that_keep_their_names_are_not_renamed() -> None:
    assert select_text("amount", "amount") == "amount"
    assert select_text("`a b`", "a b") == "`a b`"
    assert select_text("amount + 1", "more") == "amount + 1 AS more"
    assert select_text("x", "from") == "x AS `from`"


def test_a_chain_of_calls_is_one_expression() -> None:
    frame = Frame("orders", (), {}, ()).then('.filter("a")').then(".limit(3)")
    assert frame.code() == '(\norders\n.filter("a")\n.limit(3)\n)'
