"""Decisions of stewards about names: from decisions to the links that join datasets (``stores.aliases``)."""
