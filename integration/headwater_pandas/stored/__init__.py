"""Where what a program reads and writes is stored: the datasets, and the files that records lie in."""
