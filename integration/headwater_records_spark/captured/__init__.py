"""What is kept of a write for later questions, beside the data: ids and paths, and no values."""
