// What the server says of the source files in sight: who wrote their lines.
//
// The server answers with the runs of a whole file, once for each version of its text. So moving the cursor
// asks nothing, an answer about another version is dropped, and while the text changes nothing is known.

import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError, type LanguageClient } from 'vscode-languageclient/node';

import { blameMethod, type BlameResult, type Run, type Summary } from './protocol';

/** How long after the last change of the text the server is asked, in milliseconds. */
const pause = 250;

/** What the server said about a version of a document. It is stale when the record may say more by now. */
interface Answer {
  version: number;
  runs: readonly Run[];
  summary: Summary | null;
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

export class Provenance implements vscode.Disposable {
  private readonly known = new Map<string, Knowledge>();
  private readonly reported = new Set<string>();
  private readonly changed = new vscode.EventEmitter<vscode.TextDocument>();
  private readonly subscriptions: vscode.Disposable[];
  private recordTimer: NodeJS.Timeout | undefined;

  /** Fires when something else is known of a document than before: an answer came, or the text changed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly output: vscode.LogOutputChannel,
  ) {
    const { window, workspace } = vscode;
    this.subscriptions = [
      this.changed,
      window.onDidChangeActiveTextEditor(() => this.askAll()),
      window.onDidChangeVisibleTextEditors(() => this.askAll()),
      window.onDidChangeWindowState((state) => state.focused && this.forget()),
      workspace.onDidChangeTextDocument((event) => event.contentChanges.length > 0 && this.onChange(event.document)),
      workspace.onDidCloseTextDocument((document) => this.drop(keyOf(document))),
    ];
  }

  dispose(): void {
    clearTimeout(this.recordTimer);
    for (const key of [...this.known.keys()]) {
      this.drop(key);
    }
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is known of the text as it is now. */
  of(document: vscode.TextDocument): Pick<Answer, 'runs' | 'summary'> | undefined {
    const answer = this.known.get(keyOf(document))?.answer;
    return answer?.version === document.version ? answer : undefined;
  }

  /** Asks again about what is in sight, for a document that speaks of it may have changed. */
  forget(): void {
    for (const { answer } of this.known.values()) {
      if (answer) {
        answer.stale = true;
      }
    }
    this.askAll();
  }

  private askAll(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.ask(editor.document));
  }

  // Says at once that nothing is known, and asks when the typing pauses.
  private onChange(document: vscode.TextDocument): void {
    if (isRecord(document)) {
      clearTimeout(this.recordTimer);
      this.recordTimer = setTimeout(() => this.forget(), pause);
      return;
    }
    this.changed.fire(document);
    const knowledge = this.known.get(keyOf(document));
    if (!knowledge && editorsOf(document).length === 0) {
      return;
    }
    clearTimeout(knowledge?.timer);
    this.knowledgeOf(document).timer = setTimeout(() => this.ask(document), pause);
  }

  private ask(document: vscode.TextDocument): void {
    const client = this.client();
    if (!client || document.isClosed || document.uri.scheme !== 'file' || isRecord(document)) {
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
    void this.answer(client, document, asked).then((result) => {
      asked.cancellation.dispose();
      if (knowledge.question !== asked) {
        return;
      }
      knowledge.question = undefined;
      if (result && document.version === version && this.known.get(keyOf(document)) === knowledge) {
        knowledge.answer = { version, runs: result.runs, summary: result.summary ?? null, stale: false };
        this.changed.fire(document);
      }
    });
  }

  // What the server says of a document; nothing if it cannot tell, undefined if it was not to be told for that version.
  private async answer(
    client: LanguageClient,
    document: vscode.TextDocument,
    { version, cancellation }: Question,
  ): Promise<Pick<BlameResult, 'runs' | 'summary'> | undefined> {
    const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
    try {
      const result = await client.sendRequest<BlameResult>(blameMethod, { textDocument }, cancellation.token);
      if (result.version !== version) {
        return undefined;
      }
      this.report(result.problems);
      return result;
    } catch (reason) {
      if (cancellation.token.isCancellationRequested || isOutdated(reason)) {
        return undefined;
      }
      this.output.warn(`nothing is known of ${document.uri.fsPath}: ${String(reason)}`);
      return { runs: [], summary: null };
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

function keyOf(document: vscode.TextDocument): string {
  return document.uri.toString();
}

/** The editors in sight that show a document. */
export function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
}

/** Whether a document records steps, by its name. Such a document has no provenance of its own. */
export function isRecord(document: vscode.TextDocument): boolean {
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
