"""Functions whose results depend on more than the values that they name: order, counts, shared iterators, aliases."""

import itertools
import operator
import re
from collections import Counter, defaultdict, deque
from functools import partial, reduce

import numpy as np
import pandas as pd
from functions.examples import example
from pyspark.sql import Row

TRIP = Row(
    car=Row(plate="ZH-12", seats=4),
    stops=[Row(at=3, town="Uster"), Row(at=9, town="Wald"), Row(at=5, town="Bauma")],
    driver="Eva",
    limit=2,
    tags={"toll": "yes", "kind": "day"},
)
NUMS, WORDS = [4, 1, 7, 2], ["pear", "fig", "kiwi", "date"]
BILL = {"a": 5, "b": 2, "c": "net", "d": ["x", "y"], "e": {"p": 1, "q": 8}}
WAGES = pd.DataFrame(
    {
        "who": ["u", "v", "u", "w"],
        "pay": [10.0, 40.0, 25.0, 5.0],
        "hrs": [2, 8, 4, 1],
        "team": ["r", "s", "s", "r"],
    }
)
LEFT, RIGHT = pd.Series([4.0, 1.0, 7.0, 2.0]), pd.Series([3, 0, 5, 5])


@example(TRIP)
def loop_length_only(t):
    n = 0
    for _ in t.stops:
        n += t.limit
    return n, t.driver


@example(TRIP)
def limited_by(t):
    return [s.town for s in t.stops[: t.limit]]


@example(TRIP)
def early_exit(t):
    for s in t.stops:
        if s.at > 4:
            return "late"
    return "early"


@example(TRIP)
def exit_after_append(t):
    out = []
    for s in t.stops:
        out.append(t.driver)
        if s.town == "Wald":
            break
    return out


@example(TRIP)
def last_of_loop(t):
    for s in t.stops:  # noqa: B007 - the name is used behind the loop
        pass
    return s.town


@example(TRIP)
def index_of_max(t):
    best = max(range(len(t.stops)), key=[s.at for s in t.stops].__getitem__)
    return t.stops[best].town


@example(TRIP)
def flag_from_loop(t):
    seen = False
    for s in t.stops:
        seen = seen or s.at > 8
    return t.driver if seen else t.car.plate


@example(TRIP)
def name_by_value(t):
    return getattr(t, "driver" if t.limit > 1 else "limit")


@example(TRIP)
def exception_chooses(t):
    try:
        int(t.car.plate[3:])
    except ValueError:
        return "bad"
    return "good"


@example(TRIP)
def exception_in_loop(t):
    out = []
    try:
        for s in t.stops:
            out.append(s.town)
            1 / (s.at - 9)
    except ZeroDivisionError:
        pass
    return out


@example(TRIP)
def index_error(t):
    try:
        t.stops[t.limit]
        return t.driver
    except IndexError:
        return "short"


@example(TRIP)
def key_missing(t):
    try:
        t.tags[t.driver]
    except KeyError:
        return "none"
    return "some"


@example(TRIP)
def asserted(t):
    try:
        assert t.car.seats > 3
        return t.driver
    except AssertionError:
        return ""


@example(TRIP)
def else_of_try(t):
    label = "start"
    try:
        value = int(t.tags["kind"])
    except ValueError:
        label = "text"
    else:
        label = value
    return label


@example(TRIP)
def unpack_fails(t):
    try:
        a, b = t.stops
        return "two"
    except ValueError:
        return t.limit


@example(TRIP)
def finally_counts(t):
    n = 0
    for s in t.stops:
        try:
            if s.at > 4:
                continue
            n += 10
        finally:
            n += 1
    return n


@example(NUMS, WORDS)
def shared_iterator(nums, words):
    it = iter(words)
    return [next(it, "-") for n in nums if n > 1]


@example(NUMS, WORDS)
def consumed_by_in(nums, words):
    it = iter(words)
    "fig" in it
    return list(it)


@example(NUMS, WORDS)
def consumed_by_any(nums, words):
    it = iter(nums)
    any(n > 4 for n in it)
    return [words[0] for _ in it]


@example(NUMS, WORDS)
def consumed_by_zip(nums, words):
    it = iter(words)
    list(zip(nums, it))
    return len(list(it))


@example(NUMS, WORDS)
def zip_shortest(nums, words):
    return [w for w, _ in zip(words, nums)]


@example(NUMS, WORDS)
def zip_order(nums, words):
    return [w for _, w in sorted(zip(nums, words))]


@example(NUMS, WORDS)
def argsort(nums, words):
    return [words[i] for i in sorted(range(len(nums)), key=nums.__getitem__) if i < len(words)]


@example(NUMS, WORDS)
def stable_sort(nums, words):
    return sorted(words, key=lambda w: len(w) > nums[0])


@example(NUMS, WORDS)
def lazy_closure(nums, words):
    k = nums[0]
    g = (w * k for w in words)
    k = nums[1]
    return list(g)


@example(NUMS, WORDS)
def lazy_source(nums, words):
    g = (n + 1 for n in nums)
    nums.append(len(words))
    return list(g)


@example(NUMS, WORDS)
def lazy_filter(nums, words):
    state = {"min": 0}
    kept = filter(lambda n: n > state["min"], nums)
    state["min"] = len(words[0])
    return list(kept)


@example(NUMS, WORDS)
def two_lambdas_one_cell(nums, words):
    x = nums[0]

    def get():
        return x

    def put(v):
        nonlocal x
        x = v

    put(words[0])
    return get()


@example(NUMS, WORDS)
def cell_in_order(nums, words):
    out = []

    def keep(v):
        out.append(v)
        return len(out)

    return keep(nums[0]) + keep(words[0]), out[-1]


@example(NUMS, WORDS)
def grown_while_read(nums, words):
    for n in nums:
        if len(nums) < 6 and n > 3:
            nums.append(len(words[0]) % 5)
    return nums


@example(NUMS, WORDS)
def popped_by(nums, words):
    while len(nums) > 1 and words:
        nums.pop(0)
        words.pop()
    return nums, len(words)


@example(NUMS, WORDS)
def dict_first_wins(nums, words):
    d = {}
    for w, n in zip(words, nums):
        d.setdefault(len(w), n)
    return d.get(4)


@example(NUMS, WORDS)
def dict_collision(nums, words):
    return {len(w): n for w, n in zip(words, nums)}.get(4)


@example(NUMS, WORDS)
def dict_key_only(nums, words):
    return sorted({n: w for n, w in zip(nums, words)})


@example(NUMS, WORDS)
def dict_len_by_keys(nums, words):
    return len({n: w for n, w in zip(nums, words)}), words[-1]


@example(NUMS, WORDS)
def grouped_consecutive(nums, words):
    return [len(list(g)) for _, g in itertools.groupby(nums, key=lambda n: n > 2)], words[0]


@example(NUMS, WORDS)
def dropped_while(nums, words):
    return [w for n, w in itertools.dropwhile(lambda p: p[0] > 3, zip(nums, words))]


@example(NUMS, WORDS)
def repeated(nums, words):
    return list(itertools.repeat(words[0], nums[0]))[:6]


@example(NUMS, WORDS)
def sliced_by(nums, words):
    return list(itertools.islice(words, min(abs(nums[1]), 9)))


@example(NUMS, WORDS)
def accumulate_max(nums, words):
    return list(itertools.accumulate(nums, max, initial=len(words[0])))


@example(NUMS, WORDS)
def run_until(nums, words):
    total, i = 0, 0
    while i < len(nums) and total < 6:
        total += nums[i]
        i += 1
    return i


@example(NUMS, WORDS)
def reduce_to_pair(nums, words):
    return reduce(lambda a, w: (w, a[0]), words, (nums[0], None))[1]


@example(NUMS, WORDS)
def alias_of_element(nums, words):
    rows = [[n] for n in nums]
    first = rows[0]
    first.append(words[0])
    return rows[0]


@example(NUMS, WORDS)
def alias_in_tuple(nums, words):
    pair = (nums, words)
    pair[0].clear()
    pair[0].extend(words)
    return nums


@example(NUMS, WORDS)
def alias_in_dict(nums, words):
    d = {"k": nums}
    e = dict(d)
    e["k"] += words
    return d["k"][-1]


@example(NUMS, WORDS)
def alias_returned(nums, words):
    def same(x):
        return x

    same(nums).insert(0, words[1])
    return nums[0]


@example(NUMS, WORDS)
def alias_conditional(nums, words):
    target = nums if nums[0] > 3 else words
    target.append("end")
    return words


@example(NUMS, WORDS)
def alias_by_default(nums, words):
    def put(v, into=nums):
        into.append(v)

    put(words[0])
    return nums


@example(NUMS, WORDS)
def alias_by_partial(nums, words):
    partial(nums.insert, 0)(words[0])
    return nums[0]


@example(NUMS, WORDS)
def alias_by_map(nums, words):
    boxes = [[], []]
    for box, w in zip(itertools.cycle(boxes), words):
        box.append(w)
    return boxes[0], len(nums)


@example(NUMS, WORDS)
def alias_by_fromkeys(nums, words):
    d = dict.fromkeys(words, [])
    for w, n in zip(words, nums):
        d[w].append(n)
    return list(d.values())[0]


@example(NUMS, WORDS)
def alias_by_star(nums, words):
    def f(*lists):
        lists[1].append(nums[0])

    f(nums, words)
    return words[-1]


@example(NUMS, WORDS)
def alias_by_kwargs(nums, words):
    def f(**kw):
        kw["a"].append(kw["b"][0])

    f(a=nums, b=words)
    return nums[-1]


@example(NUMS, WORDS)
def swap_names(nums, words):
    nums, words = words, nums
    return {"n": nums[0], "w": words[0]}


@example(NUMS, WORDS)
def order_of_targets(nums, words):
    i = 0
    i, nums[i] = 2, words[0]
    return nums


@example(NUMS, WORDS)
def item_by_value(nums, words):
    out = ["", "", "", ""]
    for n, w in zip(nums, words):
        out[n % 4] = w
    return out


@example(NUMS, WORDS)
def key_by_value(nums, words):
    d = {"x": 0}
    d[words[0]] = nums[0]
    return d["x"], len(d)


@example(NUMS, WORDS)
def deleted_by_value(nums, words):
    d = {"pear": 1, "fig": 2}
    d.pop(words[0], None)
    return list(d)


@example(NUMS, WORDS)
def slice_replaced(nums, words):
    nums[len(words[0]) - 3 : 2] = []
    return nums


@example(NUMS, WORDS)
def extended_slice(nums, words):
    out = list(words)
    out[::2] = nums[: len(out[::2])]
    return out


@example(NUMS, WORDS)
def counter_order(nums, words):
    return [k for k, _ in Counter("".join(words)).most_common(2)]


@example(NUMS, WORDS)
def counter_missing(nums, words):
    c = Counter(words)
    return c["none"], sum(c.values())


@example(NUMS, WORDS)
def default_created(nums, words):
    d = defaultdict(list)
    if d[words[0]] == []:
        d[words[1]].append(nums[0])
    return len(d)


@example(NUMS, WORDS)
def bounded_deque(nums, words):
    d = deque(words, maxlen=max(1, nums[1] % 3))
    return list(d)


@example(NUMS, WORDS)
def format_width(nums, words):
    return f"{words[0]:>{abs(nums[0]) % 9}}", "{:.{p}}".format(words[1], p=abs(nums[1]))


@example(NUMS, WORDS)
def percent_star(nums, words):
    return "%-*s|" % (abs(nums[0]), words[0])


@example(NUMS, WORDS)
def split_limit(nums, words):
    return "a-b-c-d".split("-", nums[1])


@example(NUMS, WORDS)
def joined_by(nums, words):
    return words[0].join(["x", "y", "z"])


@example(NUMS, WORDS)
def sub_count(nums, words):
    return re.sub("a", "o", "banana", count=max(nums[1], 0)), re.subn("e", "", words[0])[1]


@example(NUMS, WORDS)
def pattern_by_value(nums, words):
    return bool(re.search(re.escape(words[1]), "figs and dates"))


@example(NUMS, WORDS)
def compare_chain_effects(nums, words):
    log = []

    def v(x):
        log.append(x)
        return x

    v(nums[0]) < v(nums[1]) < v(nums[2])
    return log


@example(NUMS, WORDS)
def short_circuit_effect(nums, words):
    log = []
    nums[0] > 3 and log.append(words[0])
    return log


@example(NUMS, WORDS)
def conditional_default(nums, words):
    return (lambda a, b=nums[0]: b)(words[0])


@example(NUMS, WORDS)
def recursive_depth(nums, words):
    def depth(n):
        return 0 if n <= 1 else 1 + depth(n // 2)

    return depth(min(nums[2], 500))


@example(NUMS, WORDS)
def mutual(nums, words):
    def even(n):
        return words[0] if n <= 0 else odd(n - 1)

    def odd(n):
        return words[1] if n <= 0 else even(n - 1)

    return even(min(nums[0], 50))


@example(BILL)
def dict_iteration_cut(b):
    for k, v in b.items():
        if v == "net":
            return k
    return None


@example(BILL)
def dict_truth(b):
    return [k for k in ("a", "b", "c") if b[k]]


@example(BILL)
def dict_filter_len(b):
    return len({k: v for k, v in b["e"].items() if v > b["b"]})


@example(BILL)
def dict_sorted_by_value(b):
    return [k for k, _ in sorted(b["e"].items(), key=operator.itemgetter(1))]


@example(BILL)
def dict_min_key(b):
    return min(b["e"], key=b["e"].get)


@example(BILL)
def dict_update_alias(b):
    inner = b["e"]
    b["e"] = {"p": b["a"]}
    inner["q"] = b["b"]
    return b["e"], inner["p"]


@example(BILL)
def dict_popped_default(b):
    return b.pop("z", b["c"]), b.pop("a", 0)


@example(BILL)
def dict_in_place_or(b):
    e = b["e"]
    e |= {"q": b["c"]}
    return b["e"]["q"]


@example(BILL)
def dict_equality(b):
    return b["e"] == {"p": 1, "q": 8}, b["d"] == ["x", "y"]


@example(BILL)
def dict_pattern(b):
    match b:
        case {"a": int(a), "e": {"p": p, **more}} if a > p:
            return more
        case {"d": [x, *_]}:
            return x


@example(BILL)
def star_pattern(b):
    match [b["a"], *b["d"]]:
        case [5, *xs]:
            return xs
        case [n, "x", _]:
            return n
        case _:
            return "other"


@example(BILL)
def or_pattern(b):
    match b["c"]:
        case "net" | "gross" as kind:
            return kind + str(b["a"])
        case str() as other:
            return other


@example(WAGES)
def rows_kept_by(df):
    return df[df["pay"] > df["pay"].mean()][["who"]].reset_index(drop=True)


@example(WAGES)
def order_decides(df):
    return df.sort_values("pay")[["who"]].reset_index(drop=True)


@example(WAGES)
def first_by_order(df):
    return df.sort_values("hrs").groupby("team", as_index=False).first()[["team", "who"]]


@example(WAGES)
def aligned_by_index(df):
    a = df.sort_values("pay")["hrs"].reset_index(drop=True)
    return (a + df["hrs"]).to_frame("s")


@example(WAGES)
def numbered_in_group(df):
    return df.assign(n=df.groupby("team").cumcount())[["n"]]


@example(WAGES)
def ranked_in_group(df):
    return df.assign(r=df.groupby("team")["pay"].rank(method="first"))[["who", "r"]]


@example(WAGES)
def position_selected(df):
    return df.iloc[[int(df["pay"].to_numpy().argmax())]][["who"]]


@example(WAGES)
def label_selected(df):
    return df.set_index("who").loc[["u"], ["hrs"]].reset_index(drop=True)


@example(WAGES)
def values_assigned(df):
    df["pay"] = df.sort_values("hrs")["pay"].to_numpy()
    return df[["pay"]]


@example(WAGES)
def group_size(df):
    return df.groupby("team").size().reset_index(name="n")


@example(WAGES)
def self_merge(df):
    return df.merge(df, on="team", suffixes=("", "_o"))[["who", "who_o"]]


@example(WAGES)
def semi_join(df):
    rich = df.loc[df.pay > 20, "team"]
    return df[df["team"].isin(rich)][["who"]]


@example(WAGES)
def shifted_in_group(df):
    return df.assign(before=df.groupby("who")["pay"].shift())[["before"]].fillna(-1.0)


@example(WAGES)
def conditional_columns(df):
    if df["pay"].sum() > 50:
        df["flag"] = df["team"]
    else:
        df["flag"] = "none"
    return df[["flag"]]


@example(WAGES)
def assigned_in_order(df):
    return df.assign(a=lambda d: d.hrs * 2, b=lambda d: d.a + 1)[["b"]]


@example(WAGES)
def aliased_frame(df):
    other = df
    other["hrs"] = df["pay"]
    return df[["hrs"]]


@example(WAGES)
def in_place_sort(df):
    df.sort_values("pay", inplace=True)
    return df[["team"]].reset_index(drop=True)


@example(WAGES)
def deleted_column(df):
    del df["pay"]
    return df.iloc[:, 1:]


@example(WAGES)
def group_keys(df):
    return pd.DataFrame({"team": list(df.groupby("team").groups)})


@example(WAGES)
def diff_rows(df):
    return df[["hrs"]].diff().fillna(0).assign(t=df["team"].ne(df["team"].shift()).cumsum())


@example(WAGES)
def concat_rows(df):
    return pd.concat([df[df.hrs > 3], df[df.hrs <= 3]])[["who"]].reset_index(drop=True)


@example(WAGES)
def mode_filled(df):
    return df["who"].where(df["who"] != "w", df["who"].mode().iloc[0]).to_frame()


@example(LEFT, RIGHT)
def alias_series(a, b):
    c = a
    c += b
    return a


@example(LEFT, RIGHT)
def view_of_values(a, b):
    v = a.values
    v[0] = b.iloc[1]
    return a


@example(LEFT, RIGHT)
def fancy_index(a, b):
    return a.iloc[(b % 4).to_numpy()].reset_index(drop=True)


@example(LEFT, RIGHT)
def sorted_values(a, b):
    return pd.Series(a.to_numpy()[np.argsort(b.to_numpy(), kind="stable")])


@example(LEFT, RIGHT)
def cumulative_group(a, b):
    return a.groupby(b).transform("sum")


@example(LEFT, RIGHT)
def searched(a, b):
    return pd.Series(np.searchsorted(np.sort(a.to_numpy()), b.to_numpy()))


@example(LEFT, RIGHT)
def put_where(a, b):
    x = a.to_numpy().copy()
    np.putmask(x, b.to_numpy() > 2, 0.0)
    return pd.Series(x)


@example(LEFT, RIGHT)
def ufunc_where(a, b):
    x = np.zeros(len(a))
    np.divide(a.to_numpy(), b.to_numpy(), out=x, where=b.to_numpy() != 0)
    return pd.Series(x)


@example(LEFT, RIGHT)
def added_at(a, b):
    x = np.zeros(8)
    np.add.at(x, b.to_numpy() % 8, a.to_numpy())
    return pd.Series(x[: len(a)])
