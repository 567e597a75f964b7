"""Decisions of stewards about names: from decisions to the links that join datasets (``in_force.aliases``)."""
