import assert from 'node:assert/strict';

import type { Run } from '../../src/protocol';
import { placesIn, runAt } from '../../src/runs';
import { Suite } from '../suite';

export const runs = new Suite('runs');

// Runs of the lines [0, 2), [2, 3) and [5, 9).
const some = [
  [0, 2],
  [2, 3],
  [5, 9],
].map(([startLine, endLine]) => ({ startLine, endLine }) as Run);

runs.test('a line is in the run that covers it, or in none', () => {
  const starts = Array.from({ length: 11 }, (_, line) => runAt(some, line)?.startLine);
  assert.deepEqual(starts, [0, 0, 2, undefined, undefined, 5, 5, 5, 5, undefined, undefined]);
  assert.equal(runAt([], 0), undefined);
});

runs.test('each run in sight has one place, its first line in sight that is not blank', () => {
  const lines = (first: number, last: number, ...blank: number[]) =>
    placesIn(some, first, last, (line) => blank.includes(line)).map((place) => place.line);
  assert.deepEqual(lines(0, 10), [0, 2, 5]);
  assert.deepEqual(lines(1, 6), [1, 2, 5]);
  assert.deepEqual(lines(7, 7), [7]);
  assert.deepEqual(lines(3, 4), []);
  assert.deepEqual(lines(0, 10, 0, 5, 6), [1, 2, 7]);
  assert.deepEqual(lines(0, 6, 2, 5, 6), [0], 'a run of blank lines has no place');
  assert.deepEqual(lines(20, 30), []);
});
