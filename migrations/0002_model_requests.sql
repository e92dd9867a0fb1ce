-- Version 2: one row for each HTTP request to a model, so that usage and cost can be summed and a turn's requests be read.
--
-- Why it looks like this:
-- * `session_id` and `turn_id` are no foreign keys: what was used stays used when its session is removed for good, and still
--   counts as one session.
-- * `cost_usd` is the price at the time of the request, null when none was known; a later price does not change the past.
-- * `outcome` is a word of the program or an error code; only `ok` is summed.

CREATE TABLE model_requests(
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  preset TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  attempt INTEGER NOT NULL,                   -- from 1
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  first_output_ms INTEGER,                    -- from the start to the first output, when there was one
  input_tokens INTEGER NOT NULL,              -- cached ones included
  cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL,
  estimated INTEGER NOT NULL CHECK(estimated IN (0, 1)),
  ok INTEGER NOT NULL CHECK(ok IN (0, 1)),
  outcome TEXT NOT NULL
) STRICT;
CREATE INDEX model_requests_by_time ON model_requests(started_at);
CREATE INDEX model_requests_by_turn ON model_requests(turn_id);
