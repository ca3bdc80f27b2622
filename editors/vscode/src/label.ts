// Puts provenance into words.

import type { Run } from './protocol';

/** The longest intent in a label, in characters. */
const longestIntent = 72;

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.25 * 86_400_000],
  ['month', 30.44 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

const relative = new Intl.RelativeTimeFormat('en');

/** Writes an RFC 3339 timestamp as "3 weeks ago"; '' if it is none. */
export function ago(timestamp: string, now: Date): string {
  const elapsed = now.getTime() - new Date(timestamp).getTime();
  if (Number.isNaN(elapsed)) {
    return '';
  }
  const fit = units.find(([, length]) => Math.abs(elapsed) >= length);
  if (!fit) {
    return 'just now';
  }
  const [unit, length] = fit;
  return relative.format(-Math.trunc(elapsed / length), unit);
}

/** The name in an actor string: "claude-code" of "agent:claude-code". */
export function actorName(actor: string): string {
  return actor.slice(actor.indexOf(':') + 1) || actor;
}

/** Makes one line of a text, without control characters, and cuts it to so many characters. */
export function clip(text: string, most: number): string {
  const line = [...text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()];
  return line.length <= most ? line.join('') : line.slice(0, most - 1).join('') + '…';
}

/** Joins the parts that say something. */
export function join(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

const words: Record<Run['state'], (run: Run, now: Date) => string> = {
  recorded: (run, now) =>
    join(
      clip(actorName(run.actor ?? ''), longestIntent),
      ago(run.timestamp ?? '', now),
      clip(run.intent ?? run.step ?? '', longestIntent),
    ),
  base: () => 'older than the recording',
  changed: () => 'changed since the last recorded step',
  unrecorded: () => 'not recorded',
};

/** Tells of a run in a few words: "claude-code · 3 weeks ago · Add email validation". */
export function label(run: Run, now: Date): string {
  return words[run.state]?.(run, now) ?? '';
}
