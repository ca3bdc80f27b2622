// Measurements, each beside VS Code's own JSON support in the same window. They fail for nothing but a lack of an
// answer: what comes out is for docs/performance.md.

import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import * as vscode from 'vscode';

import { Suite, until } from '../suite';
import { extension, fileUri } from './editor';

export const measure = new Suite('measure');

function median(values: number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[values.length >> 1]!);
}

// How long an action takes to the first problems of a document, in milliseconds.
async function toProblems(uri: vscode.Uri, action: () => Thenable<unknown>): Promise<number> {
  const start = performance.now();
  const problems = new Promise<number>((resolve) => {
    const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((one) => one.toString() === uri.toString()) && vscode.languages.getDiagnostics(uri).length > 0) {
        listening.dispose();
        resolve(performance.now() - start);
      }
    });
  });
  await action();
  return problems;
}

function tell(what: string): void {
  measure.notes.push(what);
}

measure.test('cold start to the first problems of an open document of 100 kB', async () => {
  const { client } = await extension();
  const [ours, json] = [fileUri('measured.path.json'), fileUri('measured.json')];
  // The first JSON document of the window starts VS Code's JSON server.
  const theirs = await toProblems(json, () => vscode.window.showTextDocument(json));
  await vscode.window.showTextDocument(ours);
  await until('problems', () => vscode.languages.getDiagnostics(ours).length > 0);
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const before = client();
    times.push(await toProblems(ours, async () => {
      await vscode.commands.executeCommand('toolpath.restartServer');
      await until('another server', () => client() !== undefined && client() !== before);
    }));
  }
  tell(`cold start to problems, 100 kB: toolpath-ls ${median(times)} ms (median of ${times.length}: ${times.map(Math.round).join(', ')}), VS Code's JSON ${Math.round(theirs)} ms (once, it starts with the window)`);
});

measure.test('warm: opening a document of 100 kB', async () => {
  const times: Record<string, number[]> = { 'measured.path.json': [], 'measured.json': [] };
  for (let i = 0; i < 5; i++) {
    for (const [name, list] of Object.entries(times)) {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.window.showTextDocument(fileUri('main.py'));
      const editor = await vscode.window.showTextDocument(fileUri(name));
      await until('problems', () => vscode.languages.getDiagnostics(fileUri(name)).length > 0);
      list.push(await toProblems(fileUri(name), () => editor.edit((edit) => edit.insert(new vscode.Position(0, 0), ' '))));
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  }
  tell(`edit to problems, 100 kB: toolpath-ls ${median(times['measured.path.json']!)} ms, VS Code's JSON ${median(times['measured.json']!)} ms`);
});

// The milliseconds that functions of this extension took while nothing happened, as the profiler of V8 sees it.
async function ownTime(milliseconds: number): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const own = new Set(profile.nodes.filter(({ callFrame }) => /[/]dist[/]extension\.js$/.test(callFrame.url)).map(({ id }) => id));
  const took = profile.samples!.map((id, i) => (own.has(id) ? profile.timeDeltas![i]! : 0));
  return took.reduce((a, b) => a + b, 0) / 1000;
}

measure.test('the extension and the server at rest', async () => {
  const { client } = await extension();
  await vscode.window.showTextDocument(fileUri('main.py'));
  const pid = client()!.serverProcess!.pid!;
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const before = ticks();
  const own = await ownTime(10_000);
  tell(`at rest for 10 s: extension ${own.toFixed(1)} ms of CPU, server ${(ticks() - before) * 10} ms`);
});
