"""Kept operations: those in ``graphql/queries``, used by the explorer and the command line, and configured ones.

A request may refer to a kept operation instead of sending its text, and a server may accept no others::

    {"operationName": "Backward", "variables": {…}}
    {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}, "variables": {…}}

The hash is the SHA-256 of the operation's text in UTF-8, as in Apollo's persisted queries. Requests cannot register
operations on the server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, OperationType, parse
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.errors import HeadwaterError
from headwater_graphql.context import TextsByName
from headwater_graphql.engine.permissions import root_fields
from headwater_graphql.engine.root_fields import access_of
from headwater_graphql.queries import queries


class OperationNotKept(HeadwaterError):  # noqa: N818, the name describes the condition
    """No kept operation has that hash or text, and the server accepts no others."""

    code = "OPERATION_NOT_KEPT"


class OperationsError(HeadwaterError):
    """A file of kept operations is invalid."""

    code = "OPERATIONS_INVALID"


@dataclass(frozen=True, slots=True)
class Operations:
    """Kept operations: texts by SHA-256 in hexadecimal, and by operation name.

    ``only`` is whether requests for other operations are refused.
    """

    by_hash: Mapping[str, str] = field(default_factory=dict)
    by_name: Mapping[str, str] = field(default_factory=dict)
    only: bool = False
    linkable: frozenset[str] = frozenset()
    """Hashes of the operations that GET requests may use."""

    @classmethod
    def load(cls, folder: Path | None = None, only: bool = False) -> Operations:
        """Return the built-in operations and those in the folder's ``*.graphql`` files; raises ``OperationsError``."""
        texts = {name: text for text in queries().values() for name in _names(text)}
        for file, text in _texts(folder):
            try:
                names = list(_names(text))
            except GraphQLError as error:
                raise OperationsError(f"{file}: {error.message}") from None
            if len(names) != 1 or texts.get(names[0], text) != text:
                raise OperationsError(
                    f"{file} has {len(names)} operations, or one with a duplicate name",
                    "each file must have one operation with a unique name",
                )
            texts[names[0]] = text
        by_hash = {digest(text): text for text in texts.values()}
        linkable = frozenset(hashed for hashed, text in by_hash.items() if _is_public_query(text))
        return cls(by_hash, texts, only, linkable)

    def text(self, query: str | None, name: str | None, extensions: Mapping[str, Any] | None) -> str | None:
        """Return the requested operation's text; None if the request has neither a text nor a reference.

        Raises ``OperationNotKept``.
        """
        persisted = (extensions or {}).get("persistedQuery")
        hashed = persisted.get("sha256Hash") if isinstance(persisted, Mapping) else None
        if not query and isinstance(hashed, str):
            return self._by_hash(hashed.lower())
        if not query:
            return self.by_name.get(name) if name else None
        if self.only and digest(query) not in self.by_hash:
            raise OperationNotKept(
                "this server accepts kept operations only",
                f"request one by name: {', '.join(self.by_name)}",
            )
        return query

    def allows_get(self, text: str) -> bool:
        """Return whether GET requests may use it: it is kept, and only queries lineage."""
        return digest(text) in self.linkable

    def _by_hash(self, hashed: str) -> str:
        found = self.by_hash.get(hashed)
        if found is None:
            raise OperationNotKept(f"no kept operation has the hash {hashed[:64]!r}", "send its text")
        return found


class KeptOperations(SchemaExtension):
    """Schema extension that inserts the kept text into requests that refer to it, and refuses other operations.

    It comes after the extensions that validate, because their result for the replaced text of a refused request is
    irrelevant.
    """

    _refused: GraphQLError | None = None

    def on_operation(self) -> Iterator[None]:
        execution = self.execution_context
        kept: TextsByName = execution.context.operations or Operations()
        name = execution._provided_operation_name  # execution.operation_name needs the parsed document
        try:
            execution.query = kept.text(execution.query, name, execution.operation_extensions)
        except OperationNotKept as error:
            self._refused = GraphQLError(error.message, original_error=error)
            execution.query, execution._provided_operation_name = "{ __typename }", None
        yield

    def on_validate(self) -> Iterator[None]:
        if self._refused:
            self.execution_context.pre_execution_errors = [self._refused]
        yield


def digest(text: str) -> str:
    """Return the hash that identifies an operation."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _is_public_query(text: str) -> bool:
    """Return whether it is a query, and none of its root fields needs a special permission or is audited."""
    document = _parsed(text)
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fields = {field.name.value for each in operations for field in root_fields(document, each.selection_set)}
    is_query = all(each.operation is OperationType.QUERY for each in operations)
    return is_query and all(access_of(field).is_public for field in fields)


@cache
def _parsed(text: str) -> DocumentNode:
    return parse(text, no_location=True)


def _names(text: str) -> Iterator[str]:
    for definition in _parsed(text).definitions:
        if isinstance(definition, OperationDefinitionNode):
            yield definition.name.value if definition.name else ""


def _texts(folder: Path | None) -> Iterable[tuple[Path, str]]:
    if folder is not None and not folder.is_dir():
        raise OperationsError(f"{folder} is not a directory")
    for file in sorted(folder.glob("*.graphql")) if folder else ():
        yield file, file.read_text(encoding="utf-8")
