import hashlib

import numpy as np
import pandas as pd
from functions.examples import example

PEOPLE = pd.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "mail": ["Ada@Example.org", "bob@example.org", "c@other.de", "dan@other.de"],
        "city": ["Rome", "Oslo", "Rome", "Bern"],
        "spent": [10.5, 20.0, 3.25, 7.0],
        "visits": [3, 1, 2, 9],
    }
)
ORDERS = pd.DataFrame({"id": ["1", "1", "3"], "total": [5.0, 6.5, 9.0], "state": ["paid", "new", "paid"]})


def step(function):
    def inner(frame, *args, **kwargs):
        return function(frame.copy(), *args, **kwargs)

    return inner


@step
def with_host(frame):
    frame["host"] = frame["mail"].str.split("@").str[-1].str.lower()
    return frame


@step
def with_token(frame, salt):
    frame["token"] = frame["mail"].map(lambda m: hashlib.sha256((salt + m).encode()).hexdigest()[:12])
    return frame.drop(columns=["mail"])


@example(PEOPLE)
def piped(people):
    return people.pipe(with_host).pipe(with_token, "salt").loc[:, ["id", "host", "token"]]


@example(PEOPLE)
def ranked_by_city(people):
    people = people.assign(rank=people.groupby("city")["spent"].rank(ascending=False))
    return people[people["rank"] == 1][["city", "id", "spent"]].rename(columns={"id": "best"})


@example(PEOPLE, ORDERS)
def spent_by_person(people, orders):
    paid = orders.query("state == 'paid'").groupby("id", as_index=False).agg(paid=("total", "sum"))
    found = people[["id", "city"]].merge(paid, on="id", how="left")
    found["paid"] = found["paid"].fillna(0.0)
    return found


@example(PEOPLE)
def segments(people):
    people["segment"] = np.select(
        [people["spent"] > 15, people["visits"] >= 3], ["spender", "regular"], default="other"
    )
    people["ratio"] = (people["spent"] / people["visits"]).round(2)
    return people[["id", "segment", "ratio"]]


@example(PEOPLE["mail"], PEOPLE["city"])
def masked_series(mail, city):
    user = mail.str.extract(r"^([^@]+)@", expand=False)
    return user.str[:1] + "***@" + city.str.lower()


@example(PEOPLE["spent"])
def scaled(spent):
    low, high = spent.min(), spent.max()
    return (spent - low) / (high - low) if high > low else spent * 0


@example(PEOPLE)
def by_apply(people):
    def label(row):
        return f"{row['city']}-{row['visits']}"

    return pd.DataFrame({"id": people["id"], "label": people.apply(label, axis=1)})


@example([PEOPLE, PEOPLE])
def cleaned_batches(batches):
    for batch in batches:
        known = batch[batch["mail"].str.contains("@")]
        yield known.assign(mail=known["mail"].str.lower())[["id", "mail"]]
