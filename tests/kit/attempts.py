"""What a program of the tests begins with that tries several things, and goes on after those that fail."""

from __future__ import annotations

from typing import Final

ATTEMPTS: Final = """
said = {}

def attempt(name, action):
    try:
        action()
        said[name] = ""
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"

"""
"""By the name of each attempt, its error, or nothing; ``said`` is what the program prints in the end."""
