// Tests in the real window, in a folder that the user does not trust.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

import { Suite, until } from '../suite';
import type { Options } from '../vscode';
import { openFile, untilBlame } from './drive';

// The command lines of the processes whose program is below a folder.
function commandsBelow(folder: string): string[][] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((id) => {
    try {
      return readFileSync(path.join('/proc', id, 'cmdline'), 'utf8').split('\0');
    } catch {
      return ['']; // it has ended
    }
  });
  return all.filter(([program]) => program!.startsWith(folder) && program!.endsWith('toolpath-ls'));
}

export function restrictedSuite(page: Page, shots: string, options: Options): Suite {
  const suite = new Suite('restricted');
  page.setDefaultTimeout(45_000);

  suite.test('documents are checked, and git is not run', async () => {
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await openFile(page, 'slug.path.json', 53);
    await page.locator('.squiggly-warning').first().waitFor();
    await openFile(page, 'src/slug.py', 1);
    await untilBlame(page, [/^not recorded$/]);
    await page.screenshot({ path: path.join(shots, 'restricted.png') });
    assert.deepEqual(commandsBelow(options.data).map((command) => command.includes('--no-git')), [true]);
  });

  suite.test('git is run as soon as the folder is trusted', async () => {
    await page.keyboard.press('F1');
    await page.keyboard.type('Workspaces: Manage Workspace Trust');
    await page.keyboard.press('Enter');
    await page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await until('a server that may run git', () => {
      const [one, ...others] = commandsBelow(options.data);
      return one !== undefined && others.length === 0 && !one.includes('--no-git');
    });
    await page.locator('.monaco-modal-editor-block').click({ position: { x: 3, y: 3 } }); // beside the page, which closes it
    await page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
    await openFile(page, 'src/slug.py', 1);
    await untilBlame(page, [/^older than the recording$/]);
  });

  return suite;
}
