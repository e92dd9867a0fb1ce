-- Version 4: what a person allows for longer than once.
--
-- Why it looks like this:
-- * `covers` holds the rules, as a JSON list of {tool, match}, that the question offered to add. Those of an approval that was
--   allowed for the session are the rules of the session; they are emptied when the session's access mode is changed.
-- * More budget is no column of its own: what was allowed is added up from the approvals that allowed it.

ALTER TABLE approvals ADD COLUMN covers TEXT NOT NULL DEFAULT '[]';
CREATE INDEX approvals_of_budgets ON approvals(decided_at) WHERE kind = 'budget' AND state = 'allowed';
