"""Functions that keep something between calls, or change what has another name, too."""
