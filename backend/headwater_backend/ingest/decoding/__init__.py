"""Decoding: from an event of any producer to records, or to the error for which it is refused."""
