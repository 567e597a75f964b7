"""What changes parts of arguments, and collections that fill themselves."""

import heapq
from collections import Counter, defaultdict, deque
from copy import copy, deepcopy

from functions.examples import example
from pyspark.sql import Row

BASKET = [
    {"sku": "tea-1", "qty": 2, "price": 4.5, "note": "gift"},
    {"sku": "pot-7", "qty": 1, "price": 60.0, "note": ""},
]
ORDER = {
    "id": "o-1",
    "mail": "ann@corp.example",
    "lines": [{"sku": "tea-1", "qty": 2, "tags": ["x"]}, {"sku": "pot-7", "qty": 1, "tags": ["y", "z"]}],
}
LISTS = [[3, 1], [2, 5, 4]]


@example(ORDER)
def order_totals(order):
    for line in order["lines"]:
        line["owner"] = order["mail"].split("@")[0]
    return order


@example(ORDER)
def order_then_read(order):
    for line in order["lines"]:
        line["label"] = f"{order['id']}/{line['sku']}"
    return [line["label"] for line in order["lines"]]


@example(ORDER)
def read_by_place(order):
    for line in order["lines"]:
        line["label"] = order["id"]
    return order["lines"][0]["label"]


@example(BASKET)
def read_by_place_list(basket):
    for line in basket:
        line["label"] = line["price"]
    return basket[0]["label"]


@example(BASKET, 0)
def read_by_key(basket, at):
    for line in basket:
        line["label"] = line["price"]
    return basket[at]["label"]


@example(BASKET)
def chained_changes(basket):
    for line in basket:
        line["a"] = line["price"] * 2
    for line in basket:
        line["b"] = line["a"] + 1
    return sum(line["b"] for line in basket)


def _enrich(line, factor):
    line["due"] = line["price"] * factor
    line.pop("note", None)


@example(BASKET, 3)
def helper_changes(basket, factor):
    for line in basket:
        _enrich(line, factor)
    return basket


@example(BASKET, 3)
def helper_mapped(basket, factor):
    list(map(lambda line: _enrich(line, factor), basket))
    return basket


@example(BASKET, "k")
def enumerated(basket, mark):
    for n, line in enumerate(basket):
        line["mark"] = f"{mark}{n}"
    return {"first": basket, "n": len(basket)}


@example(BASKET, ["p", "q"])
def zipped_marks(basket, marks):
    for line, mark in zip(basket, marks):
        line["mark"] = mark
    return basket


@example(BASKET, "k")
def conditional_change(basket, mark):
    for line in basket:
        if line["qty"] > 1:
            line["sku"] = mark
    return [line["sku"] for line in basket]


@example(BASKET)
def conditional_delete(basket):
    for line in basket:
        if not line["note"]:
            del line["price"]
    return basket


@example(BASKET)
def sorted_then_changed(basket):
    ordered = sorted(basket, key=lambda line: line["price"])
    for rank, line in enumerate(ordered):
        line["rank"] = rank
    return basket


@example(BASKET)
def best_changed(basket):
    best = max(basket, key=lambda line: line["price"])
    best["best"] = True
    return basket


@example(BASKET, "m")
def next_changed(basket, mark):
    first = next(iter(basket))
    first["mark"] = mark
    return basket


@example(BASKET)
def updated(basket):
    for line in basket:
        line.update(total=line["qty"] * line["price"], kind="x")
    return basket


@example(BASKET)
def setdefaulted(basket):
    for line in basket:
        line.setdefault("cost", line["price"])
    return [line["cost"] for line in basket]


@example(BASKET)
def augmented(basket):
    for line in basket:
        line["qty"] *= line["price"]
    return basket


@example(BASKET, "m")
def later_filled(basket, mark):
    for line in basket:
        marks = []
        line["marks"] = marks
        marks.append(mark)
    return basket


@example(BASKET)
def shallow(basket):
    other = basket.copy()
    for line in other:
        line["sku"] = line["note"]
    return [line["sku"] for line in basket]


@example(BASKET)
def shallow_slice(basket):
    for line in basket[:]:
        line["sku"] = line["note"]
    return [line["sku"] for line in basket]


@example(BASKET)
def deep(basket):
    other = deepcopy(basket)
    for line in other:
        line["sku"] = line["note"]
    return [line["sku"] for line in basket]


@example(BASKET)
def copied_lines(basket):
    out = []
    for line in basket:
        line = copy(line)
        line["total"] = line["qty"] * line["price"]
        out.append(line)
    return {"out": out, "before": basket}


@example(BASKET)
def in_comprehension(basket):
    [line.update(x=line["price"]) for line in basket]
    return [line.get("x") for line in basket]


@example(LISTS, 9)
def inner_append(lists, n):
    for each in lists:
        each.append(n)
    return lists


@example(LISTS)
def inner_sort(lists):
    for each in lists:
        each.sort()
    return [each[0] for each in lists]


@example(LISTS, 9)
def inner_extend(lists, n):
    for each in lists:
        each.extend([n, n])
    return sum(map(sum, lists))


@example(LISTS, 9)
def inner_insert(lists, n):
    for each in lists:
        each.insert(0, n)
    return [e[0] for e in lists]


@example(LISTS, 9)
def inner_plus(lists, n):
    for each in lists:
        each += [n]
    return lists


@example(LISTS, 9)
def inner_item(lists, n):
    for each in lists:
        each[0] = n
    return [max(e) for e in lists]


@example(LISTS)
def inner_pop(lists):
    last = [each.pop() for each in lists]
    return {"last": last, "left": [len(e) for e in lists]}


@example(LISTS, 9)
def tail_appended(lists, n):
    tail = lists[1:]
    tail.append([n])
    return tail


@example([3, 1, 2], 9)
def tail_number(values, n):
    tail = values[1:]
    tail.append(n)
    tail.insert(0, n + 1)
    return tail


@example([3, 1, 2], 9)
def head_sorted(values, n):
    head = values[:2]
    head.sort()
    head.extend([n])
    return head


@example([3, 1, 2], 9)
def appended_argument(values, n):
    values.append(n)
    return max(values)


@example([3, 1, 2], 9)
def appended_when(values, n):
    if n > 5:
        values.append(0)
    return values


@example([3, 1, 2], 9)
def heap_pushed(values, n):
    heapq.heapify(values)
    heapq.heappush(values, n)
    return [heapq.heappop(values), len(values)]


@example({"a", "b"}, "c")
def set_added(names, more):
    names.add(more)
    names.discard("a")
    return sorted(names)


@example({"a", "b"}, "c")
def set_updated(names, more):
    names.update([more, "z"])
    names |= {more.upper()}
    return sorted(names)


@example({"a": "x"}, "k", "v")
def dict_put(d, k, v):
    d[k] = v
    d.setdefault("n", v)
    return d


@example(["b", "a", "b"])
def groups_read(names):
    groups = defaultdict(list)
    for n, name in enumerate(names):
        groups[name].append(n)
    return sorted(groups)


@example(["b", "a", "b"])
def groups_counted(names):
    groups = defaultdict(set)
    for name in names:
        groups[len(name)].add("x")
    return len(groups)


@example(["b", "a", "b"], "q")
def asked_only(names, key):
    table = defaultdict(int)
    for name in names:
        table[name] += 1
    if table[key] > 1:
        return ["many"]
    return sorted(table.items())


@example(["b", "a"], ["x", "y"])
def nested_default(names, kinds):
    table = defaultdict(lambda: defaultdict(int))
    for name, kind in zip(names, kinds):
        table[name][kind] += 1
    return [k for name in sorted(table) for k in table[name]]


@example(["b", "a"], ["x", "y"])
def nested_default_json(names, kinds):
    table = defaultdict(lambda: defaultdict(list))
    for name, kind in zip(names, kinds):
        table["all"][kind].append(name)
    return {k: dict(v) for k, v in table.items()}


@example(["b", "a"], "x")
def default_copied(names, k):
    table = defaultdict(list)
    for n in names:
        table[n].append(1)
    other = table.copy()
    other[k].append(2)
    return sorted(other)


@example(["b", "a"], "x")
def default_looked(names, k):
    table = defaultdict(list, {"a": [1]})
    table[k]
    return list(table)


@example(["b", "a", "b"], ["b"])
def counters(a, b):
    left, right = Counter(a), Counter(b)
    left.subtract(right)
    return sorted((left - right).elements())


@example(["b", "a", "b"], "z")
def counter_put(a, z):
    c = Counter(a)
    c[z] = 5
    del c["a"]
    return sorted(c)


@example([1, 2, 3], 9)
def queue(values, n):
    q = deque(values)
    q.appendleft(n)
    q.rotate(1)
    q.pop()
    return list(q)


@example(Row(a=[1, 2], b="x", c={"k": "v"}))
def row_parts(r):
    out = r.asDict()
    out["a"] = [*out["a"], len(out["b"])]
    return out


@example([Row(a=1, b="x"), Row(a=2, b="y")])
def row_dicts(rows):
    out = [r.asDict() for r in rows]
    for each in out:
        each["c"] = each.pop("a") + 1
    return out


@example(BASKET, "m")
def built_rows_changed(basket, mark):
    rows = [{"sku": line["sku"]} for line in basket]
    for row in rows:
        row["mark"] = mark
    return rows


@example(BASKET, "m")
def kept_then_changed(basket, mark):
    kept = [line for line in basket if line["qty"]]
    for line in kept:
        line["mark"] = mark
    return basket


@example(BASKET, "m")
def alias_before(basket, mark):
    names = {line["sku"]: line for line in basket}
    for line in basket:
        line["mark"] = mark
    return names["tea-1"]


@example(BASKET, "m")
def index_changed(basket, mark):
    names = {line["sku"]: line for line in basket}
    names["tea-1"]["note"] = mark
    return [line["note"] for line in basket]


@example(BASKET, "m")
def held_first(basket, mark):
    first = None
    for line in basket:
        if first is None:
            first = line
        line["mark"] = mark
    first["note"] = mark
    return [first["mark"], [line["note"] for line in basket]]


@example(BASKET, "m")
def two_loops_whole(basket, mark):
    for a in basket:
        a["t"] = a["price"]
    for b in basket:
        b["t"] = mark
    for c in basket:
        c["u"] = 1
    return [c for c in basket]


@example(BASKET, "m")
def outer_reads_inner(basket, mark):
    out = []
    for a in basket:
        out.append(a.get("t"))
        for b in basket:
            b["t"] = mark
    return out


@example(BASKET, "m")
def changed_and_tested(basket, mark):
    for line in basket:
        line["t"] = mark
    return "yes" if any(line["t"] == "m" for line in basket) else "no"


@example(BASKET)
def swapped_members(basket):
    for line in basket:
        line["sku"], line["note"] = line["note"], line["sku"]
    return [line["sku"] for line in basket]


@example(BASKET)
def generator_changes(basket):
    def each():
        for line in basket:
            line["t"] = line["price"]
            yield line["sku"]

    names = list(each())
    return {"names": names, "basket": basket}


class Line:
    def __init__(self, data):
        self.data = data

    def price(self):
        self.data["due"] = self.data["price"]
        return self


@example(BASKET)
def object_changes(basket):
    lines = [Line(line).price() for line in basket]
    return {"n": len(lines), "due": [line["due"] for line in basket]}
