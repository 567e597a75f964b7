"""Results that are kept, decorated methods, and classes that inherit from several others."""

from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partialmethod, total_ordering, wraps


@cache
def base():
    return []


@lru_cache(maxsize=None)
def base2(x):
    return {"x": x}


@lru_cache
def gen(x):
    return (c for c in [x])


class Key:
    def __init__(self, key, text):
        self.key = key
        self.text = text

    def __eq__(self, o):
        return self.key == o.key

    def __hash__(self):
        return hash(self.key)

    @lru_cache
    def got(self):
        return self.text


class CP:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    @cached_property
    def up(self):
        return self.a.upper()

    @cached_property
    def both(self):
        return [self.a]


def deco(f):
    @wraps(f)
    def inner(*a, **k):
        return f(*a, **k) + "!"

    return inner


def swap(f):
    def inner(self, x, y):
        return f(self, y, x)

    return inner


def const(f):
    return lambda *a: "fixed"


def param(n):
    def outer(f):
        def inner(x, y):
            return f(x, y) if n > 3 else y

        return inner

    return outer


class DD:
    def __init__(self, a):
        self.a = a

    @deco
    def get(self, x):
        return x

    @swap
    def two(self, x, y):
        return x

    @const
    def no(self):
        return self.a

    @property
    @deco
    def pp(self):
        return self.a


@deco
def plain(x):
    return x


@param(2)
def par(x, y):
    return x


@dataclass
class L:
    l: str = "l"


@dataclass
class R:
    r: str = "r"


@dataclass
class LR(L, R):
    z: str = "z"


class Mx:
    def hello(self):
        return self.r


class MR(Mx, R):
    pass


class Sup:
    def __init__(self, a):
        self.a = a

    @property
    def p(self):
        return self.a

    @classmethod
    def make(cls, a):
        return cls(a)

    @staticmethod
    def s(a):
        return a


class Sub(Sup):
    def __init__(self, a, b):
        super().__init__(b)
        self.mine = a

    @property
    def p(self):
        return super().p + "x"

    @classmethod
    def make(cls, a):
        return super().make(a) if False else cls(a, "k")

    @staticmethod
    def s(a):
        return Sup.s(a) + "z"

    def both(self):
        return super().s(self.mine) + self.p


class Dia1:
    def run(self, x):
        return ["base"]


class Dia2(Dia1):
    def run(self, x):
        return [x, *super().run(x)]


class Dia3(Dia1):
    def run(self, x):
        return [self.k, *super().run(x)]


class Dia(Dia2, Dia3):
    def __init__(self, k):
        self.k = k


class Count:
    n = 0

    def bump(self, x):
        type(self).n = x
        return x


class Reg:
    items = {}

    @classmethod
    def add(cls, k, v):
        cls.items[k] = v

    @classmethod
    def get(cls, k):
        return cls.items[k]


class Cm:
    last = "none"

    @classmethod
    def set(cls, v):
        cls.last = v


def setlast(v):
    Cm.last = v


class Outer:
    class Inner:
        def __init__(self, a):
            self.a = a

        def get(self):
            return self.a

    def make(self, a):
        return self.Inner(a).get()


class Iter:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        yield self.a


class Cont:
    def __init__(self, a):
        self.a = a

    def __contains__(self, x):
        return self.a == x

    def __getitem__(self, k):
        return self.a

    def __add__(self, o):
        return self.a

    def __bool__(self):
        return self.a > "m"

    def __len__(self):
        return len(self.a)

    def __format__(self, s):
        return self.a

    def __enter__(self):
        return self.a

    def __exit__(self, *e):
        return False


def do_base(s, t):
    a = base()
    a.append(s)
    b = base()
    return b[:1]


def do_base2(s, t):
    a = base2("k")
    a["x"] = s
    return base2("k")


def do_gen(s, t):
    next(gen(s))
    return list(gen(s))


def do_key(s, t):
    Key("k", s).got()
    return Key("k", t).got()


def do_cp(s, t):
    c = CP(s, t)
    c.up
    c.a = t
    return c.up


def do_cp2(s, t):
    c = CP(s, t)
    if t > "m":
        c.up
    c.a = "x"
    return c.up


def do_cp3(s, t):
    c = CP(s, t)
    c.both.append(t)
    return c.both


def do_cp4(s, t):
    c = CP(s, t)
    c.up = t
    return c.up


def do_cp5(s, t):
    c = CP(s, t)
    c.up
    return list(c.__class__.__name__) + [c.up]


def do_dd(s, t):
    return DD(s).get(t)


def do_two(s, t):
    return DD("k").two(s, t)


def do_no(s, t):
    return DD(s).no()


def do_pp(s, t):
    return DD(s).pp


def do_plain(s, t):
    return plain(s)


def do_par(s, t):
    return par(s, t)


def do_lr(s, t):
    return LR(s, t).l


def do_lr2(s, t):
    return LR(s, t).r


def do_mr(s, t):
    return MR(s).hello()


def do_sub(s, t):
    return Sub(s, t).p


def do_sub2(s, t):
    return Sub(s, t).both()


def do_sub3(s, t):
    return Sub.make(s).mine


def do_sub4(s, t):
    return Sub.s(s)


def do_dia(s, t):
    return Dia(s).run(t)


def do_count(s, t):
    return Count().bump(s)


def do_count2(s, t):
    return Count.n


def do_reg(s, t):
    Reg.add("k", s)
    return Reg.get("k")


def do_reg2(s, t):
    return Reg.get("k")


def do_cm(s, t):
    Cm.set(s)
    return Cm.last


def do_outer(s, t):
    return Outer().make(s)


def do_iter(s, t):
    return [x for x in Iter(s)]


def do_cont(s, t):
    return {
        "a": t in Cont(s),
        "b": Cont(s)["x"],
        "c": Cont(s) + 1,
        "d": f"{Cont(s)}",
        "e": len(Cont(s)),
        "f": 1 if Cont(s) else 2,
    }


def do_with(s, t):
    with Cont(s) as c:
        return c
