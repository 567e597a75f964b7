"""Personal data: from classification and lineage to who holds each attribute, in which form, and what follows."""
