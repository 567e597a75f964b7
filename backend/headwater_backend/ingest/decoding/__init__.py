"""Decoding: in comes an event of any producer, out come records, or why it is refused."""
