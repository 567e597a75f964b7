"""A path of a dataset, as it is typed: ``DATASET [PATH] [--namespace NS]``; and a job.

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


def job_ref(place: Place, job: str, namespace: str | None) -> dict[str, Any]:
    """Namespace and name of a job. Raises ``Failure`` when none has that name, or several have."""
    if namespace is None:
        asked = {"text": job, "kinds": ["JOB"], "by": ["NAME"], "first": CANDIDATES}
        edges = place.ask("search", asked)["search"]["edges"]
        namespace, job = _one("JOB", "job", job, [(e["node"]["namespace"], e["node"]["name"]) for e in edges])
    return {"namespace": namespace, "name": job}


def _find(place: Place, wanted: str) -> tuple[str, str]:
    edges = place.ask("datasets", {"search": wanted, "first": CANDIDATES})["datasets"]["edges"]
    known = [(edge["node"]["namespace"], edge["node"]["name"]) for edge in edges]
    return _one("DATASET", "dataset", wanted, known)


def _one(code: str, kind: str, wanted: str, known: list[tuple[str, str]]) -> tuple[str, str]:
    """The one that has the name, or the only one whose name ends so."""
    found = [key for key in known if key[1] == wanted] or [key for key in known if _ends(key[1], wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = "; ".join(f"--namespace {namespace} {name}" for namespace, name in found[:5])
        raise Failure(
            f"AMBIGUOUS_{code}", f"{len(found)} {kind}s are called {wanted!r}", f"say which: {listed}"
        )
    near = ", ".join(name for _, name in known[:5])
    lists = "headwater datasets" if kind == "dataset" else "headwater search '' --kind job"
    raise Failure(
        f"UNKNOWN_{code}",
        f"no {kind} is called {wanted!r}",
        f"there is {near}" if near else f"`{lists}` lists what there is",
    )


def _ends(name: str, end: str) -> bool:
    return name.endswith((f"/{end}", f".{end}"))
