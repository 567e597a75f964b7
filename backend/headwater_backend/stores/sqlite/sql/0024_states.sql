-- What runs found in a dataset, and left there: whether some run is known to have left what another found.

CREATE INDEX change_by_state ON change (dataset, change, previous);
