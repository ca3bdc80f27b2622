// What the tests in a window do with VS Code.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

import { until } from '../suite';

/** Opens a file of the workspace, at a line (1-based). */
export async function openFile(page: Page, file: string, line: number): Promise<void> {
  const folders = file.split('/');
  const name = folders.pop()!;
  for (const folder of folders) {
    const closed = page.locator('.explorer-folders-view .monaco-list-row[aria-expanded=false]', { hasText: folder });
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: folder }).first().waitFor();
    if (await closed.isVisible()) {
      await closed.click();
    }
  }
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).dblclick();
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await runCommand(page, 'Go to Line/Column...');
  const input = page.locator('.quick-input-box input').first();
  await until('the prompt for a line', async () => (await input.inputValue()) === ':');
  await page.keyboard.type(String(line));
  await row(page, `line ${line}`).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('#status\\.editor\\.selection', { hasText: `Ln ${line},` }).waitFor();
}

/** Runs a command by its title. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-box input').first().waitFor();
  await page.keyboard.type(title);
  await row(page, title).first().waitFor();
  await page.keyboard.press('Enter');
}

/** The rows of the list that prompts show. */
export function row(page: Page, text: string): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text });
}

/** The texts that the decorations of the active editor draw after its lines. */
export function blameLabels(page: Page): Promise<string[]> {
  return page.locator('.editor-instance .monaco-editor.focused').first().evaluate((editor) => {
    const spans = [...editor.querySelectorAll('.view-line span[class*="ced-"]')];
    const texts = spans.map((span) => getComputedStyle(span, '::after').content.replace(/^"|"$/g, '').replaceAll('\u00a0', ' '));
    return texts.filter((text) => text !== '' && text !== 'none');
  });
}

/** Waits for the labels after the lines of the active editor. */
export async function untilBlame(page: Page, expected: RegExp[]): Promise<void> {
  await until(`the labels ${expected.join(', ')}`, async () => {
    const labels = await blameLabels(page);
    assert.ok(labels.length === expected.length && expected.every((text, i) => text.test(labels[i]!)), JSON.stringify(labels));
    return true;
  });
}
