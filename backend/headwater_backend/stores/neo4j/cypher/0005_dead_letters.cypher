// Events that were taken in and could not be stored, see headwater_backend.domain.dead_letters.
CREATE CONSTRAINT headwater_dead_letter IF NOT EXISTS FOR (n:DeadLetter) REQUIRE n.key IS UNIQUE;
CREATE INDEX headwater_dead_letter_age IF NOT EXISTS FOR (n:DeadLetter) ON (n.received);
