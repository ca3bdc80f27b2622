// Copies the pictures that the tests in the window took to where the READMEs show them.
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const images = path.join(root, '..', '..', 'docs', 'images');
for (const [shot, image] of Object.entries({ hover: 'blame', problems: 'problems', graph: 'graph', colors: 'colors', 'steps-view': 'steps' })) {
  copyFileSync(path.join(root, 'out', 'shots', '1.139', `${shot}.png`), path.join(images, `vscode-${image}.png`));
}
