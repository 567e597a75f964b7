"""Questions about records, which are answered beside the data, and where that is."""
