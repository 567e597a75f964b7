"""pandas series and frames: retail, meters, people, sensors and finance."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from functions.examples import example

QTY = pd.Series([3, 1, 4, 1])
PRICE = pd.Series([2.5, 10.0, 0.5, 7.25])
NAME = pd.Series(["Ann Lee", "bob ray", "Cy Orr", "ann lee"])
DAY = pd.Series(["2024-01-05", "2024-02-10", "2024-01-09", "2024-03-01"])
SALES = pd.DataFrame(
    {
        "shop": ["n", "s", "n", "w"],
        "item": ["tea", "pot", "pot", "tea"],
        "qty": [3, 1, 4, 2],
        "price": [2.5, 10.0, 9.0, 3.0],
        "day": ["2024-01-05", "2024-02-10", "2024-01-09", "2024-03-01"],
    }
)
SHOPS = pd.DataFrame({"shop": ["n", "s", "w"], "city": ["Oslo", "Rome", "Bern"], "tax": [0.2, 0.1, 0.08]})


@example(QTY, PRICE)
def amount(q, p):
    return (q * p).round(1)


@example(QTY, PRICE)
def expensive(q, p):
    return p.where(q > 2, 0.0)


@example(QTY, PRICE)
def masked(q, p):
    return p.mask(p > p.mean(), q)


@example(QTY, PRICE)
def np_where(q, p):
    return pd.Series(np.where(q.gt(2), p, -p))


@example(QTY, PRICE)
def selected(q, p):
    return pd.Series(np.select([q > 3, p > 5], [q, p], default=0))


@example(QTY, PRICE)
def ufunc_out(q, p):
    out = np.zeros(len(q))
    np.multiply(q, p, out=out)
    return pd.Series(out)


@example(QTY, PRICE)
def in_place_values(q, p):
    a = p.to_numpy(copy=True)
    a[q.to_numpy() > 2] = 0
    a += 1
    return pd.Series(a)


@example(QTY, PRICE)
def zscore(q, p):
    return (p - p.mean()) / (p.std() or 1)


@example(QTY, PRICE)
def rolled(q, p):
    return p.rolling(2, min_periods=1).mean()


@example(QTY, PRICE)
def shifted(q, p):
    return p.shift(1).fillna(q)


@example(QTY, PRICE)
def clipped(q, p):
    return p.clip(lower=1, upper=q.max())


@example(QTY, PRICE)
def ranked(q, p):
    return p.rank().astype(int)


@example(QTY, PRICE)
def cut(q, p):
    return pd.cut(p, [0, 1, 5, 100], labels=["lo", "mid", "hi"]).astype(str)


@example(QTY, PRICE)
def combined(q, p):
    return q.combine(p, max)


@example(QTY, PRICE)
def mapped_dict(q, p):
    return q.map({1: "one", 3: "three"}).fillna("many")


@example(QTY, PRICE)
def applied(q, p):
    return q.apply(lambda v, k=2: v**k)


@example(QTY, PRICE)
def zipped(q, p):
    return pd.Series([f"{a}x{b}" for a, b in zip(q, p)])


@example(QTY, PRICE)
def frame_of(q, p):
    return pd.DataFrame({"q": q, "total": q * p})


@example(QTY, PRICE)
def concat_columns(q, p):
    return pd.concat([q.rename("a"), p.rename("b")], axis=1)


@example(QTY, PRICE)
def vectorized(q, p):
    f = np.vectorize(lambda a, b: a if b > 2 else 0)
    return pd.Series(f(q, p))


@example(QTY, PRICE)
def logs(q, p):
    with np.errstate(divide="ignore"):
        return pd.Series(np.log1p(np.abs(p)))


@example(QTY, PRICE)
def set_by_loc(q, p):
    out = p.copy()
    out.loc[q == 1] = -1
    return out


@example(QTY, PRICE)
def set_without_copy(q, p):
    out = p
    out[q > 2] = 99
    return p


@example(NAME)
def titles(n):
    return n.str.title().str.strip()


@example(NAME)
def initials(n):
    return n.str.split().str[0].str[:1] + n.str.split().str.get(1).str[0]


@example(NAME)
def extracted(n):
    return n.str.extract(r"^(?P<first>\w+)\s+(?P<last>\w+)$")


@example(NAME)
def replaced(n):
    return n.str.replace(r"(\w+) (\w+)", lambda m: m.group(2), regex=True)


@example(NAME)
def contains(n):
    return n.str.contains("ann", case=False)


@example(NAME)
def coded(n):
    codes, uniques = pd.factorize(n.str.lower())
    return pd.Series(codes)


@example(NAME)
def lengths(n):
    return n.str.len().cumsum()


@example(NAME)
def duplicates(n):
    return n.str.lower().duplicated()


@example(NAME)
def padded(n):
    return n.str.pad(10, side="both", fillchar="-").str.cat(sep="|")


@example(DAY)
def months(d):
    return pd.to_datetime(d).dt.month


@example(DAY)
def since_first(d):
    t = pd.to_datetime(d)
    return (t - t.min()).dt.days


@example(DAY)
def formatted(d):
    return pd.to_datetime(d, errors="coerce").dt.strftime("%d.%m.%Y")


@example(DAY)
def weekend(d):
    return pd.to_datetime(d).dt.dayofweek >= 5


@example(SALES)
def revenue(df):
    return df.assign(revenue=lambda x: x.qty * x.price)[["shop", "revenue"]]


@example(SALES)
def by_shop(df):
    return df.groupby("shop", as_index=False).agg(total=("qty", "sum"), dear=("price", "max"))


@example(SALES)
def transformed(df):
    df["share"] = df["qty"] / df.groupby("item")["qty"].transform("sum")
    return df[["item", "share"]]


@example(SALES)
def applied_groups(df):
    return df.groupby("shop")["price"].apply(lambda s: s.max() - s.min()).reset_index(name="spread")


@example(SALES)
def filtered(df):
    return df[(df.qty > 1) & df["item"].isin(["tea"])][["price"]]


@example(SALES)
def queried(df):
    return df.query("qty > 1 and shop != 'w'")[["item"]]


@example(SALES)
def evaluated(df):
    return df.eval("r = qty * price")[["r"]]


@example(SALES, SHOPS)
def merged(a, b):
    return a.merge(b, on="shop", how="left")[["item", "city"]]


@example(SALES, SHOPS)
def taxed(a, b):
    m = pd.merge(a, b.set_index("shop")[["tax"]], left_on="shop", right_index=True)
    return (m["price"] * (1 + m["tax"])).to_frame("gross").reset_index(drop=True)


@example(SALES, SHOPS)
def mapped(a, b):
    return a.shop.map(b.set_index("shop")["city"]).to_frame()


@example(SALES)
def pivoted(df):
    return df.pivot_table(
        index="shop", columns="item", values="qty", fill_value=0, aggfunc="sum"
    ).reset_index()


@example(SALES)
def crossed(df):
    return pd.crosstab(df["shop"], df["item"]).reset_index()


@example(SALES)
def melted(df):
    return df.melt(id_vars=["shop"], value_vars=["qty", "price"])


@example(SALES)
def sorted_head(df):
    return df.sort_values(["shop", "price"], ascending=[True, False]).head(2)[["item"]]


@example(SALES)
def largest(df):
    return df.nlargest(2, "price")[["shop", "price"]]


@example(SALES)
def row_applied(df):
    return df.apply(lambda r: f"{r['item']}@{r.shop}", axis=1).to_frame("label")


@example(SALES)
def column_applied(df):
    return df[["qty", "price"]].apply(lambda c: c / c.sum())


@example(SALES)
def piped(df):
    def add(d, col, by=1):
        return d.assign(**{col: d[col] + by})

    return df.pipe(add, "qty", by=10).loc[:, ["qty", "shop"]]


@example(SALES)
def exploded(df):
    return df.assign(part=df["day"].str.split("-")).explode("part")[["shop", "part"]].reset_index(drop=True)


@example(SALES)
def renamed(df):
    return df.rename(columns=str.upper)[["QTY", "ITEM"]]


@example(SALES)
def columns_assigned(df):
    df.columns = [c[:2] for c in df.columns]
    return df[["pr", "da"]]


@example(SALES)
def dropped(df):
    return df.drop(columns=["day", "price"]).drop_duplicates("shop")


@example(SALES)
def iterrows(df):
    return pd.DataFrame([{"k": r["shop"], "v": r.qty * 2} for _, r in df.iterrows()])


@example(SALES)
def itertuples(df):
    return pd.DataFrame([(t.item, t.price) for t in df.itertuples(index=False)], columns=["i", "p"])


@example(SALES)
def records(df):
    return pd.DataFrame.from_records([{"s": d["shop"], "n": len(d["item"])} for d in df.to_dict("records")])


@example(SALES)
def inserted(df):
    df.insert(0, "key", df["shop"] + "-" + df.pop("item"))
    return df.iloc[:, :2]


@example(SALES)
def loc_set(df):
    df.loc[df["shop"] == "n", "price"] = df["qty"]
    return df[["price"]]


@example(SALES)
def view_changed(df):
    part = df[["qty", "price"]].copy()
    part["qty"] = df["price"]
    return part.rename(columns={"qty": "a"})


@example(SALES)
def resampled(df):
    df["day"] = pd.to_datetime(df["day"])
    return df.set_index("day").sort_index()["qty"].resample("MS").sum().reset_index()


@example(SALES)
def cumulated(df):
    return df.groupby("shop").qty.cumsum().to_frame("running").join(df["item"])


@example(SALES)
def stacked(df):
    return df.set_index("shop")[["qty", "price"]].stack().reset_index(name="v")


@example(SALES)
def groups_loop(df):
    out = []
    for shop, g in df.groupby("shop"):
        out.append({"shop": shop, "best": g.loc[g["price"].idxmax(), "item"]})
    return pd.DataFrame(out)


@example(SALES)
def dummies(df):
    return pd.get_dummies(df[["item"]]).astype(int)


@example(SALES)
def numpy_matrix(df):
    m = df[["qty", "price"]].to_numpy()
    return pd.DataFrame(m @ np.array([[1.0], [0.5]]), columns=["score"])


@example(SALES)
def aligned_index(df):
    s = df["qty"].copy()
    s.index = df["shop"]
    return s.groupby(level=0).sum().reset_index()


@example(SALES)
def updated(df):
    base = df[["qty", "price"]].copy()
    base.update(pd.DataFrame({"qty": df["price"]}))
    return base[["qty"]]


@example(SALES)
def compared_columns(df):
    return df[["qty", "price"]].max(axis=1).to_frame("m").assign(which=df[["qty", "price"]].idxmax(axis=1))


@example(SALES)
def filter_groups(df):
    return df.groupby("item").filter(lambda g: g["qty"].sum() > 4)[["shop"]]
