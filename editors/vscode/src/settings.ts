// The settings of the section "toolpath": those of the server and those of this client.

/** What the server reads; docs/settings.md lists the same. The rest of the section is the client's. */
export const serverSettings = ['hover.source', 'codeLens.file', 'inlayHints.blame', 'limits.fileSize', 'severity'];

/** The server's settings as it takes them, by dotted key. */
export function forServer(get: (key: string) => unknown): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const key of serverSettings) {
    const value = get(key);
    if (value !== undefined && value !== null) {
      settings[key] = value;
    }
  }
  return settings;
}
