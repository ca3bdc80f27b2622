// Bundles the extension into dist/extension.js, and the licenses of the packages that are in it into
// dist/NOTICES.txt; with --tests, bundles the tests into out/test as well.
//
//   node scripts/build.mjs [--tests] [--watch]
import { context } from 'esbuild';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20', // that of VS Code 1.91
  logLevel: 'warning',
};
const bundles = [
  {
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    minify: true,
    sourcemap: true,
    metafile: true,
  },
];
if (process.argv.includes('--tests')) {
  bundles.push({
    ...shared,
    entryPoints: ['test/run.ts', 'test/unit/index.ts', 'test/host/index.ts'],
    outbase: 'test',
    outdir: 'out/test',
    external: ['vscode', 'playwright-core'],
    sourcemap: 'inline',
  });
}

// The folders of the packages that went into a bundle.
function packagesIn(metafile) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  return [...new Set(Object.keys(metafile.inputs).flatMap((input) => input.match(folder) ?? []))].sort();
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${name} ${version} (${license}) has no file with its license`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
}

for (const bundle of bundles) {
  const build = await context(bundle);
  if (process.argv.includes('--watch')) {
    await build.watch();
    continue;
  }
  const { metafile } = await build.rebuild();
  await build.dispose();
  if (metafile) {
    const notices = packagesIn(metafile).map((folder) => notice(path.join(root, folder)));
    writeFileSync(path.join(root, 'dist', 'NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
  }
}
