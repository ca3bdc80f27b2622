import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { Suite, until } from '../suite';
import { extension, isWrong, moveTo, open, place, problemsOf } from './editor';

export const server = new Suite('server');

function problems(): number {
  return problemsOf('slug.path.json').filter(isWrong).length;
}

server.test('is told none of the settings that it does not know', async () => {
  const { client } = await extension();
  const options = client()!.clientOptions.initializationOptions;
  assert.deepEqual(Object.keys(typeof options === 'function' ? options() : options).sort(), [
    'codeLens.file',
    'hover.source',
    'inlayHints.blame',
    'limits.fileSize',
    'severity',
  ]);
});

server.test('starts again on request and knows the unsaved text', async () => {
  const { client, blame } = await extension();
  const editor = await open('src/slug.py');
  const before = client();
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '# one\n'));
  await vscode.commands.executeCommand('toolpath.restartServer');
  await until('another client', () => client() !== undefined && client() !== before);
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await until('the label', () => blame.labels(editor).some((label) => label.line === line && /^claude-code/.test(label.text)));
  await vscode.commands.executeCommand('workbench.action.files.revert');
});

server.test('comes back when it is killed', async () => {
  const { client } = await extension();
  await open('slug.path.json');
  await until('problems', () => problems() === 1);
  const process = client()!.serverProcess!;
  process.kill('SIGKILL');
  await until('another process', () => client()?.serverProcess !== undefined && client()!.serverProcess !== process);
  await until('problems again', () => problems() === 1);
});

server.test('leaves a message when it is missing, and is found once it is there', async () => {
  const { client } = await extension();
  const settings = vscode.workspace.getConfiguration('toolpath.server');
  const program = settings.get('path');
  await settings.update('path', '/nowhere/toolpath-ls', vscode.ConfigurationTarget.Global);
  await until('no server', () => client() === undefined);
  await settings.update('path', program, vscode.ConfigurationTarget.Global);
  await until('the server', () => client() !== undefined);
  await settings.update('path', undefined, vscode.ConfigurationTarget.Global);
});
