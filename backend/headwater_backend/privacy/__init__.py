"""Personal data: from rules and lineage to the paths that hold each attribute, and the form of its values."""
