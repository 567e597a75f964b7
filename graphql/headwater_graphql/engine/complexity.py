"""How large a GraphQL request may be: what it selects with all fragments put in, and what its variables hold.

Counted before validation, whose rules take the square of what is selected, and follow a fragment each time that it is
spread::

    query { ...A }  fragment A on Query { ...B ...B }  fragment B on Query { ...C ...C }  …

doubles with each fragment. Here each fragment is measured once, so that counting takes time linear in the document.
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
"""Of selections and fragments within each other; fields alone are bounded by the depth limit."""
MAX_TEXT: Final = 20_000
"""Characters of a variable; names and paths together are at most 7,000 bytes in every store."""
MAX_VALUES: Final = 20_000
MAX_DIGITS: Final = 400
"""Of an integer in the document; Python reads none of more than 4,300."""


class BoundedValidation(ValidationCache):
    """Validates a document once and remembers it; refuses one that is too large to be validated."""

    def on_validate(self) -> Iterator[None]:
        execution = self.execution_context
        refused = too_large(execution.graphql_document, execution.variables)
        if refused:
            execution.pre_execution_errors = [refused]
            yield
        else:
            yield from super().on_validate()


def too_large(document: DocumentNode | None, variables: Any) -> GraphQLError | None:
    """What is wrong with the size of a request; None when nothing is."""
    if document and any(len(number) > MAX_DIGITS for number in _integers(document)):
        return GraphQLError(f"a number has more than {MAX_DIGITS} digits")
    fields = _Selected(document).fields if document else 0
    if fields > MAX_FIELDS:
        return GraphQLError(f"more than {MAX_FIELDS} fields are asked for, or they nest too deep")
    for values, text in enumerate(_texts(variables), 1):
        if values > MAX_VALUES:
            return GraphQLError(f"the variables hold more than {MAX_VALUES} values")
        if len(text) > MAX_TEXT:
            return GraphQLError(f"a variable is longer than {MAX_TEXT} characters")
    return None


def fields_of(document: DocumentNode, field: FieldNode) -> int:
    """How many fields it selects, with all fragments put in."""
    return _Selected(document).within(field.selection_set)


class _Selected:
    """Counts what all operations of a document select, fields and spreads; a spread counts with all of its fragment.

    Fragments that no operation spreads are validated, too, so the largest of them counts if it is larger.
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
        """What is selected there."""
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
                    pass  # there is no other
        return count

    def _of(self, fragment: str, nesting: int) -> int:
        """A fragment in itself counts nothing here: validation says what is wrong with it."""
        if fragment not in self._known:
            self._known[fragment] = 0
            found = self._fragments.get(fragment)
            self._known[fragment] = self._within(found.selection_set, nesting) if found else 0
        return self._known[fragment]


def _integers(document: DocumentNode) -> Iterator[str]:
    """The digits of each integer that is written in the document."""
    token = document.loc.start_token if document.loc else None
    while token:
        if token.kind is TokenKind.INT:
            yield token.value or ""
        token = token.next


def _texts(variables: Any) -> Iterator[str]:
    """Each value as a text, names of members too; what is no text is an empty one."""
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
