// Goes along the steps of a path. The server knows where; this goes there.

import * as vscode from 'vscode';
import {
  CodeLensRequest,
  ExecuteCommandRequest,
  type LanguageClient,
  type Location,
} from 'vscode-languageclient/node';

import { actorName, ago, clip, join } from './label';
import { showStepsCommand, stepCommands, type Step, type StepList } from './protocol';

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
    const { uri, range } = step.location;
    const { start, end } = range;
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
      selection: new vscode.Range(start.line, start.character, end.line, end.character),
    });
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
