// How a source file is read: by which grammar, and why by none. The server says so in a message.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';

import { readingCommand } from './protocol';

/** Has the server say how the active file is read. */
export async function showReading(client: LanguageClient | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const reading: unknown = await client.sendRequest(ExecuteCommandRequest.type, {
    command: readingCommand,
    arguments: [client.code2ProtocolConverter.asTextDocumentPositionParams(editor.document, editor.selection.start)],
  });
  if (!reading) {
    void vscode.window.showInformationMessage('Toolpath: this is no source file.');
  }
}
