"""A path of a dataset, as it is typed: ``DATASET [PATH] [--namespace NS]``; and a job.

DATASET is one of a dataset's names, or enough of its end to tell it apart: ``tweets`` finds ``/data/in/tweets``, and
``customers`` finds ``public.customers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.asking.ask import Place
from headwater_cli.asking.paged import listed
from headwater_cli.terminal.errors import Failure

MARK = "#"
"""Between a dataset and its path, where both are one word."""
CANDIDATES = 10_000
"""So many names that hold the text are looked at."""


def node_ref(place: Place, dataset: str, path: str | None, namespace: str | None) -> dict[str, Any]:
    """The GraphQL ``NodeRef`` of ``DATASET PATH`` or ``DATASET#PATH``.

    Raises ``Failure`` when the dataset is unknown or several have that name.
    """
    from headwater_facets.path import Path

    before, mark, after = dataset.partition(MARK)
    if path is None and mark and not _is_known(place, dataset, namespace):
        dataset, path = before, after
    steps = Path.parse(path).to_wire() if path else []
    if namespace is None:
        namespace, dataset = _find(place, dataset)
    return {"namespace": namespace, "name": dataset, "path": steps}


def dataset_ref(place: Place, dataset: str, namespace: str | None) -> dict[str, str]:
    """Namespace and name of a whole dataset; wrong usage where a path of it is named."""
    node = node_ref(place, dataset, None, namespace)
    if node["path"]:
        raise click.UsageError(
            f"this is asked of a whole dataset: leave out {MARK}{dataset.partition(MARK)[2]}"
        )
    return {"namespace": node["namespace"], "name": node["name"]}


def _is_known(place: Place, name: str, namespace: str | None) -> bool:
    """Whether a dataset is called so, ``#`` and all."""
    found, _ = listed(place, "named_datasets", {"text": name}, CANDIDATES)
    return any(name in _names(each) and namespace in (None, each["namespace"]) for each in found)


def job_ref(place: Place, job: str, namespace: str | None) -> dict[str, Any]:
    """Namespace and name of a job. Raises ``Failure`` when none has that name, or several have."""
    if namespace is None:
        asked = {"text": job, "kinds": ["JOB"], "by": ["NAME"]}
        found, _ = listed(place, "search", asked, CANDIDATES)
        namespace, job = _one(place, "JOB", job, {_key(each): {each["name"]} for each in found})
    return {"namespace": namespace, "name": job}


def _find(place: Place, wanted: str) -> tuple[str, str]:
    found, _ = listed(place, "named_datasets", {"text": wanted}, CANDIDATES)
    return _one(place, "DATASET", wanted, {_key(each): _names(each) for each in found})


def _names(found: Mapping[str, Any]) -> set[str]:
    return {found["name"], *(other["name"] for other in found["dataset"]["names"])}


def _key(named: Mapping[str, Any]) -> tuple[str, str]:
    return named["namespace"], named["name"]


def _one(place: Place, kind: str, wanted: str, known: Mapping[tuple[str, str], set[str]]) -> tuple[str, str]:
    """The one that has the name among its names, or the only one of which a name ends so."""
    ends = [key for key, names in known.items() if any(_ends(name, wanted) for name in names)]
    found = [key for key, names in known.items() if wanted in names] or ends
    if len(found) == 1:
        return found[0]
    word = kind.lower()
    if found:
        choices = "; ".join(f"--namespace {namespace} {name}" for namespace, name in found[:5])
        raise Failure(
            f"AMBIGUOUS_{kind}", f"{len(found)} {word}s are called {wanted!r}", f"say which: {choices}"
        )
    containing = ", ".join(name for _, name in list(known)[:5])
    near = f"there is {containing}" if containing else did_you_mean(place, wanted, kind)
    raise Failure(
        f"UNKNOWN_{kind}", f"no {word} is called {wanted!r}", near or f"`{_LISTS[kind]}` lists what there is"
    )


_LISTS = {"DATASET": "headwater datasets", "JOB": "headwater search '' --kind job"}


def did_you_mean(place: Place, wanted: str, *kinds: str) -> str | None:
    """A hint with the nearest names of things of these kinds (``NameKind``); None where none is near."""
    near = place.ask("near_names", {"text": wanted, "kinds": kinds})["nearNames"]
    return f"did you mean {' or '.join(map(repr, near))}?" if near else None


def _ends(name: str, end: str) -> bool:
    return name.endswith((f"/{end}", f".{end}"))
