// Tests inside of the extension host, on the workspace of the demo.

import { blame } from './blame';
import { documents } from './documents';
import { server } from './server';
import { sources } from './sources';

// VS Code calls this and takes a rejection for a failure.
export async function run(): Promise<void> {
  const resultFile = process.env['TOOLPATH_RESULTS']!;
  let failures = 0;
  for (const suite of [documents, sources, blame, server]) {
    failures += await suite.run(resultFile, process.env['TOOLPATH_ONLY']);
  }
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
