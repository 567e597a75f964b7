"""Proposals of datasets that may be one: with the same name, similar columns, and namespaces that differ only in form.

None of that is certain: ``localhost`` is another machine for everybody. So these are questions to a steward, and no
answer treats such datasets as one before the steward has decided it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from headwater_backend.domain.model import Dataset, DatasetKey
from headwater_backend.ports import Datasets

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1", "0.0.0.0"})  # noqa: S104 - compared, not bound
_SCHEMES: Final = {"s3a": "s3", "s3n": "s3", "postgresql": "postgres", "abfs": "abfss", "wasb": "wasbs"}
_PORTS: Final = {
    "postgres": "5432",
    "mysql": "3306",
    "mssql": "1433",
    "sqlserver": "1433",
    "oracle": "1521",
    "kafka": "9092",
    "hive": "9083",
    "hdfs": "8020",
    "cassandra": "9042",
    "mongodb": "27017",
    "redshift": "5439",
    "trino": "8080",
}


class Proposal(NamedTuple):
    """A proposal: ``name`` may be another name of ``dataset``."""

    name: DatasetKey
    dataset: DatasetKey
    why: str


def proposals(store: Datasets) -> list[Proposal]:
    """All proposals, by name."""
    return list(_proposals(store))


def _proposals(store: Datasets) -> Iterator[Proposal]:
    alike: dict[tuple[str, str], list[DatasetKey]] = {}
    for key in store.dataset_keys():
        alike.setdefault((likeness(key.namespace), key.name.strip("/")), []).append(key)
    for keys in (keys for keys in alike.values() if len(keys) > 1):
        known = store.get_datasets(keys)
        yield from _alike([known[key] for key in keys if key in known])


def likeness(namespace: str) -> str:
    """A text that is equal for namespaces that may be one."""
    scheme, separator, rest = namespace.partition("://")
    scheme = _SCHEMES.get(scheme.lower(), scheme.lower())
    if scheme == "file":
        return scheme
    authority, slash, path = rest.rstrip("/").partition("/")
    hosts = sorted({_host(scheme, each) for each in authority.split(",")})
    return f"{scheme}{separator}{','.join(hosts)}{slash}{path}"


def _host(scheme: str, authority: str) -> str:
    found = re.fullmatch(r"(?:[^@]*@)?(\[[^]]*\]|[^:]*)(?::(\d+))?", authority.lower())
    host, port = found.groups() if found else (authority, None)
    port = port or _PORTS.get(scheme)
    return ("localhost" if host in _LOOPBACK else host) + (f":{port}" if port else "")


def _alike(datasets: Iterable[Dataset]) -> Iterator[Proposal]:
    """A proposal for each dataset with the first whose columns include its own, or are included in them."""
    firsts: list[tuple[Dataset, frozenset[str]]] = []
    for dataset in datasets:
        columns = frozenset(field.name.lower() for field in dataset.fields)
        alike = [
            (each, columns & others) for each, others in firsts if columns <= others or others <= columns
        ]
        if columns and alike:
            known, shared = alike[0]
            why = f"the same name, columns alike ({len(shared)}), and namespaces that may be one"
            yield Proposal(dataset.key, known.key, why)
        elif columns:
            firsts.append((dataset, columns))
