-- Version 1: sessions as trees of rows, turns with their tool ledger, the event log, accepted messages, access and search.
--
-- Why it looks like this:
-- * Ids are UUIDs as text, times are UTC milliseconds, numbers of a session (`seq`) come from one counter for rows and events.
-- * Rows of `messages` are never edited. `row` is an integer so that walks along a branch and the search index are cheap;
--   `parent_row` repeats `parent_id` for the same reason and is 0 at a root.
-- * One running turn per session is a rule of the database, not of a program; a turn that waits for a person counts as running.
-- * Long columns come last, so that reading the short ones before them touches no overflow pages.
-- * Everything but `messages_fts` and STRICT / WITHOUT ROWID is plain SQL that other databases understand too.

CREATE TABLE sessions(
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  title_folded TEXT NOT NULL,                 -- lower case, for searching
  title_source TEXT NOT NULL CHECK(title_source IN ('none', 'first_words', 'model', 'user')),
  preset TEXT,
  workspace TEXT,
  access TEXT,
  pinned INTEGER NOT NULL CHECK(pinned IN (0, 1)),
  active_message_id TEXT,
  forked_from TEXT,
  forked_at_seq INTEGER,
  reserved_seq INTEGER NOT NULL,              -- numbers up to here are never given out again
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_message_at INTEGER,
  recent_at INTEGER NOT NULL,                 -- last_message_at, else created_at: the order of the list
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_recent ON sessions(recent_at, id) WHERE deleted_at IS NULL;
CREATE INDEX sessions_deleted ON sessions(deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE messages(
  row INTEGER PRIMARY KEY NOT NULL,
  parent_row INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  turn_id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  parent_id TEXT,
  role TEXT NOT NULL CHECK(role IN ('user', 'assistant', 'tool', 'notice')),
  origin TEXT NOT NULL,
  interrupted INTEGER NOT NULL CHECK(interrupted IN (0, 1)),
  client_message_id TEXT,
  created_at INTEGER NOT NULL,
  context TEXT,                               -- model-only suffix of a user row
  text TEXT NOT NULL,
  blocks TEXT,                                -- null when the message is exactly one text block
  UNIQUE(session_id, seq),
  CONSTRAINT parent_known CHECK((parent_id IS NULL) = (parent_row = 0))
) STRICT;
CREATE INDEX messages_by_parent ON messages(session_id, parent_row, seq);

CREATE TABLE turns(
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,                       -- of its user_message event
  state TEXT NOT NULL CHECK(state IN
    ('queued', 'running', 'awaiting_approval', 'parked', 'done', 'failed', 'cancelled', 'interrupted')),
  origin TEXT NOT NULL,
  preset TEXT NOT NULL,
  model TEXT NOT NULL,
  user_message_id TEXT,
  parent_message_id TEXT,
  stop_reason TEXT,
  resume_attempts INTEGER NOT NULL,
  boot_id TEXT,
  started_seq INTEGER,
  ended_seq INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  error TEXT,
  usage TEXT,
  checkpoint TEXT                             -- the machine, while the turn is at work
) STRICT;
CREATE INDEX turns_by_session ON turns(session_id, seq);
CREATE INDEX turns_unfinished ON turns(session_id, seq)
  WHERE state IN ('queued', 'running', 'awaiting_approval', 'parked');
CREATE UNIQUE INDEX one_running_turn ON turns(session_id) WHERE state IN ('running', 'awaiting_approval', 'parked');

CREATE TABLE calls(
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  iteration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  call_id TEXT NOT NULL,                      -- the provider's; providers use ids again, hence the key
  stream_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  arguments TEXT NOT NULL,
  outcome TEXT,
  PRIMARY KEY(turn_id, iteration, position),
  UNIQUE(turn_id, iteration, call_id)
) STRICT;
CREATE INDEX calls_by_call_id ON calls(call_id);

CREATE TABLE events(
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,                       -- of a joined delta: of its last piece
  first_seq INTEGER NOT NULL,
  turn_id TEXT,
  at INTEGER NOT NULL,
  pieces TEXT,                                -- [[seq, end], …] of a joined delta
  body TEXT NOT NULL,
  PRIMARY KEY(session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE work_items(
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  client_message_id TEXT,
  mode TEXT NOT NULL CHECK(mode IN ('auto', 'steer', 'queue')),
  origin TEXT NOT NULL,
  follows TEXT NOT NULL CHECK(follows IN ('active', 'root', 'message')),
  parent_message_id TEXT,
  preset TEXT,
  state TEXT NOT NULL CHECK(state IN ('queued', 'claimed', 'injected', 'done', 'cancelled')),
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attachments TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE(session_id, client_message_id)
) STRICT;
CREATE INDEX work_queued ON work_items(session_id, seq) WHERE state = 'queued';
CREATE INDEX work_by_turn ON work_items(turn_id);

CREATE TABLE tokens(
  name TEXT PRIMARY KEY NOT NULL,
  hash TEXT NOT NULL UNIQUE,                  -- SHA-256 in hex; the token itself is never stored
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE browser_logins(
  hash TEXT PRIMARY KEY NOT NULL,
  token_name TEXT NOT NULL REFERENCES tokens(name) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX browser_logins_by_token ON browser_logins(token_name);

CREATE TABLE idempotency(
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  status INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY(key, route)
) STRICT;
CREATE INDEX idempotency_by_age ON idempotency(created_at);

-- Filled lazily: rows of `messages` up to `upto` are in the index.
CREATE TABLE search_progress(
  name TEXT PRIMARY KEY NOT NULL,
  upto INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO search_progress(name, upto) VALUES ('messages', 0);
CREATE VIRTUAL TABLE messages_fts USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
