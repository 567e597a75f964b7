"""Questions about records, which are answered beside the data and not by a server."""
