import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import { readingCommand, type StepArgument } from '../../src/protocol';
import { Suite, until } from '../suite';
import { extension, fileUri, lineOfStep, moveTo, open, place, revert } from './editor';

export const steps = new Suite('steps');

const source = 'src/slug.py';
const record = 'slug.path.json';

function step(id: string): StepArgument {
  return { document: fileUri(record).toString(), path: 'path-slugs', step: id, file: fileUri(source).toString() };
}

async function atStep(id: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(fileUri(record));
  const line = lineOfStep(document, id);
  await until(id, () => {
    const active = vscode.window.activeTextEditor;
    return active?.document === document && active.selection.active.line === line;
  });
}

// The commands that a link of the hover at a place leads to, with their argument.
async function links(document: vscode.TextDocument, position: vscode.Position): Promise<Map<string, StepArgument>> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, position);
  const parts = hovers.flatMap((hover) => hover.contents as vscode.MarkdownString[]);
  const found = new Map<string, StepArgument>();
  for (const part of parts) {
    for (const [, command, query] of part.value.matchAll(/\(command:([\w.]+)\?([^)]*)\)/g)) {
      assert.ok(typeof part.isTrusted === 'object' && part.isTrusted.enabledCommands.includes(command!), `${command} is not to be trusted`);
      found.set(command!, (JSON.parse(decodeURIComponent(query!)) as StepArgument[])[0]!);
    }
  }
  return found;
}

steps.test('the hover of a line links to what can be done with its step', async () => {
  await extension();
  const { document } = await open(source);
  const found = await until('links', async () => {
    const all = await links(document, place(document, 'import unicodedata'));
    return all.size > 0 && all;
  });
  assert.deepEqual([...found.keys()].sort(), [
    'toolpath.copyStepId',
    'toolpath.openFileAtStep',
    'toolpath.openParentStep',
    'toolpath.openStep',
    'toolpath.openStepDiff',
    'toolpath.showGraph',
  ]);
  const target = found.get('toolpath.openStep')!;
  assert.deepEqual([target.path, target.step], ['path-slugs', 'step-3']);
  await vscode.commands.executeCommand('toolpath.openStep', target);
  await atStep('step-3');
  await vscode.commands.executeCommand('toolpath.openParentStep', target);
  await atStep('step-2');
});

steps.test('the hover of a step links, too, but to no file', async () => {
  const { document } = await open(record);
  const found = await links(document, place(document, '"id": "step-3"', 8));
  assert.equal(found.get('toolpath.openStep')?.step, 'step-3');
  assert.ok(!found.has('toolpath.openFileAtStep'));
});

steps.test('the id of a step is copied', async () => {
  await vscode.commands.executeCommand('toolpath.copyStepId', step('step-4'));
  assert.equal(await vscode.env.clipboard.readText(), 'step-4');
  const editor = await open(source);
  moveTo(editor, place(editor.document, 'import unicodedata'));
  await vscode.commands.executeCommand('toolpath.copyStepId');
  assert.equal(await vscode.env.clipboard.readText(), 'step-3');
});

steps.test('a step that changed one file opens as a diff', async () => {
  await vscode.commands.executeCommand('toolpath.openStepDiff', step('step-4'));
  const input = await until('a diff editor', () => {
    const found = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return found instanceof vscode.TabInputTextDiff && found;
  });
  const [before, after] = await Promise.all([input.original, input.modified].map((uri) => vscode.workspace.openTextDocument(uri)));
  assert.match(before!.getText(), /normalize\('NFKD', text\)/);
  assert.match(after!.getText(), /normalize\("NFKD", text\)/);
  assert.equal(before!.languageId, 'python');
});

steps.test('a step that changed several files opens as one diff of all', async () => {
  await vscode.commands.executeCommand('toolpath.openStepDiff', step('step-3'));
  await until('a tab for the step', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label.includes('Step step-3'));
});

steps.test('a step of which the sides are not known opens as a text', async () => {
  await vscode.commands.executeCommand('toolpath.openStepDiff', step('step-2-ascii'));
  const text = await until('the text', () => {
    const document = vscode.window.activeTextEditor?.document;
    return document?.uri.scheme === 'toolpath' && document.uri.path.endsWith('step-2-ascii.diff') && document.getText();
  });
  assert.match(text, /^# step-2-ascii · agent:claude-code/);
  assert.match(text, /\+ {4}title = title\.encode/);
});

steps.test('a file opens as the step of the line left it', async () => {
  const editor = await open(source);
  moveTo(editor, place(editor.document, 'import unicodedata'));
  await vscode.commands.executeCommand('toolpath.openFileAtStep');
  const text = await until('the file', () => {
    const document = vscode.window.activeTextEditor?.document;
    return document?.uri.scheme === 'toolpath' && document.uri.path.endsWith('/slug.py') && document.getText();
  });
  assert.match(text, /normalize\('NFKD', text\)/);
  assert.doesNotMatch(text, /LONGEST/);
});

steps.test('the graph of a document is a page, one for each document', async () => {
  const { graphs } = await extension();
  const editor = await open(record);
  await vscode.commands.executeCommand('toolpath.showGraph');
  const key = editor.document.uri.toString();
  const page = await until('the page', () => graphs.open.get(key));
  assert.match(page.html, /Content-Security-Policy/);
  assert.match(page.html, /step-2-ascii/);
  await until('its script', () => graphs.open.get(key)?.ready);
  await vscode.commands.executeCommand('toolpath.showGraph', step('step-1'));
  assert.equal(graphs.open.size, 1);
  await vscode.commands.executeCommand('toolpath.showGraph', editor.document.uri);
  assert.equal(graphs.open.size, 1);
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  await until('no page', () => graphs.open.size === 0);
});

steps.test('the status bar sums the active file up', async () => {
  const { status } = await extension();
  await open(source);
  const text = await until('a summary', () => status.text);
  assert.match(text, /^[\w-]+ \d+ % · .*older \d+ %/);
  await open(record);
  await until('none for a document', () => status.text === undefined);
  await open(source);
  await until('it again', () => status.text === text);
});

steps.test('stripes have the colors of actors, of kinds and of ages, as the setting says', async () => {
  const { stripes } = await extension();
  const editor = await open(source);
  const line = place(editor.document, 'import re').line;
  const colorAt = (at: number) => stripes.stripes(editor).find(({ first, last }) => first <= at && at <= last)?.color;
  const settings = vscode.workspace.getConfiguration('toolpath');
  try {
    assert.deepEqual(stripes.stripes(editor), []);
    await vscode.commands.executeCommand('toolpath.toggleColors');
    await until('the color of claude-code', () => colorAt(line) === 'toolpath.actor2');
    assert.equal(colorAt(line + 1), 'toolpath.actor6', 'codex is another agent');
    await vscode.commands.executeCommand('toolpath.toggleColors');
    await until('the color of agents', () => colorAt(line) === 'toolpath.actor2' && colorAt(line + 1) === 'toolpath.actor2');
    await vscode.commands.executeCommand('toolpath.toggleColors');
    await until('the color of old lines', () => /^toolpath\.age[12]$/.test(colorAt(line) ?? ''));
    await vscode.commands.executeCommand('toolpath.toggleColors');
    await until('no color', () => stripes.stripes(editor).length === 0);
  } finally {
    await settings.update('colors', undefined, vscode.ConfigurationTarget.Global);
  }
});

steps.test('the side bar has the history of the line, and the documents with their steps', async () => {
  const { tree } = await extension();
  const editor = await open(source);
  moveTo(editor, place(editor.document, 'return "-".join'));
  await vscode.commands.executeCommand('toolpath.steps.focus');
  const history = await until('the history', async () => {
    const [line] = await tree.getChildren();
    const touches = await tree.getChildren(line);
    return touches.length > 1 && touches;
  });
  const ids = history.map((node) => 'step' in node && node.step.step);
  assert.deepEqual(ids, ['step-5', 'step-1']);
  const nodes = await tree.getChildren();
  const document = nodes.find((node) => node.kind === 'document' && node.document.name === record);
  assert.ok(document, JSON.stringify(nodes));
  const listed = await tree.getChildren(document);
  assert.deepEqual(listed.map((node) => node.kind === 'step' && node.step.step), ['step-5', 'step-4', 'step-3', 'step-2-ascii', 'step-2', 'step-1']);
  const item = tree.getTreeItem(listed[3]!) as vscode.TreeItem;
  assert.match(String(item.description), /Claude Code · .* · dead end$/);
  await vscode.commands.executeCommand(item.command!.command, ...item.command!.arguments!);
  await atStep('step-2-ascii');
});

steps.test('unreviewed lines are gone along', async () => {
  const editor = await open(source);
  moveTo(editor, new vscode.Position(0, 0));
  await vscode.commands.executeCommand('toolpath.goToNextUnreviewed');
  const first = place(editor.document, 'import re').line;
  await until('the first line of an agent', () => vscode.window.activeTextEditor?.selection.start.line === first);
  await vscode.commands.executeCommand('toolpath.goToNextUnreviewed');
  await until('another one', () => vscode.window.activeTextEditor!.selection.start.line > first);
  await vscode.commands.executeCommand('toolpath.goToPreviousUnreviewed');
  await until('the first again', () => vscode.window.activeTextEditor?.selection.start.line === first);
});

steps.test('unreviewed lines are listed, to choose from', async () => {
  await open(record);
  const listed = vscode.commands.executeCommand('toolpath.showUnreviewed');
  await until('the first file of an agent', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return vscode.window.activeTextEditor?.document.uri.path.endsWith('docs/slugs.md');
  });
  await listed;
});

steps.test('lines are marked as reviewed by a step in the document', async () => {
  const editor = await open(source);
  const settings = vscode.workspace.getConfiguration('toolpath');
  await settings.update('review.actor', 'human:mira', vscode.ConfigurationTarget.Global);
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await vscode.commands.executeCommand('toolpath.reviewLines');
  const folder = vscode.workspace.workspaceFolders![0]!.uri;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, record));
  await until('a step that approves the lines', () => document.isDirty && document.getText().includes('"actor": "human:mira"'));
  assert.match(document.getText(), /"review:\/\/[^"]*#L\d+/);
  assert.match(document.getText(), /"head": "review-1"/);
  await until('the next lines', async () => {
    moveTo(editor, new vscode.Position(0, 0));
    await vscode.commands.executeCommand('toolpath.goToNextUnreviewed');
    return vscode.window.activeTextEditor!.selection.start.line > line;
  });
  await settings.update('review.actor', undefined, vscode.ConfigurationTarget.Global);
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('workbench.action.files.revert');
  assert.equal(document.isDirty, false);
});

steps.test('the server says how a source file is read', async () => {
  const editor = await open(source);
  const { client } = await extension();
  const asked = client()!.code2ProtocolConverter.asTextDocumentPositionParams(editor.document, new vscode.Position(0, 0));
  const reading: { language: string; tree: boolean } = await client()!.sendRequest('workspace/executeCommand', { command: readingCommand, arguments: [asked] });
  assert.deepEqual([reading.language, reading.tree], ['Python', true]);
  await vscode.commands.executeCommand('toolpath.showReading');
});

const views: [name: string, prepare: string, from: string, ask: string, want: string][] = [
  ['call', 'vscode.prepareCallHierarchy', 'step-3', 'vscode.provideIncomingCalls', 'step-2'],
  ['type', 'vscode.prepareTypeHierarchy', 'step-3', 'vscode.provideSubtypes', 'step-4'],
];
for (const [name, prepare, from, ask, want] of views) {
  steps.test(`the ${name} hierarchy shows where a step comes from and leads to`, async () => {
    const { document } = await open(record);
    const [item] = await vscode.commands.executeCommand<vscode.CallHierarchyItem[]>(prepare, document.uri, place(document, `"id": "${from}"`, 8));
    const found = await vscode.commands.executeCommand<(vscode.TypeHierarchyItem | vscode.CallHierarchyIncomingCall)[]>(ask, item);
    assert.deepEqual(found.map((one) => ('from' in one ? one.from : one).name), [want]);
  });
}

steps.test('a document that is not saved yet has problems and a graph', async () => {
  const { graphs } = await extension();
  const saved = (await open(record)).document.getText();
  const document = await vscode.workspace.openTextDocument({ language: 'toolpath', content: saved });
  const editor = await vscode.window.showTextDocument(document);
  await until('its problem', () => vscode.languages.getDiagnostics(document.uri).some(({ message }) => message.includes('step2')));
  await vscode.commands.executeCommand('toolpath.showGraph');
  await until('its page', () => graphs.open.has(document.uri.toString()));
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  await vscode.window.showTextDocument(editor.document);
  await revert(editor);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});
