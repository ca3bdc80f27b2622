import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import type { Label } from '../../src/blame';
import { Suite, until } from '../suite';
import { extension, moveTo, open, place, revert } from './editor';

export const blame = new Suite('inline blame');

const name = 'src/slug.py';

async function setMode(mode: string | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('toolpath.blame').update('inline', mode, vscode.ConfigurationTarget.Global);
}

async function labels(editor: vscode.TextEditor): Promise<readonly Label[]> {
  return (await extension()).blame.labels(editor);
}

async function untilLabel(editor: vscode.TextEditor, line: number, text: RegExp): Promise<void> {
  await until(`${text} after line ${line}`, async () => {
    const [label, ...others] = await labels(editor);
    assert.deepEqual(others, []);
    assert.ok(label, 'no label');
    assert.deepEqual([label.line, text.test(label.text)], [line, true], label.text);
    return true;
  });
}

const claude = /^claude-code · \d+ (day|week|month|year)s? ago · Leave punctuation out of slugs$/;
const codex = /^codex · .* ago · Write letters without their accents$/;
const changed = /^changed since the last recorded step$/;

blame.test('tells of the line of the cursor', async () => {
  const editor = await open(name);
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await untilLabel(editor, line, claude);
  moveTo(editor, new vscode.Position(line + 1, 0));
  await untilLabel(editor, line + 1, codex);
});

blame.test('asks the server nothing when the cursor moves', async () => {
  const editor = await open(name);
  const client = (await extension()).client()!;
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await untilLabel(editor, line, claude);
  const requests: string[] = [];
  const { sendRequest } = client;
  client.sendRequest = ((type: string | { method: string }, ...rest: unknown[]) => {
    requests.push(typeof type === 'string' ? type : type.method);
    return (sendRequest as Function).call(client, type, ...rest);
  }) as typeof client.sendRequest;
  try {
    for (let i = 0; i < 20; i++) {
      moveTo(editor, new vscode.Position(i % editor.document.lineCount, 0));
    }
    moveTo(editor, new vscode.Position(line + 1, 0));
    await untilLabel(editor, line + 1, codex);
  } finally {
    client.sendRequest = sendRequest;
  }
  assert.deepEqual(requests.filter((method) => method === 'toolpath/blame'), []);
});

blame.test('is hidden while the text changes, and right again before it is saved', async () => {
  const editor = await open(name);
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await untilLabel(editor, line, claude);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '# one\n# two\n'));
  moveTo(editor, new vscode.Position(line + 2, 0));
  await untilLabel(editor, line + 2, claude);
  moveTo(editor, new vscode.Position(0, 0));
  await untilLabel(editor, 0, changed);
  assert.ok(editor.document.isDirty);
  await revert(editor);
  moveTo(editor, new vscode.Position(line, 0));
  await untilLabel(editor, line, claude);
});

blame.test('never labels a text with the answer about another', async () => {
  const editor = await open(name);
  const line = place(editor.document, 'import re').line;
  moveTo(editor, new vscode.Position(line, 0));
  await untilLabel(editor, line, claude);
  const seen: [number, readonly Label[]][] = [];
  const watching = vscode.workspace.onDidChangeTextDocument(async ({ document }) => {
    if (document === editor.document) {
      seen.push([document.version, await labels(editor)]);
    }
  });
  for (let i = 0; i < 10; i++) {
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'x'));
  }
  watching.dispose();
  assert.equal(seen.length, 10);
  for (const [version, shown] of seen) {
    assert.deepEqual(shown, [], `right after the change to version ${version}`);
  }
  await revert(editor);
});

blame.test('learns of a step that is recorded in the meantime', async () => {
  const source = await open(name);
  const line = place(source.document, 'import re').line;
  const record = await vscode.window.showTextDocument(
    vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'slug.path.json'),
    { viewColumn: vscode.ViewColumn.Beside },
  );
  const intent = place(record.document, 'Leave punctuation', 0);
  await record.edit((edit) => edit.insert(intent, 'Now: '));
  const beside = await vscode.window.showTextDocument(source.document, { viewColumn: vscode.ViewColumn.One });
  moveTo(beside, new vscode.Position(line, 0));
  await untilLabel(beside, line, /· Now: Leave punctuation/);
  await revert(record);
  await vscode.commands.executeCommand('workbench.action.closeOtherEditors');
});

blame.test('tells of every run in sight, or of none, as the setting says', async () => {
  const editor = await open(name);
  try {
    await setMode('all');
    const texts = await until('labels', async () => {
      const found = await labels(editor);
      return found.length > 3 && found.map((label) => label.text.split(' · ')[0]);
    });
    for (const actor of ['claude-code', 'codex', 'mira']) {
      assert.ok(texts.includes(actor), `no ${actor} in ${texts.join(', ')}`);
    }
    await vscode.commands.executeCommand('toolpath.toggleInlineBlame');
    await until('no label', async () => (await labels(editor)).length === 0);
    await vscode.commands.executeCommand('toolpath.toggleInlineBlame');
    moveTo(editor, place(editor.document, 'import re'));
    await untilLabel(editor, editor.selection.active.line, claude);
  } finally {
    await setMode(undefined);
  }
});

blame.test('is not there for a document, which has no origin itself', async () => {
  const editor = await open('slug.path.json');
  moveTo(editor, new vscode.Position(3, 0));
  assert.deepEqual(await labels(editor), []);
});
