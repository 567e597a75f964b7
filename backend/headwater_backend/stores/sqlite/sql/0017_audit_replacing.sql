-- Replacing an entry deletes the old one without asking the trigger that refuses it; see 0003.

CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number OR hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
