"""The packages that some formats need, and the error where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from headwater_backend.domain.errors import HeadwaterError


class ReportsMissing(HeadwaterError):  # noqa: N818, the name describes the condition
    """A format needs a package of the extra ``reports``."""

    code = "REPORTS_MISSING"


def require(module: str, format_name: str) -> Any:
    """The module; raises ``ReportsMissing`` without it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ReportsMissing(
            f"{format_name} needs headwater[reports] ({error.name} is not installed)",
            "pip install 'headwater[reports]'",
        ) from error
