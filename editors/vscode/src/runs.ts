// Finds runs by line. Runs are sorted and do not overlap.

import type { Run } from './protocol';

/** The index of the first run that ends after a line (0-based); runs.length if none does. */
export function runIndex(runs: readonly Run[], line: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.endLine > line) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The run that covers a line (0-based). */
export function runAt(runs: readonly Run[], line: number): Run | undefined {
  const run = runs[runIndex(runs, line)];
  return run && run.startLine <= line ? run : undefined;
}

export interface Placed {
  line: number;
  run: Run;
}

/**
 * One place for each run that shows in the lines from first to last (0-based, both included): its first
 * line there that is not blank. A run of blank lines has none.
 */
export function placesIn(runs: readonly Run[], first: number, last: number, isBlank: (line: number) => boolean): Placed[] {
  const places: Placed[] = [];
  for (let i = runIndex(runs, first); i < runs.length && runs[i]!.startLine <= last; i++) {
    const run = runs[i]!;
    const end = Math.min(run.endLine - 1, last);
    let line = Math.max(run.startLine, first);
    while (line <= end && isBlank(line)) {
      line++;
    }
    if (line <= end) {
      places.push({ line, run });
    }
  }
  return places;
}
