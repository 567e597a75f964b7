-- The audit log: entries of a chain, see headwater_backend.domain.audit_log. The database itself refuses to change them.

CREATE TABLE audit (
    number   INTEGER PRIMARY KEY,
    time     INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    action   TEXT NOT NULL,
    result   TEXT NOT NULL,
    request  TEXT NOT NULL,
    details  TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL UNIQUE
);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
