"""Objects that a module makes, and keeps something in."""

from collections import deque, Counter, defaultdict


class Holder:
    def __init__(self):
        self.x = "k"

    def put(self, x):
        self.x = x

    def get(self):
        return self.x

    def upper(self):
        return self.x

    def strip(self, y):
        return self.x


HOLDER = Holder()
QUEUE = deque()
COUNTS = Counter()
DD = defaultdict(list)
MADE = [Holder()]
BYNAME = {"a": Holder()}


def make():
    return Holder()


OTHER = make()
LINES = []


def do_h(s, t):
    HOLDER.put(s)
    return HOLDER.get()


def do_h2(s, t):
    HOLDER.x = s
    return HOLDER.x


def do_h3(s, t):
    h = HOLDER
    h.put(s)
    return h.upper()


def do_q(s, t):
    QUEUE.append(s)
    return QUEUE.pop()


def do_q2(s, t):
    QUEUE.appendleft(s)
    return QUEUE[0]


def do_c(s, t):
    COUNTS[s] += 1
    return list(COUNTS)[-1:]


def do_d(s, t):
    DD["a"].append(s)
    return DD["a"][-1]


def do_m(s, t):
    MADE[0].put(s)
    return MADE[0].get()


def do_b(s, t):
    BYNAME["a"].put(s)
    return BYNAME["a"].get()


def do_o(s, t):
    OTHER.put(s)
    return OTHER.get()


def do_l(s, t):
    LINES.append(s)
    return LINES[-1]


def g(h, v):
    h.put(v)


def do_g(s, t):
    g(HOLDER, s)
    return HOLDER.get()


def do_get(s, t):
    return HOLDER.get()


class Last:
    def __init__(self):
        self.last = "k"

    def get(self, k):
        self.last = k
        return "fixed"

    def index(self, k):
        return self.last

    def replace(self, x):
        self.last = x


LAST = Last()
LASTS = {"a": [Last()]}


def do_last(s, t):
    LAST.get(s)
    return LAST.index("k")


def do_last2(s, t):
    LAST.replace(s)
    return LAST.get("k")


def do_last3(s, t):
    LASTS["a"][0].get(s)
    return LASTS["a"][0].index("k")
