-- Version 5: what each turn's machine was given, and what each request to a model was made from.
--
-- Why it looks like this:
-- * A request is a pure function of the rows, of what was decided about them, and of a few numbers. So it is not stored: its recipe
--   is, with a hash of what it came to, and whoever wants to see it makes it again.
-- * Texts that many requests share (system prompt, list of tools, decisions) are in `journal_bodies`, once a session each.
-- * Both go with their session, unlike `model_requests`, which hold no words of anybody.
-- * `inputs` is what the machine was given since the entry before, so that a turn can be played again. What the ledger of calls has is
--   not repeated.
-- * Long columns come last.

CREATE TABLE journal(
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  n INTEGER NOT NULL,                         -- from 1, in order
  request_id TEXT,                            -- of model_requests; null when none was made, or none is on record
  recipe TEXT,                                -- what the request was made from; null when none was sent
  inputs TEXT NOT NULL,
  PRIMARY KEY(turn_id, n)
) STRICT;

CREATE TABLE journal_bodies(
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  hash TEXT NOT NULL,                         -- SHA-256 of the body in hex
  body TEXT NOT NULL,
  PRIMARY KEY(session_id, hash)
) STRICT;
