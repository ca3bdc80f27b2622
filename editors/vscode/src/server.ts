// Runs the server: finds it, starts and stops it, and says so when it cannot.

import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';

import { findProgram } from './program';
import { showStepsCommand, type StepList } from './protocol';
import { forServer } from './settings';

/** Every file of the workspace may have provenance; documents may be unsaved too. */
const selector = [
  { scheme: 'file' },
  { scheme: 'untitled', language: 'toolpath' },
  { scheme: 'untitled', language: 'toolpath-jsonl' },
];

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Toolpath', { log: true });

  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly ready = new vscode.EventEmitter<LanguageClient>();
  private readonly subscriptions: vscode.Disposable[];

  /** Fires with the client when the server has started, also after a crash. */
  readonly onReady = this.ready.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly showSteps: (list: StepList) => void,
  ) {
    this.subscriptions = [
      this.output,
      this.ready,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('toolpath.server.path')) {
          void this.restart();
        }
      }),
    ];
  }

  /** The client of the running server. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  start(): Promise<void> {
    return this.afterLast(() => this.doStart());
  }

  restart(): Promise<void> {
    return this.afterLast(async () => {
      await this.doStop();
      await this.doStart();
    });
  }

  stop(): Promise<void> {
    return this.afterLast(() => this.doStop());
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  // Starts and stops one after the other, in the order of the calls.
  private afterLast(action: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(action, action);
    return this.turn;
  }

  private async doStart(): Promise<void> {
    const found = findProgram({
      setting: configuration().get<string>('server.path', '').trim(),
      extension: this.context.extensionPath,
      development: this.context.extensionMode !== vscode.ExtensionMode.Production,
      searchPath: process.env['PATH'] ?? '',
      home: homedir(),
      windows: process.platform === 'win32',
      isProgram,
    });
    if ('problem' in found) {
      this.output.error(found.problem);
      this.tell(found.problem);
      return;
    }
    this.output.info(`starting ${found.program}`);
    const client = this.newClient(found.program);
    this.client = client;
    try {
      await client.start();
    } catch (reason) {
      this.output.error(`${found.program} does not start: ${String(reason)}`);
      this.tell(`Toolpath: ${found.program} does not start. The output tells more.`);
    }
  }

  // Not awaited: a message stays until somebody reads it.
  private tell(problem: string): void {
    const actions: Record<string, () => unknown> = {
      'Open Setting': () => vscode.commands.executeCommand('workbench.action.openSettings', 'toolpath.server.path'),
      'Show Output': () => this.output.show(),
    };
    void vscode.window.showErrorMessage(problem, ...Object.keys(actions)).then((chosen) => chosen && actions[chosen]?.());
  }

  private newClient(program: string): LanguageClient {
    const client = new LanguageClient(
      'toolpath',
      'Toolpath',
      { command: program, args: ['serve', '--stdio'] },
      this.clientOptions(),
    );
    client.onDidChangeState((event) => {
      if (event.newState === State.Running) {
        this.ready.fire(client);
      }
    });
    return client;
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: selector,
      initializationOptions: () => forServer((key) => configuration().get(key)),
      synchronize: { configurationSection: 'toolpath' },
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      stdioOptions: {
        stdout: () => undefined,
        // What matters comes as window/logMessage too.
        stderr: (input, output) => createInterface({ input }).on('line', (line) => output.debug(line)),
      },
      middleware: this.middleware(),
    };
  }

  private middleware(): Middleware {
    return {
      executeCommand: (command, args, next) =>
        command === showStepsCommand ? this.showSteps(args[0] as StepList) : next(command, args),
      workspace: {
        configuration: (params) => params.items.map(() => forServer((key) => configuration().get(key))),
      },
    };
  }

  private async doStop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (reason) {
      this.output.debug(`the server did not stop in order: ${String(reason)}`);
    }
  }
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('toolpath');
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
