"""Models of scikit-learn: a model is made of the records that it was fitted on, and decides about what it gives.

What a model gives is made of the record at its place (``why``); the records of the fit have an influence. ``columns``
says which columns each column was made of, and ``watch`` observes the methods.
"""
