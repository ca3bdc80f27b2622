// Runs the tests and tells what came out.
//
//   node out/test/run.js [--results FILE] [--only TEXT] [--keep] [unit|host|window ...]
//
// unit tests need nothing. The others need a VS Code, a browser and a server; where these are missing they are
// skipped, or fail where TOOLPATH_TEST_REQUIRE=1. TOOLPATH_LS names a server that is built already.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { extensionFolder, repository } from './folders';
import { report, type Result } from './suite';
import { suites } from './unit/index';
import { browser, isThere, versions, VSCode, withPage, type Version } from './vscode';
import { windowSuite } from './window/index';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { results: { type: 'string' }, only: { type: 'string', default: '' }, keep: { type: 'boolean' } },
});
const required = process.env['TOOLPATH_TEST_REQUIRE'] === '1';
const scratch = mkdtempSync(path.join(tmpdir(), 'toolpath-vscode-'));
const results = path.resolve(values.results ?? path.join(scratch, 'results'));

/** How long the tests in an extension host may take, in milliseconds. */
const patience = 240_000;

const kinds: Record<string, () => Promise<void>> = {
  unit: runUnits,
  host: () => forEachVersion('host', runHost),
  window: () => forEachVersion('window', runWindow),
};

async function runUnits(): Promise<void> {
  for (const suite of suites) {
    await suite.run('unit', results, values.only);
  }
}

async function forEachVersion(kind: string, run: (version: Version) => Promise<void>): Promise<void> {
  for (const version of versions) {
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

function demoWorkspace(name: string): string {
  const folder = path.join(scratch, name, 'slugs');
  execFileSync(path.join(repository, 'scripts', 'demo-workspace'), [folder]);
  return folder;
}

async function runHost(version: Version): Promise<void> {
  const name = `host-${version.name}`;
  const folder = demoWorkspace(name);
  writeFileSync(path.join(folder, 'empty.path.jsonl'), '');
  const options = {
    version,
    data: path.join(scratch, name, 'data'),
    settings: { 'toolpath.server.path': serverProgram() },
    env: { TOOLPATH_WHERE: `host ${version.name}`, TOOLPATH_RESULTS: results, TOOLPATH_ONLY: values.only },
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

async function runWindow(version: Version): Promise<void> {
  const name = `window-${version.name}`;
  const folder = demoWorkspace(name);
  const vsix = path.join(scratch, 'toolpath.vsix');
  if (!existsSync(vsix)) {
    execFileSync(process.execPath, ['scripts/package.mjs', '--server', serverProgram(), '--out', vsix], {
      cwd: extensionFolder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const options = { version, data: path.join(scratch, name, 'data'), settings: {}, env: {} };
  await VSCode.install(options, vsix);
  const code = await VSCode.start(options);
  const shots = path.join(extensionFolder, 'out', 'shots', version.name);
  mkdirSync(shots, { recursive: true });
  try {
    await withPage(path.join(scratch, name, 'browser'), async (page) => {
      await page.goto(code.window(folder));
      await windowSuite(page, shots).run(`window ${version.name}`, results, values.only);
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
  const chosen = positionals.length > 0 ? positionals : Object.keys(kinds);
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
