import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { findingsOf, sharedViewer } from './support/openedViewer.ts';
import { writeEvaluation, writeJob, writeQuickstart } from './support/writtenResults.ts';
import { taskOf, trajectoryOf, writtenRun } from './support/writtenRun.ts';

const folder = sharedFolder();

const viewer = sharedViewer(folder, () => writeQuickstart(folder));

test('a spike in one of a million steps is drawn, where it is, with another job laid over', async () => {
  const losses = Array.from({ length: 1e6 }, (_, at) => (at + 1 === 500_400 ? 40 : 1));
  writeJob(join(folder, 'runs/quickstart'), '', 'million', losses);
  const page = await viewer.page();
  await page.goto('/runs/quickstart/training/million');
  const chart = page.getByRole('img', { name: /^Loss .* by step, 1 to 1,000,000; last 1$/ });
  const band = chart.locator('polygon').first();
  await band.waitFor();
  const [low, high] = await band.evaluate((shape) => {
    const ys = shape
      .getAttribute('points')!
      .split(' ')
      .map((point: string) => Number(point.split(',')[1]));
    return [Math.max(...ys), Math.min(...ys)];
  });
  expect(low! - high!).toBeGreaterThan(100);
  const { x, y, width } = (await chart.boundingBox())!;
  await page.mouse.move(x + (width * (52 + 380 * 0.5004)) / 440, y + 20);
  await page.getByText(/^step 500,400: 1\.0\d+ \(1 to 40\)$/).waitFor();
  await page.mouse.down();
  await page.mouse.move(x + (width * (52 + 380 * 0.75)) / 440, y + 20);
  await page.mouse.up();
  const stretch = page.getByRole('img', { name: /^Loss .* by step, 500,400 to 750,\d+; last 1$/ });
  await stretch.press('Shift+ArrowLeft');
  await stretch.press('Shift+ArrowLeft');
  await stretch.press('Enter');
  await page.getByRole('img', { name: /^Loss .* by step, 74\d,\d+ to 750,\d+; last 1$/ }).press('Escape');
  await chart.waitFor();
  await page.getByRole('combobox', { name: 'over', exact: true }).selectOption('tokens');
  await page.getByRole('img', { name: /^Loss .* by tokens, by the mean of a row, [\d,]+ to / }).waitFor();
  await page.getByRole('combobox', { name: 'over', exact: true }).selectOption('time');
  await page.getByRole('img', { name: /^Loss .* by time, \d+ / }).waitFor();
  await page.getByRole('combobox', { name: 'over', exact: true }).selectOption('steps');
  await page.getByRole('combobox', { name: 'Lay over' }).selectOption('quickstart/sft');
  await page.getByRole('img', { name: /at the end quickstart\/million 1 · quickstart\/sft 1\.5$/ }).waitFor();
  await page.getByRole('slider', { name: 'smoothing' }).fill('0.9');
  await page.locator('.chart .faint').first().waitFor({ state: 'attached' });
  await page.getByRole('checkbox', { name: 'logarithmic' }).check();
  expect(await findingsOf(page)).toEqual([]);
});

test('a slow answer shows that it is awaited, and a wrong address leads home', async () => {
  const page = await viewer.page();
  await page.route('**/api/**', async (route) => {
    await delay(1_500);
    await route.continue();
  });
  await page.goto('/');
  await page.getByText('Loading …').waitFor();
  await page.getByRole('link', { name: 'quickstart' }).waitFor();
  expect(await page.getByText('Loading …').count()).toBe(0);
  for (const address of ['/nothing/here', '/runs/no-such-run', '/evaluations/none']) {
    await page.goto(address);
    await page.getByRole('alert').getByRole('link', { name: 'All runs' }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  }
  // A refusal is written to the console of the browser.
  viewer.faults.length = 0;
  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByRole('link', { name: 'quickstart' }).waitFor();
});

test('failures stand by cause, with one of them and the command that tries them again', async () => {
  const run = writtenRun(join(folder, 'runs/refused'));
  for (const id of ['task_1', 'task_2', 'task_3']) run.emit('tasks', id, [taskOf(id, 'Where?')]);
  const failure = { cause: 'endpoint_refused', retryable: true, message: 'no connection', evidence: {} };
  for (const id of ['task_1', 'task_2']) run.end('rollout', { kind: 'fail', task_id: id, failure });
  const page = await viewer.page();
  await page.goto('/runs/refused');
  const group = page
    .getByRole('listitem')
    .filter({ hasText: 'endpoint refused' })
    .filter({ hasText: 'What to do' });
  await group
    .getByText('coa-distill run runs/refused/coa.yaml --name refused --retry failed:endpoint_refused')
    .waitFor();
  await group.getByRole('link', { name: '2 records' }).click();
  await page.getByText('2 records of 3').waitFor();
});

test('evaluations stand side by side, with the difference and its interval', async () => {
  for (const name of ['another', 'third']) writeEvaluation(join(folder, 'runs', name), 'one answer');
  const page = await viewer.page();
  await page.goto('/');
  await page.getByRole('region', { name: 'Evaluations' }).getByText('10.0 to 90.0').first().waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.goto('/evaluations/evaluation');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('another');
  await page.getByRole('region', { name: 'Differences' }).getByRole('row', { name: /^mine/ }).waitFor();
  const sides = page.getByRole('region', { name: 'Score and use' });
  await sides.getByRole('row', { name: /^another, mine 50\.0 10\.0 to 90\.0 4 900 200 \$0\.25$/ }).waitFor();
  await page.getByText('None.').waitFor();
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('third');
  await sides.getByRole('row', { name: /^third, mine 50\.0/ }).waitFor();
  expect(await page.getByRole('region', { name: 'Differences' }).getByRole('row').count()).toBe(3);
  expect(await findingsOf(page)).toEqual([]);
  for (const name of ['another', 'third'])
    await page.getByRole('button', { name: `Take away ${name}` }).click();
  await page.getByRole('heading', { name: 'Samples' }).waitFor();
});

test('a dataset shows its files by format, its card, and rows as a trainer reads them', async () => {
  const page = await viewer.page();
  await page.goto('/runs/quickstart/dataset');
  await page.getByRole('img', { name: /^Trained in % \(records\) by Trained in %, \d+–/ }).waitFor();
  await page.getByText(/^llama_factory: \d+ files, /).click();
  await page.getByRole('rowheader', { name: 'llama_factory/train.jsonl' }).waitFor();
  await page.getByText('Card', { exact: true }).click();
  await page.getByRole('region', { name: 'Card' }).getByText('LLaMA-Factory').first().waitFor();
  await page.getByText('Metadata', { exact: true }).click();
  await page.getByRole('region', { name: 'Metadata' }).getByText('pretty_name').waitFor();
  for (const file of ['afm/quickstart.json', 'tokenized/data-00000-of-00001.arrow']) {
    await page.getByRole('combobox', { name: 'File' }).selectOption(file);
    await page.getByText(/^Row 1 of the first \d+$/).waitFor();
    await page.getByRole('button', { name: 'Next row' }).click();
    await page.getByText(/^Row 2 of the first \d+$/).waitFor();
    await page.locator('.segment.trained').first().waitFor();
    await page.locator('.segment.environment').first().waitFor();
  }
  await page.getByText('As it stands in the file').click();
  await page.getByRole('region', { name: 'Row as it stands' }).getByText('input_ids').waitFor();
  expect(await findingsOf(page)).toEqual([]);
});

test("a record says how the judge's votes fell", async () => {
  const run = writtenRun(join(folder, 'runs/voted'));
  run.emit('tasks', 'a', [taskOf('a', 'Where?')]);
  const { quality, ...trajectory } = trajectoryOf('a', 'x', 'correct');
  const votes = [{ judgement: 'correct' }, { failure: 'malformed_answer' }, { judgement: 'correct' }];
  const verdicts = quality.verdicts.map((verdict) => ({ ...verdict, judge: 'model', evidence: { votes } }));
  run.emit('judge', 'a', [{ ...trajectory, quality: { ...quality, verdicts } }]);
  const page = await viewer.page();
  await page.goto('/runs/voted/records/a');
  await page.getByText('by model, score 1; 3 votes: correct 2, failed 1').waitFor();
});
