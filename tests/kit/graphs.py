"""Small random graphs of edges, with personal attributes, for laws of the answers about personal data."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from headwater_backend.domain.model import Edge
from kit.memory_store import edge, node

_NODES = [f"{name}{path}" for name in "abcd" for path in (":x", ":s", ":s.p", ":s.q", "")]
_KINDS = ["IDENTITY", "COMPUTE", "SUM", "HASH", "FILTER", "DRIVER", "IDENTITY+HASH", "COMPUTE+FILTER"]
KNOWN = [node(text) for text in _NODES]


def _graphs(targets: Sequence[str]) -> st.SearchStrategy[list[Edge]]:
    edges = st.builds(
        lambda source, kinds, target, job: edge(f"{source} -{kinds}-> {target} @{job}"),
        st.sampled_from(_NODES),
        st.sampled_from(_KINDS),
        st.sampled_from(targets),
        st.sampled_from(["one", "two"]),
    )
    return st.lists(edges, max_size=9, unique_by=lambda each: (each.source, each.target, each.job))


graphs = _graphs(_NODES)
graphs_into_leaves = _graphs([text for text in _NODES if text.endswith((":x", ".p", ".q"))])
tagged = st.lists(st.sampled_from(KNOWN), min_size=1, max_size=4, unique=True)
