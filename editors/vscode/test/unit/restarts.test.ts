import assert from 'node:assert/strict';

import { Restarts } from '../../src/restarts';
import { Suite } from '../suite';

export const restarts = new Suite('restarts');

restarts.test('a server is started again so many times in a span, and again when the span is over', () => {
  const some = new Restarts(2, 100);
  const times: [number, boolean][] = [
    [0, true],
    [50, true],
    [60, false],
    [100, false],
    [101, true],
    [149, false],
    [151, true],
  ];
  for (const [now, allowed] of times) {
    assert.equal(some.allow(now), allowed, `at ${now}`);
  }
});
