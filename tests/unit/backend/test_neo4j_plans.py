"""Neo4j plans each statement once, whatever its parameters are."""

from __future__ import annotations

from typing import Any

from headwater_backend.stores.neo4j.transaction import Neo4jTransaction


class Received:
    """A transaction of the driver that keeps what it is asked to run, and finds nothing."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.parameters: list[dict[str, Any]] = []

    def run(self, statement: str, **parameters: Any) -> Received:
        self.statements.append(statement)
        self.parameters.append(parameters)
        return self

    def values(self) -> list[Any]:
        return []

    def consume(self) -> None:
        pass


def test_neo4j_gets_one_parameter_of_one_type() -> None:
    received = Received()
    transaction = Neo4jTransaction(received)  # type: ignore[arg-type]
    transaction.rows("UNWIND $keys AS key RETURN key LIMIT $count", keys=["a"], count=1)
    transaction.rows("UNWIND $keys AS key RETURN key LIMIT $count", keys=["a"] * 1_000, count=None)
    transaction.write("UNWIND $rows AS r CREATE (n) SET n = r", [{"key": "a"}])
    asked = "UNWIND $given.keys AS key RETURN key LIMIT $given.count"
    assert received.statements == [asked, asked, "UNWIND $given.rows AS r CREATE (n) SET n = r"]
    assert [(list(each), type(each["given"])) for each in received.parameters] == [(["given"], dict)] * 3
    assert received.parameters[2] == {"given": {"rows": [{"key": "a"}]}}
