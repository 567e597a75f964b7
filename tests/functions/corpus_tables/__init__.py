"""Classes of table functions, as users write them."""
