import numpy as np
import pandas as pd

from functions.examples import example

ORDERS = pd.DataFrame(
    {"order_id": [1, 2, 3], "status": ["new", "paid", "new"], "price": [2.5, 4.0, 1.0], "quantity": [2, 1, 5]}
)
PEOPLE = pd.DataFrame({"id": [1, 2], "name": ["Ada", "Bob"], "mail": ["a@x.org", "b@y.org"], "age": [36, 17]})
VISITS = pd.DataFrame({"id": [1, 2, 2], "page": ["a", "b", "c"], "seconds": [3, 5, 8]})


@example(ORDERS["price"], ORDERS["quantity"])
def series_product(price, quantity):
    return price * quantity


@example(PEOPLE["mail"])
def series_domain(mail):
    return mail.str.split("@").str[1]


@example(PEOPLE["name"])
def series_upper(name):
    return name.str.upper().fillna("unknown")


@example(ORDERS)
def select_rename(df):
    return df[["order_id", "status"]].rename(columns={"order_id": "oid"})


@example(ORDERS)
def assign_total(df):
    return df.assign(total=df.price * df.quantity)


@example(ORDERS)
def set_total(df):
    out = df.copy()
    out["total"] = out["price"] * out["quantity"]
    return out[["order_id", "total"]]


@example(ORDERS)
def only_new(df):
    return df[df["status"] == "new"][["order_id", "price"]]


@example(ORDERS)
def by_status(df):
    return df.groupby("status", as_index=False).agg(total=("price", "sum"))


@example(ORDERS)
def dropped(df):
    return df.drop(columns=["status", "price"])


@example(PEOPLE, VISITS)
def merged(people, visits):
    return people.merge(visits, on="id")[["name", "page"]]


@example(PEOPLE)
def constructed(df):
    return pd.DataFrame({"key": df["id"], "domain": df["mail"].str.split("@").str[1]})


@example(PEOPLE)
def with_where(df):
    return pd.DataFrame({"id": df.id, "group": np.where(df.age >= 18, "adult", "minor")})


@example(ORDERS["price"])
def log_price(price):
    return np.log1p(price)


@example(ORDERS["price"])
def centred(price):
    return (price - price.mean()) / price.std()


@example([ORDERS])
def map_frames(frames):
    for df in frames:
        yield df[df.price > 2][["order_id", "price"]]


@example([PEOPLE])
def map_adults(iterator):
    for pdf in iterator:
        pdf["adult"] = pdf["age"] >= 18
        yield pdf[["id", "adult"]]


@example([PEOPLE["name"], PEOPLE["mail"]])
def series_iterator(batches):
    for s in batches:
        yield s.str.len()


@example(PEOPLE)
def applied(df):
    return pd.DataFrame({"n": df["name"].apply(lambda n: n[0]), "m": df["mail"].map(str.upper)})


@example(ORDERS)
def sorted_head(df):
    return df.sort_values("price", ascending=False).head(1)[["order_id"]]


@example(ORDERS)
def aggregated(df):
    return pd.DataFrame([{"n": len(df), "total": df["price"].sum(), "most": df["quantity"].max()}])


@example(ORDERS)
def ranked(df):
    df = df.copy()
    df["rank"] = df["price"].rank()
    return df.loc[:, ["order_id", "rank"]]


@example(PEOPLE)
def loc_filter(df):
    return df.loc[df.age > 20, ["id", "name"]]


@example(PEOPLE)
def concatenated(df):
    return (df["name"] + " <" + df["mail"] + ">").to_frame("contact")


@example(("new",), ORDERS)
def with_key(key, df):
    return pd.DataFrame([key + (df["price"].mean(),)], columns=["status", "mean"])


@example(PEOPLE)
def iterrows(df):
    rows = []
    for _, row in df.iterrows():
        rows.append({"id": row["id"], "name": row["name"].lower()})
    return pd.DataFrame(rows)


@example(ORDERS["price"], ORDERS["status"])
def masked(price, status):
    return price.where(status == "new", 0.0)


@example(PEOPLE)
def filled(df):
    return df.fillna({"name": "?"})[["name"]]


@example(PEOPLE)
def astype(df):
    return df[["id"]].astype(str)


@example(ORDERS)
def pipeline(df):
    return (
        df.query("price > 2")
        .assign(double=lambda d: d.price * 2)
        .rename(columns={"double": "twice"})[["order_id", "twice"]]
    )


@example(ORDERS)
def cumulative(df):
    return df.assign(running=df["price"].cumsum())[["order_id", "running"]]
