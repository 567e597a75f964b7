"""What stewards decide about names: in come decisions, out come the links that join datasets (``stores.aliases``)."""
