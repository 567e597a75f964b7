"""Commands about personal data: who holds them, what has changed, and whether policies allow it."""
