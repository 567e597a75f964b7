"""Personal data: in come rules and lineage, out comes who holds which attribute in which form."""
