"""How an aggregate over all regions follows from aggregates of each: what leaves a region, and how it is put together.

``aggregated`` is what a rule is given and what it answers, ``rules`` the table of them; ``moments`` and ``quantiles``
are families with statistics of their own. What has no rule is refused.
"""

from headwater_boundary.split.merging.aggregated import (
    Aggregated,
    Merge,
    arguments_of,
    condition_of,
    unwrapped,
)
from headwater_boundary.split.merging.rules import merge_of

__all__ = ["Aggregated", "Merge", "arguments_of", "condition_of", "merge_of", "unwrapped"]
