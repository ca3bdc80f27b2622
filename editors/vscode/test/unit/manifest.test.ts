import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { linkCommands } from '../../src/protocol';
import { serverSettings, valuesOf } from '../../src/settings';
import { stripeColors } from '../../src/colors';
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

manifest.test('the colors of actors are those of drawings', () => {
  const drawn = readFileSync(path.join(repository, 'analysis', 'drawing', 'palette.go'), 'utf8');
  const [light, dark] = [...drawn.matchAll(/actors:\s*\[8\]string\{([^}]*)\}/g)].map(([, list]) => list!.match(/#[0-9a-f]{6}/g));
  const colors: { id: string; defaults: { light: string; dark: string } }[] = contributed.contributes.colors;
  const ours = colors.filter(({ id }) => /^toolpath\.actor\d$/.test(id));
  assert.deepEqual(ours.map(({ defaults }) => defaults.light), light);
  assert.deepEqual(ours.map(({ defaults }) => defaults.dark), dark);
});

manifest.test('every color of a stripe is declared', () => {
  const declared = contributed.contributes.colors.map(({ id }: { id: string }) => id);
  assert.deepEqual(stripeColors().filter((id) => !declared.includes(id)), []);
});

manifest.test('links in hovers lead to commands that there are', () => {
  const commands = contributed.contributes.commands.map(({ command }: { command: string }) => command);
  assert.deepEqual(linkCommands.filter((command) => !commands.includes(command)), []);
});

manifest.test('what the walkthrough and icons name is there, and in the package', () => {
  const walkthrough = contributed.contributes.walkthroughs[0].steps.map((step: { media: { markdown: string } }) => step.media.markdown);
  for (const file of [...walkthrough, contributed.contributes.viewsContainers.activitybar[0].icon, 'sample/slug.py']) {
    assert.ok(existsSync(path.join(extensionFolder, file)), file);
  }
});

manifest.test('every command has its place in the palette once the extension is active', () => {
  const { commands, menus } = contributed.contributes;
  const titles = commands.map((entry: { command: string }) => entry.command);
  const listed = menus.commandPalette.map((entry: { command: string; when: string }) => [entry.command, entry.when]);
  assert.deepEqual(listed, titles.map((command: string) => [command, 'toolpath.active']));
});
