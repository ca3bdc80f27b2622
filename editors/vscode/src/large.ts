// VS Code shows extensions no text of more than 50 MB. Nobody would know why such a document has no problems.

import * as vscode from 'vscode';

/** The size in bytes from which on VS Code keeps a text to itself. */
const most = 50 * 1024 * 1024;

const record = /\.path\.jsonl?$/i;

/** Says once of each document that it is too large for VS Code to share. */
export function tellOfLargeDocuments(output: vscode.LogOutputChannel): vscode.Disposable {
  const told = new Set<string>();
  const look = async ({ input }: vscode.Tab): Promise<void> => {
    if (!(input instanceof vscode.TabInputText) || !record.test(input.uri.path) || told.has(input.uri.toString())) {
      return;
    }
    told.add(input.uri.toString());
    const { size } = await vscode.workspace.fs.stat(input.uri);
    if (size > most) {
      const name = input.uri.path.slice(input.uri.path.lastIndexOf('/') + 1);
      const message = `Toolpath: ${name} has more than 50 MB, and VS Code shows extensions no text of that size. To see its problems, save it and run toolpath-ls check.`;
      output.warn(message);
      void vscode.window.showWarningMessage(message);
    }
  };
  const lookQuietly = (tab: vscode.Tab) => void look(tab).catch(() => undefined); // it is gone
  vscode.window.tabGroups.all.flatMap((group) => group.tabs).forEach(lookQuietly);
  return vscode.window.tabGroups.onDidChangeTabs(({ opened }) => opened.forEach(lookQuietly));
}
