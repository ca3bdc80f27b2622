// Tests in a folder without any document.

import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { Suite, until } from '../suite';
import { open } from './editor';

export const nothing = new Suite('nothing to tell of');

nothing.test('the extension sleeps while there is no document', async () => {
  const { document } = await open('main.py');
  await until('its language', () => document.languageId === 'python');
  const found = vscode.extensions.getExtension('toolpath-ls.toolpath');
  assert.ok(found);
  assert.equal(found.isActive, false);
  assert.ok(!(await vscode.commands.getCommands(true)).includes('toolpath.step'), 'a server runs');
});

nothing.test('it wakes up when a document is opened', async () => {
  const document = await vscode.workspace.openTextDocument({ language: 'toolpath', content: '{"graph": {"id": "g"}, "paths": [{}]}' });
  await vscode.window.showTextDocument(document);
  await until('the extension', () => vscode.extensions.getExtension('toolpath-ls.toolpath')!.isActive);
  await until('problems', () => vscode.languages.getDiagnostics(document.uri).length > 0);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});
