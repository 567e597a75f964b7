"""Classes with several bases, properties that are set, and whatever changes a class after it was written."""


class Setting:
    def __init__(self, name):
        self.key = name

    def __get__(self, instance, owner=None):
        return instance.other

    def __set__(self, instance, value):
        instance.kept = value


class D1:
    value = Setting("value")

    def __init__(self, value, other):
        self.other = other
        self.value = value


class NonData:
    def __get__(self, instance, owner=None):
        return instance.other


class D2:
    value = NonData()

    def __init__(self, other):
        self.other = other


class P1:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    @property
    def prop(self):
        return self.a

    @prop.setter
    def prop(self, value):
        self.b = value


class P2:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def get(self):
        return self.a

    def put(self, v):
        self.b = v

    prop = property(get, put)


class P3(P1):
    @P1.prop.setter
    def prop(self, value):
        self.a = self.b


class GA:
    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        return self.a


class Made(type):
    def __call__(cls, x):
        return x


class M(metaclass=Made):
    def __init__(self, x):
        self.x = 1


def deco(cls):
    cls.extra = lambda self: self.b
    return cls


@deco
class Dec:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def extra(self):
        return self.a


class New:
    def __new__(cls, a, b):
        made = super().__new__(cls)
        made.a = b
        return made

    def __init__(self, a, b):
        pass


class InitSub:
    def __init_subclass__(cls, **kw):
        cls.get = lambda self: self.b


class IS(InitSub):
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def get(self):
        return self.a


class Str(str):
    def upper(self):
        return "x"


class Lst(list):
    def append(self, v):
        super().append("fixed")


class Dct(dict):
    def __missing__(self, k):
        return k


class Slot:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


class Names:
    def _f(self):
        return self.a

    f = property(lambda self: self.b)

    def __init__(self, a, b):
        self.a = a
        self.b = b


class Cond:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    if len("abc") > 2:

        def get(self):
            return self.b
    else:

        def get(self):
            return self.a


class Later:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def get(self):
        return self.a


Later.get = lambda self: self.b


class Loop2:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def do_d1(s, t):
    return D1(s, t).value


def do_d1k(s, t):
    return D1(s, t).kept


def do_d2(s, t):
    return D2(t).value


def do_p1(s, t):
    p = P1("x", "y")
    p.prop = t
    return {"a": p.a, "b": p.b, "p": p.prop}


def do_p2(s, t):
    p = P2("x", s)
    p.prop = t
    return {"a": p.a, "b": p.b, "p": p.prop}


def do_p3(s, t):
    p = P3("x", s)
    p.prop = t
    return {"a": p.a, "b": p.b, "p": p.prop}


def do_ga(s, t):
    return GA(s).anything


def do_m(s, t):
    return M(s)


def do_dec(s, t):
    return Dec(s, t).extra()


def do_new(s, t):
    return New(s, t).a


def do_is(s, t):
    return IS(s, t).get()


def do_str(s, t):
    return Str(s).upper() + Str(t)


def do_lst(s, t):
    l = Lst()
    l.append(s)
    return l[0]


def do_dct(s, t):
    return Dct(a=s)[t]


def do_slot(s, t):
    return Slot(s, t).b


def do_names(s, t):
    return Names(s, t).f


def do_cond(s, t):
    return Cond(s, t).get()


def do_later(s, t):
    return Later(s, t).get()
