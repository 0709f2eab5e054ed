import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { findingsOf, type OpenedViewer, openViewer, startBrowser } from './support/openedViewer.ts';
import { taskOf, trajectoryOf, writtenRun } from './support/writtenRun.ts';

const folder = sharedFolder();
let browser: Browser;
let viewer: OpenedViewer;

beforeAll(async () => {
  writeRollouts(join(folder, 'runs/four'));
  browser = await startBrowser();
  viewer = await openViewer(browser, folder);
});

afterAll(async () => {
  await viewer?.close();
  await browser?.close();
});

/** Two tasks of four rollouts each, of which two and one are right. */
function writeRollouts(run: string): void {
  const { emit, end } = writtenRun(run);
  for (const id of ['a', 'b']) emit('tasks', id, [taskOf(id, `question of ${id}`)]);
  for (const [id, right] of [
    ['a', 2],
    ['b', 1],
  ] as const)
    for (let rollout = 0; rollout < 4; rollout++) {
      const judged = trajectoryOf(id, 'looked', rollout < right ? 'correct' : 'incorrect', rollout);
      const text = `<answer>answer ${id}${rollout}</answer>`;
      judged.segments.push({ tag: 'answer', origin: 'model', text, event: 'e3' });
      for (const stage of ['convert', 'judge'] as const) emit(stage, id, [judged]);
      const at = { task_id: id, rollout };
      if (rollout >= right) end('filter', { kind: 'drop', ...at, reason: 'wrong_answer', evidence: {} });
      else
        emit('export', id, [
          { ...at, id: 'x', split: 'train', row: 0, tokens: 900 - rollout, trained_tokens: 9 },
        ]);
    }
}

test('rollouts stand together by task; a heading sorts; columns are chosen, drawn wider, and kept', async () => {
  const page = await viewer.page();
  await page.goto('/runs/four/rows');
  await page.getByText('question of a 2 of 4 right').waitFor();
  await page.getByText('question of b 1 of 4 right').waitFor();
  const links = page.locator('tbody a');
  expect(await links.allInnerTexts()).toEqual([1, 2, 3, 4, 1, 2, 3, 4].map((nth) => `sample ${nth}`));
  const heading = page.getByRole('columnheader', { name: 'Tokens' });
  await heading.getByRole('button').click();
  await page.locator('[aria-sort=descending]').waitFor();
  await heading.getByRole('button').click();
  await page.locator('[aria-sort=ascending]').waitFor();
  expect(page.url()).toMatch(/\?sort=tokens$/);
  await page.locator('tbody tr:first-child td.number .cell:text-is("899")').waitFor();
  await page.getByText('Columns').click();
  await page.getByRole('checkbox', { name: 'Sample' }).check();
  await page.getByRole('checkbox', { name: 'Gold' }).uncheck();
  await page.getByRole('button', { name: 'Answer' }).focus();
  const width = () => page.locator('th.column-answer').evaluate((head) => head.clientWidth);
  const before = await width();
  for (let nth = 0; nth < 3; nth++) await page.keyboard.press('Shift+ArrowRight');
  expect(await width()).toBeGreaterThan(before + 60);
  const grip = (await page.locator('th.column-answer .grip').boundingBox())!;
  await page.mouse.move(grip.x + 4, grip.y + 8);
  await page.mouse.down();
  await page.mouse.move(grip.x + 84, grip.y + 8, { steps: 4 });
  await page.mouse.up();
  const drawn = await width();
  expect(drawn).toBeGreaterThan(before + 120);
  await page.reload();
  await links.first().waitFor();
  expect(await width()).toBe(drawn);
  const heads = await page.getByRole('columnheader').allInnerTexts();
  expect(heads).toContain('Sample');
  expect(heads).not.toContain('Gold');
  await page.getByText('Columns').click();
  expect(await findingsOf(page)).toEqual([]);
  expect(viewer.faults).toEqual([]);
  await page.context().close();
});

test('the line and the boxes beside it are one filter', async () => {
  const page = await viewer.page();
  await page.goto('/runs/four/rows');
  const line = page.getByRole('combobox', { name: /^Filter and search/ });
  await line.pressSequentially('verd');
  await page.locator('option[value="verdict:"]').waitFor({ state: 'attached' });
  await line.pressSequentially('ict:wr');
  await page.locator('option[value="verdict:wrong"]').waitFor({ state: 'attached' });
  await line.pressSequentially('ong');
  await page.getByText('5 records of 8').waitFor();
  await page.getByRole('checkbox', { name: /^wrong \d/ }).waitFor();
  expect(await page.getByRole('checkbox', { name: /^wrong \d/ }).isChecked()).toBe(true);
  await page.getByRole('checkbox', { name: /^right \d/ }).check();
  await page.getByText('8 records', { exact: true }).waitFor();
  expect(await line.inputValue()).toBe('verdict:wrong verdict:right');
  await line.fill('tokens>899');
  await page.getByText('2 records of 8').waitFor();
  expect(page.url()).toMatch(/\?tokens=900-$/);
  await page.goBack();
  await page.getByText('8 records', { exact: true }).waitFor();
  expect(await line.inputValue()).toBe('verdict:wrong verdict:right');
  expect(viewer.faults).toEqual([]);
  await page.context().close();
});
