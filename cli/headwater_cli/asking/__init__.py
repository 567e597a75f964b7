"""How commands ask: the store or server that is named, the node that is meant, moments, bounds and pages."""
