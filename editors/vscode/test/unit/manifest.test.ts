import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { serverSettings, valuesOf } from '../../src/settings';
import { Suite } from '../suite';
import { extensionFolder, repository } from '../folders';

export const manifest = new Suite('manifest');

interface Setting {
  default: unknown;
  markdownDescription: string;
  enum?: string[];
}

const contributed = JSON.parse(readFileSync(path.join(extensionFolder, 'package.json'), 'utf8'));

const declared: Record<string, Setting> = Object.assign(
  {},
  ...contributed.contributes.configuration.map((group: { properties: object }) => group.properties),
);

// The rows of the table in docs/settings.md: key, default in JSON, what it does.
function documented(): [string, string, string][] {
  const page = readFileSync(path.join(repository, 'docs', 'settings.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$/gm)];
  return rows.map(([, key, value, text]) => [key!, value!, text!]);
}

manifest.test('the settings of the server are those of docs/settings.md, with default and description', () => {
  const rows = documented();
  assert.deepEqual(rows.map(([key]) => key), serverSettings(contributed), 'to be mended by: npm run settings -w editors/vscode');
  for (const [key, value, text] of rows) {
    const setting = declared[`toolpath.${key}`];
    assert.ok(setting, `package.json has no toolpath.${key}`);
    assert.deepEqual(setting.default, JSON.parse(value), key);
    assert.equal(setting.markdownDescription, text);
  }
});

manifest.test('settings without a value are left to the server', () => {
  const all: Record<string, unknown> = { 'hover.source': false, severity: {}, 'limits.fileSize': null };
  const keys = [...Object.keys(all), 'codeLens.file'];
  assert.deepEqual(valuesOf(keys, (key) => all[key]), { 'hover.source': false, severity: {} });
});

manifest.test('every command has its place in the palette once the extension is active', () => {
  const { commands, menus } = contributed.contributes;
  const titles = commands.map((entry: { command: string }) => entry.command);
  const listed = menus.commandPalette.map((entry: { command: string; when: string }) => [entry.command, entry.when]);
  assert.deepEqual(listed, titles.map((command: string) => [command, 'toolpath.active']));
});
