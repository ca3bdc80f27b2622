// What the tests in the extension host do with VS Code.

import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import type { Exports } from '../../src/extension';
import { until } from '../suite';

export function fileUri(name: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, name);
}

export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(fileUri(name));
}

/** The extension, with its server running. */
export async function extension(): Promise<Exports> {
  const { exports } = await until('the extension', () => {
    const found = vscode.extensions.getExtension<Exports>('toolpath-ls.toolpath');
    return found?.isActive && found;
  });
  await until('the server', () => exports.client() !== undefined);
  return exports;
}

export function problemsOf(name: string): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(fileUri(name));
}

/** Whether a problem is an error or a warning, rather than a hint. */
export function isWrong({ severity }: vscode.Diagnostic): boolean {
  return severity <= vscode.DiagnosticSeverity.Warning;
}

/** The place of a text in a document, right after its first so many characters. */
export function place(document: vscode.TextDocument, text: string, offset = 1): vscode.Position {
  const at = document.getText().indexOf(text);
  assert.notEqual(at, -1, `no ${text} in ${document.fileName}`);
  return document.positionAt(at + offset);
}

export function moveTo(editor: vscode.TextEditor, position: vscode.Position): void {
  editor.selection = new vscode.Selection(position, position);
}

/** The line of the step with an id, 0-based. */
export function lineOfStep(document: vscode.TextDocument, id: string): number {
  return place(document, `"id": "${id}"`).line;
}

/** The text of all hovers at a place. */
export async function hover(document: vscode.TextDocument, position: vscode.Position): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    position,
  );
  return hovers.flatMap((one) => one.contents.map((part) => (typeof part === 'string' ? part : part.value))).join('\n');
}

/** Undoes all changes of a document. */
export async function revert(editor: vscode.TextEditor): Promise<void> {
  await vscode.window.showTextDocument(editor.document);
  await vscode.commands.executeCommand('workbench.action.files.revert');
}
