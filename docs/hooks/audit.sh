#!/bin/sh
# Audit: one JSON line for each call and each end of a turn, in logs/audit.jsonl of the home folder.
#
#   [[hooks]]
#   event = "after_execute_tool"      # and on_execute_tool_error, on_finally
#   command = ["./hooks/audit.sh"]
set -eu
umask 077
mkdir -p "$HOME/logs"
told=$(cat)
# One printf is one write, so that lines of sessions that run side by side do not mix.
printf '{"at":"%s","told":%s}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$told" >> "$HOME/logs/audit.jsonl"
