"""Secrets from a variable of the environment, or from a file that a variable names, as containers mount them.

They are never options: everybody on a machine can read a program's arguments.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from headwater_backend.domain.errors import HeadwaterError


class SecretError(HeadwaterError):
    """A secret that cannot be read. The message never contains any part of it."""

    code = "SECRET"


def secret(variable: str, file_variable: str) -> str | None:
    """The value of the variable, else the content of the file that the other one names, stripped; None without both.

    Raises ``SecretError`` when the file cannot be read, or is empty.
    """
    value = os.environ.get(variable, "").strip()
    file = os.environ.get(file_variable)
    if value or not file:
        return value or None
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise SecretError(f"{file_variable}: {file}: {why}", "may this user read it?") from None
    if not text:
        raise SecretError(f"{file_variable}: {file} is empty")
    return text


def without_credentials(url: str) -> str:
    """The URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def holds_password(url: str) -> bool:
    """Whether the URL contains a password."""
    try:
        return urlsplit(url).password is not None
    except ValueError:
        return "@" in url
