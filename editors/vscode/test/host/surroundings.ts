// Tests in surroundings that are not those of the demo: several folders, no git, many documents, a huge one.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';

import { documentsCommand, type WorkspaceDocument } from '../../src/protocol';
import { Suite, until } from '../suite';
import { extension, isWrong, moveTo, place } from './editor';

export const surroundings = new Suite('surroundings');

function folder(name: string): vscode.Uri {
  return vscode.workspace.workspaceFolders!.find((one) => one.name === name)!.uri;
}

async function labelAt(uri: vscode.Uri, text: string): Promise<string> {
  const { blame } = await extension();
  const editor = await vscode.window.showTextDocument(uri);
  const line = place(editor.document, text).line;
  moveTo(editor, new vscode.Position(line, 0));
  return until(`a label in ${uri.path}`, () => blame.labels(editor).find((label) => label.line === line)?.text);
}

// What the extension tells the user while an action runs.
async function told(kind: 'showWarningMessage' | 'showErrorMessage', action: (messages: string[]) => Promise<void>): Promise<string[]> {
  const messages: string[] = [];
  const show = vscode.window[kind];
  Object.defineProperty(vscode.window, kind, {
    configurable: true,
    value: (message: string) => {
      messages.push(message);
      return Promise.resolve(undefined);
    },
  });
  try {
    await action(messages);
  } finally {
    Object.defineProperty(vscode.window, kind, { configurable: true, value: show });
  }
  return messages;
}

surroundings.test('the same path in two folders is two files, and without git nobody is named for old lines', async () => {
  const [one, two] = [folder('one'), folder('two')].map((uri) => vscode.Uri.joinPath(uri, 'src', 'slug.py'));
  assert.match(await labelAt(one!, 'import re'), /^claude-code · /);
  assert.match(await labelAt(two!, '"""Slugs'), /^not recorded$/);
  assert.match(await labelAt(one!, '"""Slugs'), /^older than the recording$/);
});

surroundings.test('a file that cannot be written is told of as any other', async () => {
  const settings = vscode.workspace.getConfiguration('files');
  await settings.update('readonlyInclude', { '**/one/**': true }, vscode.ConfigurationTarget.Global);
  assert.match(await labelAt(vscode.Uri.joinPath(folder('one'), 'src', 'slug.py'), 'import re'), /^claude-code · /);
  await settings.update('readonlyInclude', undefined, vscode.ConfigurationTarget.Global);
});

surroundings.test('200 documents are known, with the problems of those that nobody opened', async () => {
  const { client } = await extension();
  const all = await until('all of them', async () => {
    const found: WorkspaceDocument[] = await client()!.sendRequest('workspace/executeCommand', { command: documentsCommand, arguments: [{}] });
    return found.length >= 203 && found;
  });
  assert.equal(new Set(all.map(({ uri }) => uri)).size, all.length);
  const last = vscode.Uri.joinPath(folder('many'), 'document-199.path.json');
  await until('its problem', () => vscode.languages.getDiagnostics(last).some(isWrong));
  const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', 'only-in-150');
  assert.ok(symbols.some(({ name }) => name.includes('only-in-150')), JSON.stringify(symbols.map(({ name }) => name)));
});

surroundings.test('a document that VS Code does not share is told of, once', async () => {
  const huge = vscode.Uri.joinPath(folder('many'), 'huge.path.json');
  const messages = await told('showWarningMessage', async () => {
    for (let i = 0; i < 2; i++) {
      await vscode.commands.executeCommand('vscode.open', huge);
      await until('its tab', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'huge.path.json');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    }
    await extension();
  });
  assert.equal(messages.filter((message) => /huge\.path\.json has more than 50 MB/.test(message)).length, 1, JSON.stringify(messages));
});

// A server that speaks the protocol and knows nothing.
const stranger = `#!/usr/bin/env node
let text = Buffer.alloc(0);
process.stdin.on('data', (data) => {
  text = Buffer.concat([text, data]);
  for (;;) {
    const head = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(text.toString('latin1'));
    if (!head || text.length < head[0].length + Number(head[1])) return;
    const message = JSON.parse(text.subarray(head[0].length, head[0].length + Number(head[1])));
    text = text.subarray(head[0].length + Number(head[1]));
    if (message.id !== undefined && message.method) {
      const result = message.method === 'initialize' ? { capabilities: {}, serverInfo: { name: 'toolpath-ls', version: '0.0.1' } } : null;
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
      process.stdout.write('Content-Length: ' + Buffer.byteLength(answer) + '\\r\\n\\r\\n' + answer);
    }
    if (message.method === 'exit') process.exit(0);
  }
});
`;

surroundings.test('a server of another version is told of', async () => {
  const { client } = await extension();
  const settings = vscode.workspace.getConfiguration('toolpath.server');
  const program = settings.get('path');
  const other = path.join(tmpdir(), `toolpath-other-${process.pid}`);
  writeFileSync(other, stranger.replace('/usr/bin/env node', process.execPath));
  chmodSync(other, 0o755);
  await told('showErrorMessage', async (messages) => {
    await settings.update('path', other, vscode.ConfigurationTarget.Global);
    await until('the other server', () => client()?.initializeResult?.serverInfo?.version === '0.0.1');
    await until('the message', () => messages.some((message) => /\(0\.0\.1\) is another version than this extension needs/.test(message)));
  });
  await settings.update('path', program, vscode.ConfigurationTarget.Global);
  await until('the server again', () => client() !== undefined && client()!.initializeResult?.serverInfo?.version !== '0.0.1');
});
