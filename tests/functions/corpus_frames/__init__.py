"""Functions over frames, groups and iterators that are easy to read wrongly; written apart from the analysis."""
