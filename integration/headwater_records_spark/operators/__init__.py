"""One rule for each kind of operator: the same operator over an input that also gives derivations."""
