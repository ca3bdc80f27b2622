// Tests inside of the extension host, on the workspace of the demo.

import { blame } from './blame';
import { documents } from './documents';
import { server } from './server';
import { sources } from './sources';
import { steps } from './steps';

// VS Code calls this and takes a rejection for a failure.
export async function run(): Promise<void> {
  const { TOOLPATH_WHERE: where, TOOLPATH_RESULTS: resultFile, TOOLPATH_ONLY: only } = process.env;
  let failures = 0;
  for (const suite of [documents, sources, blame, steps, server]) {
    failures += await suite.run(where!, resultFile!, only);
  }
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
