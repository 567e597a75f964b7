"""Functions in the manner of real code, written without a look at the reader or at other corpora."""
