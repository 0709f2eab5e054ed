import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { sharedViewer } from './support/openedViewer.ts';
import { writeQuickstart } from './support/writtenResults.ts';

const folder = sharedFolder();
const viewer = sharedViewer(folder, () => writeQuickstart(folder));

const PRESSES = 70;
const MS_A_KEY = 80;

function reviewsOf(author: string): ReviewLine[] {
  const file = join(folder, 'runs/quickstart/reviews.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as ReviewLine).filter((review) => review.author === author);
}

/** Number in a status line such as `3 keys ignored: ...`; 0 without the line. */
async function counted(page: Page, words: RegExp): Promise<number> {
  const line = page.getByText(words);
  return (await line.count()) === 0 ? 0 : Number.parseInt(await line.innerText(), 10);
}

test.each<[string, (place: number, isPost: boolean) => { ms: number; fails?: boolean }]>([
  ['at once', () => ({ ms: 0 })],
  ['very late and out of order', (place, isPost) => ({ ms: isPost ? (place % 3) * 1_000 : 0 })],
  ['late for the records too', () => ({ ms: 300 })],
  ['with a failure each seventh time', (place, isPost) => ({ ms: 0, fails: isPost && place % 7 === 3 })],
])(
  'reviews by fast keys are all saved, for the record that was shown, with replies %s',
  async (title, replies) => {
    const author = title.replaceAll(' ', '-');
    const reviewing = await viewer.open(['--review', '--author', author]);
    const page = await reviewing.page();
    let place = 0;
    let isOver = false;
    await page.route('**/review/*', async (route) => {
      const { ms, fails } = replies(place++, route.request().method() === 'POST');
      await delay(ms);
      if (fails && !isOver)
        await route.fulfill({ status: 200, contentType: 'text/html', body: 'Sign in to the proxy.' });
      else await route.continue();
    });
    await page.goto('/runs/quickstart/review');
    await page.locator('.verdict-panel').waitFor();
    let ignored = 0;
    for (let press = 0; press < PRESSES; press++) {
      const before = await counted(page, /keys? ignored/);
      await page.keyboard.press('a');
      await delay(MS_A_KEY);
      const after = await counted(page, /keys? ignored/);
      if (after > before) ignored += 1;
      // The page is never blank: a record, or the words that one is loading.
      expect(await page.locator('.verdict-panel, .note:has-text("Loading record")').count()).toBeGreaterThan(
        0,
      );
    }
    isOver = true;
    await page.getByText(/^Saving/).waitFor({ state: 'detached' });
    const again = page.getByRole('button', { name: 'Save again' });
    if ((await again.count()) > 0) {
      expect(title).toContain('failure');
      await again.click();
      await again.waitFor({ state: 'detached' });
      await page.getByText(/^Saving/).waitFor({ state: 'detached' });
    }
    const reviews = reviewsOf(author);
    const records = new Set(reviews.map(({ record_id }) => record_id));
    expect(reviews.every(({ verdict }) => verdict === 'accept')).toBe(true);
    expect(records.size).toBeGreaterThan(5);
    // Each press is a review of its own record, or was said to be ignored.
    expect(reviews).toHaveLength(PRESSES - ignored);
    expect(records.size).toBe(PRESSES - ignored);
    await page.getByText(`${records.size} of 70 reviewed`).waitFor();
  },
);
