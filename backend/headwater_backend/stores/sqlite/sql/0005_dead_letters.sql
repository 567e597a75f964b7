-- Events that were taken in and could not be stored, see headwater_backend.domain.dead_letters.

CREATE TABLE dead_letter (
    key      TEXT PRIMARY KEY,
    received INTEGER NOT NULL,
    origin   TEXT NOT NULL,
    code     TEXT NOT NULL,
    pointer  TEXT NOT NULL,
    detail   TEXT NOT NULL,
    body     TEXT
);
CREATE INDEX dead_letter_by_age ON dead_letter (received, key);
