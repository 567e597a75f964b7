"""Which datasets are one, or copies of each other, according to events and to stewards, in GraphQL."""
