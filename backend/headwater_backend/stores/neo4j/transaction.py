"""A transaction of Neo4j, and its errors as ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from neo4j import ManagedTransaction, Result
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from headwater_backend.domain.errors import StoreFailedError, StoreUnavailable
from headwater_backend.in_force.current import FOREVER
from headwater_backend.stores.neo4j.statements import STATEMENTS
from headwater_backend.stores.rows.statements import Statements

if TYPE_CHECKING:
    from typing_extensions import LiteralString

ROWS: Final = 10_000
"""The most rows that one statement writes."""

_NOT_OF_THE_BATCH = ("Neo.ClientError.Security.", "Neo.ClientError.Database.", "Neo.ClientError.Cluster.")
"""Errors that do not depend on what is written: waiting until somebody fixes the cause is right."""

_OF_THE_WORK = ("Memory", "StackOverFlow")
"""Parts of codes of temporary errors that depend on the statement, so that retrying it would be in vain."""

T = TypeVar("T")


class Neo4jTransaction:
    """A transaction of the driver. Statements that write get ``$rows``."""

    statements: Final[Statements] = STATEMENTS

    def __init__(self, transaction: ManagedTransaction, known: int = FOREVER) -> None:
        self._tx = transaction
        self.known = known

    def rows(self, statement: LiteralString, **parameters: Any) -> Sequence[Any]:
        return self._run(statement, parameters).values()

    def write(self, statement: LiteralString, rows: Iterable[Any]) -> None:
        waiting = iter(rows)
        while chunk := list(islice(waiting, ROWS)):
            self._run(statement, {"rows": chunk}).consume()

    def delete(self, statement: LiteralString, **parameters: Any) -> int:
        deleted = self._run(statement, parameters).consume().counters
        return deleted.nodes_deleted + deleted.relationships_deleted

    def _run(self, statement: LiteralString, parameters: dict[str, Any]) -> Result:
        """Execute the statement with one parameter, the map of all of them.

        Neo4j plans a statement for the types of its parameters, and for the magnitude of the sizes of lists and texts
        among them; a plan takes up to a second. Of a map it asks neither, so each statement is planned once.
        """
        return self._tx.run(statement.replace("$", "$given."), given=parameters)


def tried_once(writing: Callable[[ManagedTransaction], T], tx: ManagedTransaction) -> T:
    """Write, but do not let the driver retry what fails because of its own size."""
    try:
        return writing(tx)
    except TransientError as error:
        if any(word in (error.code or "") for word in _OF_THE_WORK):
            raise StoreUnavailable(f"Neo4j cannot do this: {error.message}") from error
        raise


def is_answer(error: StoreUnavailable) -> bool:
    """Whether the error is an answer of Neo4j itself, which was reachable then."""
    return isinstance(error.__cause__, Neo4jError) and not isinstance(error.__cause__, DatabaseUnavailable)


@contextmanager
def translated(address: str) -> Iterator[None]:
    """The driver's errors as ours."""
    try:
        yield
    except AuthError as error:
        hint = "set NEO4J_USERNAME, and NEO4J_PASSWORD or HEADWATER_NEO4J_PASSWORD_FILE"
        raise StoreUnavailable(f"{address} does not let us in: {error.message}", hint) from error
    except (ServiceUnavailable, SessionExpired, DatabaseUnavailable) as error:
        raise StoreUnavailable(f"{address} does not answer: {error}", "is Neo4j running?") from error
    except DriverError as error:  # the server was not asked
        raise StoreUnavailable(f"{address}: {error}") from error
    except Neo4jError as error:
        message = f"{address}: {error.message if isinstance(error, ClientError) else error}"
        if error.is_retryable():
            raise StoreUnavailable(message) from error
        if isinstance(error, ClientError) and error.code.startswith(_NOT_OF_THE_BATCH):
            raise StoreUnavailable(message, "may this user write to this database?") from error
        raise StoreFailedError(message) from error
