// Inline blame: tells after a line of source who wrote it, when and why.
//
// The server answers with the runs of the whole file, once for each version of its text. So moving the cursor
// asks nothing, an answer about another version is dropped, and while the text changes nothing is shown.

import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError, type LanguageClient } from 'vscode-languageclient/node';

import { label } from './label';
import { blameMethod, type BlameResult, type Run } from './protocol';
import { placesIn, runAt, type Placed } from './runs';

/** How long after the last change of the text the server is asked, in milliseconds. */
const pause = 250;

/** What the server said about a version of a document. It is stale when the record may say more by now. */
interface Answer {
  version: number;
  runs: readonly Run[];
  stale: boolean;
}

interface Question {
  version: number;
  cancellation: vscode.CancellationTokenSource;
}

/** What is known of one document, by its URI. */
interface Knowledge {
  answer?: Answer;
  question?: Question;
  timer?: NodeJS.Timeout;
}

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
  private readonly known = new Map<string, Knowledge>();
  private readonly shown = new WeakMap<vscode.TextEditor, readonly Label[]>();
  private readonly reported = new Set<string>();
  private readonly subscriptions: vscode.Disposable[];
  private places: Places | undefined;
  private recordTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly output: vscode.LogOutputChannel,
  ) {
    const { window, workspace } = vscode;
    this.places = modes[mode()];
    this.subscriptions = [
      this.decoration,
      window.onDidChangeTextEditorSelection((event) => this.draw(event.textEditor)),
      window.onDidChangeTextEditorVisibleRanges((event) => this.places === visiblePlaces && this.draw(event.textEditor)),
      window.onDidChangeActiveTextEditor(() => this.update()),
      window.onDidChangeVisibleTextEditors(() => this.update()),
      window.onDidChangeWindowState((state) => state.focused && this.forget()),
      workspace.onDidChangeTextDocument((event) => event.contentChanges.length > 0 && this.onChange(event.document)),
      workspace.onDidCloseTextDocument((document) => this.drop(keyOf(document))),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('toolpath.blame.inline')) {
          this.places = modes[mode()];
          this.update();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.recordTimer);
    for (const key of [...this.known.keys()]) {
      this.drop(key);
    }
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is shown in an editor. */
  labels(editor: vscode.TextEditor): readonly Label[] {
    return this.shown.get(editor) ?? [];
  }

  /** Asks again about what is in sight, for a document that speaks of it may have changed. */
  forget(): void {
    for (const { answer } of this.known.values()) {
      if (answer) {
        answer.stale = true;
      }
    }
    this.update();
  }

  private update(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      this.draw(editor);
      this.ask(editor.document);
    }
  }

  // Takes the labels away at once, and asks when the typing pauses.
  private onChange(document: vscode.TextDocument): void {
    if (isRecord(document)) {
      clearTimeout(this.recordTimer);
      this.recordTimer = setTimeout(() => this.forget(), pause);
      return;
    }
    const editors = editorsOf(document);
    editors.forEach((editor) => this.draw(editor));
    const knowledge = this.known.get(keyOf(document));
    if (!knowledge && editors.length === 0) {
      return;
    }
    clearTimeout(knowledge?.timer);
    this.knowledgeOf(document).timer = setTimeout(() => this.ask(document), pause);
  }

  private ask(document: vscode.TextDocument): void {
    const client = this.client();
    if (!this.places || !client || document.isClosed || document.uri.scheme !== 'file' || isRecord(document)) {
      return;
    }
    const knowledge = this.knowledgeOf(document);
    const { answer, question } = knowledge;
    const { version } = document;
    if (question?.version === version || (answer?.version === version && !answer.stale)) {
      return;
    }
    question?.cancellation.cancel();
    clearTimeout(knowledge.timer);
    const asked = { version, cancellation: new vscode.CancellationTokenSource() };
    knowledge.question = asked;
    void this.answer(client, document, asked).then((runs) => {
      asked.cancellation.dispose();
      if (knowledge.question !== asked) {
        return;
      }
      knowledge.question = undefined;
      if (runs && document.version === version && this.known.get(keyOf(document)) === knowledge) {
        knowledge.answer = { version, runs, stale: false };
        editorsOf(document).forEach((editor) => this.draw(editor));
      }
    });
  }

  // The runs of a document; none if the server cannot tell, undefined if it was not to be told for that version.
  private async answer(
    client: LanguageClient,
    document: vscode.TextDocument,
    { version, cancellation }: Question,
  ): Promise<readonly Run[] | undefined> {
    const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
    try {
      const result = await client.sendRequest<BlameResult>(blameMethod, { textDocument }, cancellation.token);
      if (result.version !== version) {
        return undefined;
      }
      this.report(result.problems);
      return result.runs;
    } catch (reason) {
      if (cancellation.token.isCancellationRequested || isOutdated(reason)) {
        return undefined;
      }
      this.output.warn(`no inline blame for ${document.uri.fsPath}: ${String(reason)}`);
      return [];
    }
  }

  private report(problems: readonly string[]): void {
    for (const problem of problems) {
      if (!this.reported.has(problem)) {
        this.reported.add(problem);
        this.output.info(problem);
      }
    }
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
    const answer = this.known.get(keyOf(editor.document))?.answer;
    if (!this.places || answer?.version !== editor.document.version) {
      return [];
    }
    const now = new Date();
    return this.places(editor, answer.runs)
      .map(({ line, run }) => ({ line, text: label(run, now) }))
      .filter(({ text }) => text !== '');
  }

  private knowledgeOf(document: vscode.TextDocument): Knowledge {
    const key = keyOf(document);
    let knowledge = this.known.get(key);
    if (!knowledge) {
      knowledge = {};
      this.known.set(key, knowledge);
    }
    return knowledge;
  }

  private drop(key: string): void {
    const knowledge = this.known.get(key);
    clearTimeout(knowledge?.timer);
    knowledge?.question?.cancellation.cancel();
    this.known.delete(key);
  }
}

function mode(): string {
  return vscode.workspace.getConfiguration('toolpath').get('blame.inline', 'line');
}

function keyOf(document: vscode.TextDocument): string {
  return document.uri.toString();
}

function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
}

/** Whether a document records steps, by its name. Such a document has no provenance of its own. */
function isRecord(document: vscode.TextDocument): boolean {
  return document.languageId === 'toolpath' || document.languageId === 'toolpath-jsonl';
}

/** Whether the server gave up since the text or the record changed; the change asks again. */
function isOutdated(reason: unknown): boolean {
  const outdated: number[] = [
    LSPErrorCodes.ContentModified,
    LSPErrorCodes.RequestCancelled,
    LSPErrorCodes.ServerCancelled,
  ];
  return reason instanceof ResponseError && outdated.includes(reason.code);
}

function decorationOf({ line, text }: Label): vscode.DecorationOptions {
  const end = new vscode.Position(line, Number.MAX_SAFE_INTEGER);
  return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
}
