"""Runs a program over abstract values: block by block, along all ways, until nothing more is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import Closure
from headwater_functions.analysis.control import Blocks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.work import Reader
from headwater_functions.analysis.heap import State
from headwater_functions.analysis.instructions.table import OPERATIONS
from headwater_functions.analysis.values import (
    COMPUTED,
    NOTHING,
    Value,
    constant,
    join,
    with_edges,
)
from headwater_functions.bytecode.program import Handler, Program
from headwater_functions.unreadable import UnreadableError

MOST_STEPS = 4_000

_CHANGES = (
    "STORE",
    "CALL",
    "DELETE",
    "LIST_",
    "MAP_",
    "EXTEND",
    "UPDATE",
    "FOR_ITER",
    "YIELD",
    "UNPACK",
    "INPLACE",
)


class Run:
    """One function being read."""

    def __init__(
        self,
        reader: Reader,
        divided: tuple[Program, Blocks],
        function: Closure,
        caller: Frame,
        site: tuple[Any, ...],
    ) -> None:
        self.reader, (self.program, self.blocks) = reader, divided
        self.function, self.caller, self.site = function, caller, site
        self.entries: dict[int, State] = {}
        self.pending: set[int] = set()
        self.tests: dict[int, Value] = {}
        self.depths: dict[int, int] = {}
        self.result, self.yielded = NOTHING, NOTHING
        self.end: State | None = None
        self.paused: State | None = None
        self.carried = NOTHING
        """What exceptions may carry that the function handles."""
        self.raising: set[int] = set()
        """Blocks that raise again what is being handled."""
        self.attempted = caller.attempted
        self.raised = NOTHING
        """What decides whether the function has raised to one that goes on after an error."""

    def enter(self, block: int, state: State) -> None:
        known = self.entries.get(block)
        if known is None:
            self.entries[block] = state.copy()
            self.pending.add(block)
        elif state.join_into(known):
            self.pending.add(block)

    def decide(self, block: int, value: Value) -> None:
        """What decides at the end of a block has grown: so has what the blocks do that depend on it."""
        before = self.tests.get(block, NOTHING)
        after = join(before, value)
        if after != before:
            self.tests[block] = after
            self.pending.update(
                b
                for b, deciding in enumerate(self.blocks.deciding)
                if block in deciding and b in self.entries
            )

    def pc(self, block: int) -> Value:
        deciding = self.blocks.deciding[block]
        found = join(self.caller.pc, *(self.tests[b] for b in sorted(deciding) if b in self.tests))
        if self._handler(self.blocks.starts[block]) is not None:
            found = join(found, self.tests.get(block, NOTHING))
        return join(found, self.raised)

    def block(self, number: int) -> None:
        self.pending.discard(number)
        state = self.entries[number].copy()
        start, end = self.blocks.starts[number], self.blocks.ends[number]
        frame = Frame(self.reader, self.function, state, self.site, self.pc(number))
        self._handled(number, frame, start)
        for index in range(start, end):
            self.reader.steps += 1
            if self.reader.steps > MOST_STEPS:
                raise UnreadableError(
                    "TOO_LONG", "reading it takes too many steps", "divide it, or declare what it does"
                )
            instruction = self.program.instructions[index]
            frame.index, frame.line, frame.sequence = index, instruction.line, 0
            frame.attempted = self.attempted or self._handler(index) is not None
            touched = frame.touches
            jumps = self._step(number, frame, index)
            if instruction.op.startswith(_CHANGES) or frame.touches != touched:
                self._left(frame)
                self._handled(number, frame, index)
                frame.pc = self.pc(number)
            if jumps:
                return
        if end < len(self.program.instructions):
            self.enter(self.blocks.at[end], frame.state)

    def _handler(self, index: int) -> Handler | None:
        """What goes on after an error of the instruction; none if it only raises again."""
        handler: Handler | None = self.program.handlers[index]
        useful = handler is not None and self.blocks.at[handler.target] in self.blocks.useful
        return handler if useful else None

    def _left(self, frame: Frame) -> None:
        """It may have raised by now to one that goes on: with what was changed, and without what comes next."""
        if not self.attempted:
            return
        self._pause(frame.state)
        raised = join(self.raised, frame.touches)
        if raised != self.raised:
            self.raised = raised
            self.pending.update(self.entries)

    def _handled(self, number: int, frame: Frame, index: int) -> None:
        """Whatever may have raised by now is handled, with what was touched as the reason."""
        handler = self._handler(index)
        if handler is None:
            return
        self.decide(number, frame.touches)
        carried = join(self.carried, replace(frame.carried, other=True))
        if carried != self.carried:
            self.carried = carried
            self.pending |= self.raising
        depth = handler.depth if handler.setup < 0 else self.depths.get(handler.setup, 0)
        stack = frame.state.stack[:depth]
        stack += [Value(frame.carried.edges, other=True)] * handler.pushes
        held = State(frame.state.names, stack, frame.state.heap, frame.state.budget)
        self.enter(self.blocks.at[handler.target], held)

    def _step(self, number: int, frame: Frame, index: int) -> bool:
        """Execute one instruction; whether control leaves the block here."""
        op, arg, target, line = self.program.instructions[index]
        stack = frame.state.stack
        if op == "RETURN":
            self.result = join(self.result, with_edges(stack.pop(), frame.pc.edges, frame.pc.opaque))
            self.end = self._ended(frame.state)
            return True
        if op in ("RAISE", "RERAISE"):
            raised = frame.pops(min(len(stack), arg if op == "RAISE" else 1))
            frame.touch(*(raised or [self._raised_again(number, frame)]))
            self._handled(number, frame, index)
            return True
        if op == "YIELD":
            value = with_edges(stack.pop(), frame.pc.edges, frame.pc.opaque)
            self.yielded = join(self.yielded, value)
            self._pause(frame.state)
            frame.push(constant(None))
            return False
        if op == "YIELD_FROM":
            stack.pop()
            source = stack.pop()
            decides = frame.extent(source)
            frame.advance(source)
            value = with_edges(frame.element(source), decides.edges | frame.pc.edges, decides.opaque)
            self.yielded = join(self.yielded, value)
            self._pause(frame.state)
            frame.push(COMPUTED)
            return False
        if op in ("SETUP_FINALLY", "SETUP_WITH"):
            if op == "SETUP_WITH":
                manager = stack.pop()
                stack.append(COMPUTED)
                self.depths[index] = len(stack)
                frame.push(frame.entered(manager))
            else:
                self.depths[index] = len(stack)
            return False
        if target >= 0:
            return self._jump(number, frame, index)
        operation = OPERATIONS.get(op)
        if operation is None:
            raise UnreadableError("CONSTRUCT", f"{arg if op == 'UNREADABLE' else op} is not read", "", line)
        try:
            operation(frame, arg)
        except IndexError as e:
            raise UnreadableError("BYTECODE", "its stack is empty", "", line) from e
        except UnreadableError as e:
            e.line = e.line or line
            if not (self.reader.module and op.startswith("STORE")):
                raise
        return False

    def _raised_again(self, block: int, frame: Frame) -> Value:
        """What the exception may carry that is being handled, and is raised without being named."""
        if self.carried is NOTHING:
            raise frame.unreadable(
                "CONSTRUCT", "it raises again what is handled by who called it", "name what it raises"
            )
        self.raising.add(block)
        return self.carried

    def _pause(self, state: State) -> None:
        """What a generator has changed when it yields is seen before it goes on."""
        if self.paused is None:
            self.paused = State({}, [], dict(state.heap), state.budget)
        else:
            State({}, [], state.heap, state.budget).join_into(self.paused)

    def _ended(self, state: State) -> State:
        if self.end is None:
            return State(dict(state.names), [], dict(state.heap), state.budget)
        State(state.names, [], state.heap, state.budget).join_into(self.end)
        return self.end

    def _jump(self, number: int, frame: Frame, index: int) -> bool:
        op, arg, target, _ = self.program.instructions[index]
        state, stack = frame.state, frame.state.stack
        to = self.blocks.at[target]
        if op == "JUMP":
            self.enter(to, state)
            return True
        if op == "POP_JUMP_IF":
            value = stack.pop()
            self.decide(number, frame.tested(value, null=arg in ("NONE", "NOT_NONE")))
            self.enter(to, state)
        elif op == "JUMP_OR_POP":
            self.decide(number, frame.tested(stack[-1]))
            self.enter(to, state)
            stack.pop()
        elif op == "FOR_ITER":
            iterator = stack[-1]
            self.decide(number, frame.extent(iterator))
            ended = state.copy()
            if arg:
                ended.stack.pop()
            self.enter(to, ended)
            frame.pc = self.pc(number)
            frame.advance(iterator)
            frame.push(frame.element(iterator))
        elif op == "SEND":
            stack.pop()
            iterator = stack[-1]
            self.decide(number, frame.extent(iterator))
            ended = state.copy()
            if arg:
                ended.stack.append(COMPUTED)
            else:
                ended.stack[-1] = COMPUTED
            self.enter(to, ended)
            frame.pc = self.pc(number)
            frame.advance(iterator)
            frame.push(frame.element(iterator))
        else:
            raise UnreadableError("BYTECODE", f"{op} is not read")
        self.enter(self.blocks.at[index + 1], state)
        return True
