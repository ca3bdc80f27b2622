// The settings of the section "toolpath": those of the server, and those of this client.

/** What this client reads itself. The server knows none of it, and would say so. */
export const clientSettings = ['blame.inline', 'colors', 'statusBar', 'server.path', 'trace.server'];

/** The part of package.json that declares settings. */
export interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> }[] };
}

/** The keys of the server's settings, below "toolpath". docs/settings.md has the same. */
export function serverSettings(manifest: Manifest): string[] {
  const declared = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  return declared.map((name) => name.replace(/^toolpath\./, '')).filter((key) => !clientSettings.includes(key));
}

/** The values of settings by dotted key, as the server takes them. */
export function valuesOf(keys: readonly string[], get: (key: string) => unknown): Record<string, unknown> {
  const values = keys.map((key): [string, unknown] => [key, get(key)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}
