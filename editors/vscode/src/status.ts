// The status bar: who wrote how much of the active file.

import * as vscode from 'vscode';

import type { Summary } from './protocol';
import type { Provenance } from './provenance';

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('toolpath.summary', vscode.StatusBarAlignment.Right, 99);
  private readonly subscriptions: vscode.Disposable[];
  private shown: string | undefined;
  private owner: vscode.TextDocument | undefined;

  constructor(private readonly provenance: Provenance) {
    this.item.name = 'Toolpath: Who Wrote This File';
    this.item.command = { command: 'toolpath.showFileSteps', title: 'Show Steps of This File' };
    const { window, workspace } = vscode;
    this.subscriptions = [
      this.item,
      provenance.onDidChange((document) => document === window.activeTextEditor?.document && this.update()),
      window.onDidChangeActiveTextEditor(() => this.update()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('toolpath.statusBar') && this.update()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is shown; undefined if nothing is. */
  get text(): string | undefined {
    return this.shown;
  }

  // While the text of a file changes it says what it said before.
  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const wanted = vscode.workspace.getConfiguration('toolpath').get('statusBar', true);
    const known = document && this.provenance.of(document);
    if (wanted && known?.summary) {
      this.show(known.summary);
    } else if (!wanted || known || document !== this.owner) {
      this.shown = undefined;
      this.item.hide();
    }
    this.owner = document;
  }

  private show(summary: Summary): void {
    this.shown = summary.text;
    this.item.text = `$(git-commit) ${summary.text.replaceAll('$(', '$ (')}`;
    const lines = summary.actors.map(({ actor, lines, percent }) => `${actor}: ${lines} (${percent} %)`);
    const others: [string, number][] = [
      ['older than the recording', summary.base],
      ['changed since the last recorded step', summary.changed],
      ['not recorded', summary.unrecorded],
    ];
    lines.push(...others.filter(([, n]) => n > 0).map(([what, n]) => `${what}: ${n}`));
    this.item.tooltip = `Lines of this file\n${lines.join('\n')}`;
    this.item.accessibilityInformation = { label: `Who wrote this file: ${summary.text}` };
    this.item.show();
  }
}
