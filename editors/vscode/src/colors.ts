// Which color each line has. The server says which of eight colors an actor has; themes say what these look like.

import { heat } from './heat';
import type { Run, Summary } from './protocol';

/** How many colors there are to tell actors apart: the server counts them from 0, the settings from 1. */
export const actorColors = 8;

/** How many shades there are for the age of lines. */
export const shades = 5;

/** What of a run decides on its color. */
type Choice = (run: Run, context: Context) => string | undefined;

interface Context {
  colors: ReadonlyMap<string, number>;
  heat: (timestamp: string) => number | undefined;
}

const kinds = ['human', 'agent', 'tool', 'ci'];

/** The color of lines of no step. */
function otherColor(run: Run): string | undefined {
  return run.state === 'changed' ? 'toolpath.changed' : run.state === 'unrecorded' ? 'toolpath.unrecorded' : undefined;
}

/** The values of the setting toolpath.colors that show something. */
const choices: Record<string, Choice> = {
  actor: (run, { colors }) => {
    const color = run.actor === null ? undefined : colors.get(run.actor);
    return color === undefined ? otherColor(run) : `toolpath.actor${color + 1}`;
  },
  kind: (run) => {
    const kind = run.actor === null ? -1 : kinds.indexOf(run.actor.split(':', 1)[0]!);
    return kind < 0 ? otherColor(run) : `toolpath.actor${kind + 1}`;
  },
  age: (run, { heat }) => {
    const shade = run.timestamp === null ? undefined : heat(run.timestamp);
    return shade === undefined ? otherColor(run) : `toolpath.age${shade + 1}`;
  },
};

/** The theme colors that stripes may have. */
export function stripeColors(): string[] {
  const numbered = (name: string, most: number) => Array.from({ length: most }, (_, i) => `toolpath.${name}${i + 1}`);
  return [...numbered('actor', actorColors), ...numbered('age', shades), 'toolpath.changed', 'toolpath.unrecorded'];
}

/** Lines from first to last (0-based, both included) in a theme color. */
export interface Stripe {
  first: number;
  last: number;
  color: string;
}

export function stripesOf(mode: string, runs: readonly Run[], summary: Summary | null): Stripe[] {
  const choose = choices[mode];
  if (!choose) {
    return [];
  }
  const colors = new Map(summary?.actors.map(({ actor, color }) => [actor, color]));
  const context = { colors, heat: heat(runs.map((run) => run.timestamp), shades) };
  const stripes: Stripe[] = [];
  for (const run of runs) {
    const color = choose(run, context);
    const before = stripes.at(-1);
    if (color === undefined) {
      continue;
    }
    if (before?.color === color && before.last + 1 === run.startLine) {
      before.last = run.endLine - 1;
    } else {
      stripes.push({ first: run.startLine, last: run.endLine - 1, color });
    }
  }
  return stripes;
}

/** The values of the setting toolpath.colors. */
export const colorModes = ['off', ...Object.keys(choices)];
