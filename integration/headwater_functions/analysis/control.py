"""Which instructions are executed because of which decision: blocks of a program and their control dependence."""

from __future__ import annotations

from dataclasses import dataclass

from headwater_functions.bytecode.program import ENDS, Program
from headwater_functions.unreadable import UnreadableError

MOST_BLOCKS = 800
_GIVING = ("RETURN", "YIELD", "YIELD_FROM", "SEND")


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks by their first instructions. ``deciding`` has, of each block, the blocks that decide whether it runs;
    ``useful`` are those that may lead to a result."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    at: dict[int, int]
    deciding: tuple[frozenset[int], ...]
    useful: frozenset[int]


def blocks_of(program: Program, attempted: bool = False) -> Blocks:
    """The blocks of a program. ``attempted``: who called it goes on after an error, so that ways to one are useful."""
    size = len(program.instructions)
    leaders = {0}
    for index, instruction in enumerate(program.instructions):
        if instruction.target >= 0:
            leaders.add(instruction.target)
        if instruction.target >= 0 or instruction.op in ENDS:
            leaders.add(index + 1)
        handler = program.handlers[index]
        if handler is not None:
            leaders.add(handler.target)
        if index and handler != program.handlers[index - 1]:
            leaders.add(index)
    starts = tuple(sorted(i for i in leaders if i < size))
    ends = (*starts[1:], size)
    if len(starts) > MOST_BLOCKS:
        raise UnreadableError("TOO_LARGE", f"it branches more than {MOST_BLOCKS} times", "divide it")
    at = {start: number for number, start in enumerate(starts)}
    following = [_following(program, s, e, at) for s, e in zip(starts, ends, strict=True)]
    giving = (*_GIVING, "RAISE", "RERAISE") if attempted else _GIVING
    leaves = {n for n, (s, e) in enumerate(zip(starts, ends, strict=True)) if _gives(program, s, e, giving)}
    useful = _useful(following, leaves)
    ways = [after & useful if block in useful else after for block, after in enumerate(following)]
    return Blocks(starts, ends, at, _deciding(ways), frozenset(useful))


def _gives(program: Program, start: int, end: int, giving: tuple[str, ...]) -> bool:
    return any(i.op in giving for i in program.instructions[start:end])


def _useful(following: list[set[int]], giving: set[int]) -> set[int]:
    """The blocks that do not only lead to an exception which nobody handles: then there is no result at all."""
    useful = set(giving)
    growing = True
    while growing:
        more = {b for b, after in enumerate(following) if after & useful} - useful
        useful |= more
        growing = bool(more)
    return useful


def _following(program: Program, start: int, end: int, at: dict[int, int]) -> set[int]:
    found = {at[s] for s in program.successors(end - 1) if s in at}
    handler = program.handlers[start]
    if handler is not None:
        found.add(at[handler.target])
    return found


def _deciding(following: list[set[int]]) -> tuple[frozenset[int], ...]:
    """Control dependence, and that of what is depended on: by post-dominance, in sets of bits."""
    size = len(following)
    end = size
    after = [set(f) or {end} for f in following]
    _lead(after, end)
    everything = (1 << (size + 1)) - 1
    dominated = [everything] * size + [1 << end]
    changing = True
    while changing:
        changing = False
        for block in range(size - 1, -1, -1):
            common = everything
            for successor in after[block]:
                common &= dominated[successor]
            common |= 1 << block
            if common != dominated[block]:
                dominated[block] = common
                changing = True
    direct: list[set[int]] = [set() for _ in range(size)]
    for block in range(size):
        if len(after[block]) < 2:
            continue
        for successor in after[block]:
            held = dominated[successor] & ~(dominated[block] & ~(1 << block)) & ~(1 << end)
            while held:
                lowest = held & -held
                direct[lowest.bit_length() - 1].add(block)
                held ^= lowest
    return tuple(_closed(direct, block) for block in range(size))


def _lead(after: list[set[int]], end: int) -> None:
    """Have each block lead to the end: of those that turn round for ever, the last one does."""
    before: list[set[int]] = [set() for _ in range(end + 1)]
    for block, successors in enumerate(after):
        for successor in successors:
            before[successor].add(block)
    reaching: set[int] = set()
    pending = [end]
    for block in range(end - 1, -2, -1):
        while pending:
            each = pending.pop()
            if each not in reaching:
                reaching.add(each)
                pending += before[each]
        if block >= 0 and block not in reaching:
            after[block].add(end)
            pending.append(block)


def _closed(direct: list[set[int]], block: int) -> frozenset[int]:
    seen: set[int] = set()
    pending = [block]
    while pending:
        for each in direct[pending.pop()]:
            if each not in seen:
                seen.add(each)
                pending.append(each)
    return frozenset(seen)
