// Inline blame: tells after a line of source who wrote it, when and why. While the text changes nothing is shown.

import * as vscode from 'vscode';

import { label } from './label';
import type { Run } from './protocol';
import { editorsOf, type Provenance } from './provenance';
import { placesIn, runAt, type Placed } from './runs';

/** A label after a line (0-based). */
export interface Label {
  line: number;
  text: string;
}

type Places = (editor: vscode.TextEditor, runs: readonly Run[]) => Placed[];

function cursorPlace(editor: vscode.TextEditor, runs: readonly Run[]): Placed[] {
  if (editor !== vscode.window.activeTextEditor) {
    return [];
  }
  const line = editor.selection.active.line;
  const run = runAt(runs, line);
  return run ? [{ line, run }] : [];
}

function visiblePlaces(editor: vscode.TextEditor, runs: readonly Run[]): Placed[] {
  const isBlank = (line: number) => editor.document.lineAt(line).isEmptyOrWhitespace;
  const last = editor.document.lineCount - 1;
  return editor.visibleRanges.flatMap((range) =>
    placesIn(runs, range.start.line, Math.min(range.end.line, last), isBlank),
  );
}

/** The values of the setting toolpath.blame.inline that show something. */
const modes: Record<string, Places> = { line: cursorPlace, all: visiblePlaces };

export class InlineBlame implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor('toolpath.inlineBlameForeground'),
      fontStyle: 'normal',
      margin: '0 0 0 3em',
    },
    rangeBehavior: vscode.DecorationRangeBehavior.OpenOpen,
  });
  private readonly shown = new WeakMap<vscode.TextEditor, readonly Label[]>();
  private readonly subscriptions: vscode.Disposable[];
  private places: Places | undefined;

  constructor(private readonly provenance: Provenance) {
    const { window, workspace } = vscode;
    this.places = modes[mode()];
    this.subscriptions = [
      this.decoration,
      provenance.onDidChange((document) => editorsOf(document).forEach((editor) => this.draw(editor))),
      window.onDidChangeTextEditorSelection((event) => this.draw(event.textEditor)),
      window.onDidChangeTextEditorVisibleRanges((event) => this.places === visiblePlaces && this.draw(event.textEditor)),
      window.onDidChangeActiveTextEditor(() => this.drawAll()),
      window.onDidChangeVisibleTextEditors(() => this.drawAll()),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('toolpath.blame.inline')) {
          this.places = modes[mode()];
          this.drawAll();
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is shown in an editor. */
  labels(editor: vscode.TextEditor): readonly Label[] {
    return this.shown.get(editor) ?? [];
  }

  private drawAll(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
  }

  private draw(editor: vscode.TextEditor): void {
    const labels = this.labelsFor(editor);
    const before = this.labels(editor);
    if (labels.length === 0 && before.length === 0) {
      return;
    }
    this.shown.set(editor, labels);
    editor.setDecorations(this.decoration, labels.map(decorationOf));
  }

  private labelsFor(editor: vscode.TextEditor): Label[] {
    const known = this.provenance.of(editor.document);
    if (!this.places || !known) {
      return [];
    }
    const now = new Date();
    return this.places(editor, known.runs)
      .map(({ line, run }) => ({ line, text: label(run, now) }))
      .filter(({ text }) => text !== '');
  }
}

function mode(): string {
  return vscode.workspace.getConfiguration('toolpath').get('blame.inline', 'line');
}

/** Turns inline blame off, or on for the line of the cursor. */
export async function toggleInlineBlame(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('toolpath.blame');
  const next = settings.get('inline') === 'off' ? 'line' : 'off';
  await settings.update('inline', next, vscode.ConfigurationTarget.Global);
}

function decorationOf({ line, text }: Label): vscode.DecorationOptions {
  const end = new vscode.Position(line, Number.MAX_SAFE_INTEGER);
  return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
}
