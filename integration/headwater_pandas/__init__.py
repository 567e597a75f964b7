"""Provenance of pandas programs: which records, and which of their values, a frame was made of.

``df = headwater_pandas.track(pd.read_csv(…))`` tracks a frame, ``with headwater_pandas.tracking():`` all that is
read inside, and ``with headwater_pandas.run("job"):`` sends the lineage of columns to OpenLineage's receivers as well.
A tracked frame is the frame that it was. Every call of pandas on it is observed; what comes out are answers, from
memory: ``why``, ``influence``, ``how``, ``forward``, ``transformations``, ``co_contributory``, ``co_dependent``,
``lost`` and ``explain``, findings by ``leaks``, ``erasure`` and ``diff``, and a drawing by ``graph``; ``origins`` goes
on through captured jobs of Spark. A call that is not understood is listed as one: everything may have contributed to
its result. No value is kept.
"""

from headwater_pandas.answers import (
    NotTrackedError,
    co_contributory,
    co_dependent,
    explain,
    forward,
    how,
    influence,
    transformations,
    why,
)
from headwater_pandas.drawing import graph
from headwater_pandas.findings.changes import diff
from headwater_pandas.findings.erasure import erasure
from headwater_pandas.findings.leaks import leaks
from headwater_pandas.findings.losses import lost
from headwater_pandas.findings.origins import origins
from headwater_pandas.run import run
from headwater_pandas.tracking import stop, track, tracking

__all__ = [
    "NotTrackedError",
    "co_contributory",
    "co_dependent",
    "diff",
    "erasure",
    "explain",
    "forward",
    "graph",
    "how",
    "influence",
    "leaks",
    "lost",
    "origins",
    "run",
    "stop",
    "track",
    "tracking",
    "transformations",
    "why",
]
