"""What a search knows around a node: edges that were read ahead, readers' own names, and other notations of a text."""
