// Ages of lines, in shades.

/**
 * Returns which of so many shades an RFC 3339 timestamp has, 0 for the oldest; undefined if it is none. Each
 * shade has as many of the timestamps as another one, as far as these differ.
 */
export function heat(timestamps: readonly (string | null)[], shades: number): (timestamp: string) => number | undefined {
  const times = new Set(timestamps.map((timestamp) => Date.parse(timestamp ?? '')).filter((time) => !Number.isNaN(time)));
  const sorted = [...times].sort((a, b) => a - b);
  const places = new Map(sorted.map((time, i) => [time, i]));
  return (timestamp) => {
    const place = places.get(Date.parse(timestamp));
    if (place === undefined) {
      return undefined;
    }
    return sorted.length === 1 ? shades - 1 : Math.round((place / (sorted.length - 1)) * (shades - 1));
  };
}
