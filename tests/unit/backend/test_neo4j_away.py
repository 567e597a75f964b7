"""Writers that wait for each other while Neo4j is away."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from neo4j.exceptions import ClientError, DatabaseError, Neo4jError, ServiceUnavailable, TransientError

from headwater_backend.domain.errors import StoreFailedError, StoreUnavailable
from headwater_backend.domain.records import Batch
from headwater_backend.stores.neo4j.address import address_of
from headwater_backend.stores.neo4j.store import Neo4jStore

WRITERS = 5
PATIENCE = 20


class Failing(Neo4jStore):
    """A store without a driver, each of whose sessions ends with an error."""

    def __init__(self) -> None:
        super().__init__(None, address_of("bolt://nowhere"))  # type: ignore[arg-type]

    @contextmanager
    def _session(self) -> Iterator[Any]:
        raise self.failure()
        yield

    @abstractmethod
    def failure(self) -> Exception: ...


class Gone(Failing):
    """A store whose driver tries for as long as the test likes, in vain."""

    def __init__(self) -> None:
        super().__init__()
        self.tries = 0
        self.enough = threading.Event()

    def failure(self) -> Exception:
        self.tries += 1
        assert self.enough.wait(PATIENCE)
        return ServiceUnavailable("connection refused")


class Watched:
    """A lock that records the threads that acquire it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.coming = threading.Semaphore(0)

    def __enter__(self) -> None:
        self.coming.release()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_who_waited_for_a_writer_in_vain_does_not_try_too(monkeypatch: pytest.MonkeyPatch) -> None:
    store, lock = Gone(), Watched()
    monkeypatch.setattr(store, "_writing", lock)
    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(store.apply, Batch()) for _ in range(WRITERS)]
        for _ in writing:
            assert lock.coming.acquire(timeout=PATIENCE)
        store.enough.set()
        failures = [each.exception(PATIENCE) for each in writing]
    assert [type(error) for error in failures] == [StoreUnavailable] * WRITERS
    assert {str(error) for error in failures} == {"bolt://nowhere does not answer: connection refused"}
    assert store.tries == 1
    with pytest.raises(StoreUnavailable):
        store.apply(Batch())
    assert store.tries == 2


class Full(Failing):
    """A store whose server has no memory for what it is asked, once ``enough`` have come."""

    def __init__(self) -> None:
        super().__init__()
        self.tries = 0
        self.enough = threading.Event()

    @contextmanager
    def _session(self) -> Iterator[Any]:
        yield self

    def execute_write(self, writing: Callable[[Any], Any]) -> Any:
        """As the driver's session: tries again what the server calls temporary."""
        for _ in range(3):
            with suppress(TransientError):
                return writing(None)
        raise self.failure()

    def failure(self) -> Exception:
        self.tries += 1
        assert self.enough.wait(PATIENCE)
        code = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
        return Neo4jError._hydrate_neo4j(code=code, message="no")


def test_a_batch_that_is_too_large_is_tried_once_and_does_not_fail_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, lock = Full(), Watched()

    def fails(*_: object) -> None:
        raise store.failure()

    monkeypatch.setattr("headwater_backend.stores.rows.writing.apply", fails)
    monkeypatch.setattr(store, "_writing", lock)
    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(store.apply, Batch()) for _ in range(WRITERS)]
        for _ in writing:
            assert lock.coming.acquire(timeout=PATIENCE)
        store.enough.set()
        failures = [each.exception(PATIENCE) for each in writing]
    assert [type(error) for error in failures] == [StoreUnavailable] * WRITERS
    assert store.tries == WRITERS, "each asked once, and none got the error of another"


class Refusing(Failing):
    """A store whose server answers each statement with an error."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code

    def failure(self) -> Exception:
        return Neo4jError._hydrate_neo4j(code=self.code, message="no")


@pytest.mark.parametrize(
    ("code", "kind", "expected"),
    [
        ("Neo.TransientError.Transaction.DeadlockDetected", TransientError, StoreUnavailable),
        ("Neo.DatabaseError.Statement.ExecutionFailed", DatabaseError, StoreFailedError),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", ClientError, StoreFailedError),
        ("Neo.ClientError.Security.Forbidden", ClientError, StoreUnavailable),
    ],
)
def test_only_what_may_go_well_later_is_to_be_tried_again(
    code: str, kind: type[Exception], expected: type[Exception]
) -> None:
    with pytest.raises(expected) as raised:
        Refusing(code).apply(Batch())
    assert isinstance(raised.value.__cause__, kind)
