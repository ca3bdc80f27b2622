// Goes along the steps of a path. The server knows where; this goes there.

import * as vscode from 'vscode';
import {
  CodeLensRequest,
  ExecuteCommandRequest,
  type LanguageClient,
  type Location,
} from 'vscode-languageclient/node';

import { actorName, ago, clip, join } from './label';
import {
  fileAtStepCommand,
  showStepsCommand,
  stepCommands,
  stepDiffCommand,
  type Step,
  type StepArgument,
  type StepDiff,
  type StepList,
} from './protocol';

/** What a command of the server says of a step, or of the one at the cursor or behind its line; null if there is none. */
async function ask<T>(client: LanguageClient | undefined, command: string, step: StepArgument | undefined): Promise<T | null | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!client || (!step && !editor)) {
    return undefined;
  }
  const argument = step ?? client.code2ProtocolConverter.asTextDocumentPositionParams(editor!.document, editor!.selection.active);
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
}

function tellNone(): void {
  void vscode.window.showInformationMessage('Toolpath: no step is recorded here.');
}

async function show({ uri, range }: Location, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
  const { start, end } = range;
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
    ...options,
    selection: new vscode.Range(start.line, start.character, end.line, end.character),
  });
}

/** Shows a step in its document. */
export async function openStep(client: LanguageClient | undefined, step?: StepArgument): Promise<void> {
  const at = await ask<Location>(client, stepCommands.self, step);
  return at ? show(at) : tellNone();
}

/** Shows the first parent of a step. */
export async function openParentStep(client: LanguageClient | undefined, step?: StepArgument): Promise<void> {
  const at = await ask<Location>(client, stepCommands.parent, step);
  return at ? show(at) : void vscode.window.showInformationMessage('Toolpath: the step has no parent.');
}

/** Shows what a step did: in a diff editor where both sides of all files are known, else as a text. */
export async function openStepDiff(client: LanguageClient | undefined, step?: StepArgument): Promise<void> {
  const diff = await ask<StepDiff>(client, stepDiffCommand, step);
  if (!diff) {
    return tellNone();
  }
  const [file, ...others] = diff.files.map(({ artifact, before, after }) => ({ artifact, before: vscode.Uri.parse(before), after: vscode.Uri.parse(after) }));
  if (!file) {
    await vscode.window.showTextDocument(vscode.Uri.parse(diff.uri), { preview: true });
  } else if (others.length === 0) {
    await vscode.commands.executeCommand('vscode.diff', file.before, file.after, `${file.artifact} (${diff.step})`, { preview: true });
  } else {
    const files = [file, ...others].map(({ before, after }) => [after, before, after]);
    await vscode.commands.executeCommand('vscode.changes', `Step ${diff.step}`, files);
  }
}

/** Shows a file as a step left it. */
export async function openFileAtStep(client: LanguageClient | undefined, step?: StepArgument): Promise<void> {
  const at = await ask<{ uri: string }>(client, fileAtStepCommand, step);
  if (!at) {
    return tellNone();
  }
  try {
    await vscode.window.showTextDocument(vscode.Uri.parse(at.uri), { preview: true });
  } catch (reason) {
    void vscode.window.showWarningMessage(`Toolpath: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

/** Copies the id of a step. */
export async function copyStepId(client: LanguageClient | undefined, step?: StepArgument): Promise<void> {
  const id = step?.step ?? (await ask<StepDiff>(client, stepDiffCommand, undefined))?.step;
  if (id === undefined) {
    return tellNone();
  }
  await vscode.env.clipboard.writeText(id);
  vscode.window.setStatusBarMessage(`Copied ${id}`, 3000);
}

/** Goes from the step at the cursor, or from the step that wrote the line of source, to a relative of it. */
export async function goToStep(client: LanguageClient | undefined, relation: keyof typeof stepCommands): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const { document, selection } = editor;
  const answer: Location | Location[] | null = await client.sendRequest(ExecuteCommandRequest.type, {
    command: stepCommands[relation],
    arguments: [client.code2ProtocolConverter.asTextDocumentPositionParams(document, selection.active)],
  });
  const locations = [answer ?? []].flat().map((location) => client.protocol2CodeConverter.asLocation(location));
  await vscode.commands.executeCommand(
    'editor.action.goToLocations',
    document.uri,
    selection.active,
    locations,
    'peek',
    `No ${relation} step here`,
  );
}

interface StepItem extends vscode.QuickPickItem {
  step: Step;
}

function itemOf(step: Step, now: Date): StepItem {
  return {
    label: step.step,
    description: join(actorName(step.actor), ago(step.timestamp, now)),
    detail: clip(step.intent, 200),
    step,
  };
}

/** Shows one of the steps in its document; of several the user chooses, the latest first. */
export async function showSteps(list: StepList): Promise<void> {
  if (list.steps.length === 0) {
    void vscode.window.showInformationMessage('Toolpath: there are no steps to show.');
    return;
  }
  const step = list.steps.length === 1 ? list.steps[0] : await chooseStep(list);
  if (step) {
    await show(step.location);
  }
}

async function chooseStep(list: StepList): Promise<Step | undefined> {
  const now = new Date();
  const items = list.steps.map((step) => itemOf(step, now)).reverse();
  const file = list.uri.slice(list.uri.lastIndexOf('/') + 1);
  const chosen = await vscode.window.showQuickPick(items, {
    title: `Steps of ${decodeURIComponent(file)}`,
    placeHolder: 'Step to show',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.step;
}

/** Shows the steps of the active file, as its code lens does. */
export async function showFileSteps(client: LanguageClient | undefined): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || !document) {
    return;
  }
  const lenses = await client.sendRequest(CodeLensRequest.type, {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
  });
  const lens = lenses?.find((candidate) => candidate.command?.command === showStepsCommand);
  if (lens) {
    await showSteps(lens.command?.arguments?.[0] as StepList);
  } else {
    void vscode.window.showInformationMessage('Toolpath: no recorded step touches this file.');
  }
}
