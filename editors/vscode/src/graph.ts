// The graph of a document's steps. The server makes the page, and knows what is drawn; this shows it, tells it when
// the document has changed, and opens what the reader chooses.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';

import { isRecord } from './provenance';
import { graphCommand, type GraphResult, type StepArgument } from './protocol';
import { openStep, openStepDiff } from './steps';

/** How long after a change the page is told, in milliseconds. */
const pause = 400;

/** What the page posts. */
type Message = { ready: true } | { open: 'document' | 'diff'; path: string; step: string };

interface Panel {
  panel: vscode.WebviewPanel;
  timer?: NodeJS.Timeout;
  /** What to show once the page is there. */
  show?: { path: string; step: string };
  ready: boolean;
}

export class Graphs implements vscode.Disposable {
  /** By the URI of the document. */
  private readonly panels = new Map<string, Panel>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly extension: vscode.Uri,
  ) {
    const { workspace } = vscode;
    const watcher = workspace.createFileSystemWatcher('**/*.{path.json,path.jsonl}');
    this.subscriptions = [
      watcher,
      watcher.onDidChange((uri) => this.later(uri)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && isRecord(document) && this.later(document.uri)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, ...[...this.panels.values()].map(({ panel }) => panel)).dispose();
  }

  /** The pages that are open, by the URI of their document. */
  get open(): ReadonlyMap<string, { html: string; ready: boolean }> {
    return new Map([...this.panels].map(([uri, { panel, ready }]) => [uri, { html: panel.webview.html, ready }]));
  }

  /** Shows the graph of the document that holds a step, or of the active one. */
  async show(step?: StepArgument | vscode.Uri): Promise<void> {
    const uri = documentOf(step);
    if (!uri) {
      void vscode.window.showInformationMessage('Toolpath: open a Toolpath document to see its graph.');
      return;
    }
    const at = step && !(step instanceof vscode.Uri) ? { path: step.path, step: step.step } : undefined;
    const before = this.panels.get(uri.toString());
    if (before) {
      before.panel.reveal();
      if (at) {
        void before.panel.webview.postMessage({ show: at });
      }
      return;
    }
    const result = await this.ask(uri, { page: true });
    if (!result?.html) {
      void vscode.window.showInformationMessage(`Toolpath: ${nameOf(uri)} is no Toolpath document that can be read.`);
      return;
    }
    const panel = vscode.window.createWebviewPanel('toolpath.graph', `Graph: ${nameOf(uri)}`, vscode.ViewColumn.Active, {
      enableScripts: true,
      enableFindWidget: true,
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    const icon = (name: string) => vscode.Uri.joinPath(this.extension, 'icons', `toolpath-${name}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const own: Panel = { panel, ready: false, ...(at && { show: at }) };
    this.panels.set(uri.toString(), own);
    panel.onDidDispose(() => {
      clearTimeout(own.timer);
      this.panels.delete(uri.toString());
    });
    panel.webview.onDidReceiveMessage((message: Message) => this.onMessage(uri, own, message));
    panel.webview.html = result.html;
  }

  private onMessage(uri: vscode.Uri, own: Panel, message: Message): void {
    if ('ready' in message) {
      own.ready = true;
      if (own.show) {
        void own.panel.webview.postMessage({ show: own.show });
      }
      return;
    }
    const step = { document: uri.toString(), path: String(message.path), step: String(message.step) };
    void (message.open === 'diff' ? openStepDiff(this.client(), step) : openStep(this.client(), step));
  }

  private later(uri: vscode.Uri): void {
    const own = this.panels.get(uri.toString());
    if (own) {
      clearTimeout(own.timer);
      own.timer = setTimeout(() => void this.refresh(uri, own), pause);
    }
  }

  private async refresh(uri: vscode.Uri, own: Panel): Promise<void> {
    const result = await this.ask(uri, { diffs: true });
    if (result?.drawing && this.panels.get(uri.toString()) === own) {
      void own.panel.webview.postMessage({ drawing: result.drawing });
    }
  }

  private async ask(uri: vscode.Uri, what: { page: true } | { diffs: true }): Promise<GraphResult | null | undefined> {
    const client = this.client();
    return client?.sendRequest(ExecuteCommandRequest.type, {
      command: graphCommand,
      arguments: [{ document: client.code2ProtocolConverter.asUri(uri), ...what }],
    });
  }
}

function documentOf(step: StepArgument | vscode.Uri | undefined): vscode.Uri | undefined {
  if (step instanceof vscode.Uri) {
    return step;
  }
  if (step) {
    return vscode.Uri.parse(step.document);
  }
  const document = vscode.window.activeTextEditor?.document;
  return document && isRecord(document) ? document.uri : undefined;
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}
