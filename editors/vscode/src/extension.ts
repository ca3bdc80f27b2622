// Toolpath for VS Code: a thin client of toolpath-ls. What it adds is what VS Code has no request for: inline
// blame, colors, the graph and the side bar, and ways to go along the steps.

import * as vscode from 'vscode';
import { CodeLensRequest, type LanguageClient } from 'vscode-languageclient/node';

import { InlineBlame, toggleInlineBlame } from './blame';
import { Graphs } from './graph';
import { tellOfLargeDocuments } from './large';
import { linkCommands, type StepArgument } from './protocol';
import { Provenance } from './provenance';
import { showReading } from './reading';
import { goToUnreviewed, markReviewed, showUnreviewed } from './review';
import { openSample } from './sample';
import { Server } from './server';
import { Status } from './status';
import { copyStepId, goToStep, openFileAtStep, openParentStep, openStep, openStepDiff, showFileSteps, showSteps } from './steps';
import { Stripes, toggleColors } from './stripes';
import { StepsTree, stepOf, type Node } from './tree';

/** What other extensions and the tests can ask. */
export interface Exports {
  /** The client of the running server. */
  client(): LanguageClient | undefined;
  blame: Pick<InlineBlame, 'labels'>;
  stripes: Pick<Stripes, 'stripes'>;
  status: Pick<Status, 'text'>;
  graphs: Pick<Graphs, 'open'>;
  tree: Pick<StepsTree, 'getChildren' | 'getTreeItem'>;
}

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Exports> {
  const own = new Server(context, (list) => void showSteps(list));
  server = own;
  const client = () => own.running;
  const provenance = new Provenance(client, own.output);
  const blame = new InlineBlame(provenance);
  const stripes = new Stripes(provenance, context.extension.packageJSON);
  const status = new Status(provenance);
  const graphs = new Graphs(client, context.extensionUri);
  const tree = new StepsTree(client);
  context.subscriptions.push(own, provenance, blame, stripes, status, graphs, tree, tellOfLargeDocuments(own.output));
  context.subscriptions.push(
    own.onReady((started) => {
      vscode.workspace.textDocuments.forEach((document) => watchRecord(started, document, provenance));
      provenance.forget();
      tree.refresh();
    }),
    vscode.workspace.onDidOpenTextDocument((document) => watchRecord(client(), document, provenance)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => own.restart()),
  );
  const commands: Record<string, (target?: never) => unknown> = {
    ...onSteps(client, graphs),
    'toolpath.goToParentStep': () => goToStep(client(), 'parent'),
    'toolpath.goToChildStep': () => goToStep(client(), 'child'),
    'toolpath.goToHeadStep': () => goToStep(client(), 'head'),
    'toolpath.showFileSteps': () => showFileSteps(client()),
    'toolpath.goToNextUnreviewed': () => goToUnreviewed(client(), true),
    'toolpath.goToPreviousUnreviewed': () => goToUnreviewed(client(), false),
    'toolpath.showUnreviewed': () => showUnreviewed(client()),
    'toolpath.reviewLines': () => markReviewed(client()),
    'toolpath.showReading': () => showReading(client()),
    'toolpath.toggleInlineBlame': toggleInlineBlame,
    'toolpath.toggleColors': toggleColors,
    'toolpath.refreshSteps': () => tree.refresh(),
    'toolpath.restartServer': () => own.restart(),
    'toolpath.showOutput': () => own.output.show(),
    'toolpath.openSample': () => openSample(context),
  };
  for (const [id, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, run));
  }
  await vscode.commands.executeCommand('setContext', 'toolpath.active', true);
  void own.start();
  return { client, blame, stripes, status, graphs, tree };
}

// Commands on a step: one that a link in a hover or a node of the side bar names, else that of the cursor.
function onSteps(client: () => LanguageClient | undefined, graphs: Graphs): Record<(typeof linkCommands)[number], (target?: never) => unknown> {
  const named = (run: (step: StepArgument | undefined) => unknown) => (target?: StepArgument | Node) => run(stepOf(target));
  return {
    'toolpath.openStep': named((step) => openStep(client(), step)),
    'toolpath.openParentStep': named((step) => openParentStep(client(), step)),
    'toolpath.openStepDiff': named((step) => openStepDiff(client(), step)),
    'toolpath.openFileAtStep': named((step) => openFileAtStep(client(), step)),
    'toolpath.copyStepId': named((step) => copyStepId(client(), step)),
    // From the title of an editor or the explorer it is the document.
    'toolpath.showGraph': (target?: StepArgument | Node | vscode.Uri) => {
      if (target instanceof vscode.Uri) {
        return graphs.show(target);
      }
      const document = target && 'kind' in target && target.kind === 'document' ? vscode.Uri.parse(target.document.uri) : undefined;
      return graphs.show(document ?? stepOf(target));
    },
  };
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

const watched = new WeakSet<object>();

// The server asks for new lenses when the record changed; what is known is then to be asked for anew, too. The
// language client lets listen to that by way of the provider of a document, one for all documents.
function watchRecord(client: LanguageClient | undefined, document: vscode.TextDocument, provenance: Provenance): void {
  const provider = client?.getFeature(CodeLensRequest.method).getProvider(document);
  if (provider && !watched.has(provider)) {
    watched.add(provider);
    provider.onDidChangeCodeLensEmitter.event(() => provenance.forget());
  }
}
