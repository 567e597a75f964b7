"""Reads functions within one budget: what a call gives, and what it does to what it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from headwater_functions.analysis.callables import Call, Closure, Library, Pending
from headwater_functions.analysis.calls import refuse_kept
from headwater_functions.analysis.constants import NO_MODULES, Modules
from headwater_functions.analysis.control import Blocks, blocks_of
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object, State
from headwater_functions.analysis.instructions.variables import MODULE
from headwater_functions.analysis.libraries.results import library_result
from headwater_functions.analysis.methods import method_result
from headwater_functions.analysis.run import Run
from headwater_functions.analysis.values import (
    COMPUTED,
    NOTHING,
    Ref,
    Value,
    computed,
    constant,
    join,
)
from headwater_functions.bytecode.program import Program, program_of
from headwater_functions.code import ASYNCHRONOUS, GENERATOR, VARARGS, VARKEYWORDS, WRITTEN_HERE, Code
from headwater_functions.unreadable import UnreadableError

MOST_DEPTH = 12
MOST_BODIES = 16
"""How often one class statement may be read: each time it makes another class, and so it may go on for ever."""


class Reader:
    """Reads functions within one budget of steps; a ``module`` goes on where what it does is not read.

    ``modules`` have what functions find under names of modules that were read before.
    """

    def __init__(self, *, module: bool = False, modules: Modules = NO_MODULES) -> None:
        self.steps = 0
        self.unread: set[str] = set()
        """Why calls were not read: what they change is not known, whoever uses their results."""
        self.written: list[tuple[Value, Value]] = []
        """What was changed in place, as it was, and what it was changed to."""
        self.taken: set[tuple[Ref, Any]] = set()
        """The members that were taken of objects: what is changed in place later may be held since."""
        self.module, self.modules = module, modules
        self.broken = ""
        """Why nothing is certain of the module's functions."""
        self._around: list[Mapping[str, Value]] = []
        """The module's names while what it calls is read."""
        self._programs: dict[tuple[Code, bool], tuple[Program, Blocks]] = {}
        self._active: list[Code] = []
        self._bodies: Counter[tuple[Any, ...]] = Counter()

    def _program(self, code: Code, attempted: bool) -> tuple[Program, Blocks]:
        if (code, attempted) not in self._programs:
            program = program_of(code)
            self._programs[code, attempted] = program, blocks_of(program, attempted)
        return self._programs[code, attempted]

    def call(self, function: Closure, call: Call, frame: Frame) -> Value:
        """The result of a function of the program, whose effects are in the frame's state."""
        code = function.code
        if code.flags & ASYNCHRONOUS:
            raise UnreadableError(
                "CONSTRUCT", f"{code.name} is asynchronous", "write it with plain functions"
            )
        if self._is_deep(code):
            return frame.touched([Value(calls=frozenset((function,))), *call.all])
        site = frame.place("call")
        self._enter(frame)
        function = _aged(frame, site, function, call)
        names = bound(function, call, frame, site)
        if code.flags & GENERATOR:
            pending = Pending(function, tuple(sorted(names.items())), site)
            if function.kept:
                raise frame.unreadable("GLOBAL", f"it keeps what {code.name} yields", "do not cache it")
            return frame.state.allocate(
                (*site, "generator"), Object("generator", made=Value(calls=frozenset((pending,))))
            )
        result, _ = self.run(function, names, frame, site)
        if function.kept:
            refuse_kept(frame, call.all, result, code.name)
        return result

    def _is_deep(self, code: Code) -> bool:
        """Whether the code is not gone into again; that of a library is only in the middle of the program's."""
        known = code.file != WRITTEN_HERE
        return (known and self._active.count(code) >= 2) or len(self._active) >= MOST_DEPTH

    def _enter(self, frame: Frame) -> None:
        """Code of the module itself has its names as they are now."""
        if self.module and frame.function.code.name == MODULE:
            self._around = [frame.state.names]

    def around(self, name: str) -> Value | None:
        """What the module has under the name by now, as functions and classes see it that it calls and makes."""
        found = self._around[-1].get(name) if self._around else None
        if found is None or not (found.refs or found.edges):
            return found
        return computed((), (f"it uses {name} while its module is made",))

    def method(self, frame: Frame, call: Call) -> Value:
        _advance_all(frame, call)
        return self._known(method_result, frame, call)

    def library(self, frame: Frame, called: Library, call: Call) -> Value:
        if called.name != "next":
            _advance_all(frame, call)
        return self._known(library_result, frame, called, call)

    def _known(self, result: Callable[..., Value], *arguments: Any) -> Value:
        try:
            return result(*arguments)
        except UnreadableError as e:
            if self.module:
                return computed((), (e.reason,))
            raise

    def names_of(self, function: Closure, frame: Frame) -> dict[str, Value]:
        """The names that the body of a class, or a module, binds."""
        self._bodies[frame.site, frame.index] += 1
        if self._bodies[frame.site, frame.index] > MOST_BODIES:
            raise frame.unreadable("TOO_LONG", "it makes a class again and again", "make it once, outside")
        self._enter(frame)
        annotations = frame.new(Object("dict"), "annotations")
        bound = {"__annotations__": annotations}
        bound |= {f"\0{name}": frame.new(Object("cell"), "cell") for name in function.code.cells}
        bound |= {f"\0{n}": cell for n, cell in zip(function.code.free, function.cells, strict=False)}
        state = State(bound, [], frame.state.heap, frame.state.budget)
        run = self._blocks(function, state, frame, (*frame.site, frame.index, "body"))
        frame.state.heap = run.end.heap if run.end is not None else frame.state.heap
        names = dict(run.end.names) if run.end is not None else {}
        later = names.get("__annotate_func__", NOTHING)
        for each in later.calls:
            # From 3.14 annotations are what a function gives when it is asked for their values.
            if isinstance(each, Closure):
                annotations = join(annotations, self.call(each, Call("", [constant(1)]), frame))
        fields = [str(n) for _, made in frame.objects(annotations) for n in made.members]
        return {**names, "\0fields": constant(tuple(fields))}

    def elements(self, pending: Pending, frame: Frame) -> Value:
        """The elements that a generator yields now."""
        if self._is_deep(pending.function.code):
            return frame.touched(list(pending.values))
        inside = frame.place("run")
        held = [Value(calls=frozenset((pending,)))]
        held = frame.state.age(lambda r: r.site[: len(inside)] == inside, held)
        pending = next(iter(held[0].calls))
        # It may not have run to its end, nor have begun.
        before = State({}, [], dict(frame.state.heap), frame.state.budget)
        _, yielded = self.run(pending.function, dict(pending.names), frame, inside)
        State({}, [], frame.state.heap, frame.state.budget).join_into(before)
        frame.state.heap = before.heap
        return yielded

    def run(
        self, function: Closure, names: dict[str, Value], caller: Frame, site: tuple[Any, ...]
    ) -> tuple[Value, Value]:
        """What a function returns and what it yields."""
        self._active.append(function.code)
        # What the caller refers to is renamed with it where objects get older.
        entry = State(names, [], caller.state.heap, caller.state.budget)
        run = self._blocks(function, entry, caller, site)
        self._active.pop()
        ends = [each for each in (run.end, run.paused) if each is not None]
        if ends:
            caller.state.heap = ends[0].heap
            for each in ends[1:]:
                each.join_into(State({}, [], caller.state.heap, caller.state.budget))
        return run.result, run.yielded

    def _blocks(self, function: Closure, entry: State, caller: Frame, site: tuple[Any, ...]) -> Run:
        run = Run(self, self._program(function.code, caller.attempted), function, caller, site)
        run.enter(0, entry)
        while run.pending:
            run.block(min(run.pending))
        caller.touches = join(caller.touches, run.raised)
        return run


def _advance_all(frame: Frame, call: Call) -> None:
    """What is called may take elements of each iterator that it is given, as its other arguments decide."""
    for given in call.all:
        if given.refs:
            frame.advance(given, [other for other in call.all if other is not given])


def _aged(frame: Frame, site: tuple[Any, ...], function: Closure, call: Call) -> Closure:
    """What an earlier call at the same place made gets older, also where this call refers to it."""
    held = [Value(calls=frozenset((function,))), *call.args, *call.keywords.values()]
    held = frame.state.age(lambda r: r.site[: len(site)] == site, held)
    (called,) = (each for each in held[0].calls if isinstance(each, Closure))
    call.args = held[1 : 1 + len(call.args)]
    call.keywords = dict(zip(call.keywords, held[1 + len(call.args) :], strict=True))
    return called


def bound(function: Closure, call: Call, frame: Frame, site: tuple[Any, ...]) -> dict[str, Value]:
    """The function's parameters and free variables in the call."""
    code = function.code
    positional = code.variables[: code.argument_count]
    names: dict[str, Value] = dict(zip(positional, call.args, strict=False))
    defaults = dict(
        zip(positional[len(positional) - len(function.defaults) :], function.defaults, strict=False)
    )
    defaults.update(dict(function.keyword_defaults))
    rest = call.args[len(positional) :]
    extra = dict(call.keywords)
    spread = extra.pop("**", None)
    for place, name in enumerate(code.variables[: code.argument_count + code.keyword_only_count]):
        given = [v for v in (names.get(name), extra.pop(name, None)) if v is not None]
        if call.spread and place >= call.fixed:
            given += call.args[call.fixed :]
        if spread is not None:
            given.append(spread)
        if name in defaults and (not given or call.spread or spread is not None):
            given.append(defaults[name])
        names[name] = join(*given) if given else COMPUTED
    place = code.argument_count + code.keyword_only_count
    if code.flags & VARARGS:
        made = (
            Object("tuple", members=dict(enumerate(rest)))
            if not call.spread
            else Object("tuple", elements=join(*call.args))
        )
        names[code.variables[place]] = frame.state.allocate((*site, "args"), made)
        place += 1
    if code.flags & VARKEYWORDS:
        made = Object("dict", members=dict(extra), elements=spread or NOTHING)
        names[code.variables[place]] = frame.state.allocate((*site, "keywords"), made)
    names.update((f"\0{n}", c) for n, c in zip(code.free, function.cells, strict=False))
    for name in code.cells:
        content = names.get(name, NOTHING)
        cell = Object("cell", members={"content": content})
        names[f"\0{name}"] = frame.state.allocate((*site, "cell", name), cell)
    return names
