"""Which paths hold personal data: from tags, rules and categories to attributes."""
