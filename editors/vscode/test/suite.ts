// A suite is a list of named tests that run one after the other. Each leaves one line of JSON in the file of
// results, which is how tests report that run inside of VS Code.

import { appendFileSync } from 'node:fs';

export interface Result {
  name: string;
  ok: boolean;
  /** Why the test failed, or why it was skipped. */
  message: string;
  skipped?: boolean;
  seconds: number;
}

type Body = () => void | Promise<void>;

export class Suite {
  private readonly tests: [string, Body][] = [];
  /** What tests have to tell although they passed; it becomes the message of the one that runs. */
  readonly notes: string[] = [];

  constructor(readonly name: string) {}

  test(name: string, body: Body): void {
    this.tests.push([name, body]);
  }

  /** Runs the tests whose name holds the text, and returns how many failed. Their results say where they ran. */
  async run(where: string, resultFile: string, only = ''): Promise<number> {
    let failures = 0;
    for (const [name, body] of this.tests.filter(([name]) => name.includes(only))) {
      const result = await outcome(`${where}: ${this.name}: ${name}`, body);
      result.message ||= this.notes.splice(0).join('; ');
      failures += result.ok ? 0 : 1;
      report(resultFile, result);
    }
    return failures;
  }
}

export function report(resultFile: string, result: Result): void {
  appendFileSync(resultFile, JSON.stringify(result) + '\n');
}

async function outcome(name: string, body: Body): Promise<Result> {
  const start = performance.now();
  const seconds = () => Math.round(performance.now() - start) / 1000;
  try {
    await body();
    return { name, ok: true, message: '', seconds: seconds() };
  } catch (reason) {
    const message = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    return { name, ok: false, message, seconds: seconds() };
  }
}

/** How long `until` waits for something that an editor does in its own time, in milliseconds. */
const patience = 60_000;

/** Looks again and again until the probe gives something that is neither undefined nor false. */
export async function until<T>(what: string, probe: () => T | Promise<T>): Promise<Exclude<T, undefined | false | null>> {
  const end = performance.now() + patience;
  let last: unknown;
  do {
    try {
      const value = await probe();
      if (value !== undefined && value !== false && value !== null) {
        return value as Exclude<T, undefined | false | null>;
      }
      last = value;
    } catch (reason) {
      last = reason;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (performance.now() < end);
  throw new Error(`waited ${patience / 1000} s for ${what}; last: ${String(last)}`);
}
