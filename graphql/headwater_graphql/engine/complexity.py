"""Size limits of GraphQL requests: selected fields with all fragments expanded, and values of variables.

Sizes are checked before validation, whose rules take quadratic time in the selected fields, and visit a fragment for
each of its spreads::

    query { ...A }  fragment A on Query { ...B ...B }  fragment B on Query { ...C ...C }  …

doubles with each fragment. Each fragment is counted once, so counting takes time linear in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    TokenKind,
)
from strawberry.extensions import ValidationCache

MAX_FIELDS: Final = 500
MAX_NESTING: Final = 60
"""Maximum nesting of selections and fragments; for fields alone the depth limit applies."""
MAX_TEXT: Final = 20_000
"""Maximum characters of a variable; stores limit names and paths together to 7,000 bytes."""
MAX_VALUES: Final = 20_000
MAX_DIGITS: Final = 400
"""Maximum digits of an integer in the document; Python's own limit is 4,300."""


class BoundedValidation(ValidationCache):
    """Schema extension that caches validated documents, and refuses documents too large to validate."""

    def on_validate(self) -> Iterator[None]:
        execution = self.execution_context
        refused = too_large(execution.graphql_document, execution.variables)
        if refused:
            execution.pre_execution_errors = [refused]
            yield
        else:
            yield from super().on_validate()


def too_large(document: DocumentNode | None, variables: Any) -> GraphQLError | None:
    """Return the error if the request is too large, or None."""
    if document and any(len(number) > MAX_DIGITS for number in _integers(document)):
        return GraphQLError(f"a number has more than {MAX_DIGITS} digits")
    fields = _SelectionCounter(document).fields if document else 0
    if fields > MAX_FIELDS:
        return GraphQLError(f"more than {MAX_FIELDS} fields are selected, or they nest too deeply")
    for values, text in enumerate(_texts(variables), 1):
        if values > MAX_VALUES:
            return GraphQLError(f"the variables contain more than {MAX_VALUES} values")
        if len(text) > MAX_TEXT:
            return GraphQLError(f"a variable is longer than {MAX_TEXT} characters")
    return None


def fields_of(document: DocumentNode, field: FieldNode) -> int:
    """Return how many fields the field selects, with all fragments expanded."""
    return _SelectionCounter(document).within(field.selection_set)


class _SelectionCounter:
    """Counts the fields and spreads of a document's operations; a spread counts with its whole fragment.

    Validation also visits unused fragments, so the largest of them counts if it is larger.
    """

    def __init__(self, document: DocumentNode) -> None:
        self._fragments = {
            each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)
        }
        self._known: dict[str, int] = {}
        operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
        self.fields = sum(self._within(each.selection_set, 0) for each in operations)
        self.fields = max(self.fields, *(self._of(name, 0) for name in self._fragments), 0)

    def within(self, selected: SelectionSetNode | None) -> int:
        """Return the count for a selection set."""
        return self._within(selected, 0)

    def _within(self, selected: SelectionSetNode | None, nesting: int) -> int:
        if selected is None:
            return 0
        if nesting > MAX_NESTING:
            return MAX_FIELDS + 1
        count = 0
        for selection in selected.selections:
            match selection:
                case FieldNode():
                    count += 1 + self._within(selection.selection_set, nesting + 1)
                case InlineFragmentNode():
                    count += self._within(selection.selection_set, nesting + 1)
                case FragmentSpreadNode():
                    count += 1 + self._of(selection.name.value, nesting + 1)
                case _:
                    pass  # no other kinds exist
        return count

    def _of(self, fragment: str, nesting: int) -> int:
        """Count a fragment once; while it is being counted, it counts 0, and validation reports the cycle."""
        if fragment not in self._known:
            self._known[fragment] = 0
            found = self._fragments.get(fragment)
            self._known[fragment] = self._within(found.selection_set, nesting) if found else 0
        return self._known[fragment]


def _integers(document: DocumentNode) -> Iterator[str]:
    """Yield the digits of each integer literal in the document."""
    token = document.loc.start_token if document.loc else None
    while token:
        if token.kind is TokenKind.INT:
            yield token.value or ""
        token = token.next


def _texts(variables: Any) -> Iterator[str]:
    """Yield each value and member name as a string; the empty string for values of other types."""
    work = [variables]
    while work:
        value = work.pop()
        if isinstance(value, Mapping):
            yield from map(str, value)
            work.extend(value.values())
        elif isinstance(value, list):
            work.extend(value)
            yield ""
        else:
            yield value if isinstance(value, str) else ""
