// Where things are. The tests run from out/test.

import path from 'node:path';

function above(folder: string, name: string): string {
  return path.basename(folder) === name ? path.dirname(folder) : above(path.dirname(folder), name);
}

export const extensionFolder = above(__dirname, 'out');
export const repository = path.join(extensionFolder, '..', '..');
