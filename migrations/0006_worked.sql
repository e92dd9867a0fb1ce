-- Version 6: how long turns worked, for limits of time.
--
-- * Kept with each request to a model, as tokens and money are, so that it is summed in the same way and outlives its session.
-- * It is the time since the turn's request before, or since the turn began, as far as the turn was working: this request, the tools
--   between them, and waits before attempts, but no wait for a person.

ALTER TABLE model_requests ADD COLUMN worked_ms INTEGER NOT NULL DEFAULT 0;
