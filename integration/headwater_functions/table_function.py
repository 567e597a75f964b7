"""What a class of a table function does: Spark makes one, gives it row after row, and asks for what is left at the end.

What Spark does with the class is written here as a function over it, which is read like any other: rows that the class
keeps in itself until later are followed through it. The function is compiled, and never called.
"""

from __future__ import annotations

from dataclasses import replace

from headwater_functions.analysis.classes import chain, codes_of
from headwater_functions.code import Class, Function, of_source
from headwater_functions.unreadable import UnreadableError

_CLASS = "table_function"
_ROWS = """
def rows({arguments}):
    handler = table_function()
    for _ in (0, 1):
        for row in handler.eval({arguments}):
            yield row
{end}"""
_END = """
    for row in handler.terminate():
        yield row
"""


def driven(handler: Class, arguments: int) -> Function:
    """The rows that Spark gets of the class, of so many arguments by position.

    Raises ``UnreadableError`` for a class that has no code for rows, or is made with what ``analyze`` gave, which runs
    elsewhere.
    """
    members = {name: member for each in reversed(chain(handler)) for name, member in each.members.items()}
    rows = codes_of(members.get("eval"))
    if len(rows) != 1:
        raise UnreadableError("NO_FUNCTION", f"{handler.name} has no method eval that was sent")
    made = codes_of(members.get("__init__"))
    if "analyze" in members and any(code.argument_count > 1 for code in made):
        raise UnreadableError(
            "SORT", f"{handler.name} is made with what it analysed before", "let eval look at its arguments"
        )
    names = ", ".join(f"a{i}" for i in range(arguments))
    end = _END if "terminate" in members else ""
    code = of_source(_ROWS.format(arguments=names, end=end))
    stands = replace(code, name=handler.name, file=rows[0].file, first_line=rows[0].first_line)
    return Function(stands, {_CLASS: handler})
