-- What the log says of a thing already is looked up before more is said of it.

CREATE INDEX audit_by_action ON audit (action);
