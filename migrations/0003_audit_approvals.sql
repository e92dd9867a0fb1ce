-- Version 3: the audit log, and what waits for a person's decision.
--
-- Why it looks like this:
-- * Each row of `audit` holds the hash of the row before it, so that a row that is changed, taken out or moved is found by
--   whoever computes the chain again. The triggers keep the program itself from doing so by mistake; who can write the file can
--   drop them, which is what the chain is for.
-- * `audit_head` is the newest row as it was last seen. Without it a log whose end was cut off is a shorter, unbroken log.
--   Whoever can write the file can change it as well: it finds a careless cut, and a careful one only when somebody has noted
--   the head elsewhere.
-- * `session_id` and `turn_id` of `audit` are no foreign keys: what was done stays written when its session is removed for good.
-- * `kind` has no list of allowed words, so that a new kind needs no migration.
-- * An approval belongs to its session and goes with it.

CREATE TABLE audit(
  n INTEGER PRIMARY KEY NOT NULL CHECK(n > 0),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT,
  turn_id TEXT,
  subject TEXT NOT NULL,
  prev_hash TEXT NOT NULL,                    -- hash of row n - 1; 64 zeros in the first
  hash TEXT NOT NULL,                         -- SHA-256 in hex over all other columns
  detail TEXT NOT NULL                        -- a JSON object without secrets
) STRICT;
CREATE INDEX audit_by_kind ON audit(kind, n);

CREATE TABLE audit_head(
  id INTEGER PRIMARY KEY NOT NULL CHECK(id = 1),
  n INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_head(id, n, hash)
  VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

-- Also against INSERT OR REPLACE, which fires no DELETE trigger.
CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit WHEN new.n <> (SELECT n + 1 FROM audit_head)
BEGIN SELECT RAISE(ABORT, 'the audit log only grows at its end'); END;
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END;
CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log stays'); END;
CREATE TRIGGER audit_head_only_grows BEFORE UPDATE ON audit_head WHEN new.n <> old.n + 1
BEGIN SELECT RAISE(ABORT, 'the head of the audit log only grows'); END;

CREATE TABLE approvals(
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  call_id TEXT,
  kind TEXT NOT NULL CHECK(kind IN ('tool', 'budget', 'input')),
  tool TEXT NOT NULL,                         -- empty when it is about no tool
  hint TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'allowed', 'denied', 'expired', 'cancelled')),
  decision TEXT CHECK(decision IN ('allow_once', 'allow_session', 'allow_always', 'deny')),
  decided_by TEXT,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,                         -- also when it expired or was cancelled
  reason TEXT,                                -- why it is asked
  decided_reason TEXT,                        -- what the person said to it
  arguments TEXT NOT NULL,
  decided_arguments TEXT,                     -- null when they were left as they are
  diff TEXT,
  CHECK((state = 'pending') = (decided_at IS NULL)),
  CHECK((state IN ('allowed', 'denied')) = (decision IS NOT NULL))
) STRICT;
CREATE INDEX approvals_pending ON approvals(requested_at, id) WHERE state = 'pending';
CREATE INDEX approvals_by_turn ON approvals(turn_id, requested_at);
CREATE INDEX approvals_by_session ON approvals(session_id);
