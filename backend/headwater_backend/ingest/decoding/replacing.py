"""Whether a write left data of before in its output.

Lineage of earlier runs stays current until a write replaces the whole content (``in_force.current``). Two facets of the
output say so: ``headwater_extent`` is exact, and ``lifecycleStateChange`` lists OVERWRITE and TRUNCATE. Agents in
Spark report each overwrite; any other write of theirs is an append, and so is what they call CREATE where the table
was there already. Other producers do not, and their jobs are taken to make their outputs anew.
"""

from __future__ import annotations

from typing import Final

from headwater_backend.domain.facet_readers import Facets, replaced, state_change
from headwater_facets.kinds import Replaced

ANEW: Final = ("OVERWRITE", "TRUNCATE")
"""The changes after which nothing of before is taken to be left, where no extent is known."""


def keeps_content(output: Facets, job: Facets) -> bool:
    """Whether a write with these facets of its output and its job left data of before in the output."""
    if extent := replaced(output):
        return extent != Replaced.WHOLE
    change, _ = state_change(output.get("lifecycleStateChange")) or ("", None)
    return job.get("jobType", {}).get("integration") == "SPARK" and change not in ANEW
