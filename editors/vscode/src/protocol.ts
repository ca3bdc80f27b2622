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
  /** Of the whole file; null if no document speaks of it. */
  summary: Summary | null;
}

export interface Summary {
  /** For a status bar. */
  text: string;
  lines: number;
  /** Those who wrote most first. */
  actors: { actor: string; kind: string; color: number; lines: number; percent: number }[];
  /** Lines of no step. */
  base: number;
  changed: number;
  unrecorded: number;
}

/** Names a step, and the source file that it is about: the argument of links in hovers, and of the server's commands. */
export interface StepArgument {
  document: string;
  path: string;
  step: string;
  file?: string;
}

/** The commands of this client that hovers may link to. */
export const linkCommands = [
  'toolpath.openStep',
  'toolpath.openStepDiff',
  'toolpath.openParentStep',
  'toolpath.openFileAtStep',
  'toolpath.showGraph',
  'toolpath.copyStepId',
] as const;

/** Commands of the server that answer a virtual document, or null. */
export const stepDiffCommand = 'toolpath.stepDiff';
export const fileAtStepCommand = 'toolpath.fileAtStep';

export interface StepDiff {
  /** All of it as one text. */
  uri: string;
  step: string;
  /** The two sides of each file; empty unless all are known. */
  files: { artifact: string; before: string; after: string }[];
}

/** Commands of the server about whole documents. */
export const graphCommand = 'toolpath.graph';
export const documentsCommand = 'toolpath.documents';

export interface WorkspaceDocument {
  uri: string;
  name: string;
  steps: number;
}

/** A drawing of a document: the parts of it that are needed here. */
export interface Drawing {
  document: string;
  uri: string;
  paths: DrawnPath[];
}

export interface DrawnPath {
  id: string;
  title: string;
  /** Row of the head, -1 if there is none. */
  head: number;
  actors: { actor: string; name: string; kind: string; color: number }[];
  /** The newest first. */
  steps: DrawnStep[];
}

export interface DrawnStep {
  id: string;
  /** Index in actors. */
  actor: number;
  time: string;
  intent: string;
  dead?: boolean;
  /** Of its id in the document, 1-based. */
  line: number;
}

export interface GraphResult {
  document: string;
  html: string | null;
  drawing: Drawing | null;
}

export const lineHistoryMethod = 'toolpath/lineHistory';

/** What a step did to a line. */
export interface Touch extends Step {
  verb: string;
  /** The line as the step left it. */
  text: string;
  grade: string;
}

export interface LineHistory {
  version: number;
  /** The last one first. */
  touches: Touch[];
}

export const readingCommand = 'toolpath.reading';

export const unreviewedMethod = 'toolpath/unreviewed';
export const nextUnreviewedCommand = 'toolpath.nextUnreviewed';
export const previousUnreviewedCommand = 'toolpath.previousUnreviewed';
export const markReviewedCommand = 'toolpath.markReviewed';

export interface Unreviewed {
  lines: number;
  files: { uri: string; runs: Run[] }[];
  truncated: boolean;
}

/** Commands of the server that answer a Location, a list of them, or null. */
export const stepCommands = {
  self: 'toolpath.step',
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
