"""A path of a dataset, as it is typed: ``DATASET [PATH] [--namespace NS]``.

DATASET is a dataset's name, or enough of its end to tell it apart: ``tweets`` finds ``/data/in/tweets``, and
``customers`` finds ``public.customers``.
"""

from __future__ import annotations

from typing import Any

from headwater_cli.ask import Place
from headwater_cli.errors import Failure

CANDIDATES = 200


def node_ref(place: Place, dataset: str, path: str | None, namespace: str | None) -> dict[str, Any]:
    """The GraphQL ``NodeRef``. Raises ``Failure`` when the dataset is unknown or several have that name."""
    from headwater_facets.path import Path

    steps = Path.parse(path).to_wire() if path else []
    if namespace is None:
        namespace, dataset = _find(place, dataset)
    return {"namespace": namespace, "name": dataset, "path": steps}


def _find(place: Place, wanted: str) -> tuple[str, str]:
    edges = place.ask("datasets", {"search": wanted, "first": CANDIDATES})["datasets"]["edges"]
    known = [(edge["node"]["namespace"], edge["node"]["name"]) for edge in edges]
    found = [key for key in known if key[1] == wanted] or [key for key in known if _ends(key[1], wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = "; ".join(f"--namespace {namespace} {name}" for namespace, name in found[:5])
        raise Failure(
            "AMBIGUOUS_DATASET", f"{len(found)} datasets are called {wanted!r}", f"say which: {listed}"
        )
    near = ", ".join(name for _, name in known[:5])
    raise Failure(
        "UNKNOWN_DATASET",
        f"no dataset is called {wanted!r}",
        f"there is {near}" if near else "`headwater datasets` lists what there is",
    )


def _ends(name: str, end: str) -> bool:
    return name.endswith((f"/{end}", f".{end}"))
