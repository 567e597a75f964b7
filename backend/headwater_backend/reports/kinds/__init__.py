"""The kinds of reports: one function each, from answers on privacy to sections."""
