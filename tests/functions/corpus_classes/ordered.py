"""Orders of inheritance, descriptors, and functions that keep what they gave."""

from functools import cache, cached_property, lru_cache, partialmethod, singledispatch, singledispatchmethod


class A:
    tag = "a"

    def name(self):
        return "A"

    def show(self):
        return self.name() + self.tag


class B(A):
    def name(self):
        return "B" + super().name()


class C(A):
    tag = "c"

    def name(self):
        return "C" + super().name()


class D(B, C):
    def name(self):
        return "D" + super().name()


class Mixin:
    def upper(self):
        return self.text.upper()

    def take(self, other):
        return other


class WithText:
    def __init__(self, text):
        self.text = text

    def take(self, other):
        return self.text


class Both(Mixin, WithText):
    pass


class Both2(WithText, Mixin):
    pass


class Upper:
    def __get__(self, instance, owner=None):
        return instance.text.upper()


class Setting:
    def __init__(self, name):
        self.name = name

    def __set_name__(self, owner, name):
        self.key = "_" + name

    def __get__(self, instance, owner=None):
        return instance.kept

    def __set__(self, instance, value):
        instance.kept = value.strip()


class Desc:
    up = Upper()

    def __init__(self, text):
        self.text = text


class Desc2:
    value = Setting("value")

    def __init__(self, value):
        self.value = value


class Cached:
    def __init__(self, text):
        self.text = text

    @cached_property
    def up(self):
        return self.text.upper()

    @lru_cache(maxsize=None)
    def got(self, other):
        return other

    @property
    def prop(self):
        return self.text

    @prop.setter
    def prop(self, value):
        self.text = value + "!"

    def base(self, a, b):
        return a + self.text

    part = partialmethod(base, b="z")

    @staticmethod
    def st(x):
        return x

    @classmethod
    def cl(cls, x):
        return cls(x)


@lru_cache
def cached(x):
    return x.strip()


@cache
def cached2(x, y):
    return y


@lru_cache(maxsize=128)
def cached3(x, y):
    return y


@singledispatch
def disp(x):
    return "other"


@disp.register
def _(x: str):
    return x


@disp.register(int)
def _(x):
    return x + 1


def do_mro(s, t):
    return D().show() + s


def do_mixin(s, t):
    return Both(s).upper()


def do_mixin2(s, t):
    return Both(s).take(t)


def do_mixin3(s, t):
    return Both2(s).take(t)


def do_desc(s, t):
    return Desc(s).up


def do_desc2(s, t):
    d = Desc2(s)
    return {"a": d.value, "b": t}


def do_cp(s, t):
    return Cached(s).up


def do_got(s, t):
    return Cached(s).got(t)


def do_prop(s, t):
    c = Cached(s)
    c.prop = t
    return c.prop


def do_part(s, t):
    return Cached(s).part(t)


def do_st(s, t):
    return Cached(s).st(t)


def do_cl(s, t):
    return Cached.cl(t).text


def do_cached(s, t):
    return cached(s)


def do_cached2(s, t):
    return cached2(s, t)


def do_cached3(s, t):
    return cached3(s, t)


def do_disp(s, t):
    return disp(s)
