"""`headwater demo`: generated tweets, three Spark jobs, and the questions about them."""
