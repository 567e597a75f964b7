"""Operations whose values nobody takes, and that fail for some values: the error decides what is done next."""

from contextlib import suppress
from decimal import Decimal

from functions.examples import example
from pyspark.sql import Row

PART = Row(a=1, b=0, text="x1", words=["u", "v"], table={"x1": 1, "y": 2}, other="kept")
"""A member of each kind."""


@example(PART)
def item_then_return(p):
    try:
        p.words[p.a]
        return "ok"
    except IndexError:
        return "no"


@example(PART)
def item_then_name(p):
    found = "no"
    try:
        p.words[p.a]
        found = "ok"
    except IndexError:
        pass
    return found


@example(PART)
def item_last_in_try(p):
    try:
        p.words[p.a]
    except IndexError:
        return "no"
    return "ok"


@example(PART)
def item_with_else(p):
    try:
        p.table[p.text]
    except KeyError:
        r = "no"
    else:
        r = "ok"
    return r


@example(PART)
def item_suppressed(p):
    r = "no"
    with suppress(LookupError):
        p.table[p.text]
        r = "ok"
    return r


@example(PART)
def item_then_attribute(p):
    class Box:
        pass

    box = Box()
    box.v = "no"
    try:
        p.words[p.a]
        box.v = "ok"
    except IndexError:
        pass
    return box.v


@example(PART)
def item_then_item(p):
    out = {"v": "no"}
    try:
        p.words[p.a]
        out["v"] = "ok"
    except IndexError:
        pass
    return out


@example(PART)
def item_then_append(p):
    out = []
    try:
        p.words[p.a]
        out.append("ok")
    except IndexError:
        out.append("no")
    return out


@example(PART)
def item_then_delete(p):
    out = {"v": "no"}
    try:
        p.words[p.a]
        del out["v"]
    except IndexError:
        pass
    return len(out)


@example(PART)
def item_then_break(p):
    n = 0
    while n < 3:
        try:
            p.words[p.a]
            break
        except IndexError:
            n += 1
    return n


@example(PART)
def item_then_continue(p):
    n = 0
    for w in p.words:
        try:
            p.table[w + p.text]
            continue
        except KeyError:
            n += 1
    return n


@example(PART)
def item_then_yield(p):
    def gen():
        try:
            p.words[p.a]
            yield "ok"
        except IndexError:
            yield "no"

    return list(gen())


@example(PART)
def item_in_a_call(p):
    def check():
        p.words[p.a]

    try:
        check()
        return "ok"
    except IndexError:
        return "no"


@example(PART)
def item_with_finally(p):
    out = []
    try:
        try:
            p.words[p.a]
            out.append("ok")
        finally:
            out.append("end")
    except IndexError:
        pass
    return out


@example(PART)
def division(p):
    try:
        1 // p.b
        return "ok"
    except ZeroDivisionError:
        return "no"


@example(PART)
def division_then_name(p):
    r = "no"
    try:
        1 % p.b
        r = "ok"
    except ZeroDivisionError:
        pass
    return r


@example(PART)
def addition(p):
    try:
        p.a + 1
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def negation(p):
    try:
        -p.a
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def comparison(p):
    try:
        p.a < 3
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def containment(p):
    try:
        "x" in p.text
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def attribute_of_text(p):
    try:
        p.text.upper
        return "ok"
    except AttributeError:
        return "no"


@example(PART)
def attribute_of_row(p):
    try:
        p.zzz
        return p.other
    except AttributeError:
        return "no"


@example(PART)
def formatted(p):
    try:
        f"{p.text:d}"
        return "ok"
    except (ValueError, TypeError):
        return "no"


@example(PART)
def formatted_number(p):
    try:
        f"{p.a:03d}"
        return "ok"
    except (ValueError, TypeError):
        return "no"


@example(PART)
def unpacked(p):
    try:
        [*p.words, *p.text]
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def unpacked_dict(p):
    try:
        {**p.table}
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def sliced(p):
    try:
        p.text[: p.a]
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def built_set(p):
    try:
        {p.text, p.a}
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def built_key(p):
    try:
        {p.text: 1}[p.other]
        return "ok"
    except KeyError:
        return "no"


@example(PART)
def iterated(p):
    try:
        iter(p.text)
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def converted(p):
    try:
        int(p.text)
        return "ok"
    except (TypeError, ValueError):
        return "no"


@example(PART)
def converted_decimal(p):
    try:
        Decimal(p.text)
    except ArithmeticError:
        return "no"
    return "ok"


@example(PART)
def asserted(p):
    try:
        assert p.a
    except AssertionError:
        return "no"
    return "ok"


@example(PART)
def compared_in_chain(p):
    try:
        0 < p.a < p.b
    except TypeError:
        return "no"
    return "ok"


@example(PART)
def called_with_wrong_count(p):
    def two(a, b):
        return a

    try:
        two(*p.words)
        return "ok"
    except TypeError:
        return "no"


@example(PART)
def two_tries(p):
    r = ""
    try:
        p.words[p.a]
        r += "a"
    except IndexError:
        r += "b"
    try:
        1 / p.b
        r += "c"
    except ZeroDivisionError:
        r += "d"
    return r


@example(PART)
def nested_tries(p):
    try:
        try:
            p.words[p.a]
            return "ok"
        except KeyError:
            return "never"
    except IndexError:
        return "no"


@example(PART)
def second_operation(p):
    try:
        r = "first"
        p.words[p.a]
        r = "second"
        1 / p.b
        r = "third"
    except (IndexError, ZeroDivisionError):
        pass
    return r


@example(PART)
def item_then_global_constant(p):
    try:
        p.table[p.text]
        x, y = 1, 2
    except KeyError:
        x, y = 2, 1
    return {"x": x, "y": y}


@example(PART)
def matched(p):
    try:
        match p.words[p.a]:
            case _:
                return "ok"
    except IndexError:
        return "no"


@example(PART)
def nonlocal_set(p):
    state = "no"

    def run():
        nonlocal state
        p.words[p.a]
        state = "ok"

    with suppress(IndexError):
        run()
    return state


@example(PART)
def error_leaves_part(p):
    out = []

    def run():
        for w in p.words:
            out.append(w)
            p.table[p.text]

    try:
        run()
    except KeyError:
        pass
    return len(out)


@example(PART)
def set_before_error_in_callee(p):
    box = {"n": 0}

    def run():
        p.words[p.a]
        box["n"] = 1
        1 / p.b
        box["n"] = 2

    try:
        run()
    except (IndexError, ZeroDivisionError):
        pass
    return box["n"]


@example(PART)
def generator_fails(p):
    def gen():
        yield "one"
        p.words[p.a]
        yield "two"

    out = []
    try:
        for v in gen():
            out.append(v)
    except IndexError:
        out.append("end")
    return out


@example(PART)
def comprehension_fails(p):
    try:
        [p.words[i] for i in (0, p.a)]
        return "ok"
    except IndexError:
        return "no"


@example(PART)
def overwritten_after_error(p):
    box = {"n": 0}

    def run():
        box["n"] = p.other
        1 / p.b
        box["n"] = 2

    with suppress(ZeroDivisionError):
        run()
    return box["n"]


@example(PART)
def raised_in_callee(p):
    out = []

    def check():
        if p.a > 3:
            raise ValueError
        out.append("ok")

    with suppress(ValueError):
        check()
    return out


@example(PART)
def noted_before_raised_again(p):
    out = []

    def run():
        try:
            p.words[p.a]
        except IndexError:
            out.append("bad")
            raise

    with suppress(IndexError):
        run()
    return out


@example(PART)
def noted_at_the_end_of_callee(p):
    out = []

    def run():
        try:
            out.append(p.words[p.a])
        finally:
            out.append(p.other)

    try:
        run()
    except IndexError:
        pass
    return out


@example(PART)
def other_error_in_callee(p):
    out = ["start"]

    def run():
        try:
            p.table[p.text]
        except KeyError:
            out[0] = p.other
            raise ValueError from None

    try:
        run()
    except ValueError:
        pass
    return out[0]


@example(PART)
def two_calls_deep(p):
    out = []

    def inner():
        1 / p.b
        out.append("inner")

    def outer():
        inner()
        out.append("outer")

    with suppress(ZeroDivisionError):
        outer()
    return len(out)


@example(PART)
def generator_made_before(p):
    log = []

    def gen():
        yield 1
        1 / p.b
        log.append("after")
        yield 2

    g = gen()
    with suppress(ZeroDivisionError):
        for _ in g:
            pass
    return log


@example(PART)
def callback_fails(p):
    log = []

    def key(w):
        1 / p.b
        log.append("key")
        return w

    with suppress(ZeroDivisionError):
        sorted(["u", "v"], key=key)
    return log


@example(PART)
def lazy_map_fails(p):
    log = []

    def one(i):
        p.words[p.a]
        log.append(i)
        return i

    lazy = map(one, [1, 2])
    try:
        list(lazy)
    except IndexError:
        log.append(9)
    return log


class Gauge:
    def __init__(self, p):
        self.p, self.state = p, "new"

    def step(self):
        self.p.words[self.p.a]
        self.state = "done"

    @property
    def level(self):
        1 / self.p.b
        self.state = "read"
        return self.p.a


@example(PART)
def method_fails(p):
    g = Gauge(p)
    try:
        g.step()
    except IndexError:
        pass
    return g.state


@example(PART)
def property_fails(p):
    g = Gauge(p)
    try:
        g.level
    except ZeroDivisionError:
        pass
    return g.state
