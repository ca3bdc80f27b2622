// A small workspace to try things out in.

import * as vscode from 'vscode';

/** Opens a copy of the sample in a window of its own. A copy that is there already stays as the user left it. */
export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const copy = vscode.Uri.joinPath(context.globalStorageUri, 'sample');
  try {
    await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, 'sample'), copy, { overwrite: false });
  } catch (reason) {
    if (!(reason instanceof vscode.FileSystemError && reason.code === 'FileExists')) {
      throw reason;
    }
  }
  await vscode.commands.executeCommand('vscode.openFolder', copy, { forceNewWindow: true });
}
