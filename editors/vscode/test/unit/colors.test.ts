import assert from 'node:assert/strict';

import { colorModes, stripesOf } from '../../src/colors';
import { heat } from '../../src/heat';
import type { Run, Summary } from '../../src/protocol';
import { Suite } from '../suite';

export const colors = new Suite('colors');

function run(startLine: number, endLine: number, state: Run['state'], actor: string | null = null, timestamp: string | null = null): Run {
  return { startLine, endLine, state, actor, timestamp } as Run;
}

const runs = [
  run(0, 2, 'recorded', 'human:mira', '2026-01-01T00:00:00Z'),
  run(2, 3, 'recorded', 'human:mira', '2026-01-03T00:00:00Z'),
  run(3, 5, 'base'),
  run(5, 6, 'recorded', 'agent:x', '2026-01-02T00:00:00Z'),
  run(6, 7, 'changed'),
  run(7, 9, 'unrecorded'),
  run(9, 10, 'recorded', 'robot', '2026-01-02T00:00:00Z'),
];
const summary = { actors: [{ actor: 'human:mira', color: 0 }, { actor: 'agent:x', color: 5 }] } as Summary;
const shown = (mode: string) => stripesOf(mode, runs, summary).map(({ first, last, color }) => `${first}-${last} ${color.replace('toolpath.', '')}`);

colors.test('each actor has the color that the server gave it; lines of nobody are told apart', () => {
  assert.deepEqual(shown('actor'), ['0-2 actor1', '5-5 actor6', '6-6 changed', '7-8 unrecorded']);
});

colors.test('each kind of actor has a color', () => {
  assert.deepEqual(shown('kind'), ['0-2 actor1', '5-5 actor2', '6-6 changed', '7-8 unrecorded']);
});

colors.test('ages go from the oldest to the newest', () => {
  assert.deepEqual(shown('age'), ['0-1 age1', '2-2 age5', '5-5 age3', '6-6 changed', '7-8 unrecorded', '9-9 age3']);
});

colors.test('no colors are none', () => {
  assert.deepEqual(shown('off'), []);
  assert.deepEqual(colorModes, ['off', 'actor', 'kind', 'age']);
});

colors.test('shades are spread over what is there', () => {
  const times = ['2026-01-01T00:00:00Z', 'soon', null, '2026-01-01T01:00:00+01:00', '2030-01-01T00:00:00Z'];
  const shade = heat(times, 5);
  assert.deepEqual([shade('2026-01-01T00:00:00Z'), shade('2030-01-01T00:00:00Z'), shade('soon')], [0, 4, undefined]);
  assert.equal(heat(['2026-01-01T00:00:00Z'], 5)('2026-01-01T00:00:00Z'), 4, 'a single time is new');
});
