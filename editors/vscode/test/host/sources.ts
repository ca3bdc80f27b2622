import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { Suite, until } from '../suite';
import { extension, fileUri, hover, lineOfStep, moveTo, open, place } from './editor';

export const sources = new Suite('sources');

const name = 'src/slug.py';

function lenses(): Thenable<vscode.CodeLens[]> {
  return vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', fileUri(name), 10);
}

sources.test('have one lens that sums up who wrote them', async () => {
  await extension();
  await open(name);
  const [lens, ...others] = await until('lenses', async () => {
    const found = await lenses();
    return found.length > 0 && found;
  });
  assert.deepEqual(others, []);
  assert.equal(lens!.range.start.line, 0);
  assert.match(lens!.command!.title, /^3 actors · \d+ % [a-z]+:[^ ]+ · 5 steps$/);
});

sources.test('the lens lets choose a step and shows it', async () => {
  await open(name);
  const [lens] = await lenses();
  const shown = vscode.commands.executeCommand(lens!.command!.command, ...lens!.command!.arguments!);
  const document = await vscode.workspace.openTextDocument(fileUri('slug.path.json'));
  await until('the latest step', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    const editor = vscode.window.activeTextEditor;
    return editor?.document === document && editor.selection.start.line === lineOfStep(document, 'step-5');
  });
  await shown;
});

sources.test('have no lens when the setting says so, at once', async () => {
  await open(name);
  const settings = vscode.workspace.getConfiguration('toolpath.codeLens');
  await settings.update('file', false, vscode.ConfigurationTarget.Global);
  await until('no lens', async () => (await lenses()).length === 0);
  await settings.update('file', undefined, vscode.ConfigurationTarget.Global);
  await until('the lens', async () => (await lenses()).length === 1);
});

sources.test('tell of a line in a hover', async () => {
  const { document } = await open(name);
  const text = await hover(document, place(document, 'import unicodedata'));
  assert.match(text, /Write letters without their accents/);
});

sources.test('lead from a line to the step that wrote it', async () => {
  const editor = await open(name);
  moveTo(editor, place(editor.document, 'import unicodedata'));
  await vscode.commands.executeCommand('toolpath.goToParentStep');
  const document = await vscode.workspace.openTextDocument(fileUri('slug.path.json'));
  const line = lineOfStep(document, 'step-3');
  await until('step-3', () => {
    const active = vscode.window.activeTextEditor;
    return active?.document === document && active.selection.active.line === line;
  });
});
