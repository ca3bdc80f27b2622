// Tests in the real window, with the packaged extension: what a user sees.

import type { Page } from 'playwright-core';

import { Suite } from '../suite';

export function windowSuite(version: string, _page: Page, _shots: string): Suite {
  return new Suite(`window ${version}`);
}
