"""The values of a program that a text names, as `@limit` in a query."""

from __future__ import annotations

import re
from typing import Any

from headwater_pandas.given.literals import running


def named_in(text: Any) -> tuple[Any, ...]:
    """What the names with an ``@`` stand for, in the innermost function of the program."""
    names = set(re.findall(r"@\s*([^\W\d]\w*)", text)) if isinstance(text, str) else set()
    frame = next(running(), None) if names else None
    if frame is None:
        return ()
    scope = {**frame.f_globals, **frame.f_locals}
    return tuple(scope[each] for each in sorted(names) if each in scope)
