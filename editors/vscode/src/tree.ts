// The side bar: the history of the current line on top, and below it the documents of the workspace with their
// paths and steps. A node is looked up when it is opened, and everything again when a document has changed.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';

import { actorName, ago, clip, join } from './label';
import {
  documentsCommand,
  graphCommand,
  lineHistoryMethod,
  type DrawnPath,
  type GraphResult,
  type LineHistory,
  type StepArgument,
  type Touch,
  type WorkspaceDocument,
} from './protocol';
import { isRecord } from './provenance';

/** How many steps of a path are listed. */
const mostSteps = 1000;

/** How long after the cursor moved or a document changed the tree follows, in milliseconds. */
const pause = 300;

export type Node =
  | { kind: 'line'; label: string; touches: Touch[] }
  | { kind: 'touch'; touch: Touch; step: StepArgument }
  | { kind: 'document'; document: WorkspaceDocument }
  | { kind: 'path'; document: string; path: DrawnPath }
  | { kind: 'step'; path: DrawnPath; row: number; step: StepArgument }
  | { kind: 'note'; text: string };

const icons: Record<string, string> = { human: 'account', agent: 'sparkle', tool: 'tools', ci: 'server-process' };

function iconOf(kind: string, color: number | undefined): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icons[kind] ?? 'circle-outline', color === undefined ? undefined : new vscode.ThemeColor(`toolpath.actor${color + 1}`));
}

export class StepsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];
  private line: Extract<Node, { kind: 'line' }> = { kind: 'line', label: 'No line', touches: [] };
  private lineTimer: NodeJS.Timeout | undefined;
  private recordTimer: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {
    const { window, workspace } = vscode;
    this.view = window.createTreeView('toolpath.steps', { treeDataProvider: this, showCollapseAll: true });
    const watcher = workspace.createFileSystemWatcher('**/*.{path.json,path.jsonl}');
    this.subscriptions = [
      this.view,
      this.changed,
      watcher,
      watcher.onDidChange(() => this.recordChanged()),
      watcher.onDidCreate(() => this.recordChanged()),
      watcher.onDidDelete(() => this.recordChanged()),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          return isRecord(document) ? this.recordChanged() : this.cursorMoved();
        }
      }),
      window.onDidChangeTextEditorSelection(() => this.cursorMoved()),
      window.onDidChangeActiveTextEditor(() => this.cursorMoved()),
      this.view.onDidChangeVisibility(({ visible }) => visible && this.refresh()),
    ];
  }

  dispose(): void {
    clearTimeout(this.lineTimer);
    clearTimeout(this.recordTimer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Looks everything up again. */
  refresh(): void {
    this.changed.fire(undefined);
    this.cursorMoved();
  }

  private recordChanged(): void {
    clearTimeout(this.recordTimer);
    this.recordTimer = setTimeout(() => this.view.visible && this.refresh(), pause);
  }

  // Nothing is asked while nobody looks.
  private cursorMoved(): void {
    clearTimeout(this.lineTimer);
    this.lineTimer = setTimeout(() => void (this.view.visible && this.followCursor()), pause);
  }

  private async followCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.client();
    if (!client || !editor || editor.document.uri.scheme !== 'file' || isRecord(editor.document)) {
      return;
    }
    const { document, selection } = editor;
    const { version } = document;
    const at = client.code2ProtocolConverter.asTextDocumentPositionParams(document, selection.active);
    const history = await client.sendRequest<LineHistory>(lineHistoryMethod, at).catch(() => undefined);
    if (history?.version === version && document.version === version && vscode.window.activeTextEditor === editor) {
      this.line.label = `Line ${selection.active.line + 1} of ${nameOf(document.uri.path)}`;
      this.line.touches = history.touches;
      this.changed.fire(this.line);
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.kind) {
      case undefined:
        return [this.line, ...(await this.documents())];
      case 'line':
        return node.touches.length === 0
          ? [{ kind: 'note', text: 'no recorded step' }]
          : node.touches.map((touch) => ({ kind: 'touch', touch, step: { document: touch.document, path: touch.path, step: touch.step } }));
      case 'document':
        return this.paths(node.document.uri);
      case 'path':
        return stepsOf(node.document, node.path);
    }
    return [];
  }

  private async documents(): Promise<Node[]> {
    const all = await this.client()?.sendRequest(ExecuteCommandRequest.type, { command: documentsCommand, arguments: [{}] });
    return ((all ?? []) as WorkspaceDocument[]).map((document) => ({ kind: 'document', document }));
  }

  private async paths(document: string): Promise<Node[]> {
    const result: GraphResult | null | undefined = await this.client()?.sendRequest(ExecuteCommandRequest.type, { command: graphCommand, arguments: [{ document }] });
    const paths = result?.drawing?.paths ?? [];
    if (paths.length === 0) {
      return [{ kind: 'note', text: 'no steps' }];
    }
    return paths.length === 1 ? stepsOf(document, paths[0]!) : paths.map((path) => ({ kind: 'path', document, path }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const now = new Date();
    switch (node.kind) {
      case 'line': {
        const item = new vscode.TreeItem(node.label, Expanded);
        item.id = 'line';
        item.iconPath = new vscode.ThemeIcon('history');
        return item;
      }
      case 'touch': {
        const { verb, actor, timestamp, intent, step, text } = node.touch;
        const item = new vscode.TreeItem(clip(intent || step, 120), None);
        item.description = join(`${verb} by ${actorName(actor)}`, ago(timestamp, now));
        item.tooltip = `${actor}, ${timestamp}\n${intent}\n\n${text}`;
        item.iconPath = iconOf(actor.split(':', 1)[0]!, undefined);
        return openable(item, node.step);
      }
      case 'document': {
        const item = new vscode.TreeItem(vscode.Uri.parse(node.document.uri), Collapsed);
        item.id = `document ${node.document.uri}`;
        item.description = join(vscode.workspace.asRelativePath(vscode.Uri.parse(node.document.uri)), `${node.document.steps} steps`);
        item.iconPath = vscode.ThemeIcon.File;
        item.contextValue = 'document';
        return item;
      }
      case 'path': {
        const item = new vscode.TreeItem(clip(node.path.title || node.path.id, 120), Collapsed);
        item.description = `${node.path.steps.length} steps`;
        item.iconPath = new vscode.ThemeIcon('git-branch');
        return item;
      }
      case 'step': {
        const step = node.path.steps[node.row]!;
        const actor = node.path.actors[step.actor]!;
        const item = new vscode.TreeItem(clip(step.intent || step.id, 120), None);
        const standing = node.row === node.path.head ? 'head' : step.dead ? 'dead end' : '';
        item.description = join(actor.name, ago(step.time, now), standing);
        item.tooltip = `${step.id}\n${actor.actor}, ${step.time}\n${step.intent}`;
        item.iconPath = iconOf(actor.kind, step.dead ? undefined : actor.color);
        return openable(item, node.step);
      }
      case 'note': {
        const item = new vscode.TreeItem('', None);
        item.description = node.text;
        return item;
      }
    }
  }
}

function openable(item: vscode.TreeItem, step: StepArgument): vscode.TreeItem {
  item.contextValue = 'step';
  item.command = { command: 'toolpath.openStep', title: 'Open Step', arguments: [step] };
  return item;
}

function stepsOf(document: string, path: DrawnPath): Node[] {
  const nodes: Node[] = path.steps
    .slice(0, mostSteps)
    .map(({ id }, row) => ({ kind: 'step', path, row, step: { document, path: path.id, step: id } }));
  const left = path.steps.length - nodes.length;
  return left > 0 ? [...nodes, { kind: 'note', text: `${left} older steps: see the graph` }] : nodes;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The step of a node that a menu was opened on, or a step as a link names it. */
export function stepOf(target: StepArgument | Node | undefined): StepArgument | undefined {
  if (!target) {
    return undefined;
  }
  return 'kind' in target ? ('step' in target ? target.step : undefined) : target;
}
