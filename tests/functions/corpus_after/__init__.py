"""Functions that were written when the analysis was done, before anybody looked at what it says of them."""
