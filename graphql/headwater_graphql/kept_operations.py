"""The kept operations: those of ``graphql/queries``, which the explorer offers and the command sends, and one's own.

A request may name a kept operation instead of sending its text, and a server may take no others::

    {"operationName": "Backward", "variables": {…}}
    {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}, "variables": {…}}

The hash is SHA-256 over the operation's text in UTF-8, as in Apollo's persisted queries; texts that are not kept on the
server cannot be added by a request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphql import GraphQLError, OperationDefinitionNode, OperationType, parse
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.errors import HeadwaterError
from headwater_graphql.context import TextsByName
from headwater_graphql.engine.permissions import root_fields
from headwater_graphql.engine.root_fields import AUDITED, FIELDS
from headwater_graphql.queries import queries


class OperationNotKept(HeadwaterError):  # noqa: N818, the name says what is the case
    """No kept operation has that hash or text, and no other is taken."""

    code = "OPERATION_NOT_KEPT"


class OperationsError(HeadwaterError):
    """A file of kept operations that cannot be used."""

    code = "OPERATIONS_INVALID"


@dataclass(frozen=True, slots=True)
class Operations:
    """Kept operations: texts by their SHA-256 in hexadecimal, and by the name of their only operation.

    ``only`` is whether requests may send no other text.
    """

    by_hash: Mapping[str, str] = field(default_factory=dict)
    by_name: Mapping[str, str] = field(default_factory=dict)
    only: bool = False
    linkable: frozenset[str] = frozenset()
    """The hashes of those that may be asked for by a link."""

    @classmethod
    def kept(cls, folder: Path | None = None, only: bool = False) -> Operations:
        """Ours, and those in the ``*.graphql`` files of a folder; raises ``OperationsError``."""
        texts = {name: text for text in queries().values() for name in _names(text)}
        for file, text in _texts(folder):
            try:
                names = list(_names(text))
            except GraphQLError as error:
                raise OperationsError(f"{file}: {error.message}") from None
            if len(names) != 1 or texts.get(names[0], text) != text:
                raise OperationsError(
                    f"{file} has {len(names)} operations, or one whose name is taken",
                    "a file has one operation with a name of its own",
                )
            texts[names[0]] = text
        by_hash = {digest(text): text for text in texts.values()}
        linkable = frozenset(hashed for hashed, text in by_hash.items() if _asks_nothing_personal(text))
        return cls(by_hash, texts, only, linkable)

    def text(self, query: str | None, name: str | None, extensions: Mapping[str, Any] | None) -> str | None:
        """What a request asks for; None when it says neither a text nor a kept operation.

        Raises ``OperationNotKept``.
        """
        asked = (extensions or {}).get("persistedQuery")
        hashed = asked.get("sha256Hash") if isinstance(asked, Mapping) else None
        if not query and isinstance(hashed, str):
            return self._of_hash(hashed.lower())
        if not query:
            return self.by_name.get(name) if name else None
        if self.only and digest(query) not in self.by_hash:
            raise OperationNotKept(
                "this server takes kept operations only",
                f"ask for one by its name: {', '.join(self.by_name)}",
            )
        return query

    def may_be_linked(self, text: str) -> bool:
        """Whether it is kept, and whoever sees its answer has only asked about lineage."""
        return digest(text) in self.linkable

    def _of_hash(self, hashed: str) -> str:
        found = self.by_hash.get(hashed)
        if found is None:
            raise OperationNotKept(f"no kept operation has the hash {hashed[:64]!r}", "send its text")
        return found


class KeptOperations(SchemaExtension):
    """Puts the kept text into a request that names it, and refuses those that are not kept.

    It goes behind the extensions that validate: what they say of the text in the refused one's place does not matter.
    """

    _refused: GraphQLError | None = None

    def on_operation(self) -> Iterator[None]:
        execution = self.execution_context
        kept: TextsByName = execution.context.operations or Operations()
        name = execution._provided_operation_name  # execution.operation_name looks into the document
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
    """By which hash an operation is asked for."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _asks_nothing_personal(text: str) -> bool:
    """Whether it is a query, and none of its root fields takes a permission of its own or is noted."""
    document = parse(text, no_location=True)
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fields = {field.name.value for each in operations for field in root_fields(document, each.selection_set)}
    return all(each.operation is OperationType.QUERY for each in operations) and not fields & {
        *FIELDS,
        *AUDITED,
    }


def _names(text: str) -> Iterator[str]:
    for definition in parse(text, no_location=True).definitions:
        if isinstance(definition, OperationDefinitionNode):
            yield definition.name.value if definition.name else ""


def _texts(folder: Path | None) -> Iterable[tuple[Path, str]]:
    if folder is not None and not folder.is_dir():
        raise OperationsError(f"{folder} is no folder")
    for file in sorted(folder.glob("*.graphql")) if folder else ():
        yield file, file.read_text(encoding="utf-8")
