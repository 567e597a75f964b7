"""The ``headwater`` command, the only package that imports all the others."""
