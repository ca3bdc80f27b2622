// Tests in the real window, with the packaged extension: what a user sees.

import assert from 'node:assert/strict';
import path from 'node:path';
import type { Page } from 'playwright-core';

import { Suite, until } from '../suite';
import { openFile, row, runCommand, untilBlame } from './drive';

export function windowSuite(page: Page, shots: string): Suite {
  const suite = new Suite('packaged');
  const shot = (name: string) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  page.setDefaultTimeout(45_000);

  const open = (file: string, line: number) => openFile(page, file, line);
  const command = (title: string) => runCommand(page, title);

  // Goes through the modes of colors up to the one that has none.
  async function withoutColors(): Promise<void> {
    for (let shown = [...(await stripeColors(page))]; shown.length > 0; ) {
      await command('Toolpath: Toggle Actor Colors');
      await until('other stripes', async () => {
        const now = [...(await stripeColors(page))];
        return now.join() !== shown.join() && (shown = now);
      });
    }
  }

  let broken = false;

  // A test leaves a picture of what it saw when it failed. The window is then in no known state, so the tests
  // after it are not run.
  function test(name: string, body: () => Promise<void>): void {
    suite.test(name, async () => {
      if (broken) {
        throw new Error('not run, for a test before it failed');
      }
      try {
        await body();
      } catch (reason) {
        broken = true;
        await shot('failed');
        throw reason;
      }
    });
  }

  test('shows who wrote the line of the cursor after it, before any document is opened', async () => {
    await open('src/slug.py', 3);
    await page.locator('.codelens-decoration a', { hasText: /3 actors · \d+ % .* · 5 steps/ }).waitFor();
    await untilBlame(page, [/^claude-code · .* ago · Leave punctuation out of slugs$/]);
    await shot('blame');
    await page.keyboard.press('ArrowDown');
    await untilBlame(page, [/^codex · .* ago · Write letters without their accents$/]);
  });

  test('shows the problem of a document at its place and in the list', async () => {
    await open('slug.path.json', 53);
    await page.locator('.squiggly-warning').first().waitFor();
    await page.keyboard.press('ControlOrMeta+Shift+M');
    await page.locator('.markers-panel .monaco-list-row', { hasText: 'did you mean "step-2"?' }).waitFor();
    await page.locator('#status\\.problems a[aria-label*="Warnings: 1"]').waitFor();
    await shot('problems');
    await page.keyboard.press('ControlOrMeta+J');
  });

  test('names the languages of documents', async () => {
    await open('slug.path.json', 1);
    await page.locator('#status\\.editor\\.mode', { hasText: /^Toolpath$/ }).waitFor();
  });

  test('hides the label while the text changes, and shows the right one before it is saved', async () => {
    await open('src/slug.py', 3);
    await page.keyboard.press('Home');
    await page.keyboard.type('# a line of mine\n');
    await untilBlame(page, [/^claude-code · .* ago · Leave punctuation out of slugs$/]);
    await page.keyboard.press('ArrowUp');
    await untilBlame(page, [/^changed since the last recorded step$/]);
    await page.locator('.tab.active.dirty', { hasText: 'slug.py' }).waitFor();
    await shot('unsaved');
    await command('File: Revert File');
    await page.locator('.tab.active:not(.dirty)').waitFor();
  });

  test('shows in a hover how a line came about', async () => {
    await open('src/slug.py', 17);
    await page.keyboard.press('ControlOrMeta+B');
    await command('Show or Focus Hover');
    const hover = page.locator('.monaco-hover .hover-row').first();
    for (const text of ['Mira Okafor', 'Keep slugs short enough for a URL', 'wrote step-1']) {
      await hover.filter({ hasText: text }).waitFor();
    }
    await untilBlame(page, [/^mira · .* ago · Keep slugs short enough for a URL$/]);
    await shot('hover');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+B');
  });

  test('opens the steps of a file from the lens', async () => {
    await open('src/slug.py', 1);
    await page.locator('.codelens-decoration a', { hasText: '5 steps' }).click();
    await row(page, 'Keep slugs short enough for a URL').waitFor();
    const ids = await page.locator('.quick-input-list-row:first-child .label-name').allTextContents();
    assert.deepEqual(ids, ['step-5', 'step-4', 'step-3', 'step-2', 'step-1']);
    await shot('steps');
    await page.keyboard.type('accents');
    await until('one step', async () => (await page.locator('.quick-input-list .monaco-list-row').count()) === 1);
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'slug.path.json' }).waitFor();
  });

  test('goes from a line of source to the step that wrote it', async () => {
    await open('src/slug.py', 11);
    await command('Toolpath: Go to Parent Step');
    await page.locator('.tab.active', { hasText: 'slug.path.json' }).waitFor();
  });

  test('says so where there is no such step', async () => {
    await open('slug.path.json', 1);
    await command('Toolpath: Go to Child Step');
    await page.locator('.monaco-editor-overlaymessage', { hasText: 'No child step here' }).waitFor();
  });

  test('shows who wrote what in colors, and sums it up in the status bar', async () => {
    await open('src/slug.py', 12);
    await command('Toolpath: Toggle Actor Colors');
    await page.locator('#toolpath-ls\\.toolpath\\.toolpath\\.summary', { hasText: /\d+ % · .*older \d+ %/ }).waitFor();
    await until('stripes in several colors', async () => (await stripeColors(page)).size >= 3);
    await shot('colors');
    await withoutColors();
  });

  test('lists the steps in the side bar, with the history of the line on top', async () => {
    await open('src/slug.py', 17);
    await page.locator('.activitybar .action-item a[aria-label="Toolpath"]').click();
    const tree = page.locator('.pane-body .monaco-list-row');
    await tree.filter({ hasText: 'Line 17 of slug.py' }).waitFor();
    await tree.filter({ hasText: /Keep slugs short enough for a URL.*edited by mira/ }).waitFor();
    await tree.filter({ hasText: 'slug.path.json' }).click();
    await tree.filter({ hasText: /Drop what is not ASCII.*dead end/ }).waitFor();
    await shot('steps-view');
    await tree.filter({ hasText: /Write letters without their accents/ }).last().click();
    await page.locator('.tab.active', { hasText: 'slug.path.json' }).waitFor();
    await page.locator('.activitybar .action-item a[aria-label^="Explorer"]').click();
  });

  test('drops no key in a source file of 10,000 lines', async () => {
    await command('Toolpath: Toggle Actor Colors');
    await open('long.py', 5000);
    await page.keyboard.press('Home');
    const typed = 'abcdefghij'.repeat(20);
    await page.keyboard.type(typed);
    const line = page.locator('.editor-instance .monaco-editor .view-line', { hasText: 'value_4999' });
    await until('all that was typed', async () => ((await line.textContent()) ?? '').startsWith(`${typed}value_4999`));
    await command('File: Revert File');
    await page.locator('.tab.active:not(.dirty)').waitFor();
    await open('src/slug.py', 1);
    await withoutColors();
  });

  test('draws the steps of a document', async () => {
    await open('slug.path.json', 1);
    await page.locator('.editor-actions a[aria-label^="Toolpath: Show Graph"], .editor-actions a[aria-label^="Show Graph"]').first().click();
    await page.locator('.tab.active', { hasText: 'Graph: slug.path.json' }).waitFor();
    const graph = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    const rows = graph.locator('.row');
    await rows.first().waitFor();
    assert.equal(await rows.count(), 6);
    await page.keyboard.press('ControlOrMeta+B');
    await rows.filter({ hasText: 'Keep slugs short' }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await graph.getByRole('complementary', { name: 'Step step-3' }).waitFor();
    await graph.locator('pre .plus', { hasText: 'import unicodedata' }).waitFor();
    await shot('graph');
    await page.keyboard.press('p');
    await graph.getByRole('complementary', { name: 'Step step-2' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ascii');
    await until('one row', async () => (await rows.count()) === 1);
    await page.keyboard.press('Escape');
    await until('all rows', async () => (await rows.count()) === 6);
    await rows.filter({ hasText: 'Format' }).click();
    await page.keyboard.press('d');
    await page.locator('.tab.active', { hasText: 'src/slug.py (step-4)' }).waitFor();
    await page.locator('.diff-editor .line-insert, .monaco-diff-editor .char-insert').first().waitFor();
    await shot('diff');
    await command('View: Close All Editors');
    await page.keyboard.press('ControlOrMeta+B');
  });

  return suite;
}

/** The pictures of the stripes that are drawn in the gutter. */
async function stripeColors(page: Page): Promise<Set<string>> {
  const pictures = await page.locator('.editor-instance .monaco-editor .glyph-margin-widgets .cgmr').evaluateAll((glyphs) =>
    glyphs.map((glyph) => getComputedStyle(glyph).backgroundImage).filter((picture) => picture.includes('svg')),
  );
  return new Set(pictures);
}
