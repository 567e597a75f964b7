"""Forms as reports and the command line name them: what each step leaves readable is not merely computed.

``lower(email)`` has the form TRANSFORMED, as a substring has, but whoever has it reads the address: it is CONTAINED.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from headwater_backend.domain.model import Transformation
from headwater_backend.privacy.forms import Form
from headwater_facets.kinds import Retains

CONTAINED: Final = "CONTAINED"
"""The name of the form of what is readable in another notation: in other case, in a text, decoded."""
SHOWN: Final = (Form.IDENTITY.name, CONTAINED, *(form.name for form in Form if form is not Form.IDENTITY))
"""The names of all forms, the strongest first."""

Route = Sequence[Collection[Transformation]]
"""The transformations of each step."""


def shown_forms(forms: Sequence[Form], route: Route) -> tuple[str, ...]:
    """The names of forms, the strongest first, in which something came on the route."""
    names = [form.name for form in forms]
    if forms and forms[0] is Form.TRANSFORMED and route and all(map(_is_readable, route)):
        names[0] = CONTAINED
    return tuple(names)


def by_strength(shown: Iterable[str]) -> tuple[str, ...]:
    """The names, the strongest first."""
    return tuple(sorted(shown, key=SHOWN.index))


def _is_readable(step: Iterable[Transformation]) -> bool:
    """Whether the whole value can be read after the step."""
    return any(
        kind.retains in (Retains.VALUE, Retains.CONTAINS)
        or (kind.retains is None and kind.carries_structure and not kind.masking)
        for kind in step
    )
