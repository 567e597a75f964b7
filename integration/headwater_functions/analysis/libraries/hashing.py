"""Hashes, keyed hashes and identifiers that are made of names."""

from __future__ import annotations

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.calls import refuse_callbacks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.values import KEYED, TOKEN, Value, join


def hashed(f: Frame, call: Call) -> Value:
    """A new hash object with what it was made of."""
    values = call.args[1:] if call.name == "hashlib.new" else call.args
    refuse_callbacks(f, call)
    return f.new(Object("hash", f.compute([*values, *call.keywords.values()], TOKEN)), "hash")


def keyed_hash(f: Frame, call: Call) -> Value:
    """``hmac``: a bare digest for whoever has the program, if its key stands there."""
    key, message = call.argument(0, "key"), call.argument(1, "msg")
    if key is None:
        return f.compute(call.all)
    in_program = bool(key.constants) and not (key.edges or key.refs or key.other or key.calls)
    how = TOKEN if in_program or not key.edges else KEYED
    own = join(f.compute([message] if message is not None else [], how), f.compute([key], KEYED))
    return f.new(Object("hash", own, made=how), "hash")


def named_uuid(f: Frame, call: Call) -> Value:
    return f.compute(call.all, TOKEN)
