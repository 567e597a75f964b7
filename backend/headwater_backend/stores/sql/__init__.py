"""What stores over SQL databases share: the statements, and what writes and searches by them."""
