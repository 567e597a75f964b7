"""What each operation of pandas does to records and columns: a rule takes a call that returned, and gives its dataset.

A rule that finds the outlines otherwise than it expects gives None: the call is not understood then, and everything may
have contributed to everything. `TABLE` has the rules by kind of the subject and name of the function.
"""
