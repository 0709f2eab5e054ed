import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { findingsOf, sharedViewer } from './support/openedViewer.ts';
import { writeRollouts } from './support/writtenRollouts.ts';

const folder = sharedFolder();

const viewer = sharedViewer(folder, () => {
  writeRollouts(join(folder, 'runs/four'));
  const rows = ['{"instruction":"Say a greeting"}', '{"other":1}', '[1, 2]', 'a greeting, which is not JSON'];
  writeFileSync(join(folder, 'foreign_rows.jsonl'), `${rows.join('\n')}\n`);
});

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
});

test('the line and the boxes beside it are one filter', async () => {
  const page = await viewer.page();
  await page.goto('/runs/four/rows');
  await page.getByRole('checkbox', { name: 'tasks_of_a.jsonl 4' }).waitFor();
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
});

test('a record says what it took, why it is wrong, and what another rollout did otherwise', async () => {
  const page = await viewer.page();
  await page.goto('/runs/four/records/a%233');
  const story = page.getByRole('region', { name: 'How it came about' });
  await story.getByText('answer: incorrect').waitFor();
  await page.getByText('$0.25').first().waitFor();
  await page.getByText('4.0 s, 2 model calls').waitFor();
  await page
    .getByRole('navigation', { name: 'Segments' })
    .getByRole('button', { name: /^answer/ })
    .click();
  await page.locator('#segment-2.chosen').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Conversation' }).click();
  await story.locator('.rendered ul b').filter({ hasText: 'first' }).waitFor();
  await story
    .locator('.rendered pre')
    .filter({ hasText: /^code$/ })
    .waitFor();
  await story.getByText('<img src=x').waitFor();
  await story.getByText('[a](javascript:alert(1))').waitFor();
  await story.getByText('Old <b>town</b>').waitFor();
  await story.getByText('raw call and answer').first().click();
  await story.getByText('the whole prompt').waitFor();
  expect(await story.locator('img, a[href^="javascript"]').count()).toBe(0);
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Time and cost' }).click();
  const calls = page.getByRole('region', { name: 'Call by call' });
  await calls.getByText('plan, sent again 2 times, asked again 1 time, 512 tokens from the cache').waitFor();
  await calls.getByText('from the cache', { exact: true }).waitFor();
  await calls.getByRole('img', { name: 'from 0 ms, for 3.0 s, 1.5 s of it lost to retries' }).waitFor();
  await page.getByRole('region', { name: 'By agent and tool' }).getByText('3.0 s (75%)').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Compare' }).click();
  await story.locator('del').filter({ hasText: 'a3' }).waitFor();
  await story.locator('ins').filter({ hasText: 'a0' }).waitFor();
  await page
    .getByRole('region', { name: 'Figures of both' })
    .getByRole('row', { name: 'Verdict wrong right' })
    .waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Raw' }).click();
  expect(await findingsOf(page)).toEqual([]);
  // What is beside stays in view, and the keys cover nothing of it.
  await page.setViewportSize({ width: 1_280, height: 500 });
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  expect((await story.boundingBox())!.y).toBeGreaterThanOrEqual(0);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.evaluate('scrollTo(0, 0)');
  expect((await story.boundingBox())!.y).toBeLessThan(1_000);
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
});

test('rows of any file show their text', async () => {
  const foreign = await viewer.open([join(folder, 'foreign_rows.jsonl')]);
  const page = await foreign.page();
  await page.goto('/files/foreign_rows.jsonl/rows?q=greeting');
  await page.getByText('2 records of 4').waitFor();
  await page.getByRole('link', { name: /Say a greeting/ }).click();
  await page.locator('.record').getByText('Say a greeting').waitFor();
  for (const tab of ['Conversation', 'Time and cost', 'Raw']) {
    await page.getByRole('tab', { name: tab }).click();
    expect(await findingsOf(page)).toEqual([]);
  }
  await page.goto('/files/foreign_rows.jsonl/records/foreign_rows.jsonl:4');
  await page.getByText('greeting, which is not JSON').first().waitFor();
});
