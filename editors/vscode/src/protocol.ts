// What toolpath-ls answers beyond LSP; see docs/protocol.md.

import type { Location, Range } from 'vscode-languageclient/node';

export const blameMethod = 'toolpath/blame';

/** Lines of one origin. What belongs to no step has null for it. */
export interface Run {
  range: Range;
  /** 0-based. */
  startLine: number;
  /** 0-based, not in the run. */
  endLine: number;
  state: 'recorded' | 'base' | 'changed' | 'unrecorded';
  step: string | null;
  path: string | null;
  document: string | null;
  actor: string | null;
  timestamp: string | null;
  intent: string | null;
}

export interface BlameResult {
  uri: string;
  /** The version of the document that the answer is about. */
  version: number;
  /** In the order of the lines; empty if no document speaks of the file. */
  runs: Run[];
  problems: string[];
}

/** Commands of the server that answer a Location, a list of them, or null. */
export const stepCommands = {
  parent: 'toolpath.parentStep',
  child: 'toolpath.childSteps',
  head: 'toolpath.headStep',
} as const;

/** The command of the code lens. Its argument is a StepList. */
export const showStepsCommand = 'toolpath.showSteps';

export interface Step {
  step: string;
  path: string;
  document: string;
  actor: string;
  timestamp: string;
  intent: string;
  location: Location;
}

export interface StepList {
  uri: string;
  /** Oldest first. */
  steps: Step[];
}
