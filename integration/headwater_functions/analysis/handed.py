"""Arguments that know whether a rule has looked at them: one that it has not cannot be in what it says."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import overload

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.calls import Rule
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.values import Edge, Value, with_edges


class _ByPlace(Sequence[Value]):
    def __init__(self, values: Sequence[Value]) -> None:
        self._values = list(values)
        self._seen: set[int] = set()

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        places = range(len(self._values))[place]
        self._seen.update(places if isinstance(places, range) else [places])
        return self._values[place]

    def __len__(self) -> int:
        return len(self._values)

    @property
    def unseen(self) -> list[Value]:
        return [value for place, value in enumerate(self._values) if place not in self._seen]


class _ByName(UserDict[str, Value]):
    def __init__(self, values: Mapping[str, Value]) -> None:
        self._seen: set[str] = set()
        super().__init__(values)

    def __getitem__(self, name: str) -> Value:
        self._seen.add(name)
        return self.data[name]

    @property
    def unseen(self) -> list[Value]:
        return [value for name, value in self.data.items() if name not in self._seen]


def whole(f: Frame, rule: Rule, call: Call) -> Value:
    """The result of a rule; opaque if something that it has not looked at may be in it."""
    places, names = _ByPlace(call.args), _ByName(call.keywords)
    found = rule(f, replace(call, args=places, keywords=names))
    unseen = [v for v in (*places.unseen, *names.unseen) if _says_more(f, v)]
    return (
        f.touched([found, *unseen], f"it gives {call.name} an argument that is not known")
        if unseen
        else found
    )


def _says_more(f: Frame, value: Value) -> bool:
    """Whether the value is up to more than the call itself."""
    reached, _ = f.state.reached(value, whole=True)
    return f.calls_own(value) or not reached <= f.pc.edges


def apart(f: Frame, rule: Rule, call: Call, *, arguments: bool) -> Value:
    """The result of a rule that is given what values are without what decided about them, which decides about it.

    ``arguments``: also of the arguments by position and by name; else of the receiver alone.
    """
    decisions: set[Edge] = set()

    def plain(value: Value) -> Value:
        found = frozenset(e for e in value.edges if e.how.decides)
        decisions.update(found)
        return replace(value, edges=value.edges - found) if found else value

    if call.receiver is not None:
        call.receiver = plain(call.receiver)
    if arguments:
        call.args = [plain(v) for v in call.args]
        call.keywords = {n: plain(v) for n, v in call.keywords.items()}
    return with_edges(whole(f, rule, call), decisions)
