/** Diffs as the rows and cards show them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDiff, shownLines } from '../model/diff.ts';

const shown = (diff: string) => shownLines(readDiff(diff)).map((line) => `${line.kind} ${line.text}`);
const counts = (diff: string) => { const { added, removed, files } = readDiff(diff); return [added, removed, files]; };

test('one file with one hunk shows its lines alone', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-x\n+y\n+z\n';
  assert.deepEqual(shown(diff), ['removed -x', 'added +y', 'added +z']);
  assert.deepEqual(counts(diff), [2, 1, 1]);
});

test('content that looks like a file name is content', () => {
  const diff = '--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n--- drop the table\n keep\n-+++ x\n+++ new\n';
  assert.deepEqual(shown(diff), ['removed --- drop the table', 'same  keep', 'removed -+++ x', 'added +++ new']);
  assert.deepEqual(counts(diff), [1, 2, 1]);
});

test('several files have their names, several hunks their places', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+c\n\\ No newline at end of file\n';
  assert.deepEqual(shown(diff), [
    'file --- a/x', 'file +++ b/x', 'hunk @@ -1 +1 @@', 'removed -a', 'added +b',
    'file --- /dev/null', 'file +++ b/y', 'hunk @@ -0,0 +1 @@', 'added +c', 'note \\ No newline at end of file',
  ]);
  assert.deepEqual(counts(diff), [2, 1, 2]);
});

test('what is not shown counts all the same', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ 1100 more lines are not shown; in all +200 −300\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n';
  assert.deepEqual(counts(diff), [201, 301, 2]);
});

test('a binary file is a note', () => {
  assert.deepEqual(shown('--- a/x\n+++ b/x\n\\ binary files differ\n'), ['note \\ binary files differ']);
});
