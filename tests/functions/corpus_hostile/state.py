"""Functions that keep what they are given in a place from which something else takes it."""

import collections
import copy
import decimal
import functools
import itertools
import operator
import random
import types
from collections import ChainMap, UserDict, namedtuple

import numpy as np
import pandas as pd
from functions.examples import example


class Keeper:
    """Has methods whose names are those of others."""

    def __init__(self):
        self.kept = "none"

    def remember(self, value):
        self.kept = value

    def last(self):
        return self.kept

    def hexdigest(self, value):
        return value

    def isdigit(self, value):
        return value

    def count(self, value):
        return value


KEEPER = Keeper()
CACHE = {}


@example("ada@example.org", "Bern")
def by_keeper(mail, city):
    KEEPER.remember(mail)
    return KEEPER.last() + city[:1]


@example("ada@example.org", "Bern")
def by_a_name_of_a_hash(mail, city):
    return KEEPER.hexdigest(mail) + city[:1]


@example("ada@example.org", "Bern")
def by_a_name_of_a_test(mail, city):
    return KEEPER.isdigit(mail) + city[:1]


@example("ada@example.org", "Bern")
def by_a_name_of_a_count(mail, city):
    return Keeper().count(mail) + city[:1]


@example("ada@example.org", "Bern")
def by_own_keeper(mail, city):
    keeper = Keeper()
    keeper.remember(mail)
    return keeper.last() + city[:1]


@example("ada@example.org", "Bern")
def by_cache(mail, city):
    CACHE["mail"] = mail
    return CACHE["mail"] + city[:1]


@example("ada@example.org", "Bern")
def by_shallow_copy(mail, city):
    inner = []
    copied = copy.copy([inner])
    inner.append(mail)
    return copied[0][0] + city[:1]


@example("ada@example.org", "Bern")
def by_deep_copy(mail, city):
    box = {"in": {"mail": mail}}
    other = copy.deepcopy(box)
    other["in"]["mail"] = city
    return box["in"]["mail"]


@example("ada@example.org", "Bern")
def by_method_copy(mail, city):
    box = {"in": {"mail": mail}}
    other = box.copy()
    other["in"]["mail"] = city
    return box["in"]["mail"]


@example("ada@example.org", "Bern")
def by_proxy(mail, city):
    box = {"mail": city}
    view = types.MappingProxyType(box)
    box["mail"] = mail
    return view["mail"]


@example("ada@example.org", "Bern")
def by_chain_map(mail, city):
    box = {"mail": city}
    view = ChainMap(box)
    box["mail"] = mail
    return view["mail"]


@example("ada@example.org", "Bern")
def by_user_dict(mail, city):
    box = UserDict()
    box["mail"] = mail
    return box["mail"] + city[:1]


@example("ada@example.org", "Bern")
def by_name_space(mail, city):
    box = types.SimpleNamespace(mail=city)
    box.mail = mail
    return box.mail


@example("ada@example.org", "Bern")
def by_new_named_tuple(mail, city):
    inner = [city]
    pair = namedtuple("Local", "a b")(inner, 1)
    inner[0] = mail
    return pair.a[0]


@example("ada@example.org", "Bern")
def by_view(mail, city):
    box = {"mail": city}
    seen = box.values()
    box["mail"] = mail
    return list(seen)[0]


@example("ada@example.org", "Bern")
def by_items_view(mail, city):
    box = {"mail": city}
    seen = box.items()
    box["mail"] = mail
    return list(seen)[0][1]


@example("ada@example.org", "Bern")
def by_reversed(mail, city):
    box = [city]
    seen = reversed(box)
    box[0] = mail
    return list(seen)[0]


@example("ada@example.org", "Bern")
def by_enumerated(mail, city):
    box = [city]
    seen = enumerate(box)
    box[0] = mail
    return next(seen)[1]


@example("ada@example.org", "Bern")
def by_zipped(mail, city):
    box = [city]
    seen = zip(box, box)
    box[0] = mail
    return next(seen)[1]


@example("ada@example.org", "Bern")
def by_lazy_map(mail, city):
    box = [city]
    seen = map(str.upper, box)
    box[0] = mail
    return next(seen)


@example("ada@example.org", "Bern")
def by_lazy_filter(mail, city):
    box = [city]
    seen = filter(None, box)
    box[0] = mail
    return next(seen)


@example("ada@example.org", "Bern")
def by_lazy_generator(mail, city):
    box = [city]
    seen = (each for each in box)
    box[0] = mail
    return next(seen)


@example("ada@example.org", "Bern")
def by_generator_of_names(mail, city):
    value = city
    seen = (value + x for x in "a")
    value = mail
    return next(seen)


@example("ada@example.org", "Bern")
def by_repeat(mail, city):
    box = [city]
    seen = itertools.repeat(box)
    box[0] = mail
    return next(seen)[0]


@example("ada@example.org", "Bern")
def by_tee(mail, city):
    box = [city]
    first, second = itertools.tee(box)
    box[0] = mail
    return next(second) + next(first)[:0]


@example("ada@example.org", "Bern")
def by_cycle(mail, city):
    seen = itertools.cycle([city, mail])
    next(seen)
    return next(seen)


@example("ada@example.org", "Bern")
def by_iconcat(mail, city):
    box = [city]
    operator.iconcat(box, [mail])
    return box[1]


@example("ada@example.org", "Bern")
def by_ior(mail, city):
    box = {"mail": city}
    operator.ior(box, {"mail": mail})
    return box["mail"]


@example("ada@example.org", "Bern")
def by_unbound_append(mail, city):
    box = [city]
    list.append(box, mail)
    return box[1]


@example("ada@example.org", "Bern")
def by_unbound_setitem(mail, city):
    box = {"mail": city}
    dict.__setitem__(box, "mail", mail)
    return box["mail"]


@example("ada@example.org", "Bern")
def by_bound_append(mail, city):
    box = [city]
    add = box.append
    add(mail)
    return box[1]


@example("ada@example.org", "Bern")
def by_mapped_append(mail, city):
    box = []
    list(map(box.append, [mail, city]))
    return box[0]


@example("ada@example.org", "Bern")
def by_comprehension_append(mail, city):
    box = []
    [box.append(each) for each in (mail, city)]
    return box[0]


@example("ada@example.org", "Bern")
def by_pop_of_a_number(mail, city):
    box = {1: mail, 2: city}
    return box.pop(1)


@example("ada@example.org", "Bern")
def by_pop_of_a_name(mail, city):
    box = {mail: city}
    return box.popitem()[0]


@example("ada@example.org", "Bern")
def by_key_of_a_number(mail, city):
    box = {1: mail, 2: city}
    return box[1]


@example("ada@example.org", "Bern", 1)
def by_given_place(mail, city, place):
    box = {}
    box[place] = mail
    return box.get(1, city)


@example("ada@example.org", "Bern")
def by_sorted_place(mail, city):
    box = [city, mail]
    box.sort()
    return box[0]


@example("ada@example.org", "Bern")
def by_swap(mail, city):
    box = [city, mail]
    box[0], box[1] = box[1], box[0]
    return box[0]


@example("ada@example.org", "Bern")
def by_pop_first(mail, city):
    box = [city, mail]
    box.pop(0)
    return box[0]


@example("ada@example.org", "Bern")
def by_remove(mail, city):
    box = [city, mail]
    box.remove(city)
    return box[0]


@example("ada@example.org", "Bern")
def by_delete_slice(mail, city):
    box = [city, city, mail]
    del box[:2]
    return box[0]


@example("ada@example.org", "Bern")
def by_delete_from_the_end(mail, city):
    box = [mail, city]
    del box[-1]
    return box[-1]


@example("ada@example.org", "Bern")
def by_times(mail, city):
    box = [city, mail] * 2
    return box[3]


@example("ada@example.org", "Bern")
def by_inner_times(mail, city):
    box = [[city]] * 2
    box[0][0] = mail
    return box[1][0]


@example("ada@example.org", "Bern")
def by_fromkeys(mail, city):
    box = dict.fromkeys(["a", "b"], [])
    box["a"].append(mail)
    return box["b"][0] + city[:1]


@example("ada@example.org", "Bern")
def by_default_list(mail, city):
    def keep(value, box=[]):  # noqa: B006
        box.append(value)
        return box

    keep(mail)
    return keep(city)[0]


@example("ada@example.org", "Bern")
def by_function_attribute(mail, city):
    def keep():
        return keep.value

    keep.value = mail
    return keep() + city[:1]


@example("ada@example.org", "Bern")
def by_counter_closure(mail, city):
    def make():
        held = []

        def keep(value):
            held.append(value)
            return held[0]

        return keep

    keep = make()
    keep(mail)
    return keep(city)


@example("ada@example.org", "Bern")
def by_two_closures(mail, city):
    def make():
        held = "none"

        def put(value):
            nonlocal held
            held = value

        def take():
            return held

        return put, take

    put, take = make()
    put(mail)
    return take() + city[:1]


@example("ada@example.org", "Bern")
def by_second_class(mail, city):
    boxes = []
    for value in (mail, city):

        class Holder:
            def value(self, kept=value):
                return kept

        boxes.append(Holder())
    return boxes[0].value()


@example("ada@example.org", "Bern")
def by_self_reference(mail, city):
    box = {}
    box["self"] = box
    box["mail"] = mail
    return box["self"]["self"]["mail"] + city[:1]


@example("ada@example.org", "Bern")
def by_cached_local(mail, city):
    @functools.lru_cache
    def first():
        return held[0]

    held = [mail]
    first()
    held[0] = city
    return first()


@example("ada@example.org", 7)
def by_seed(mail, count):
    random.seed(mail)
    return random.random() + count


@example("ada@example.org", 7)
def by_numpy_seed(mail, count):
    np.random.seed(len(mail))
    return float(np.random.rand()) + count


@example(3.0, 7.0)
def by_numpy_out(price, count):
    out = np.zeros(1)
    np.add(price, 1.0, out=out)
    return float(out[0]) + count


@example(3.0, 7.0)
def by_numpy_at(price, count):
    out = np.zeros(2)
    np.add.at(out, [0], price)
    return float(out[0]) + count


@example(3.0, 7.0)
def by_numpy_fill(price, count):
    out = np.zeros(2)
    out.fill(price)
    return float(out[0]) + count


@example(3.0, 7.0)
def by_numpy_view(price, count):
    out = np.zeros(2)
    view = out[:]
    view[0] = price
    return float(out[0]) + count


@example(3.0, 7.0)
def by_numpy_putmask(price, count):
    out = np.zeros(2)
    np.putmask(out, [True, False], price)
    return float(out[0]) + count


@example(3.0, 7.0)
def by_numpy_inplace(price, count):
    out = np.zeros(2)
    out += price
    return float(out[0]) + count


@example(3.0, 7.0)
def by_vectorize(price, count):
    return float(np.vectorize(lambda x: x + price)(count))


@example(3, 7.0)
def by_context(digits, count):
    decimal.getcontext().prec = digits + 1
    return str(decimal.Decimal(1) / decimal.Decimal(7)) + str(count)


@example(3, 7.0)
def by_local_context(digits, count):
    with decimal.localcontext() as context:
        context.prec = digits + 1
        return str(decimal.Decimal(1) / decimal.Decimal(7)) + str(count)


FRAME = pd.DataFrame({"price": [1.0, 2.0, 3.0], "limit": [2.0, 2.0, 1.0], "name": ["a", "b", "c"]})


@example(FRAME)
def by_query_of_a_local(frame):
    most = frame["price"].max() - 1
    return frame[["limit", "name"]].query("limit > @most")


@example(FRAME)
def by_eval_of_a_frame(frame):
    return frame.eval("total = price + limit")[["total"]]


@example(FRAME)
def by_inplace_column(frame):
    other = frame[["limit"]].copy()
    other["limit"] = frame["price"]
    return other


@example(FRAME)
def by_loc_of_another(frame):
    other = frame[["limit"]].copy()
    other.loc[frame["price"] > 1.5, "limit"] = 0.0
    return other


@example(FRAME)
def by_index_of_another(frame):
    other = frame[["limit"]].copy()
    other.index = frame["price"]
    return other.reset_index()


@example(FRAME)
def by_columns_of_another(frame):
    other = frame[["limit", "price"]].copy()
    other.columns = ["price", "limit"]
    return other


@example(FRAME)
def by_values_of_another(frame):
    return pd.DataFrame({"x": frame["price"].values[::-1]})


@example(FRAME)
def by_sorted_index(frame):
    return frame.sort_values("price").reset_index(drop=True)[["limit"]]


@example(FRAME)
def by_pipe(frame):
    return frame.pipe(lambda f: f.assign(x=f["price"]))[["x"]]


@example(FRAME)
def by_assign_of_functions(frame):
    return frame.assign(x=lambda f: f["price"], y=lambda f: f["x"] + 1)[["y"]]


@example(FRAME)
def by_concat(frame):
    return pd.concat([frame[["limit"]], frame[["price"]].rename(columns={"price": "x"})], axis=1)


@example(FRAME)
def by_merge_on_itself(frame):
    return frame[["name", "limit"]].merge(frame[["name", "price"]], on="name")[["limit"]]


@example(FRAME)
def by_group_size(frame):
    return frame.groupby("limit").size().reset_index(name="n")


@example(FRAME)
def by_cumulative(frame):
    return frame.assign(x=frame["price"].cumsum())[["x"]]


@example(FRAME)
def by_where(frame):
    return pd.DataFrame({"x": frame["limit"].where(frame["price"] > 1.5, 0.0)})


@example(FRAME)
def by_filter_of_columns(frame):
    return frame.filter(like="li")


@example(FRAME)
def by_pop_of_a_column(frame):
    copied = frame.copy()
    price = copied.pop("price")
    copied["limit"] = price
    return copied[["limit"]]


@example(FRAME)
def by_insert_of_a_column(frame):
    copied = frame[["limit"]].copy()
    copied.insert(0, "x", frame["price"])
    return copied


@example(FRAME)
def by_iloc(frame):
    return pd.DataFrame({"x": frame.iloc[:, 0]})


@example(FRAME)
def by_transposed(frame):
    return pd.DataFrame({"x": frame[["price", "limit"]].T.iloc[0].values})


@example(FRAME)
def by_melt(frame):
    return frame.melt(id_vars="name", value_vars=["price", "limit"])[["value"]]


@example(FRAME)
def by_rows(frame):
    return pd.DataFrame([{"x": row.price} for row in frame.itertuples()])


@example(FRAME)
def by_rows_in_series(frame):
    return pd.DataFrame([{"x": row["price"], "n": i} for i, row in frame.iterrows()])


@example(FRAME)
def by_apply_of_rows(frame):
    return pd.DataFrame({"x": frame.apply(lambda r: r["price"] + 1, axis=1)})


@example(FRAME)
def by_attribute(frame):
    return pd.DataFrame({"x": frame.price})


@example(FRAME)
def by_dictionary_of_lists(frame):
    return pd.DataFrame(frame.to_dict("list"))[["limit"]]


@example(FRAME)
def by_combine(frame):
    return pd.DataFrame({"x": frame["limit"].combine(frame["price"], max)})


@example(FRAME)
def by_update(frame):
    copied = frame[["limit"]].copy()
    copied.update(pd.DataFrame({"limit": frame["price"]}))
    return copied


@example(FRAME["price"], FRAME["limit"])
def by_series_of_both(price, limit):
    return price.where(limit > 1.5, limit)


@example(FRAME["price"], FRAME["limit"])
def by_masked_change(price, limit):
    copied = price.copy()
    copied[limit > 1.5] = 0.0
    return copied


@example(FRAME["price"], FRAME["limit"])
def by_aligned_index(price, limit):
    copied = price.copy()
    copied.index = limit
    return copied.sort_index().reset_index(drop=True)


@example(collections.OrderedDict(mail="ada@example.org", city="Bern"))
def by_moved_end(record):
    box = collections.OrderedDict(record)
    box.move_to_end("mail")
    return list(box.values())[-1]
