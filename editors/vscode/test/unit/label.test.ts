import assert from 'node:assert/strict';

import { actorName, ago, clip, label as labelOf } from '../../src/label';
import type { Run } from '../../src/protocol';
import { Suite } from '../suite';

export const label = new Suite('label');

const now = new Date('2026-12-01T12:00:00Z');

const run: Run = {
  range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
  startLine: 0,
  endLine: 1,
  state: 'recorded',
  step: 'step-2',
  path: 'path-1',
  document: 'file:///w/a.path.json',
  actor: 'agent:claude-code',
  timestamp: '2026-11-09T12:00:00Z',
  intent: 'Add email validation',
};

label.test('times are told in the largest unit that fits', () => {
  const times: Record<string, string> = {
    '2026-12-01T11:59:31Z': 'just now',
    '2026-12-01T11:59:00Z': '1 minute ago',
    '2026-12-01T13:00:00+02:00': '1 hour ago',
    '2026-11-30T12:00:00Z': '1 day ago',
    '2026-11-09T12:00:00Z': '3 weeks ago',
    '2026-10-01T12:00:00Z': '2 months ago',
    '2024-11-01T00:00:00Z': '2 years ago',
    '2026-12-01T14:00:00Z': 'in 2 hours',
    'last tuesday': '',
    '': '',
  };
  for (const [timestamp, told] of Object.entries(times)) {
    assert.equal(ago(timestamp, now), told, timestamp);
  }
});

label.test('an actor goes by the name after its kind', () => {
  const names: Record<string, string> = {
    'agent:claude-code': 'claude-code',
    'human:mira': 'mira',
    'tool:black/26.1.0': 'black/26.1.0',
    'a:b:c': 'b:c',
    nobody: 'nobody',
    'human:': 'human:',
  };
  for (const [actor, name] of Object.entries(names)) {
    assert.equal(actorName(actor), name);
  }
});

label.test('a text becomes one line of visible characters and is cut between them', () => {
  assert.equal(clip(' a\r\n\tb\u0000\u001b[31m c\u202e ', 20), 'a b [31m c');
  assert.equal(clip('👩🚀🚀🚀', 3), '👩🚀…');
  assert.equal(clip('abc', 3), 'abc');
});

label.test('a recorded line names actor, time and intent', () => {
  assert.equal(labelOf(run, now), 'claude-code · 3 weeks ago · Add email validation');
});

label.test('a recorded line leaves out what is not known, and names the step when there is no intent', () => {
  assert.equal(labelOf({ ...run, intent: null }, now), 'claude-code · 3 weeks ago · step-2');
  assert.equal(labelOf({ ...run, timestamp: 'x', intent: '' }, now), 'claude-code');
  assert.equal(labelOf({ ...run, actor: null, timestamp: null }, now), 'Add email validation');
});

label.test('other states name nobody', () => {
  assert.equal(labelOf({ ...run, state: 'base' }, now), 'older than the recording');
  assert.equal(labelOf({ ...run, state: 'changed' }, now), 'changed since the last recorded step');
  assert.equal(labelOf({ ...run, state: 'unrecorded' }, now), 'not recorded');
  assert.equal(labelOf({ ...run, state: 'of a later server' as Run['state'] }, now), '');
});
