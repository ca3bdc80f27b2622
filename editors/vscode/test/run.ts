// Runs the tests and tells what came out.
//
//   node out/test/run.js [--results FILE] [--only TEXT] [--keep] [unit|page|host|surroundings|nothing|window|restricted|measure ...]
//
// unit tests need nothing. The others, of which measure runs on request only, need a VS Code, a browser and a server; where these are missing they are
// skipped, or fail where TOOLPATH_TEST_REQUIRE=1. TOOLPATH_LS names a server that is built already.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { extensionFolder, repository } from './folders';
import type { Page } from 'playwright-core';

import { pageSuite } from './page/index';
import { report, type Result, type Suite } from './suite';
import { suites } from './unit/index';
import { browser, isThere, versions, VSCode, withPage, type Options, type Version } from './vscode';
import { windowSuite } from './window/index';
import { restrictedSuite } from './window/restricted';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { results: { type: 'string' }, only: { type: 'string', default: '' }, keep: { type: 'boolean' } },
});
const required = process.env['TOOLPATH_TEST_REQUIRE'] === '1';
const scratch = mkdtempSync(path.join(tmpdir(), 'toolpath-vscode-'));
const results = path.resolve(values.results ?? path.join(scratch, 'results'));

/** How long the tests in an extension host may take, in milliseconds. */
const patience = 240_000;

/** The kinds of tests in an extension host, with the workspace that each makes below a folder: a folder or a file. */
const hostKinds: Record<string, (below: string) => string> = {
  host: (below) => {
    const folder = demoWorkspace(below);
    writeFileSync(path.join(folder, 'empty.path.jsonl'), '');
    return folder;
  },
  surroundings: severalFolders,
  nothing: (below) => plainFolder(below, { 'main.py': 'print("hello")\n' }),
  measure: (below) => {
    const text = longDocument(100_000);
    return plainFolder(below, { 'measured.path.json': text, 'measured.json': text, 'main.py': 'print("hello")\n' });
  },
};

const kinds: Record<string, () => Promise<void>> = {
  unit: runUnits,
  ...Object.fromEntries(Object.keys(hostKinds).map((kind) => [kind, () => forEachVersion(kind, (version) => runHost(kind, version), kind === 'host' ? versions : versions.slice(0, 1))])),
  page: runPage,
  window: () => forEachVersion('window', runWindow),
  restricted: () => forEachVersion('restricted', runRestricted, versions.slice(0, 1)),
};

async function runUnits(): Promise<void> {
  for (const suite of suites) {
    await suite.run('unit', results, values.only);
  }
}

async function forEachVersion(kind: string, run: (version: Version) => Promise<void>, among = versions): Promise<void> {
  for (const version of among) {
    const name = `${kind} ${version.name}`;
    const missing = missingFor(version);
    if (missing.length === 0) {
      await guard(name, () => run(version));
    } else {
      const ok = !(required && version.required);
      report(results, { name, ok, skipped: ok, message: `install with: ${missing.join('; ')}`, seconds: 0 });
    }
  }
}

function missingFor(version: Version): string[] {
  return [
    ...(isThere(version) ? [] : [version.install]),
    ...(existsSync(browser) ? [] : ['apt-get install chromium']),
  ];
}

// A failure outside of all tests is a result too.
async function guard(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (reason) {
    report(results, { name, ok: false, message: String(reason), seconds: 0 });
  }
}

let server: string | undefined;

/** The server's program, built when it is first asked for. */
function serverProgram(): string {
  server ??= process.env['TOOLPATH_LS'];
  if (!server) {
    server = path.join(scratch, 'toolpath-ls');
    execFileSync('go', ['build', '-o', server, './cmd/toolpath-ls'], { cwd: repository });
  }
  return server;
}

function demoWorkspace(below: string): string {
  const folder = path.join(below, 'slugs');
  execFileSync(path.join(repository, 'scripts', 'demo-workspace'), [folder]);
  return folder;
}

// A path of so many steps with branches, dead ends and merges.
function branchingDocument(steps: number): string {
  const all = Array.from({ length: steps }, (_, i) => {
    const parents = i === 0 ? [] : i % 10 === 7 ? [`s${i - 4}`] : i % 10 === 9 ? [`s${i - 1}`, `s${i - 2}`] : i % 10 === 8 ? [`s${i - 2}`] : [`s${i - 1}`];
    const time = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
    const actor = ['human:mira', 'agent:x', 'tool:y', 'ci:z'][i % 4];
    return { step: { id: `s${i}`, parents, actor, timestamp: time }, change: { [`src/f${i % 60}.py`]: { raw: '@@ -1 +1 @@\n-a\n+b\n' } }, meta: { intent: `Step number ${i}` } };
  });
  return JSON.stringify({ graph: { id: 'g' }, paths: [{ path: { id: 'p', head: `s${steps - 1}` }, steps: all }] });
}

const hostileDocument = (() => {
  const evil = '</script><script>document.title=1</script><img src=x onerror="document.title=1">';
  const step = { step: { id: evil, actor: `agent:${evil}`, timestamp: evil }, change: { [evil]: { raw: `@@ -1 +1 @@\n-${evil}\n+b\n` } }, meta: { intent: evil } };
  const path = (id: string) => ({ path: { id, head: evil, base: { uri: evil } }, steps: [step], meta: { title: evil } });
  return JSON.stringify({ graph: { id: evil }, paths: [path(evil), path('q')] });
})();

async function runPage(): Promise<void> {
  if (!existsSync(browser)) {
    report(results, { name: 'page', ok: !required, skipped: !required, message: 'install with: apt-get install chromium', seconds: 0 });
    return;
  }
  const folder = path.join(scratch, 'page');
  const steps = 20_000;
  const documents = {
    demo: path.join(demoWorkspace(folder), 'slug.path.json'),
    ...Object.fromEntries(
      Object.entries({ long: branchingDocument(steps), hostile: hostileDocument }).map(([name, text]) => {
        const file = path.join(folder, `${name}.path.json`);
        writeFileSync(file, text);
        return [name, file];
      }),
    ),
  } as Record<'demo' | 'long' | 'hostile', string>;
  const draw = (name: 'demo' | 'long' | 'hostile') => {
    const out = path.join(folder, `${name}.html`);
    execFileSync(serverProgram(), ['graph', '--html', out, documents[name]]);
    return out;
  };
  const pages = { demo: draw('demo'), long: draw('long'), hostile: draw('hostile'), steps };
  await guard('page', () => withPage(path.join(folder, 'browser'), async (page) => void (await pageSuite(page, pages).run('page', results, values.only))));
}

function plainFolder(below: string, files: Record<string, string>): string {
  const folder = path.join(below, 'plain');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

function smallDocument(id: string, parent: string): string {
  const step = (step: object) => ({ step: { actor: 'human:mira', timestamp: '2026-01-01T00:00:00Z', ...step }, change: {} });
  return JSON.stringify({ graph: { id: `g-${id}` }, paths: [{ path: { id, head: `${id}-b` }, steps: [step({ id: `${id}-a` }), step({ id: `${id}-b`, parents: [parent] })] }] });
}

// A document of so many bytes whose last step is cut off: a fault for whoever reads JSON.
function longDocument(bytes: number): string {
  const steps: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const step = { step: { id: `s${i}`, ...(i > 0 && { parents: [`s${i - 1}`] }), actor: 'human:mira', timestamp: '2026-01-01T00:00:00Z' }, change: { 'a.py': { raw: '@@ -1 +1 @@\n-a\n+b\n' } } };
    steps.push(JSON.stringify(step, null, 2));
    length += steps.at(-1)!.length;
  }
  return `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s0"}, "steps": [\n${steps.join(',\n')},\n{"step": }]}]}\n`;
}

// Two folders with the same files, one of them without git, and one with 200 documents and a huge one.
function severalFolders(below: string): string {
  const one = path.join(below, 'one');
  execFileSync(path.join(repository, 'scripts', 'demo-workspace'), [one]);
  cpSync(one, path.join(below, 'two'), { recursive: true });
  rmSync(path.join(below, 'two', '.git'), { recursive: true });
  const many = path.join(below, 'many');
  mkdirSync(many);
  for (let i = 0; i < 200; i++) {
    const id = i === 150 ? 'only-in-150' : `p${i}`;
    writeFileSync(path.join(many, `document-${i}.path.json`), smallDocument(id, i === 199 ? 'nowhere' : `${id}-a`));
  }
  const padding = `"${'x'.repeat(1023)}",\n`.repeat(60 * 1024 - 200);
  writeFileSync(path.join(many, 'huge.path.json'), `{"graph": {"id": "huge"}, "paths": [], "meta": {"x": [${padding}""]}}`);
  const file = path.join(below, 'several.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: ['one', 'two', 'many'].map((name) => ({ path: name })) }));
  return file;
}

async function runHost(kind: string, version: Version): Promise<void> {
  const name = `${kind}-${version.name}`;
  mkdirSync(path.join(scratch, name), { recursive: true });
  const folder = hostKinds[kind]!(path.join(scratch, name));
  const options = {
    version,
    data: path.join(scratch, name, 'data'),
    settings: { 'toolpath.server.path': serverProgram() },
    env: { TOOLPATH_WHERE: `${kind} ${version.name}`, TOOLPATH_SUITES: kind, TOOLPATH_RESULTS: results, TOOLPATH_ONLY: values.only },
  };
  const code = await VSCode.start(options);
  const remote = (file: string) => `vscode-remote://${code.address}${file}`;
  const address = code.window(folder, [
    ['extensionDevelopmentPath', remote(extensionFolder)],
    ['extensionTestsPath', remote(path.join(extensionFolder, 'out', 'test', 'host', 'index.js'))],
  ]);
  try {
    const exitCode = await withPage(path.join(scratch, name, 'browser'), async (page) => {
      const errors: string[] = [];
      await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
        if (type === 'error') {
          errors.push(JSON.stringify(args).slice(0, 300));
        }
      });
      const exit = new Promise<number | string>((resolve) => {
        void page.exposeFunction('codeAutomationExit', resolve);
        setTimeout(() => resolve('timeout'), patience).unref();
      });
      await page.goto(address);
      const result = await exit;
      if (result !== 0) {
        console.error(errors.slice(-10).join('\n'));
      }
      return result;
    });
    if (exitCode !== 0) {
      throw new Error(`the extension host ended with ${exitCode}`);
    }
  } finally {
    await code.stop();
  }
}

/** The packaged extension. */
function vsixFile(): string {
  const vsix = path.join(scratch, 'toolpath.vsix');
  if (!existsSync(vsix)) {
    execFileSync(process.execPath, ['scripts/package.mjs', '--server', serverProgram(), '--out', vsix], {
      cwd: extensionFolder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return vsix;
}

function runWindow(version: Version): Promise<void> {
  return inWindow('window', version, {}, windowSuite);
}

function runRestricted(version: Version): Promise<void> {
  return inWindow('restricted', version, { trust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } }, restrictedSuite);
}

// Runs a suite in a window on the demo, with the packaged extension.
async function inWindow(kind: string, version: Version, more: Partial<Options>, suite: (page: Page, shots: string, options: Options) => Suite): Promise<void> {
  const name = `${kind}-${version.name}`;
  const folder = demoWorkspace(path.join(scratch, name));
  const source = Array.from({ length: 10_000 }, (_, i) => `value_${i} = ${i}\n`).join('');
  writeFileSync(path.join(folder, 'long.py'), source);
  const options: Options = { version, data: path.join(scratch, name, 'data'), settings: {}, env: {}, ...more };
  await VSCode.install(options, vsixFile());
  const code = await VSCode.start(options);
  const shots = path.join(extensionFolder, 'out', 'shots', version.name);
  mkdirSync(shots, { recursive: true });
  try {
    await withPage(path.join(scratch, name, 'browser'), async (page) => {
      await page.goto(code.window(folder));
      await suite(page, shots, options).run(`${kind} ${version.name}`, results, values.only);
    });
  } finally {
    await code.stop();
  }
}

function readResults(): Result[] {
  if (!existsSync(results)) {
    return [];
  }
  const lines = readFileSync(results, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
}

async function main(): Promise<number> {
  const chosen = positionals.length > 0 ? positionals : Object.keys(kinds).filter((kind) => kind !== 'measure');
  for (const kind of chosen) {
    await kinds[kind]!();
  }
  const all = readResults();
  for (const result of all) {
    const mark = result.skipped ? 'skip' : result.ok ? 'ok  ' : 'FAIL';
    console.log(`${mark} ${result.name} (${result.seconds} s)${result.message && '\n     ' + result.message}`);
  }
  const failed = all.filter((result) => !result.ok).length;
  console.log(`${all.length} tests, ${failed} failed`);
  return failed > 0 || all.length === 0 ? 1 : 0;
}

main()
  .finally(() => values.keep || rmSync(scratch, { recursive: true, force: true }))
  .then(
    (code) => process.exit(code),
    (reason) => {
      console.error(reason);
      process.exit(1);
    },
  );
