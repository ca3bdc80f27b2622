// Reviewing: the lines of agents that no human has touched since. The server keeps the list; this goes along it,
// and says how long it is.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient, type Location } from 'vscode-languageclient/node';

import { clip } from './label';
import { markReviewedCommand, nextUnreviewedCommand, previousUnreviewedCommand, unreviewedMethod, type Run, type Unreviewed } from './protocol';

/** Goes to the next, or the previous, run of lines that nobody has looked at. */
export async function goToUnreviewed(client: LanguageClient | undefined, forwards: boolean): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const at: Location | null = await client.sendRequest(ExecuteCommandRequest.type, {
    command: forwards ? nextUnreviewedCommand : previousUnreviewedCommand,
    arguments: [client.code2ProtocolConverter.asTextDocumentPositionParams(editor.document, editor.selection.start)],
  });
  // Where it can, the server has shown the place itself.
  if (!at) {
    void vscode.window.showInformationMessage('Toolpath: a human has touched every recorded line of an agent.');
  }
}

/** Marks the selected lines, or those around the cursor, as reviewed: a step of the user's in the document. */
export async function markReviewed(client: LanguageClient | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const { document, selection } = editor;
  const actor = await reviewer(document);
  if (!actor) {
    return;
  }
  const converter = client.code2ProtocolConverter;
  try {
    const { lines }: { lines: number } = await client.sendRequest(ExecuteCommandRequest.type, {
      command: markReviewedCommand,
      arguments: [{ textDocument: converter.asTextDocumentIdentifier(document), range: converter.asRange(selection), actor }],
    });
    void vscode.window.setStatusBarMessage(`Toolpath: ${actor} reviewed ${lines === 1 ? '1 line' : `${lines} lines`}`, 5000);
  } catch (error) {
    void vscode.window.showWarningMessage(`Toolpath: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Who reviews: as the setting says, which is asked for once. */
async function reviewer(document: vscode.TextDocument): Promise<string | undefined> {
  const settings = vscode.workspace.getConfiguration('toolpath', document);
  const known = settings.get<string>('review.actor');
  if (known) {
    return known;
  }
  const actor = await vscode.window.showInputBox({
    title: 'Who reviews?',
    prompt: 'Your name in the record, kept in the setting toolpath.review.actor',
    value: 'human:',
    valueSelection: ['human:'.length, 'human:'.length],
    validateInput: (value) => (/^human:\S+$/.test(value) ? undefined : 'A human, such as human:alex'),
  });
  if (actor) {
    await settings.update('review.actor', actor, vscode.ConfigurationTarget.Global);
  }
  return actor;
}

interface RunItem extends vscode.QuickPickItem {
  uri?: vscode.Uri;
  run?: Run;
}

/** Lists the unreviewed lines of the workspace, to choose one. */
export async function showUnreviewed(client: LanguageClient | undefined): Promise<void> {
  if (!client) {
    return;
  }
  const found = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: 'Toolpath: looking for unreviewed lines' },
    (_, cancellation) => client.sendRequest<Unreviewed>(unreviewedMethod, {}, cancellation),
  );
  if (found.lines === 0) {
    void vscode.window.showInformationMessage('Toolpath: a human has touched every recorded line of an agent.');
    return;
  }
  const items = found.files.flatMap(({ uri, runs }): RunItem[] => {
    const file = vscode.Uri.parse(uri);
    return [
      { label: vscode.workspace.asRelativePath(file), kind: vscode.QuickPickItemKind.Separator },
      ...runs.map((run) => ({
        label: `$(sparkle) ${clip(run.intent ?? run.step ?? '', 100).replaceAll('$(', '$ (')}`,
        description: `lines ${run.startLine + 1}–${run.endLine}, ${run.actor ?? ''}`,
        uri: file,
        run,
      })),
    ];
  });
  const lines = found.lines === 1 ? '1 line of agents' : `${found.lines} lines of agents`;
  const chosen = await vscode.window.showQuickPick(items, {
    title: `${lines} that no human has touched${found.truncated ? ', in the first files' : ''}`,
    placeHolder: 'Lines to look at',
    matchOnDescription: true,
  });
  if (chosen?.uri && chosen.run) {
    await vscode.window.showTextDocument(chosen.uri, {
      selection: new vscode.Range(chosen.run.startLine, 0, chosen.run.endLine - 1, Number.MAX_SAFE_INTEGER),
    });
  }
}
