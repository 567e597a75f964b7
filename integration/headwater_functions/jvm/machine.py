"""Runs instructions of the JVM over abstract values, along all ways, until nothing more is found.

A value is a set of paths of the arguments. What a branch tests decides about the whole result. An object that is made
and filled step by step is known by where it is made: whatever is put into it at any time may be read from it always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.values import (
    CONDITION,
    FACT,
    NULL_TEST,
    PLAIN,
    Edge,
    How,
    changed,
    extracted,
)
from headwater_functions.jvm.known import CONSTANTS, MADE, MODULES, Known, known
from headwater_functions.jvm.values import (
    DATA,
    PARAMETER,
    PLAIN_DATA,
    SECOND,
    Held,
    Method,
    State,
    first_of,
    slots,
    unreadable,
)

MOST_STEPS = 20_000
MOST_DEPTH = 8
MOST_EDGES = 200


class Machine:
    """Reads the methods of one class within one budget of steps."""

    def __init__(self, owner: str, methods: Mapping[str, Method]) -> None:
        self.owner, self.methods = owner, methods
        self.steps = 0
        self.decided: set[Edge] = set()
        self.contents: dict[Any, frozenset[Edge]] = {}
        self.has_grown = False

    def result(self, entry: str, arguments: Sequence[Held]) -> frozenset[Edge]:
        """All that leads to what the method gives back, and what decides about it."""
        while True:
            self.has_grown = False
            found = self.run(entry, arguments, ()).edges
            if not self.has_grown:
                return found | frozenset(self.decided)

    def folded(self, steps: Mapping[str, str], given: Sequence[Held]) -> frozenset[Edge]:
        """The same of an aggregator, whose methods fold any number of rows into what it gives back at last.

        ``steps`` are its methods by what they do; ``given`` are the slots of one row.
        """
        this = Held(program=True)
        held = self.run(steps["zero"], [this], ("zero",))
        while True:
            self.has_grown = False
            buffer = list(slots(held, first_of(steps["finish"])))
            found = [
                self.run(steps["reduce"], [this, *buffer, *given], ("reduce",)),
                self.run(steps["merge"], [this, *buffer, *buffer], ("merge",)),
            ]
            result = self.run(steps["finish"], [this, *buffer], ("finish",))
            before = held
            for each in found:
                held = held.joined(replace(each, constant=None))
            if held == before and not self.has_grown:
                return self.all_of(result) | frozenset(self.decided)

    def run(self, key: str, arguments: Sequence[Held], site: tuple[Any, ...]) -> Held:
        method = self.methods.get(key)
        if method is None:
            raise unreadable("CALL", f"it calls {key.partition('(')[0]}, which is not read")
        if len(site) >= MOST_DEPTH:
            raise unreadable("TOO_DEEP", "its methods call each other too deeply")
        if method.has_handlers:
            raise unreadable("CONSTRUCT", "it handles exceptions")
        return _Run(self, method, arguments, site).end()

    def decide(self, values: Iterable[Held], how: How = CONDITION) -> None:
        found = frozenset().union(*(self.all_of(v) for v in values))
        self.decided |= changed(found, how)

    def all_of(self, value: Held) -> frozenset[Edge]:
        """What the value is made of, with what was put into it."""
        return value.edges.union(*(self.contents.get(s, frozenset()) for s in value.sites))

    def fill(self, value: Held, edges: frozenset[Edge]) -> None:
        for site in value.sites:
            before = self.contents.get(site, frozenset())
            if not edges <= before:
                self.contents[site] = before | edges
                self.has_grown = True

    def computed(self, values: Iterable[Held], how: How = PLAIN) -> Held:
        return Held(changed(frozenset().union(*(self.all_of(v) for v in values)), how))


class _Run:
    """One method being read."""

    def __init__(
        self, machine: Machine, method: Method, arguments: Sequence[Held], site: tuple[Any, ...]
    ) -> None:
        self.machine, self.method, self.site = machine, method, site
        self.states: dict[int, State] = {0: State([], dict(enumerate(arguments)))}
        self.pending = {0}
        self.given: Held | None = None
        self.index = 0
        self.state = State([], {})

    def end(self) -> Held:
        while self.pending:
            self.index = min(self.pending)
            self.pending.discard(self.index)
            self.machine.steps += 1
            if self.machine.steps > MOST_STEPS:
                raise unreadable("TOO_LONG", "reading it takes too many steps", "divide it")
            self.state = self.states[self.index].copy()
            self._step(*self.method.code[self.index])
        return self.given if self.given is not None else PLAIN_DATA

    def _go(self, *targets: int) -> None:
        for target in targets:
            if not 0 <= target < len(self.method.code):
                raise unreadable("BYTECODE", "it jumps out of its code")
            known_state = self.states.get(target)
            if known_state is None:
                self.states[target] = self.state.copy()
                self.pending.add(target)
            elif self.state.join_into(known_state):
                self.pending.add(target)

    def pop(self, count: int = 1) -> list[Held]:
        if count > len(self.state.stack):
            raise unreadable("BYTECODE", "its stack is empty")
        taken = self.state.stack[len(self.state.stack) - count :]
        del self.state.stack[len(self.state.stack) - count :]
        return taken

    def push(self, value: Held, *, wide: bool = False) -> None:
        self.state.stack.append(value)
        if wide:
            self.state.stack.append(SECOND)

    def pop_typed(self, kind: str) -> Held:
        return self.pop(2)[0] if kind in ("J", "D") else self.pop()[0]

    def new_site(self) -> Held:
        return Held(sites=frozenset(((*self.site, self.index),)))

    # Instructions

    def _step(self, op: int, *operands: Any) -> None:
        for low, high, handler in _HANDLERS:
            if low <= op <= high:
                if handler(self, op, operands) is not False:
                    self._go(self.index + 1)
                return
        raise unreadable("CONSTRUCT", f"an instruction that is not read ({op})")

    def constant(self, op: int, operands: tuple[Any, ...]) -> None:
        if op == 18:
            kind, value = operands[0], operands[1] if len(operands) > 1 else None
            self.push(Held(constant=value), wide=kind == "wide")
        elif op in (16, 17):
            self.push(Held(constant=operands[0]))
        elif 2 <= op <= 8:
            self.push(Held(constant=op - 3))
        elif op:
            self.push(PLAIN_DATA, wide=op in (9, 10, 14, 15))

    def load(self, op: int, operands: tuple[Any, ...]) -> None:
        found = self.state.names.get(operands[0])
        if found is None:
            raise unreadable("BYTECODE", "it reads a variable that has no value")
        self.push(found, wide=op in (22, 24))

    def store(self, op: int, operands: tuple[Any, ...]) -> None:
        self.state.names[operands[0]] = self.pop_typed("J" if op in (55, 57) else "I")

    def element(self, op: int, operands: tuple[Any, ...]) -> None:
        taken = self.pop(2)
        if taken[0].program:
            raise unreadable(
                "GLOBAL", "it reads an array of the program, which may change", "give it as an argument"
            )
        self.push(self.machine.computed(taken), wide=op in (47, 49))

    def store_element(self, op: int, operands: tuple[Any, ...]) -> None:
        value = self.pop_typed("J" if op in (80, 82) else "I")
        array, place = self.pop(2)
        if not array.sites or array.edges or array.program:
            raise unreadable("IN_PLACE", "it changes an array that it was given")
        self.machine.fill(array, self.machine.computed([value, place]).edges)

    def move(self, op: int, operands: tuple[Any, ...]) -> None:
        """Instructions that only move slots of the stack: by how many they take, and what they leave of them."""
        count, left = _MOVES[op]
        taken = self.pop(count)
        self.state.stack += [taken[place] for place in left]

    def arithmetic(self, op: int, operands: tuple[Any, ...]) -> None:
        kind = "IJFD"[(op - 96) % 4] if op < 120 else "IJ"[op % 2]
        taken = [] if 116 <= op <= 119 else [self.pop_typed("I" if 120 <= op <= 125 else kind)]
        self.push(self.machine.computed([*taken, self.pop_typed(kind)]), wide=kind in "JD")

    def increment(self, op: int, operands: tuple[Any, ...]) -> None:
        self.state.names[operands[0]] = self.machine.computed([self.state.names.get(operands[0], PLAIN_DATA)])

    def convert(self, op: int, operands: tuple[Any, ...]) -> None:
        value = self.pop_typed("J" if op in (136, 137, 138, 142, 143, 144) else "I")
        self.push(self.machine.computed([value]), wide=op in (133, 135, 138, 140, 141, 143))

    def compare(self, op: int, operands: tuple[Any, ...]) -> None:
        kind = "F" if op in (149, 150) else "J"
        self.push(self.machine.computed([self.pop_typed(kind), self.pop_typed(kind)]))

    def branch(self, op: int, operands: tuple[Any, ...]) -> None:
        how = NULL_TEST if op in (198, 199) else CONDITION
        self.machine.decide(self.pop(2 if 159 <= op <= 166 else 1), how)
        self._go(*operands)

    def jump(self, op: int, operands: tuple[Any, ...]) -> bool:
        self._go(*operands)
        return False

    def switch(self, op: int, operands: tuple[Any, ...]) -> bool:
        self.machine.decide(self.pop())
        self._go(*operands)
        return False

    def give(self, op: int, operands: tuple[Any, ...]) -> bool:
        found = self.pop_typed("J" if op in (173, 175) else "I") if op != 177 else PLAIN_DATA
        if found.program:
            raise unreadable("CONSTRUCT", "it gives back an object of the program")
        found = replace(found, edges=self.machine.all_of(found)) if found.sites and not self.site else found
        self.given = found if self.given is None else self.given.joined(found)
        return False

    def throw(self, op: int, operands: tuple[Any, ...]) -> bool:
        return False

    def field(self, op: int, operands: tuple[Any, ...]) -> None:
        owner, name, kind, final = operands
        holder = self.pop()[0] if op == 180 else None
        if op not in (178, 180):
            raise unreadable("GLOBAL", f"it keeps something in {owner}.{name}", "keep state out of functions")
        if holder is not None and (not holder.program or holder.edges or holder.sites):
            raise unreadable("CONSTRUCT", f"it reads a field of {owner}")
        if owner == self.machine.owner and final:
            self.push(Held(program=kind not in DATA), wide=kind in "JD")
        elif op == 178 and ((name == "MODULE$" and MODULES.fullmatch(owner)) or (owner, name) in CONSTANTS):
            self.push(PLAIN_DATA)
        else:
            raise unreadable("GLOBAL", f"it reads {owner}.{name}, which may change", "give it as an argument")

    def make(self, op: int, operands: tuple[Any, ...]) -> None:
        if op != 187:
            self.pop()
        elif operands[0] not in MADE:
            raise unreadable("CONSTRUCT", f"it makes an object of {operands[0].replace('/', '.')}")
        self.push(self.new_site())

    def about(self, op: int, operands: tuple[Any, ...]) -> None:
        """``instanceof``, and the length of an array."""
        self.push(self.machine.computed(self.pop(), FACT))

    def call(self, op: int, operands: tuple[Any, ...]) -> None:
        owner, name, descriptor = operands
        parameters, result = (
            PARAMETER.findall(descriptor[1 : descriptor.index(")")]),
            descriptor.split(")")[1],
        )
        given = [self.pop_typed(kind) for kind in reversed(parameters)][::-1]
        receiver = [] if op in (184, 186) else self.pop()
        if op == 186:
            found = self._linked(owner, given)
        elif owner == self.machine.owner and f"{name}{descriptor}" in self.machine.methods:
            filled = [s for v, kind in zip(given, parameters, strict=True) for s in slots(v, kind)]
            found = self.machine.run(f"{name}{descriptor}", [*receiver, *filled], (*self.site, self.index))
        elif name == "<init>" and owner in MADE:
            self._refuse_program(given)
            self.machine.fill(receiver[0], self.machine.computed(given).edges)
            found = PLAIN_DATA
        else:
            gives = known(owner, name, descriptor)
            if gives is None:
                called = f"{owner.replace('/', '.')}.{name}"
                raise unreadable("CALL", f"it calls {called}, which is not known", "declare what it does")
            self._refuse_program([*receiver, *given])
            found = self._known(gives, receiver, given)
        if result != "V":
            self.push(found, wide=result in "JD")

    def _linked(self, owner: str, given: list[Held]) -> Held:
        """What is linked when it is first called: texts that are put together, or a function."""
        if owner != "java/lang/invoke/StringConcatFactory":
            raise unreadable("CALLBACK", "it makes a function", "write a loop")
        self._refuse_program(given)
        return self.machine.computed(given)

    def _known(self, gives: Known, receiver: list[Held], given: list[Held]) -> Held:
        machine = self.machine
        if gives is Known.BUILDS:
            if not receiver[0].sites or receiver[0].edges or receiver[0].program:
                raise unreadable("IN_PLACE", "it changes a text that it was given")
            machine.fill(receiver[0], machine.computed(given).edges)
            return receiver[0]
        if (
            gives is Known.MEMBER
            and len(given) == 1
            and given[0].constant is not None
            and not receiver[0].sites
        ):
            members = extracted(receiver[0].edges, ("item", given[0].constant))
            if len(members) > MOST_EDGES:
                raise unreadable("TOO_LONG", "it takes too many members", "divide it")
            return Held(members)
        held = [v for v in (*receiver, *given) if v.edges or v.sites]
        if gives is Known.MOVES and len(held) == 1:
            return replace(held[0], constant=None)
        found = machine.computed([*receiver, *given], FACT if gives is Known.FACT else PLAIN)
        for value in given:
            machine.fill(value, machine.computed([*receiver, *given]).edges)
        return found

    @staticmethod
    def _refuse_program(values: list[Held]) -> None:
        """An object of the program that is handed to what may ask it for anything."""
        if any(v.program for v in values):
            raise unreadable("CALLBACK", "it hands an object of the program to a library")


_MOVES: Mapping[int, tuple[int, tuple[int, ...]]] = {
    87: (1, ()),
    88: (2, ()),
    89: (1, (0, 0)),
    90: (2, (1, 0, 1)),
    91: (3, (2, 0, 1, 2)),
    92: (2, (0, 1, 0, 1)),
    93: (3, (1, 2, 0, 1, 2)),
    94: (4, (2, 3, 0, 1, 2, 3)),
    95: (2, (1, 0)),
}
_Handler = Callable[[_Run, int, tuple[Any, ...]], bool | None]
_HANDLERS: Sequence[tuple[int, int, _Handler]] = [
    (0, 18, _Run.constant),
    (21, 25, _Run.load),
    (46, 53, _Run.element),
    (54, 58, _Run.store),
    (79, 86, _Run.store_element),
    (87, 95, _Run.move),
    (96, 131, _Run.arithmetic),
    (132, 132, _Run.increment),
    (133, 147, _Run.convert),
    (148, 152, _Run.compare),
    (153, 166, _Run.branch),
    (167, 167, _Run.jump),
    (170, 171, _Run.switch),
    (172, 177, _Run.give),
    (178, 181, _Run.field),
    (182, 186, _Run.call),
    (187, 189, _Run.make),
    (190, 190, _Run.about),
    (191, 191, _Run.throw),
    (192, 192, lambda run, op, operands: None),
    (193, 193, _Run.about),
    (198, 199, _Run.branch),
]
"""By ranges of the instructions' numbers in class files."""
