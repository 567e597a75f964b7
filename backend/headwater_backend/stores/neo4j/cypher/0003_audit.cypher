// The audit log: entries of a chain, see headwater_backend.domain.audit_log, and its end, which writers lock.
CREATE CONSTRAINT headwater_audit IF NOT EXISTS FOR (n:AuditEntry) REQUIRE n.number IS UNIQUE;
CREATE CONSTRAINT headwater_audit_end IF NOT EXISTS FOR (n:AuditEnd) REQUIRE n.name IS UNIQUE;
