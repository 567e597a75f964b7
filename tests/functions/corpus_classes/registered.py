"""Functions that are registered for a type while others run."""

from functools import singledispatch


@singledispatch
def late(value):
    return "none"


def register_late():
    @late.register(str)
    def _(value):
        return value


register_late()


def register_twice(function):
    late.register(bytes)(function)


def do_late(s, t):
    return late(s)


def do_inside(s, t):
    @singledispatch
    def inner(value):
        return s

    @inner.register(str)
    def _(value):
        return t

    return inner(s)
