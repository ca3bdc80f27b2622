// Brings the server's settings in package.json up to docs/settings.md: keys, defaults and descriptions. What
// the page does not say (enum, minimum, …) stays as it is in package.json; a new setting gets its type.
//
//   npm run settings -w editors/vscode
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const manifestFile = path.join(root, 'package.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
const page = readFileSync(path.join(root, '..', '..', 'docs', 'settings.md'), 'utf8');

function typeOf(value) {
  if (Array.isArray(value)) {
    return { type: 'array', items: { type: 'string' } };
  }
  return { type: Number.isInteger(value) ? 'integer' : typeof value };
}

const group = manifest.contributes.configuration.find(({ title }) => title === 'Toolpath');
const before = group.properties;
group.properties = {};
for (const [, key, json, markdownDescription] of page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$/gm)) {
  const name = `toolpath.${key}`;
  const value = JSON.parse(json);
  group.properties[name] = { ...(before[name] ?? typeOf(value)), default: value, markdownDescription };
}
writeFileSync(manifestFile, JSON.stringify(manifest, null, 2) + '\n');
