"""A path of a dataset, as it is typed: ``DATASET [PATH] [--namespace NS]``; and a job.

DATASET is one of a dataset's names, or enough of its end to tell it apart: ``tweets`` finds ``/data/in/tweets``, and
``customers`` finds ``public.customers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_cli.ask import Place
from headwater_cli.errors import Failure
from headwater_cli.paged import listed

CANDIDATES = 10_000
"""So many names that hold the text are looked at."""


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
        asked = {"text": job, "kinds": ["JOB"], "by": ["NAME"]}
        found, _ = listed(place, "search", asked, CANDIDATES)
        namespace, job = _one("JOB", "job", job, {_key(each): {each["name"]} for each in found})
    return {"namespace": namespace, "name": job}


def _find(place: Place, wanted: str) -> tuple[str, str]:
    found, _ = listed(place, "named_datasets", {"text": wanted}, CANDIDATES)
    names = {
        _key(each): {each["name"], *(other["name"] for other in each["dataset"]["names"])} for each in found
    }
    return _one("DATASET", "dataset", wanted, names)


def _key(named: Mapping[str, Any]) -> tuple[str, str]:
    return named["namespace"], named["name"]


def _one(code: str, kind: str, wanted: str, known: Mapping[tuple[str, str], set[str]]) -> tuple[str, str]:
    """The one that has the name among its names, or the only one of which a name ends so."""
    ends = [key for key, names in known.items() if any(_ends(name, wanted) for name in names)]
    found = [key for key, names in known.items() if wanted in names] or ends
    if len(found) == 1:
        return found[0]
    if found:
        choices = "; ".join(f"--namespace {namespace} {name}" for namespace, name in found[:5])
        raise Failure(
            f"AMBIGUOUS_{code}", f"{len(found)} {kind}s are called {wanted!r}", f"say which: {choices}"
        )
    near = ", ".join(name for _, name in list(known)[:5])
    lists = "headwater datasets" if kind == "dataset" else "headwater search '' --kind job"
    raise Failure(
        f"UNKNOWN_{code}",
        f"no {kind} is called {wanted!r}",
        f"there is {near}" if near else f"`{lists}` lists what there is",
    )


def _ends(name: str, end: str) -> bool:
    return name.endswith((f"/{end}", f".{end}"))
