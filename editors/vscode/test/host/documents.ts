import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { Suite, until } from '../suite';
import { extension, fileUri, hover, isWrong, lineOfStep, moveTo, open, place, problemsOf, revert } from './editor';

export const documents = new Suite('documents');

const name = 'slug.path.json';

function problems(): vscode.Diagnostic[] {
  return problemsOf(name).filter(isWrong);
}

documents.test('have each problem once, whether they are open or not', async () => {
  await open('src/slug.py');
  await extension();
  await until('the problem of a document that is not open', () => problems().length > 0);
  const { document } = await open(name);
  await hover(document, place(document, '"step-2"', 2));
  await until('each problem once', () => {
    const all = problemsOf(name).map(({ message, range }) => JSON.stringify([message, range]));
    assert.deepEqual(all, [...new Set(all)]);
    return all.length > 0;
  });
});

documents.test('are recognised by their names', async () => {
  const { document } = await open(name);
  assert.equal(document.languageId, 'toolpath');
  const lines = await vscode.workspace.openTextDocument(fileUri('empty.path.jsonl'));
  assert.equal(lines.languageId, 'toolpath-jsonl');
});

documents.test('may be lineage logs', async () => {
  const log = fileUri('.sdd/lineage/run-1/spine.jsonl');
  await vscode.workspace.fs.writeFile(log, Buffer.from('{"v":1,"run_id":"run-1"}\n'));
  const document = await vscode.workspace.openTextDocument(log);
  assert.equal(document.languageId, 'toolpath-lineage');
  await extension();
  await until('what is wrong with the log', () => vscode.languages.getDiagnostics(log).some(({ code }) => JSON.stringify(code).includes('TP6001')));
  await vscode.workspace.fs.delete(fileUri('.sdd'), { recursive: true });
});

documents.test('have problems at their places, from the server alone', async () => {
  const { document } = await open(name);
  await extension();
  const [problem] = await until('one problem', () => problems().length === 1 && problems());
  assert.deepEqual(new Set(problemsOf(name).map(({ source }) => source)), new Set(['toolpath']));
  assert.match(problem!.message, /did you mean "step-2"\?/);
  assert.equal(document.getText(problem!.range).replaceAll('"', ''), 'step2');
});

documents.test('have the problems of their unsaved text', async () => {
  const editor = await open(name);
  await until('the seeded problem', () => problems().length === 1);
  const parent = place(editor.document, '"step2"', 0);
  await editor.edit((edit) => edit.replace(new vscode.Range(parent, parent.translate(0, 7)), '"step-2"'));
  await until('no problem', () => problems().length === 0);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '}'));
  await until('an error', () => problems().some(({ severity }) => severity === vscode.DiagnosticSeverity.Error));
  await revert(editor);
  await until('the seeded problem again', () => problems().length === 1);
});

documents.test('tell of a step in a hover', async () => {
  const { document } = await open(name);
  const text = await hover(document, place(document, '"step-2"', 2));
  assert.match(text, /claude/i);
  assert.match(text, /Leave punctuation out of slugs/);
});

documents.test('lead from the head to its step', async () => {
  const { document } = await open(name);
  const [target] = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
    'vscode.executeDefinitionProvider',
    document.uri,
    place(document, '"head": "step-5"', 10),
  );
  assert.ok(target);
  const range = 'targetUri' in target ? target.targetRange : target.range;
  assert.equal(range.start.line, lineOfStep(document, 'step-5'));
});

documents.test('have an outline', async () => {
  const { document } = await open(name);
  const outline = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const names = (symbols: vscode.DocumentSymbol[]): string[] =>
    symbols.flatMap((symbol) => [symbol.name, ...names(symbol.children)]);
  const found = names(outline).join('\n');
  for (const id of ['graph-slugs', 'step-1', 'step-2-ascii', 'step-5']) {
    assert.ok(found.includes(id), `no ${id} in ${found}`);
  }
});

const relatives: [command: string, from: string, to: string][] = [
  ['toolpath.goToParentStep', 'step-3', 'step-2'],
  ['toolpath.goToChildStep', 'step-3', 'step-4'],
  ['toolpath.goToHeadStep', 'step-1', 'step-5'],
];
for (const [command, from, to] of relatives) {
  documents.test(`${command} goes from ${from} to ${to}`, async () => {
    const editor = await open(name);
    moveTo(editor, place(editor.document, `"id": "${from}"`, 8));
    await vscode.commands.executeCommand(command);
    const line = lineOfStep(editor.document, to);
    await until(to, () => vscode.window.activeTextEditor?.selection.active.line === line);
  });
}

documents.test('have lenses at their steps when the setting says so, which lead to other steps', async () => {
  const { document } = await open(name);
  const settings = vscode.workspace.getConfiguration('toolpath.codeLens');
  await settings.update('steps', true, vscode.ConfigurationTarget.Global);
  try {
    const line = lineOfStep(document, 'step-3');
    const { command } = await until('the lens to the parent', async () => {
      const uri = fileUri(name);
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
      return lenses.find((lens) => lens.range.start.line === line && lens.command?.title === 'go to parent');
    });
    await vscode.commands.executeCommand(command!.command, ...command!.arguments!);
    const parent = lineOfStep(document, 'step-2');
    await until('the parent', () => vscode.window.activeTextEditor?.selection.active.line === parent);
  } finally {
    await settings.update('steps', undefined, vscode.ConfigurationTarget.Global);
  }
});
