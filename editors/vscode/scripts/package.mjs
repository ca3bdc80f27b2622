// Packages the extension with the server in it, without the network:
//
//   node scripts/package.mjs [--target linux-x64] [--out FILE] [--server PROGRAM]
//
// --target is a platform as vsce names them; the server is built for it, unless a program is given.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const repository = path.join(root, '..', '..');
const staging = path.join(root, 'out', 'package');

const { values } = parseArgs({
  options: { target: { type: 'string', default: 'linux-x64' }, out: { type: 'string' }, server: { type: 'string' } },
});
const { target } = values;
const out = path.resolve(values.out ?? path.join(repository, 'dist', `toolpath-${target}.vsix`));

const systems = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const processors = { x64: 'amd64', arm64: 'arm64' };

function buildServer(program) {
  const [system, processor] = target.split('-');
  if (!systems[system] || !processors[processor]) {
    throw new Error(`there is no server for ${target}; known are the pairs of ${Object.keys(systems)} and ${Object.keys(processors)}`);
  }
  execFileSync('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', program, './cmd/toolpath-ls'], {
    cwd: repository,
    env: { ...process.env, GOOS: systems[system], GOARCH: processors[processor] },
    stdio: 'inherit',
  });
}

rmSync(staging, { recursive: true, force: true });
mkdirSync(path.join(staging, 'server'), { recursive: true });
mkdirSync(path.dirname(out), { recursive: true });

const program = path.join(staging, 'server', target.startsWith('win32') ? 'toolpath-ls.exe' : 'toolpath-ls');
if (values.server) {
  copyFileSync(values.server, program);
} else {
  buildServer(program);
}
chmodSync(program, 0o755);

execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
for (const name of [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  '.vscodeignore',
  'language-configuration.json',
  'dist/extension.js',
  'dist/NOTICES.txt',
  'icons',
  'sample',
  'walkthrough',
  'syntaxes',
]) {
  cpSync(path.join(root, name), path.join(staging, name), { recursive: true });
}
copyFileSync(path.join(repository, 'LICENSE'), path.join(staging, 'LICENSE'));

const vsce = path.join(repository, 'node_modules', '.bin', 'vsce');
execFileSync(vsce, ['package', '--no-dependencies', '--target', target, '--out', out], { cwd: staging, stdio: 'inherit' });
