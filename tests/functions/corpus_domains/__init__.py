"""Functions of many domains, written without a look at the reader or at other corpora."""
