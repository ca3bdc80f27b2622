// Tests of the page that `toolpath-ls graph --html` writes, in a browser.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';

import { Suite, until } from '../suite';

/** The pages to look at. */
export interface Pages {
  /** Of the demo. */
  demo: string;
  /** Of a path of many steps, with branches. */
  long: string;
  /** How many steps that is. */
  steps: number;
  /** Of a document whose texts try to become more than texts; it has two paths. */
  hostile: string;
}

export function pageSuite(page: Page, pages: Pages): Suite {
  const suite = new Suite('graph page');
  page.setDefaultTimeout(30_000);
  const rows = page.locator('.row');
  const list = page.getByRole('listbox', { name: /^Steps, the newest first/ });
  const details = (id: string) => page.getByRole('complementary', { name: `Step ${id}` });
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => requests.push(request.url()));

  async function open(file: string): Promise<void> {
    await page.goto(pathToFileURL(file).href);
    await rows.first().waitFor();
  }

  suite.test('every step has a row, the newest first, that screen readers can read', async () => {
    await open(pages.demo);
    const options = await list.getByRole('option').evaluateAll((all) => all.map((row) => [row.getAttribute('aria-posinset'), row.getAttribute('aria-setsize'), row.getAttribute('aria-label')]));
    assert.deepEqual(options.map(([at, of]) => `${at}/${of}`), ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6']);
    assert.match(options[0]![2]!, /^Keep slugs short enough for a URL, step step-5, human Mira Okafor, .*, the head, 1 file$/);
    assert.match(options[3]![2]!, /, step step-2-ascii, agent Claude Code, .*, dead end, 1 file$/);
    assert.equal(await page.locator('.lanes .node').count(), 6);
    assert.equal(await page.locator('.lanes .node.dead').count(), 1);
  });

  suite.test('the keyboard is enough', async () => {
    await open(pages.demo);
    await page.keyboard.press('/');
    await page.keyboard.type('accents');
    await until('one row', async () => (await rows.count()) === 1);
    await page.getByRole('status').filter({ hasText: '1 of 6 steps' }).waitFor();
    await page.keyboard.press('Enter');
    await details('step-3').waitFor();
    assert.equal(await list.getAttribute('aria-activedescendant'), await rows.first().getAttribute('id'));
    await page.keyboard.press('p'); // the filter hides it, so that it goes
    await details('step-2').waitFor();
    assert.equal(await rows.count(), 6);
    for (const [key, id] of [['c', 'step-3'], ['h', 'step-5'], ['ArrowDown', 'step-4'], ['End', 'step-1'], ['Home', 'step-5']] as const) {
      await page.keyboard.press(key);
      await details(id).waitFor();
    }
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('complementary').count(), 0);
    assert.ok(await list.evaluate((element) => element === document.activeElement));
  });

  suite.test('steps are told with what they did, and lead to their relatives', async () => {
    await open(pages.demo);
    await rows.filter({ hasText: 'Write letters' }).click();
    const about = details('step-3');
    for (const text of ['agent:codex · openai · gpt-5.5', 'src/slug.py', 'docs/slugs.md']) {
      await about.getByText(text).first().waitFor();
    }
    await about.locator('pre .plus', { hasText: 'import unicodedata' }).waitFor();
    await about.getByRole('button', { name: /^Format/ }).click();
    await details('step-4').waitFor();
  });

  suite.test('actors, files and dead ends filter', async () => {
    await open(pages.demo);
    const filters: [() => Promise<unknown>, number][] = [
      [() => page.getByRole('button', { name: /^Claude Code/ }).click(), 2],
      [() => page.getByRole('button', { name: /^Dead ends/ }).click(), 1],
      [() => page.getByRole('button', { name: /^Claude Code/ }).click(), 1],
      [() => page.getByRole('button', { name: /^Dead ends/ }).click(), 6],
      [() => page.getByRole('combobox', { name: 'File' }).selectOption('docs/slugs.md'), 1],
    ];
    for (const [act, count] of filters) {
      await act();
      assert.equal(await rows.count(), count);
    }
    assert.equal(await page.locator('.lanes .node').count(), 1);
  });

  suite.test('of many steps only those in sight are drawn', async () => {
    await open(pages.long);
    const drawn = async () => page.locator('.row, .lanes *').count();
    assert.ok((await drawn()) < 600, `${await drawn()} elements`);
    await list.focus();
    await page.keyboard.press('End');
    await details('s0').waitFor();
    assert.equal(await rows.last().getAttribute('aria-posinset'), String(pages.steps));
    assert.ok((await drawn()) < 600, `${await drawn()} elements`);
    await page.keyboard.press('Home');
    await details(`s${pages.steps - 1}`).waitFor();
  });

  suite.test('it is light or dark as its reader wants it', async () => {
    const background = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    assert.equal(await background('dark'), 'rgb(30, 30, 30)');
    assert.equal(await background('light'), 'rgb(255, 255, 255)');
  });

  suite.test('texts of a document stay texts, and nobody is asked for anything', async () => {
    await open(pages.hostile);
    await page.getByRole('combobox', { name: 'Path' }).selectOption({ index: 1 });
    await rows.first().click();
    await page.getByRole('complementary').getByText('<img src=x onerror="document.title=1">').first().waitFor();
    assert.equal(await page.locator('img, iframe, object, embed, link').count(), 0);
    assert.notEqual(await page.title(), '1');
    assert.deepEqual(requests.filter((url) => !url.startsWith('file:') || !/\.html$/.test(url)), []);
    assert.deepEqual(errors, []);
  });

  return suite;
}
