"""What a program of the tests begins with that tries several things, and goes on after those that fail."""

from __future__ import annotations

from typing import Final

ATTEMPTS: Final = """
answers = {}

def attempt(name, action):
    try:
        action()
        answers[name] = ""
    except Exception as error:
        answers[name] = f"{type(error).__name__}: {error}"

"""
"""By the name of each attempt, its error, or nothing; ``answers`` is what the program prints in the end."""
