"""A code record as a program: normalised instructions, where they jump, and which handler catches what they raise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater_functions.bytecode.lines import line_of_offsets
from headwater_functions.bytecode.normalise import Raw, normalised
from headwater_functions.bytecode.opcodes import OPCODES
from headwater_functions.code import Code
from headwater_functions.unreadable import UnreadableError

MOST_INSTRUCTIONS = 6_000
MOST_NAMES = 2_000
"""Variables, cells and names of a function, each."""
MOST_OFFSET = 1 << 24

ENDS = frozenset({"RETURN", "RAISE", "RERAISE", "JUMP"})
"""Instructions that the next one does not follow."""


class Instruction(NamedTuple):
    """One normalised instruction; ``target`` is the index of where it may jump to, -1 for nowhere."""

    op: str
    arg: Any
    target: int
    line: int | None


class Handler(NamedTuple):
    """Where an exception goes: the stack is cut to ``depth``, and ``pushes`` values of the exception are put on it.

    With ``setup`` the depth is that of the stack at the instruction which began the block.
    """

    target: int
    depth: int
    pushes: int
    setup: int = -1


@dataclass(frozen=True, eq=False)
class Program:
    """The instructions of a function; ``handlers`` has one for each of them, or None."""

    code: Code
    instructions: tuple[Instruction, ...]
    handlers: tuple[Handler | None, ...]

    def successors(self, index: int) -> Iterator[int]:
        """The instructions that may come after one, without those that handle what it raises."""
        instruction = self.instructions[index]
        if instruction.target >= 0:
            yield instruction.target
        if instruction.op not in ENDS and index + 1 < len(self.instructions):
            yield index + 1


def program_of(code: Code) -> Program:
    """The program of a code record. Raises ``UnreadableError``."""
    if code.version not in OPCODES:
        versions = ", ".join(OPCODES)
        raise UnreadableError(
            "VERSION", f"it was compiled by Python {code.version}", f"code of Python {versions} can be read"
        )
    named = max(len(code.variables), len(code.cells), len(code.free), len(code.names))
    if len(code.instructions) > 20 * MOST_INSTRUCTIONS or named > MOST_NAMES:
        raise UnreadableError("TOO_LARGE", "it has too many instructions or names", "divide it")
    raw = list(_raw(code))
    lines = line_of_offsets(code)
    places: dict[int, int] = {}
    pending: list[tuple[str, Any, int, int | None]] = []
    for each in raw:
        places[each.offset] = len(pending)
        for op, arg, jump in normalised(each, code):
            pending.append((op, arg, jump, lines.get(each.offset)))
    if len(pending) > MOST_INSTRUCTIONS:
        raise UnreadableError("TOO_LARGE", f"it has more than {MOST_INSTRUCTIONS} instructions", "divide it")
    instructions = tuple(
        Instruction(op, arg, _place(jump, places, raw), line) for op, arg, jump, line in pending
    )
    return Program(code, instructions, _handlers(code, instructions, places, len(pending)))


def _place(jump: int, places: dict[int, int], raw: list[Raw]) -> int:
    if jump < 0:
        return -1
    if jump not in places:
        raise UnreadableError("BYTECODE", f"{raw[0].name} jumps into the middle of an instruction")
    return places[jump]


def _raw(code: Code) -> Iterator[Raw]:
    """The instructions as the version has them, with their arguments put together."""
    names, caches = OPCODES[code.version]
    text, offset, extended, start = code.instructions, 0, 0, 0
    keywords: tuple[str, ...] = ()
    while offset + 1 < len(text):
        name, argument = names.get(text[offset], ""), text[offset + 1] | extended
        if not name:
            raise UnreadableError("BYTECODE", f"instruction {text[offset]} is not known")
        after = offset + 2 + 2 * caches.get(name, 0)
        if name == "EXTENDED_ARG":
            extended = (argument << 8) & 0xFFFFFF00
        elif name == "KW_NAMES":
            extended, keywords = 0, code.constants[argument] if argument < len(code.constants) else ()
            yield Raw("NOP", 0, start, after, ())
        else:
            yield Raw(name, argument, start, after, keywords)
            extended = 0
            if name == "CALL":
                keywords = ()
        offset = after
        if not extended:
            start = offset


def _handlers(
    code: Code, instructions: tuple[Instruction, ...], places: dict[int, int], size: int
) -> tuple[Handler | None, ...]:
    if code.version == "3.10":
        return _of_blocks(instructions)
    found: list[Handler | None] = [None] * size
    # Inner ranges come before the outer ones that go on behind them: no two overlap.
    for start, end, target, depth, last in _table(code.exceptions):
        begin = places.get(start, size)
        stop = next((places[o] for o in range(end, len(code.instructions) + 2, 2) if o in places), size)
        if target not in places:
            raise UnreadableError("BYTECODE", "an exception is handled nowhere")
        for index in range(begin, stop):
            found[index] = Handler(places[target], depth, 2 if last else 1)
    return tuple(found)


def _table(table: bytes) -> Iterator[tuple[int, int, int, int, bool]]:
    position = 0

    def number() -> int:
        nonlocal position
        value = table[position] & 63
        while table[position] & 64:
            position += 1
            value = (value << 6) | (table[position] & 63)
            if value > MOST_OFFSET:
                raise IndexError
        position += 1
        return value

    ended = 0
    while position < len(table):
        try:
            start, length, target, depth = number() * 2, number() * 2, number() * 2, number()
        except IndexError as e:
            raise UnreadableError("BYTECODE", "its table of exceptions is damaged") from e
        if start < ended:
            raise UnreadableError("BYTECODE", "its table of exceptions is not in order")
        ended = start + length
        yield start, ended, target, depth >> 1, bool(depth & 1)


def _of_blocks(instructions: tuple[Instruction, ...]) -> tuple[Handler | None, ...]:
    """Python 3.10 keeps a stack of blocks: followed along all ways, each instruction has one such stack."""
    blocks: dict[int, tuple[Handler, ...]] = {}
    pending: list[tuple[int, tuple[Handler, ...]]] = [(0, ())]
    while pending:
        index, stack = pending.pop()
        if index >= len(instructions) or index in blocks:
            continue
        blocks[index] = stack
        instruction = instructions[index]
        after = stack
        if instruction.op in ("SETUP_FINALLY", "SETUP_WITH"):
            handler = Handler(instruction.target, 0, 6, index)
            pending.append((instruction.target, stack))
            after = (*stack, handler)
        elif instruction.op == "POP_BLOCK":
            after = stack[:-1]
        elif instruction.target >= 0:
            pending.append((instruction.target, stack))
        if instruction.op not in ENDS:
            pending.append((index + 1, after))
    return tuple(
        blocks[i][-1] if blocks.get(i) and instructions[i].op != "POP_BLOCK" else None
        for i in range(len(instructions))
    )
