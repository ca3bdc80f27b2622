// Tests inside of the extension host. Which ones depends on the workspace that the window has.

import type { Suite } from '../suite';
import { blame } from './blame';
import { documents } from './documents';
import { measure } from './measure';
import { nothing } from './nothing';
import { server } from './server';
import { sources } from './sources';
import { steps } from './steps';
import { surroundings } from './surroundings';

const suites: Record<string, Suite[]> = {
  host: [documents, sources, blame, steps, server],
  surroundings: [surroundings],
  nothing: [nothing],
  measure: [measure],
};

// VS Code calls this and takes a rejection for a failure.
export async function run(): Promise<void> {
  const { TOOLPATH_WHERE: where, TOOLPATH_SUITES: chosen, TOOLPATH_RESULTS: resultFile, TOOLPATH_ONLY: only } = process.env;
  let failures = 0;
  for (const suite of suites[chosen!]!) {
    failures += await suite.run(where!, resultFile!, only);
  }
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
