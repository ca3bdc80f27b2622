// Toolpath for VS Code: a thin client of toolpath-ls. What it adds is what VS Code has no request for: inline
// blame, and ways to go along the steps.

import * as vscode from 'vscode';
import { CodeLensRequest, type LanguageClient } from 'vscode-languageclient/node';

import { InlineBlame } from './blame';
import { Server } from './server';
import { goToStep, showFileSteps, showSteps } from './steps';

/** What other extensions and the tests can ask. */
export interface Exports {
  /** The client of the running server. */
  client(): LanguageClient | undefined;
  blame: Pick<InlineBlame, 'labels'>;
}

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Exports> {
  const own = new Server(context, (list) => void showSteps(list));
  server = own;
  const client = () => own.running;
  const blame = new InlineBlame(client, own.output);
  context.subscriptions.push(own, blame);
  context.subscriptions.push(
    own.onReady((started) => {
      vscode.workspace.textDocuments.forEach((document) => watchRecord(started, document, blame));
      blame.forget();
    }),
    vscode.workspace.onDidOpenTextDocument((document) => watchRecord(client(), document, blame)),
  );
  const commands: Record<string, () => unknown> = {
    'toolpath.goToParentStep': () => goToStep(client(), 'parent'),
    'toolpath.goToChildStep': () => goToStep(client(), 'child'),
    'toolpath.goToHeadStep': () => goToStep(client(), 'head'),
    'toolpath.showFileSteps': () => showFileSteps(client()),
    'toolpath.toggleInlineBlame': toggleInlineBlame,
    'toolpath.restartServer': () => own.restart(),
    'toolpath.showOutput': () => own.output.show(),
  };
  for (const [id, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, run));
  }
  await vscode.commands.executeCommand('setContext', 'toolpath.active', true);
  void own.start();
  return { client, blame };
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

const watched = new WeakSet<object>();

// The server asks for new lenses when the record changed; the labels are then to be asked for anew, too. The
// language client lets listen to that by way of the provider of a document, one for all documents.
function watchRecord(client: LanguageClient | undefined, document: vscode.TextDocument, blame: InlineBlame): void {
  const provider = client?.getFeature(CodeLensRequest.method).getProvider(document);
  if (provider && !watched.has(provider)) {
    watched.add(provider);
    provider.onDidChangeCodeLensEmitter.event(() => blame.forget());
  }
}

async function toggleInlineBlame(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('toolpath.blame');
  const next = settings.get('inline') === 'off' ? 'line' : 'off';
  await settings.update('inline', next, vscode.ConfigurationTarget.Global);
}
