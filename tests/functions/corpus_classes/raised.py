"""Exceptions that carry values, are raised again, and are of classes of the program."""


class Err(Exception):
    def __init__(self, text, more=None):
        super().__init__(text)
        self.text, self.more = text, more


class Err2(ValueError):
    pass


class Err3(Err):
    def __str__(self):
        return self.more


def check(x):
    if len(x) > 3:
        raise Err2(x)
    return "short"


def do_a(s, t):
    try:
        raise KeyError(s)
    except KeyError as e:
        return e.args[0]


def do_b(s, t):
    try:
        return int(s)
    except ValueError as e:
        return str(e)


def do_c(s, t):
    try:
        check(s)
    except Err2 as e:
        return {"error": str(e), "t": t}
    return {"error": None, "t": t}


def do_d(s, t):
    try:
        raise Err(s, t)
    except Err as e:
        return e.more


def do_e(s, t):
    try:
        raise Err3(s, t)
    except Err as e:
        return str(e)


def do_f(s, t):
    e = Err2(s, t)
    return e.args[1]


def do_g(s, t):
    e = Err2(s)
    return str(e)


def do_h(s, t):
    try:
        try:
            raise Err2(s)
        except Err2 as e:
            raise Err(t) from e
    except Err as x:
        return str(x.__cause__)


def do_i(s, t):
    def g():
        raise Err2(s)

    try:
        g()
    except Err2 as e:
        return repr(e)


def do_j(s, t):
    def g():
        yield 1
        raise Err2(s)

    out = []
    try:
        for x in g():
            out.append(x)
    except Err2 as e:
        out.append(str(e))
    return out


def do_k(s, t):
    x = s
    try:
        y = {}[x]
    except KeyError as e:
        return [str(e), t]


def do_l(s, t):
    try:
        [t][len(s)]
    except IndexError as e:
        return str(e) + t


def do_m(s, t):
    if len(s) > 100:
        raise Err(s)
    return t


def do_n(s, t):
    try:
        s.encode("ascii")
        return t
    except UnicodeError:
        return s
    finally:
        t = "x"


def do_o(s, t):
    import contextlib

    with contextlib.suppress(Err2):
        check(s)
        return s
    return t


def do_p(s, t):
    try:
        assert not s, s
    except AssertionError as e:
        return str(e)


def do_q(s, t):
    try:
        float(s)
    except (TypeError, ValueError) as e:
        m = e
    return f"{m}"


def do_r(s, t):
    e = Err2(s)
    if t > "m":
        try:
            raise e
        except Err2 as x:
            return str(x)
    return t


def do_s(s, t):
    made = [Err2(s)]

    def g():
        raise made[0]

    try:
        g()
    except Err2 as x:
        return str(x)


def do_t(s, t):
    class K:
        pass

    def g(x):
        y = x
        raise Err2("k")

    try:
        g(s)
    except Err2 as x:
        return str(x) + t


def do_u(s, t):
    try:
        raise Err2(s)
    except Err2 as e:
        try:
            raise
        except Err2 as f:
            return str(f)


def do_v(s, t):
    def g():
        try:
            raise Err2(s)
        except Err2:
            raise

    try:
        g()
    except Err2 as e:
        return e.args
