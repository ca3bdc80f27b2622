import assert from 'node:assert/strict';

import { findProgram, type Surroundings } from '../../src/program';
import { Suite } from '../suite';

export const program = new Suite('program');

const around: Surroundings = {
  setting: '',
  extension: '/checkout/editors/vscode',
  development: false,
  searchPath: '/usr/bin:relative:/opt/bin',
  home: '/home/mira',
  windows: false,
  isProgram: () => false,
};

function found(change: Partial<Surroundings>, ...programs: string[]): string {
  const answer = findProgram({ ...around, ...change, isProgram: (file) => programs.includes(file) });
  return 'program' in answer ? answer.program : answer.problem;
}

const bundled = '/checkout/editors/vscode/server/toolpath-ls';
const onPath = '/opt/bin/toolpath-ls';
const built = '/checkout/bin/toolpath-ls';

program.test('the setting comes first, then what is bundled, PATH and the checkout', () => {
  const all = ['/home/mira/ls', bundled, onPath, built];
  assert.equal(found({ setting: '~/ls', development: true }, ...all), '/home/mira/ls');
  assert.equal(found({ development: true }, bundled, onPath, built), bundled);
  assert.equal(found({ development: true }, onPath, built), onPath);
  assert.equal(found({ development: true }, built), built);
});

program.test('a relative entry of PATH is not looked at', () => {
  assert.match(found({}, 'relative/toolpath-ls'), /there is no server/);
});

program.test('the checkout counts in development alone', () => {
  assert.match(found({}, built), /Put toolpath-ls on your PATH, or name it in the setting toolpath.server.path/);
  assert.match(found({ development: true }), /make build/);
});

program.test('a setting that leads nowhere is said, not passed over', () => {
  assert.match(found({ setting: '/gone/ls' }, bundled), /names \/gone\/ls, which is not a program/);
  assert.match(found({ setting: 'ls' }, bundled), /needs an absolute path, not "ls"/);
});
