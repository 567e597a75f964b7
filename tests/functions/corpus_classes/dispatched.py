"""Functions that are chosen by the type of what they are given, or kept, wrapped and bound before."""

import functools
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache, partial, singledispatch, singledispatchmethod, wraps


@singledispatch
def shown(value, other=""):
    return "other"


@shown.register
def _(value: str, other=""):
    return value.strip() + other


@shown.register(int)
@shown.register(float)
def number(value, other=""):
    return f"{value:.1f}"


def _of_many(value, other=""):
    return other


shown.register(list, _of_many)
shown.register(tuple)(_of_many)


@functools.singledispatch
def size(value):
    raise TypeError(type(value))


@size.register
def _(value: str | bytes):
    return len(value)


@size.register(Sequence)
def _(value):
    return sum(size(v) for v in value)


class Shown:
    def __init__(self, text):
        self.text = text

    @singledispatchmethod
    def of(self, value):
        return self.text

    @of.register
    def _(self, value: str):
        return value


class Mark:
    def __init__(self, text):
        self.text = text


@shown.register(Mark)
def _(value, other=""):
    return value.text


@singledispatch
def alone(value):
    return value.upper()


@singledispatch
def asked(value):
    return "none"


@asked.register(str)
def asked_text(value):
    return value


def counted(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def swapped(function):
    @wraps(function)
    def inner(one, other):
        return function(other, one)

    return inner


@counted
@lru_cache(maxsize=None)
def first(one, other):
    return one


@swapped
@counted
def first_swapped(one, other):
    return one


@cache
@swapped
def cached_swapped(one, other):
    return one


joined = partial(shown, other="!")
bound = partial(first, "fixed")
of_kept = partial(lru_cache(maxsize=8)(lambda one, other: other), "kept")
kept_lambda = lru_cache(lambda one: one.lower())
kept_partial = lru_cache(maxsize=4)(partial(lambda one, other: other, "fixed"))


def do_text(s, t):
    return shown(s, t)


def do_number(s, t):
    return shown(3.5, t) + s


def do_many(s, t):
    return {"a": shown([s], t), "b": shown((s,), "")}


def do_of_class(s, t):
    return shown(Mark(s), t)


def do_fallback(s, t):
    return shown({s: t})


def do_size(s, t):
    return size([s, [t]])


def do_method(s, t):
    return Shown(s).of(t)


def do_alone(s, t):
    return alone(s)


def do_impl(s, t):
    return asked.dispatch(str)(s)


def do_impl_by_name(s, t):
    return asked_text(t)


def do_registry(s, t):
    return [f(t) for f in asked.registry.values()]


def do_joined(s, t):
    return joined(s)


def do_mapped(s, t):
    return list(map(shown, [s, t]))


def do_first(s, t):
    return first(s, t)


def do_first_swapped(s, t):
    return first_swapped(s, t)


def do_cached_swapped(s, t):
    return cached_swapped(s, t)


def do_wrapped(s, t):
    return first_swapped.__wrapped__(s, t)


def do_bound(s, t):
    return bound(s)


def do_of_kept(s, t):
    return of_kept(s)


def do_kept_lambda(s, t):
    return kept_lambda(s)


def do_kept_partial(s, t):
    return kept_partial(t)


def do_typed(s, t):
    return {"a": shown(len(s), t), "b": shown(Decimal(len(s)), t), "c": shown(date(2020, 1, 1), t)}
