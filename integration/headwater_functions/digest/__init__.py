"""A digest of a function with all that the program gives it: what was declared of it holds for this code alone.

Part of it are the function's code and, of what that uses: functions and classes of the program, data in globals,
closures and defaults, the text of modules that are shipped or stand beside the program (``own``), and the versions of
libraries that are not known here. ``canonical`` brings what a pickle has into one text. ``written`` says the same of a
file that was not executed; what only executing it would tell has no digest that counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from headwater_functions.code import Function
from headwater_functions.digest.canonical import Canonical
from headwater_functions.digest.own import Own, UncertainError


def digest_of(function: Function, texts: Mapping[str, bytes] | None = None) -> str:
    """``3.12:…``: the Python that compiled it, and a digest of the function and of what it uses.

    ``texts`` are the modules by name that the program brings. Comments and lines of the function's own file do not
    count. Raises ``UncertainError`` if it uses what is not known.
    """
    own = Own(texts or {})
    described = Canonical(own).of_function(function)
    text = repr((described, own.used()))
    return f"{function.code.version}:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


__all__ = ["UncertainError", "digest_of"]
