"""Three pipelines of pandas over real data, as people write them: they know nothing of provenance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from kit.shared import shared

GERMAN_CODES: dict[str, dict[Any, Any]] = {
    "checking": {"A11": "check_low", "A12": "check_mid", "A13": "check_high", "A14": "check_none"},
    "credit_history": {
        "A30": "debt_no",
        "A31": "debt_yes",
        "A32": "debt_on",
        "A33": "debt_late",
        "A34": "crit",
    },
    "purpose": {
        "A40": "new",
        "A41": "used",
        "A42": "chairs",
        "A43": "radio",
        "A44": "kitchen",
        "A45": "repair",
    },
    "savings": {"A61": "small", "A62": "some", "A63": "more", "A64": "most", "A65": "unknown"},
    "employment": {"A71": "none", "A72": "short", "A73": "years", "A74": "longer", "A75": "long"},
    "other_debtors": {"A101": "alone", "A102": "applicant", "A103": "guarantor"},
    "property": {"A121": "house", "A122": "insurance", "A123": "car", "A124": "nothing"},
    "other_inst": {"A141": "bank", "A142": "shop", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "free"},
    "job": {"A171": "not_resident", "A172": "unskilled", "A173": "skilled", "A174": "managing"},
    "phone": {"A191": 0, "A192": 1},
    "foreigner": {"A201": 1, "A202": 0},
    "label": {2: 0},
}
GERMAN_ENCODED = [
    "checking",
    "credit_history",
    "purpose",
    "savings",
    "employment",
    "other_debtors",
    "property",
    "other_inst",
    "housing",
    "job",
    "status",
]
COMPAS_COLUMNS = [
    "age",
    "c_charge_degree",
    "race",
    "sex",
    "priors_count",
    "days_b_screening_arrest",
    "two_year_recid",
    "c_jail_in",
    "c_jail_out",
]
CENSUS_NAMES = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "gain",
    "loss",
    "hours",
    "native_country",
    "label",
]
CENSUS_TEXTS = [
    "workclass",
    "education",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native_country",
    "label",
]
CENSUS_ENCODED = [
    "workclass",
    "education",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "native_country",
]


def path_of(name: str) -> Path:
    """The data of a pipeline; skips where it is not there."""
    return shared(f"data/{name}/{name}.csv")


def german(frame: Any) -> Any:
    """Codes replaced, two columns derived of one, eleven encoded."""

    with pd.option_context("future.no_silent_downcasting", True):
        frame = frame.replace(GERMAN_CODES)
        status = {"A91": "divorced", "A92": "divorced", "A93": "single", "A95": "single", "A94": "married"}
        frame["status"] = frame["personal_status"].map(status)
        frame["gender"] = frame["personal_status"].map(lambda code: 0 if code in {"A92", "A95"} else 1)
    frame = frame.drop(columns=["personal_status"])
    return pd.get_dummies(frame, columns=GERMAN_ENCODED)


def compas(frame: Any) -> Any:
    """Records with missing values dropped, days computed of two times."""
    frame = frame[COMPAS_COLUMNS]
    frame = frame.dropna()
    frame["race"] = (frame["race"] == "Caucasian").astype(int)
    frame["label"] = 1 - frame["two_year_recid"]
    frame["jailtime"] = (pd.to_datetime(frame["c_jail_out"]) - pd.to_datetime(frame["c_jail_in"])).dt.days
    frame = frame.drop(columns=["c_jail_in", "c_jail_out", "two_year_recid"])
    frame["c_charge_degree"] = frame["c_charge_degree"].map(lambda degree: 0 if degree == "M" else 1)
    return frame


def census(frame: Any) -> Any:
    """Blanks stripped, missing values marked, seven columns encoded."""
    frame.columns = CENSUS_NAMES
    for name in CENSUS_TEXTS:
        frame[name] = frame[name].str.strip()
    frame = frame.replace("?", float("nan"))
    frame = pd.get_dummies(frame, columns=CENSUS_ENCODED)
    frame["sex"] = frame["sex"].map({"Male": 1, "Female": 0})
    frame["label"] = frame["label"].map({"<=50K": 0, ">50K": 1})
    return frame.drop(columns=["fnlwgt"])
