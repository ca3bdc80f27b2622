// Runs the server: finds it, starts and stops it, and says so when it cannot.

import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';

import { findProgram } from './program';
import {
  documentsCommand,
  graphCommand,
  linkCommands,
  markReviewedCommand,
  nextUnreviewedCommand,
  showStepsCommand,
  stepCommands,
  stepDiffCommand,
  type StepList,
} from './protocol';
import { Restarts } from './restarts';
import { serverSettings, valuesOf, type Manifest } from './settings';

/** Every file of the workspace may have provenance; documents may be unsaved too. */
const selector = [
  { scheme: 'file' },
  { scheme: 'untitled', language: 'toolpath' },
  { scheme: 'untitled', language: 'toolpath-jsonl' },
];

/** Without these the server is of another version than this client. */
const neededCommands = [...Object.values(stepCommands), stepDiffCommand, graphCommand, documentsCommand, nextUnreviewedCommand, markReviewedCommand];

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
      this.tell(found.problem, 'Open Setting');
      return;
    }
    this.output.info(`starting ${found.program}`);
    const client = this.newClient(found.program);
    this.client = client;
    try {
      await client.start();
      this.checkVersion(client, found.program);
    } catch (reason) {
      this.output.error(String(reason));
      this.tell(`Toolpath: ${found.program} does not start.`, 'Show Output', 'Open Setting');
    }
  }

  private checkVersion(client: LanguageClient, program: string): void {
    const known = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    const missing = neededCommands.filter((command) => !known.includes(command));
    if (missing.length > 0) {
      const version = client.initializeResult?.serverInfo?.version ?? 'of an unknown version';
      this.tell(`Toolpath: ${program} (${version}) is another version than this extension needs, and does not know ${missing.join(', ')}.`, 'Open Setting');
    }
  }

  // Not awaited: a message stays until somebody reads it.
  private tell(problem: string, ...actions: (keyof typeof this.actions)[]): void {
    this.output.error(problem);
    void vscode.window.showErrorMessage(problem, ...actions).then((chosen) => chosen && this.actions[chosen]());
  }

  private readonly actions = {
    'Open Setting': () => vscode.commands.executeCommand('workbench.action.openSettings', 'toolpath.server.path'),
    'Restart Server': () => this.restart(),
    'Show Output': () => this.output.show(),
  };

  // In a workspace that is not trusted the server runs no program.
  private newClient(program: string): LanguageClient {
    const args = ['serve', '--stdio', ...(vscode.workspace.isTrusted ? [] : ['--no-git'])];
    const client = new LanguageClient('toolpath', 'Toolpath', { command: program, args }, this.clientOptions());
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { ...capabilities.experimental, toolpath: { commandLinks: [...linkCommands], workspaceDiagnosticWaits: true } };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
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
      initializationOptions: () => this.settings(),
      synchronize: { configurationSection: 'toolpath' },
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      markdown: { isTrusted: { enabledCommands: linkCommands } },
      stdioOptions: {
        stdout: () => undefined,
        // What matters comes as window/logMessage too.
        stderr: (input, output) => createInterface({ input }).on('line', (line) => output.debug(line)),
      },
      errorHandler: this.errorHandler(),
      middleware: this.middleware(),
    };
  }

  // What cannot be written was meant for a server that has ended, so its end decides; the client's own handler
  // would take that for a reason to stop for good. What cannot be read is none of the protocol, nor is what follows.
  private errorHandler(): ErrorHandler {
    const restarts = new Restarts();
    return {
      error: (reason, message) => ({
        action: message || isOfWriting(reason) ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => {
        if (restarts.allow(Date.now())) {
          return { action: CloseAction.Restart, handled: true };
        }
        this.tell('Toolpath: the server ended too often and is not started again.', 'Restart Server', 'Show Output');
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private middleware(): Middleware {
    return {
      executeCommand: (command, args, next) =>
        command === showStepsCommand ? this.showSteps(args[0] as StepList) : next(command, args),
      workspace: {
        configuration: (params) => params.items.map(() => this.settings()),
      },
    };
  }

  // What the server asks for, whatever the section: it knows these alone.
  private settings(): Record<string, unknown> {
    const keys = serverSettings(this.context.extension.packageJSON as Manifest);
    return valuesOf(keys, (key) => configuration().get(key));
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

function isOfWriting(reason: NodeJS.ErrnoException): boolean {
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(reason.code ?? '');
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
