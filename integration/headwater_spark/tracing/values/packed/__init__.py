"""Values that are packed into a text or a variant, and taken out of it again.

``members``: by the names of members, of JSON, XML and CSV; ``texts``: by their places between constants of a text.
What is packed in a notation, and taken in another, is all of it (``headwater_facets.packing``).
"""
