"""Commands that change a table with versions: what it is after them is a plan over the version before.

The plan is the meaning of the command, and not how it was run. So it is compared with the rows of the version that the
command made, wherever it is asked or kept: if they are others, the answer is refused.
"""
