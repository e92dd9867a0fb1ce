/** The key map, row by row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, composerAction, type Press } from '../keys/map.ts';

const press = (fields: Partial<Press>): Press => ({ key: '', code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, keyCode: 0, ...fields });
const nowhere = { inField: false, inThread: false };

test('keys that work everywhere', () => {
  const rows: [Partial<Press>, string | null][] = [
    [{ key: 'k', ctrlKey: true }, 'search'], [{ key: 'K', metaKey: true }, 'search'], [{ key: 'b', ctrlKey: true }, 'toggle_sidebar'],
    [{ key: '.', ctrlKey: true }, 'stop'], [{ key: 'Escape' }, 'escape'], [{ key: '~', code: 'KeyN', altKey: true }, 'new_session'],
    [{ key: 'ArrowUp', code: 'ArrowUp', altKey: true }, 'previous_request'], [{ key: 'F6' }, 'next_region'], [{ key: 'F6', shiftKey: true }, 'previous_region'],
    [{ key: '?' }, 'help'], [{ key: 'n', ctrlKey: true }, null], [{ key: 'f', ctrlKey: true }, null], [{ key: 'k' }, null], [{ key: 'k', ctrlKey: true, altKey: true }, null],
    [{ key: 'Escape', isComposing: true }, null], [{ key: 'End' }, null],
    [{ key: 'Enter', code: 'Enter', altKey: true }, 'allow_once'], [{ key: 'Backspace', code: 'Backspace', altKey: true }, 'deny'], [{ key: 'Enter', code: 'Enter', altKey: true, ctrlKey: true }, null], [{ key: 'Enter', code: 'Enter' }, null],
  ];
  for (const [fields, want] of rows) assert.equal(actionOf(press(fields), nowhere), want, JSON.stringify(fields));
  assert.equal(actionOf(press({ key: '?' }), { inField: true, inThread: false }), null);
  // There it takes away a word.
  assert.equal(actionOf(press({ key: 'Backspace', code: 'Backspace', altKey: true }), { inField: true, inText: true, inThread: false }), null);
  assert.equal(actionOf(press({ key: 'Enter', code: 'Enter', altKey: true }), { inField: true, inText: true, inThread: false }), 'allow_once');
  assert.equal(actionOf(press({ key: 'End' }), { inField: false, inThread: true }), 'newest');
});

test('keys of the composer', () => {
  const enter = press({ key: 'Enter' });
  const ctrl = press({ key: 'Enter', ctrlKey: true });
  assert.equal(composerAction(enter, 'enter', false, false), 'send');
  assert.equal(composerAction(press({ key: 'Enter', shiftKey: true }), 'enter', false, false), 'newline');
  assert.equal(composerAction(ctrl, 'enter', false, true), 'steer');
  assert.equal(composerAction(ctrl, 'enter', false, false), 'send');
  assert.equal(composerAction(enter, 'ctrl_enter', false, false), 'newline');
  assert.equal(composerAction(ctrl, 'ctrl_enter', false, true), 'send');
  assert.equal(composerAction(press({ key: 'ArrowUp' }), 'enter', true, false), 'edit_last');
  assert.equal(composerAction(press({ key: 'ArrowUp' }), 'enter', false, false), null);
});

test('an input method that is at work keeps its Enter', () => {
  assert.equal(composerAction(press({ key: 'Enter', isComposing: true }), 'enter', false, false), null);
  assert.equal(composerAction(press({ key: 'Enter', keyCode: 229 }), 'enter', false, false), null);
});
