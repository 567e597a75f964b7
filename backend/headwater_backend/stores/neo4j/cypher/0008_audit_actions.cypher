// What the log says of a thing already is looked up before more is said of it.
CREATE INDEX headwater_audit_action IF NOT EXISTS FOR (n:AuditEntry) ON (n.action);
