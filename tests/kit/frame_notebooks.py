"""Programs of pandas in the manner of notebooks, over real data in a folder: they know nothing of provenance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

CENSUS = [
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
    "race", "sex", "gain", "loss", "hours", "country", "label",
]  # fmt: skip


def read_census(folder: Path) -> Any:
    frame = pd.read_csv(folder / "census.csv")
    frame.columns = CENSUS
    return frame


def census_by_transform(folder: Path) -> Any:
    df = read_census(folder)
    for col in df.select_dtypes("object").columns:
        df[col] = df[col].str.strip()
    df = df.replace("?", np.nan)
    df["workclass"] = df["workclass"].fillna("Unknown")
    df["occupation"] = df["occupation"].fillna(df["workclass"])
    df["hours_mean"] = df.groupby("education")["hours"].transform("mean")
    df["hours_gap"] = df["hours"] - df["hours_mean"]
    df["rank_in_class"] = df.groupby("workclass")["age"].rank(method="first")
    df["share"] = df["gain"] / df.groupby("sex")["gain"].transform("sum").replace(0, 1)
    df["older"] = df["age"] > df.groupby("race")["age"].transform("median")
    df.loc[df["hours"] > 60, "hours"] = 60
    df.loc[df["country"].isna(), "country"] = "none"
    df["age_bin"] = pd.cut(df["age"], bins=[0, 25, 40, 60, 120], labels=["young", "mid", "late", "old"])
    df["net"] = df["gain"].sub(df["loss"])
    df = df[df["net"] >= 0]
    df = df.drop(columns=["fnlwgt", "education_num"])
    df = df.sort_values(["age_bin", "age"], kind="stable")
    df["position"] = df.groupby("age_bin", observed=True).cumcount()
    df = df[df["position"] < 10]
    return df.reset_index(drop=True)


def census_pivot(folder: Path) -> Any:
    df = read_census(folder).rename(columns=str.upper)
    df["SEX"] = df["SEX"].str.strip().str.lower()
    df["EDUCATION"] = df["EDUCATION"].str.strip().str.replace("-", "_", regex=False)
    df["LABEL"] = (df["LABEL"].str.contains(">50K")).astype(int)
    df["CAPITAL"] = df.eval("GAIN - LOSS")
    df = df.query("HOURS >= 20 and AGE < 80")
    table = df.pivot_table(index="EDUCATION", columns="SEX", values="HOURS", aggfunc="mean")
    table = table.fillna(0)
    table["gap"] = table["male"] - table["female"]
    rate = df.groupby("EDUCATION")["LABEL"].mean().rename("rate")
    table = table.join(rate)
    table = table.join(df.groupby("EDUCATION").agg(n=("AGE", "size"), oldest=("AGE", "max")))
    table = table[table["n"] > 1]
    table = table.sort_values("rate", ascending=False)
    table["percent"] = (table["rate"] * 100).round(1)
    table["cum"] = table["n"].cumsum()
    table.columns.name = None
    return table.reset_index()


def census_model(folder: Path) -> Any:
    df = read_census(folder)
    text = df.select_dtypes("object").columns
    df[text] = df[text].apply(lambda column: column.str.strip())
    df = df.replace({"?": np.nan})
    y = (df.pop("label") == ">50K").astype(int)
    x = df.drop(columns=["fnlwgt", "education"])
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, random_state=0)
    numeric = ["age", "education_num", "gain", "loss", "hours"]
    categorical = ["workclass", "marital_status", "sex"]
    pre = ColumnTransformer(
        [
            ("num", Pipeline([("imp", SimpleImputer()), ("sc", StandardScaler())]), numeric),
            (
                "cat",
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"),
                    OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                ),
                categorical,
            ),
        ]
    )
    clf = Pipeline([("pre", pre), ("lr", LogisticRegression(max_iter=300))])
    clf.fit(x_train, y_train)
    proba = clf.predict_proba(x_test)[:, 1]
    out = x_test[["age", "sex"]].copy()
    out["p"] = proba
    out["guess"] = (out["p"] > 0.5).astype(int)
    out["truth"] = y_test
    out["hit"] = out["guess"] == out["truth"]
    out["band"] = pd.cut(out["p"], [0, 0.2, 0.5, 0.8, 1], include_lowest=True, labels=False)
    return out.sort_index()


def german_categories(folder: Path) -> Any:
    df = pd.read_csv(folder / "german.csv")
    df["label"] = df["label"].map({1: "good", 2: "bad"})
    df["checking"] = df["checking"].astype("category")
    df["checking"] = df["checking"].cat.rename_categories(
        {"A11": "low", "A12": "mid", "A13": "high", "A14": "none"}
    )
    df["savings"] = pd.Categorical(
        df["savings"], categories=["A61", "A62", "A63", "A64", "A65"], ordered=True
    )
    df["savings_code"] = df["savings"].cat.codes
    df["rich"] = df["savings"] > "A62"
    df["purpose"] = df["purpose"].where(df["purpose"].isin(["A40", "A41", "A43"]), "other")
    df["monthly"] = df["credit_amount"] / df["duration"]
    df["quartile"] = pd.qcut(df["monthly"], 4, labels=["q1", "q2", "q3", "q4"])
    df["age_z"] = (df["age"] - df["age"].mean()) / df["age"].std()
    df["long"] = np.where(df["duration"] > 24, "long", "short")
    df = df.assign(per_person=lambda d: d["credit_amount"] / (1 + d["dependants"]))
    counts = df["purpose"].value_counts()
    df["purpose_n"] = df["purpose"].map(counts)
    df = df.dropna(subset=["quartile"])
    df = df[
        [
            "checking",
            "savings_code",
            "rich",
            "purpose",
            "purpose_n",
            "monthly",
            "quartile",
            "age_z",
            "long",
            "per_person",
            "label",
        ]
    ]
    wide = pd.get_dummies(df, columns=["purpose", "long"], drop_first=False)
    wide = wide.rename(columns=lambda c: c.replace("purpose_A", "p_"))
    wide["risk"] = np.select(
        [wide["monthly"] > 300, wide["monthly"] > 150], ["high", "medium"], default="low"
    )
    return wide.nlargest(40, "monthly")


def german_group_table(folder: Path) -> Any:
    df = pd.read_csv(folder / "german.csv")
    df.drop(columns=["phone", "foreigner"], inplace=True)
    df.rename(columns={"inst_rate": "rate", "residence_time": "residence"}, inplace=True)
    df["age"] = df["age"].clip(lower=20, upper=65)
    df["decade"] = df["age"] // 10 * 10
    df["bad"] = df["label"].eq(2)
    grouped = df.groupby(["decade", "housing"])
    stats = grouped.agg(
        n=("bad", "size"),
        bad=("bad", "mean"),
        amount=("credit_amount", "median"),
        most=("credit_amount", "max"),
    )
    stats["spread"] = stats["most"] - stats["amount"]
    stats = stats.reset_index()
    totals = stats.groupby("decade")["n"].transform("sum")
    stats["share"] = stats["n"] / totals
    stats = stats.merge(df.groupby("decade", as_index=False)["duration"].mean(), on="decade", how="left")
    long = stats.melt(
        id_vars=["decade", "housing"],
        value_vars=["bad", "share", "amount"],
        var_name="what",
        value_name="value",
    )
    long = long.dropna()
    wide = long.pivot(index=["decade", "housing"], columns="what", values="value")
    wide = wide.sort_index(ascending=[True, False])
    wide = wide.reset_index().rename_axis(columns=None)
    wide["score"] = wide["bad"].rank(pct=True)
    return wide


def german_multiindex(folder: Path) -> Any:
    df = pd.read_csv(folder / "german.csv")
    df = df.set_index(["purpose", "job"]).sort_index()
    df["amount"] = df.pop("credit_amount") / 100
    head = df.groupby(level=["purpose", "job"]).head(3)
    mean = df.groupby(level="purpose")["amount"].mean()
    head = head.join(mean.rename("purpose_mean"), on="purpose")
    head["over"] = head["amount"] > head["purpose_mean"]
    cross = head.xs("A43", level="purpose")
    stack = head[["amount", "duration"]].stack()
    stack.name = "value"
    stack = stack.reset_index()
    stack.columns = ["purpose", "job", "what", "value"]
    summary = stack.groupby(["purpose", "what"])["value"].sum().unstack("what", fill_value=0.0)
    summary["ratio"] = summary["amount"] / summary["duration"]
    summary["cross"] = len(cross)
    counts = df.groupby(level=[0, 1]).size().unstack(fill_value=0)
    summary = summary.join(counts)
    summary = summary.loc[summary["ratio"] > 0]
    return summary.reset_index()


def compas_times(folder: Path) -> Any:
    df = pd.read_csv(folder / "compas.csv", parse_dates=["c_jail_in", "c_jail_out", "dob"])
    df = df[["id", "sex", "race", "dob", "c_jail_in", "c_jail_out", "priors_count", "two_year_recid"]]
    df = df.dropna(subset=["c_jail_in", "c_jail_out"]).copy()
    df["jail_in"] = df["c_jail_in"].dt.tz_localize(
        "America/New_York", ambiguous="NaT", nonexistent="shift_forward"
    )
    df["jail_utc"] = df["jail_in"].dt.tz_convert("UTC")
    df["hour"] = df["jail_utc"].dt.hour
    df["weekday"] = df["jail_in"].dt.day_name()
    df["stay"] = (df["c_jail_out"] - df["c_jail_in"]).dt.total_seconds() / 3600
    df["age_then"] = df["c_jail_in"].dt.year - df["dob"].dt.year
    df = df[df["stay"].between(1, 5000)]
    df["night"] = df["hour"].isin([0, 1, 2, 3, 4])
    monthly = df.set_index("c_jail_in").sort_index().resample("QS")["stay"].agg(["count", "mean"])
    monthly = monthly[monthly["count"] > 0]
    monthly["trend"] = monthly["mean"].diff()
    monthly["smooth"] = monthly["mean"].rolling(3, min_periods=1).mean()
    monthly["before"] = monthly["count"].shift(1).fillna(0).astype(int)
    monthly["growth"] = monthly["count"].pct_change().fillna(0)
    monthly = monthly.reset_index()
    monthly["label"] = monthly["c_jail_in"].dt.strftime("%Y-%m")
    return monthly


def compas_asof(folder: Path) -> Any:
    df = pd.read_csv(folder / "compas.csv")
    screened = df[["id", "compas_screening_date", "decile_score", "sex"]].copy()
    screened["when"] = pd.to_datetime(screened["compas_screening_date"])
    screened = screened.sort_values("when")
    jailed = df.loc[df["c_jail_in"].notna(), ["id", "c_jail_in", "c_charge_degree", "sex"]]
    jailed["when"] = pd.to_datetime(jailed["c_jail_in"]).dt.normalize()
    jailed = jailed.rename(columns={"id": "jailed_id"}).drop(columns="c_jail_in")
    jailed = jailed.sort_values(["when", "jailed_id"])
    near = pd.merge_asof(
        screened, jailed, on="when", by="sex", direction="backward", tolerance=pd.Timedelta("60D")
    )
    near["found"] = near["jailed_id"].notna()
    near["degree"] = near["c_charge_degree"].fillna("none").str.lower()
    near["month"] = near["when"].dt.month
    near["high"] = near["decile_score"] >= 8
    near = near.drop(columns=["compas_screening_date", "c_charge_degree"])
    near["gap"] = near["when"].diff().dt.days
    near["first"] = ~near.duplicated("jailed_id")
    near = near[near["first"] | near["high"]]
    return near.reset_index(drop=True)


def compas_fairness(folder: Path) -> Any:
    df = pd.read_csv(
        folder / "compas.csv",
        usecols=[
            "age",
            "race",
            "sex",
            "score_text",
            "priors_count",
            "days_b_screening_arrest",
            "is_recid",
            "two_year_recid",
            "c_charge_degree",
        ],
    )
    df = df[(df.days_b_screening_arrest <= 30) & (df.days_b_screening_arrest >= -30)]
    df = df[df.is_recid != -1]
    df = df[df.c_charge_degree != "O"]
    df = df[df.score_text != "N/A"]
    df["low"] = df.score_text == "Low"
    df["crime_factor"] = df.c_charge_degree.astype("category")
    df["age_cat"] = pd.cut(df.age, [0, 25, 45, 200], labels=["young", "middle", "old"], right=False)
    df["race"] = df.race.replace({"Asian": "Other", "Native American": "Other"})
    table = pd.crosstab(df.race, df.low)
    table.columns = ["high", "low"]
    table["rate"] = table.high / (table.high + table.low)
    wrong = df[(df.two_year_recid == 0) & ~df.low].groupby("race").size()
    table["false_positive"] = wrong.reindex(table.index).fillna(0)
    table["fpr"] = table["false_positive"] / df[df.two_year_recid == 0].groupby("race").size()
    table = table.fillna(0).round(3)
    table["worst"] = table["fpr"] == table["fpr"].max()
    table["ratio"] = table["rate"].div(table.loc["Caucasian", "rate"])
    return table.reset_index()


def compas_knn(folder: Path) -> Any:
    df = pd.read_csv(folder / "compas.csv")
    cols = ["age", "priors_count", "days_b_screening_arrest", "juv_fel_count", "decile_score"]
    num = df[cols].astype(float)
    num.loc[num["age"] > 60, "age"] = np.nan
    imputed = pd.DataFrame(KNNImputer(n_neighbors=3).fit_transform(num), columns=cols, index=num.index)
    imputed["sex"] = df["sex"]
    enc = OrdinalEncoder()
    imputed["sex_code"] = enc.fit_transform(imputed[["sex"]]).ravel()
    imputed = imputed.join(pd.get_dummies(df["race"], prefix="race", dtype=int))
    imputed["y"] = df["two_year_recid"]
    imputed = imputed[imputed["priors_count"] < 20]
    train = imputed.sample(frac=0.7, random_state=3)
    test = imputed.drop(train.index)
    features = ["age", "priors_count", "juv_fel_count", "decile_score", "sex_code"]
    model = make_pipeline(MinMaxScaler(), LogisticRegression())
    model.fit(train[features], train["y"])
    scored = test[["age", "sex", "y"]].copy()
    scored[["p0", "p1"]] = model.predict_proba(test[features])
    scored["flag"] = scored["p1"].ge(0.5)
    scored["decile"] = pd.qcut(scored["p1"].rank(method="first"), 5, labels=False)
    return scored.sort_values("p1", ascending=False)


def healthcare(folder: Path) -> Any:
    patients = pd.read_csv(folder / "patients.csv", na_values="?")
    histories = pd.read_csv(folder / "histories.csv", na_values="?")
    data = patients.merge(histories, on=["ssn"])
    complications = data.groupby("age_group").agg(mean_complications=("complications", "mean"))
    data = data.merge(complications, on=["age_group"])
    data["label"] = data["complications"] > 1.2 * data["mean_complications"]
    data = data[["smoker", "last_name", "county", "num_children", "race", "income", "label"]]
    data = data[data["county"].isin(["county2", "county3"])]
    data["smoker"] = data["smoker"].fillna("unknown").astype(str)
    data["income"] = data["income"].fillna(data["income"].median())
    data["log_income"] = np.log1p(data["income"])
    data["race"] = data["race"].fillna(data["race"].mode()[0])
    data["initial"] = data["last_name"].str[0]
    data["children"] = data["num_children"].clip(upper=3)
    encoded = pd.get_dummies(data, columns=["race", "county"], dtype=int)
    encoded = encoded.drop(columns=["last_name", "num_children"])
    encoded["income_rank"] = encoded["income"].rank(ascending=False, method="min")
    return encoded.sort_values(["label", "income_rank"])


def healthcare_outer(folder: Path) -> Any:
    patients = pd.read_csv(folder / "patients.csv").set_index("ssn")
    histories = pd.read_csv(folder / "histories.csv").set_index("ssn")
    histories = histories[histories["complications"] > 1]
    both = patients.join(histories, how="left", rsuffix="_h")
    both["seen"] = both["complications"].notna()
    both["complications"] = both["complications"].fillna(0).astype(int)
    both["name"] = both["first_name"].str.upper() + " " + both["last_name"].str.title()
    both["area"] = both["ssn"] if "ssn" in both else both.index.str[:3]
    both["group"] = both["age_group"].str.extract(r"(\d+)").astype(float)
    both["income"] = pd.to_numeric(both["income"], errors="coerce")
    both["per_child"] = both["income"].div(both["num_children"].replace(0, np.nan))
    both = both.drop_duplicates(subset=["last_name"], keep="first")
    top = both.groupby("county")["income"].nlargest(3).reset_index(level=0)
    picked = both.loc[top.index]
    picked = picked.merge(
        top[["county"]].rename(columns={"county": "top_of"}), left_index=True, right_index=True
    )
    picked["same"] = picked["county"] == picked["top_of"]
    return picked.reset_index(names="ssn")


def several_files(folder: Path) -> Any:
    parts = []
    for number, path in enumerate(sorted(folder.glob("sales_part*.csv"))):
        part = pd.read_csv(path, header=None, names=["kind", "amount"])
        part["file"] = path.stem
        part["weight"] = number + 1
        parts.append(part)
    sales = pd.concat(parts)
    sales["kind"] = sales["kind"].str.strip()
    doubled = sales.loc[[0, 1]]
    sales = pd.concat([sales, doubled], keys=["all", "again"], names=["part", "line"]).reset_index("part")
    sales["amount"] += 1
    sales.loc[sales["kind"].eq("toys") & (sales["part"] == "again"), "amount"] *= 2
    sales = sales[~sales.index.duplicated(keep="last") | (sales["weight"] > 1)]
    orders = pd.read_csv(folder / "orders2.csv", header=None, names=["order", "customer", "amount"])
    customers = pd.read_csv(folder / "customers.csv", header=None, names=["customer", "name"])
    orders = orders.merge(customers, how="left")
    orders["kind"] = np.where(orders["amount"] > 200, "furniture", "groceries")
    both = sales.merge(orders, on="kind", how="outer", suffixes=("_s", "_o"), indicator=True)
    both["total"] = both[["amount_s", "amount_o"]].sum(axis=1)
    both["name"] = both["name"].fillna("nobody")
    both["_merge"] = both["_merge"].astype(str)
    both = both.drop(columns="order")
    return both.sort_values(["kind", "total", "weight"], ignore_index=True)


def tpch_chain(folder: Path) -> Any:
    customer = pd.read_parquet(folder / "customer.parquet")
    orders = pd.read_parquet(folder / "orders.parquet")
    lineitem = pd.read_parquet(folder / "lineitem.parquet")
    nation = pd.read_parquet(folder / "nation.parquet")
    region = pd.read_parquet(folder / "region.parquet")
    lineitem["price"] = lineitem["l_extendedprice"].astype(float) * (1 - lineitem["l_discount"].astype(float))
    orders["o_orderdate"] = pd.to_datetime(orders["o_orderdate"])
    orders["year"] = orders["o_orderdate"].dt.year
    places = nation.merge(region, left_on="n_regionkey", right_on="r_regionkey")
    who = customer.merge(places, left_on="c_nationkey", right_on="n_nationkey", how="inner")
    who = who[["c_custkey", "c_name", "c_mktsegment", "n_name", "r_name"]]
    sold = lineitem.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    sold = sold[sold["l_returnflag"] != "A"]
    sold = sold.merge(who, left_on="o_custkey", right_on="c_custkey")
    revenue = sold.groupby(["r_name", "year"], as_index=False).agg(
        revenue=("price", "sum"), n=("l_linenumber", "count")
    )
    revenue = revenue[revenue["n"] > 2]
    revenue["share"] = revenue["revenue"] / revenue.groupby("year")["revenue"].transform("sum")
    revenue["previous"] = revenue.sort_values("year").groupby("r_name")["revenue"].shift(1)
    revenue["growth"] = revenue["revenue"] / revenue["previous"] - 1
    return revenue.sort_values(["r_name", "year"]).reset_index(drop=True)


def tpch_self_join(folder: Path) -> Any:
    supp = pd.read_parquet(folder / "partsupp.parquet")
    supp["cost"] = supp.pop("ps_supplycost").astype(float)
    supp = supp.drop(columns="ps_comment")
    cheapest = supp.loc[supp.groupby("ps_partkey")["cost"].idxmin()]
    cheapest = cheapest.rename(columns={"cost": "least", "ps_suppkey": "best"})[
        ["ps_partkey", "least", "best"]
    ]
    pairs = supp.merge(supp, on="ps_partkey", suffixes=("_a", "_b"))
    pairs = pairs[pairs["ps_suppkey_a"] < pairs["ps_suppkey_b"]]
    pairs["difference"] = (pairs["cost_a"] - pairs["cost_b"]).abs()
    pairs = pairs.merge(cheapest, on="ps_partkey", how="left")
    pairs["with_best"] = (pairs["ps_suppkey_a"] == pairs["best"]) | (pairs["ps_suppkey_b"] == pairs["best"])
    pairs["least"] = pairs["least"].round(1)
    part = pd.read_parquet(folder / "part.parquet", columns=["p_partkey", "p_brand", "p_size"])
    part["brand"] = part["p_brand"].str.split("#").str[1].astype(int)
    pairs = pairs.merge(part.set_index("p_partkey"), left_on="ps_partkey", right_index=True)
    pairs["stock"] = pairs.filter(like="availqty").min(axis=1)
    pairs = pairs[pairs["stock"] > 100]
    pairs["order"] = pairs.groupby("ps_partkey")["difference"].rank(method="dense")
    return pairs[pairs["order"] == 1].reset_index(drop=True)


def tpch_returns(folder: Path) -> Any:
    lines = pd.read_parquet(folder / "lineitem.parquet")
    for name in ["l_quantity", "l_extendedprice", "l_discount", "l_tax"]:
        lines[name] = pd.to_numeric(lines[name].astype(str))
    lines["l_shipdate"] = pd.to_datetime(lines["l_shipdate"])
    lines["l_receiptdate"] = pd.to_datetime(lines["l_receiptdate"])
    lines["days"] = (lines["l_receiptdate"] - lines["l_shipdate"]).dt.days
    lines["month"] = lines["l_shipdate"].dt.to_period("Q")
    lines["net"] = lines["l_extendedprice"] * (1 - lines["l_discount"])
    lines["gross"] = lines["net"] * (1 + lines["l_tax"])
    lines["slow"] = lines["days"] > lines["days"].quantile(0.75)
    lines = lines[lines["l_shipmode"].str.startswith(("AIR", "TRUCK", "RAIL", "SHIP"))]
    by_mode = lines.groupby(["l_shipmode", "month"]).agg(
        {"net": "sum", "days": ["mean", "max"], "slow": "sum"}
    )
    by_mode.columns = ["_".join(each) for each in by_mode.columns]
    by_mode = by_mode.reset_index()
    by_mode["month"] = by_mode["month"].astype(str)
    by_mode["running"] = by_mode.groupby("l_shipmode")["net_sum"].cumsum()
    by_mode["best"] = by_mode.groupby("l_shipmode")["net_sum"].transform(lambda s: s == s.max())
    by_mode["normal"] = by_mode["net_sum"] / by_mode["net_sum"].sum()
    return by_mode.sort_values("running").tail(30)


def tpch_arrow(folder: Path) -> Any:
    orders = pd.read_parquet(folder / "orders.parquet").convert_dtypes(dtype_backend="pyarrow")
    customer = pd.read_parquet(folder / "customer.parquet").convert_dtypes(dtype_backend="pyarrow")
    orders["price"] = orders["o_totalprice"].astype("float64[pyarrow]")
    orders["priority"] = orders["o_orderpriority"].str.slice(0, 1)
    orders["urgent"] = orders["priority"].isin(["1", "2"])
    orders["clerk"] = orders["o_clerk"].str.replace("Clerk#", "", regex=False)
    customer["balance"] = customer["c_acctbal"].astype("float64[pyarrow]")
    customer.loc[customer["balance"] < 0, "balance"] = pd.NA
    customer["balance"] = customer["balance"].fillna(customer["balance"].mean())
    both = orders.merge(customer, left_on="o_custkey", right_on="c_custkey", how="left")
    both["part"] = both["price"] / both["balance"]
    both = both[both["o_orderstatus"] != "P"]
    both = both.astype({"urgent": "int64[pyarrow]"})
    best = both.sort_values("price", ascending=False).drop_duplicates("o_custkey")
    best = best[
        ["o_orderkey", "o_custkey", "priority", "urgent", "clerk", "price", "balance", "part", "c_mktsegment"]
    ]
    seg = best.groupby("c_mktsegment")["price"].agg(["mean", "count"]).reset_index()
    best = best.merge(seg, on="c_mktsegment", how="inner")
    best["above"] = best["price"] > best["mean"]
    return best.sort_values("o_orderkey").reset_index(drop=True)


def tweets_explode(folder: Path) -> Any:
    df = pd.read_json(folder / "tweets.ndjson", lines=True)
    df = df[["id", "created_at", "text", "user", "entities", "retweet_count", "favorite_count"]]
    df["name"] = df["user"].map(lambda user: user["screen_name"])
    df["followers"] = df["user"].apply(lambda user: user["followers_count"])
    df["mentions"] = df["entities"].map(lambda each: [m["screen_name"] for m in each["user_mentions"]])
    df["n"] = df["mentions"].str.len()
    df["length"] = df["text"].str.len()
    df["hour"] = pd.to_datetime(df["created_at"]).dt.floor("s").dt.second
    df["reach"] = df["followers"] * (1 + df["retweet_count"])
    df = df.drop(columns=["user", "entities", "created_at"])
    by_mention = df.explode("mentions", ignore_index=True)
    by_mention["mentions"] = by_mention["mentions"].fillna("-").str.lower()
    by_mention["first"] = ~by_mention.duplicated("mentions")
    count = by_mention.groupby("mentions").agg(
        n=("id", "nunique"), reach=("reach", "sum"), longest=("length", "max")
    )
    count = count.sort_values(["n", "reach"], ascending=False).reset_index()
    count["share"] = count["reach"] / count["reach"].sum()
    rows = [{"mention": row.mentions, "score": row.n * 10 + row.longest} for row in count.itertuples()]
    scores = pd.DataFrame(rows)
    return count.merge(scores, left_on="mentions", right_on="mention").head(25)


def lists_of_dicts(folder: Path) -> Any:
    df = pd.read_csv(folder / "german.csv")
    df = df[df["duration"] > 12].reset_index(drop=True)
    rows = []
    for index, row in df.iterrows():
        rows.append(
            {
                "id": index,
                "purpose": row["purpose"],
                "monthly": row["credit_amount"] / row["duration"],
                "old": row["age"] > 40,
            }
        )
    made = pd.DataFrame(rows)
    made["rounded"] = made["monthly"].round()
    made = made.join(df[["housing", "job"]])
    made["twice"] = made["monthly"] * 2
    again = pd.DataFrame.from_records(made.to_dict("records"))
    again["job"] = again["job"].str[-1].astype(int)
    pairs = [(name, group["monthly"].mean(), len(group)) for name, group in again.groupby("housing")]
    table = pd.DataFrame(pairs, columns=["housing", "mean", "n"])
    again = again.merge(table, on="housing")
    again["over"] = again["monthly"] > again["mean"]
    lookup = dict(zip(table["housing"], table["n"], strict=True))
    again["n2"] = again["housing"].map(lookup)
    return again.head(60)


def duplicate_index(folder: Path) -> Any:
    df = pd.read_csv(folder / "compas.csv", index_col="race")
    df = df[["sex", "age", "priors_count", "decile_score", "two_year_recid"]]
    young = df[df["age"] < 30]
    old = df[df["age"] >= 45].copy()
    old["decile_score"] -= 1
    both = pd.concat([young, old], keys=["young", "old"], names=["era"])
    both["mean"] = both.groupby(level="race")["decile_score"].transform("mean")
    both = both.reset_index(level="era")
    sub = both.loc[["Caucasian", "Hispanic"]]
    sub.insert(0, "order", range(len(sub)))
    sub["delta"] = sub["decile_score"] - sub["mean"]
    sub = sub.rename_axis("group").reset_index()
    sub["age"] = sub["age"].astype("Int64")
    sub.loc[sub["sex"] == "Female", "age"] = pd.NA
    sub["age"] = sub["age"].fillna(sub["age"].mean().round())
    sub = sub.set_index("order").sort_values("delta")
    sub["bucket"] = pd.cut(sub["delta"], 3, labels=["a", "b", "c"]).astype(str)
    sub = sub.groupby("bucket").filter(lambda g: len(g) > 2)
    return sub.iloc[::2]


def in_place_cleaning(folder: Path) -> Any:
    df = pd.read_csv(folder / "census.csv")
    df.columns = CENSUS
    df.drop("fnlwgt", axis=1, inplace=True)
    df.replace(" ?", np.nan, inplace=True)
    df.dropna(subset=["occupation"], inplace=True)
    df.sort_values("age", inplace=True, kind="stable")
    df.reset_index(drop=True, inplace=True)
    df["country"] = df["country"].fillna("unknown")
    df["education"] = df["education"].str.strip()
    df.loc[5:10, "hours"] = 40
    df.iloc[0, df.columns.get_loc("gain")] = 100
    df.at[3, "loss"] = 7
    df["sex"] = df["sex"].map(lambda s: s.strip()[0])
    df.insert(2, "income", df["gain"] - df["loss"])
    del df["gain"], df["loss"]
    df.update(df[["hours"]] * 1)
    df.loc[len(df)] = df.iloc[0]
    df["marital_status"] = df["marital_status"].mask(df["age"] < 25, "young")
    df.drop_duplicates(inplace=True)
    df.set_index("relationship", inplace=True)
    df.rename_axis("rel", inplace=True)
    df["hours"] = df["hours"].mul(df["education_num"], axis=0)
    return df.reset_index()


def windows_of_orders(folder: Path) -> Any:
    orders = pd.read_parquet(folder / "orders.parquet")
    orders["price"] = orders["o_totalprice"].astype(float)
    orders["o_orderdate"] = pd.to_datetime(orders["o_orderdate"])
    daily = orders.groupby("o_orderdate")["price"].sum().to_frame("total")
    daily["n"] = orders.groupby("o_orderdate").size()
    daily = daily.asfreq("D")
    daily["n"] = daily["n"].fillna(0)
    daily["total"] = daily["total"].interpolate()
    monthly = daily.resample("MS").sum()
    monthly["avg3"] = monthly["total"].rolling(window=3).mean()
    monthly["ewm"] = monthly["total"].ewm(span=3).mean()
    monthly["high"] = monthly["total"].expanding().max()
    monthly["lag"] = monthly["total"].shift(12)
    monthly["yoy"] = monthly["total"] / monthly["lag"]
    monthly = monthly.dropna(subset=["avg3"])
    monthly["quarter"] = monthly.index.quarter
    monthly["z"] = monthly.groupby("quarter")["total"].transform(lambda s: (s - s.mean()) / s.std())
    monthly["up"] = np.sign(monthly["total"].diff()).fillna(0)
    return monthly.reset_index().tail(24)


def customers_forest(folder: Path) -> Any:
    customer = pd.read_parquet(folder / "customer.parquet")
    orders = pd.read_parquet(folder / "orders.parquet")
    orders["price"] = orders["o_totalprice"].astype(float)
    spend = orders.groupby("o_custkey").agg(
        spend=("price", "sum"), n=("price", "size"), last=("o_orderdate", "max")
    )
    df = customer.merge(spend, left_on="c_custkey", right_index=True, how="left")
    df["balance"] = df["c_acctbal"].astype(float)
    df[["spend", "n"]] = df[["spend", "n"]].fillna(0)
    df["active"] = df["last"].notna().astype(int)
    df["prefix"] = df["c_phone"].str.split("-", expand=True)[0].astype(int)
    df = df.drop(columns=["c_comment", "c_address", "c_name"])
    x = df[["balance", "prefix", "c_nationkey", "c_mktsegment"]]
    pre = ColumnTransformer(
        [("o", OneHotEncoder(sparse_output=False), ["c_mktsegment"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    pre.set_output(transform="pandas")
    z = pre.fit_transform(x)
    kept = SelectKBest(f_classif, k=3).set_output(transform="pandas").fit_transform(z, df["active"])
    x_train, x_test, y_train, y_test = train_test_split(
        kept, df["active"], random_state=1, stratify=df["active"]
    )
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(x_train, y_train)
    out = x_test.assign(p=forest.predict_proba(x_test)[:, 1], y=y_test)
    out = out.join(df[["c_custkey", "spend"]])
    out["order"] = out["p"].rank(ascending=False, method="first")
    return out.sort_values("order")


def regression_by_hand(folder: Path) -> Any:
    df = pd.read_csv(folder / "german.csv")
    x = df[["duration", "age", "inst_rate"]].to_numpy(dtype=float)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = np.log(df["credit_amount"])
    model = LinearRegression().fit(x, y)
    df["fitted"] = model.predict(x)
    df["residual"] = y - df["fitted"]
    df["big"] = df["residual"].abs() > df["residual"].std() * 2
    df["square"] = np.square(df["residual"])
    out = df.loc[:, ["duration", "age", "fitted", "residual", "big", "square"]]
    out = out.assign(age=np.sqrt(out["age"]), group=np.digitize(out["duration"], [12, 24, 36]))
    out["group_mean"] = out.groupby("group")["residual"].transform("mean")
    out["shifted"] = out["residual"].shift(-1, fill_value=0.0)
    out["mx"] = np.maximum(out["fitted"], out["group_mean"])
    out = out[out["group"] > 0]
    return out.round(6)


def github_flat(folder: Path) -> Any:
    df = pd.read_json(folder / "github_events.ndjson", lines=True)
    df["repo_name"] = df["repo"].apply(lambda r: r["name"])
    df["login"] = df["actor"].str.get("login")
    df[["owner", "project"]] = df["repo_name"].str.split("/", n=1, expand=True)
    df["created_at"] = pd.to_datetime(df["created_at"], utc=True)
    df["minute"] = df["created_at"].dt.minute
    df["kind"] = df["type"].str.replace("Event", "")
    df = df.drop(columns=["payload", "repo", "actor"])
    df = df[[c for c in df.columns if c not in ("org", "public", "type")]]
    counts = df.groupby("kind")["id"].count().rename("n").reset_index()
    df = df.merge(counts, on="kind", how="left").sort_values("created_at")
    df["since"] = df.groupby("kind")["created_at"].diff().dt.total_seconds().fillna(-1)
    df["same_owner"] = df["owner"] == df["login"]
    owners = df.groupby("owner").agg(
        events=("id", "count"), kinds=("kind", lambda k: "|".join(sorted(set(k))))
    )
    df = df.join(owners, on="owner")
    df["many"] = df["events"] > 1
    df["created_at"] = df["created_at"].dt.tz_convert("Europe/Zurich")
    return df.set_index("id").sort_index()


def apply_rows(folder: Path) -> Any:
    df = pd.read_csv(folder / "patients.csv")

    def band(row: Any) -> str:
        if row["income"] > 100000:
            return "high"
        return "low" if row["num_children"] > 2 else "mid"

    df["band"] = df.apply(band, axis=1)
    df["full"] = df.apply(lambda r: f"{r['first_name']} {r.last_name}", axis=1)
    df[["first3", "last3"]] = df[["first_name", "last_name"]].map(lambda s: s[:3])
    df["key"] = df["first3"].str.cat(df["last3"], sep="-")
    df["race"] = df["race"].fillna("none")

    def summarise(group: Any) -> Any:
        return pd.Series(
            {"n": len(group), "mean": group["income"].mean(), "most": group["num_children"].max()}
        )

    by = df.groupby(["county", "band"])[["income", "num_children"]].apply(summarise).reset_index()
    by["share"] = by["n"] / by["n"].sum()
    df = df.merge(by, on=["county", "band"], suffixes=("", "_group"))
    df["relative"] = df["income"] / df["mean"]
    df = df.pipe(lambda d: d[d["relative"] > 0.5])
    df["digits"] = df["ssn"].str.findall(r"\d+").map(len)
    df["even"] = df["id"].mod(2).eq(0)
    df = df.sort_values(["even", "relative"], ascending=[False, True])
    return df[["id", "band", "full", "key", "race", "n", "mean", "share", "relative", "even", "digits"]]


def string_work(folder: Path) -> Any:
    part = pd.read_parquet(folder / "part.parquet")
    part["words"] = part["p_name"].str.split()
    part["first"] = part["words"].str[0]
    part[["kind", "finish", "metal"]] = part["p_type"].str.split(" ", expand=True)
    part["price"] = part["p_retailprice"].astype(float)
    colours = part[["p_partkey", "words"]].explode("words").rename(columns={"words": "colour"})
    n = colours["colour"].value_counts().rename_axis("colour").reset_index(name="count")
    colours = colours.merge(n, on="colour")
    rare = colours.sort_values(["count", "colour"]).groupby("p_partkey").first()
    part = part.merge(rare, left_on="p_partkey", right_index=True)
    part["size_class"] = pd.cut(part["p_size"], [0, 10, 30, 50], labels=["s", "m", "l"])
    mean = part.groupby(["metal", "size_class"], observed=False)["price"].mean().unstack()
    part["metal_mean"] = part["metal"].map(mean.mean(axis=1))
    part["dear"] = part["price"] > part["metal_mean"]
    part["code"] = part["p_brand"].str.extract(r"#(\d)(\d)")[0]
    part["name"] = part["p_name"].str.title().str.replace(" ", "", n=1)
    dummies = part["metal"].str.get_dummies()
    part = pd.concat([part, dummies], axis=1)
    part["pad"] = part["code"].str.zfill(3)
    return part.drop(columns=["words", "p_comment", "p_retailprice"]).head(50)


def pivots_of_lines(folder: Path) -> Any:
    lines = pd.read_parquet(
        folder / "lineitem.parquet",
        columns=["l_orderkey", "l_suppkey", "l_quantity", "l_shipmode", "l_returnflag", "l_linestatus"],
    )
    lines["l_quantity"] = lines["l_quantity"].astype(float).astype(int)
    lines["l_shipmode"] = lines["l_shipmode"].str.replace(" ", "_").astype("category")
    lines["flag"] = lines["l_returnflag"] + lines["l_linestatus"]
    wide = lines.pivot_table(
        index="l_suppkey", columns=["flag"], values="l_quantity", aggfunc="sum", fill_value=0
    )
    wide = wide.add_prefix("q_")
    modes = lines.groupby(["l_suppkey", "l_shipmode"], observed=True).size().unstack(fill_value=0)
    modes = modes.div(modes.sum(axis=1), axis=0)
    both = wide.join(modes, how="left")
    both["best"] = modes.idxmax(axis=1)
    supplier = pd.read_parquet(folder / "supplier.parquet").set_index("s_suppkey")
    nation = pd.read_parquet(folder / "nation.parquet").set_index("n_nationkey")
    supplier["nation"] = supplier["s_nationkey"].map(nation["n_name"])
    both = both.join(supplier[["s_name", "nation", "s_acctbal"]])
    both["s_acctbal"] = both["s_acctbal"].astype(float).round()
    both["total"] = both.filter(regex="^q_").sum(axis=1)
    both = both[both["total"] > both["total"].mean()]
    both = both.assign(rank=both["total"].rank(ascending=False)).sort_values("rank")
    both.index.name = "supplier"
    return both.reset_index()


def imputed_by_group(folder: Path) -> Any:
    df = pd.read_csv(folder / "compas.csv")
    df = df[
        [
            "id",
            "race",
            "sex",
            "age",
            "days_b_screening_arrest",
            "v_decile_score",
            "c_charge_desc",
            "score_text",
        ]
    ]
    df["days"] = df["days_b_screening_arrest"].abs()
    df["days"] = df["days"].fillna(df.groupby("race")["days"].transform("median"))
    df["days"] = df["days"].ffill().bfill()
    df["charge"] = df["c_charge_desc"].fillna("")
    df["battery"] = df["charge"].str.contains("battery", case=False)
    order = ["Low", "Medium", "High"]
    df["score"] = pd.Categorical(df["score_text"], categories=order, ordered=True)
    df = df.sort_values(["score", "age"], na_position="last")
    df["age_group_n"] = df.groupby(pd.cut(df["age"], [0, 30, 50, 100]), observed=True)["id"].transform(
        "count"
    )
    grouped = df.groupby(["sex", "score"], observed=True)
    df["nth"] = grouped.cumcount() + 1
    df["rolling"] = grouped["days"].transform(lambda s: s.rolling(3, min_periods=1).mean())
    df["last_in_group"] = grouped["v_decile_score"].transform("last")
    best = grouped["days"].idxmax()
    df["is_best"] = df.index.isin(best)
    df = df[df["nth"] <= 8].set_index("id")
    return df.drop(columns=["c_charge_desc", "score_text", "days_b_screening_arrest"])


NOTEBOOKS: dict[str, Callable[[Path], Any]] = {
    each.__name__: each
    for each in (
        census_by_transform, census_pivot, census_model, german_categories, german_group_table, german_multiindex,
        compas_times, compas_asof, compas_fairness, compas_knn, healthcare, healthcare_outer, several_files,
        tpch_chain, tpch_self_join, tpch_returns, tpch_arrow, tweets_explode, lists_of_dicts, duplicate_index,
        in_place_cleaning, windows_of_orders, customers_forest, regression_by_hand, github_flat, apply_rows,
        string_work, pivots_of_lines, imputed_by_group,
    )
}  # fmt: skip
