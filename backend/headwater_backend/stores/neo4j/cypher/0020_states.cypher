// What runs found in a dataset, and left there: whether some run is known to have left what another found.
CREATE INDEX headwater_change_state IF NOT EXISTS FOR (n:Change) ON (n.dataset, n.change, n.previous);
