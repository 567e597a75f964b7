"""A reader of pickles that executes nothing: bytes in, records of code out, or the reason why not."""
