import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { clientSettings } from '../../src/settings';
import { Suite, until } from '../suite';
import { extension, isWrong, moveTo, open, place, problemsOf, revert } from './editor';

export const server = new Suite('server');

function problems(): number {
  return problemsOf('slug.path.json').filter(isWrong).length;
}

server.test('is told none of the settings that it does not know', async () => {
  const { client } = await extension();
  const options = client()!.clientOptions.initializationOptions;
  const told = Object.keys(typeof options === 'function' ? options() : options);
  assert.ok(told.includes('hover.source'));
  assert.deepEqual(told.filter((key) => clientSettings.includes(key)), []);
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

async function kill(): Promise<void> {
  const { client } = await extension();
  client()!.serverProcess!.kill('SIGKILL');
}

server.test('comes back when it is killed while the user types', async () => {
  const { client } = await extension();
  const editor = await open('slug.path.json');
  await until('the problem', () => problems() === 1);
  const before = client()!.serverProcess;
  await kill();
  for (let i = 0; i < 20; i++) {
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), ' '));
  }
  await until('another process', () => client() !== undefined && client()!.serverProcess !== before);
  const parent = place(editor.document, '"step2"', 0);
  await editor.edit((edit) => edit.replace(new vscode.Range(parent, parent.translate(0, 7)), '"step-2"'));
  await until('no problem', () => problems() === 0);
  await revert(editor);
  await until('the problem again', () => problems() === 1);
});

server.test('is left alone when it ends too often, until the user starts it again', async () => {
  const { client } = await extension();
  await vscode.commands.executeCommand('toolpath.restartServer');
  for (let i = 0; i < 6; i++) {
    await extension();
    const before = client()!.serverProcess;
    await kill();
    await until('the end', () => client()?.serverProcess !== before);
  }
  assert.equal(client(), undefined);
  await vscode.commands.executeCommand('toolpath.restartServer');
  await open('slug.path.json');
  await until('the problem', () => client() !== undefined && problems() === 1);
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
