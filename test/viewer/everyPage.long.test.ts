import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { Synthesis } from '../../schemas/taskSynthesis.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { sampleTrajectories } from '../output/check/support/sampleDataset.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { samplePlan, sampleRecord } from '../training/support/sampleJob.ts';
import { findingsOf, sharedViewer } from './support/openedViewer.ts';
import { quickstartArgs, writeEvaluation, writeJob } from './support/writtenResults.ts';
import { writeRollouts } from './support/writtenRollouts.ts';
import { taskOf, writtenRun } from './support/writtenRun.ts';

const folder = sharedFolder();
const runs = join(folder, 'runs');

const viewer = sharedViewer(folder, writeAll, [join(folder, 'foreign_rows.jsonl')]);

async function writeAll(): Promise<void> {
  const cwd = folder;
  await runCli(quickstartArgs(folder, '--limit', '20'), { cwd });
  await runCli(['refilter', 'quickstart', '--set', 'filters.min_interactions.web=9', '--name', 'stricter'], {
    cwd,
  });
  writeRollouts(join(runs, 'four'));
  writeJob(join(runs, 'four'), 'step 2 of 24');
  writeRlJob(join(runs, 'four'));
  for (const name of ['one', 'two', 'three']) writeEvaluation(join(runs, name), `answer ${name}`);
  const made = writtenRun(join(runs, 'made'));
  made.emit('tasks', 'made', [{ ...taskOf('made', 'Which river flows past the old tower?'), synthesis }]);
  const formats = writtenRun(join(runs, 'formats'));
  const options = writerOptions(join(formats.folder, 'dataset'), {
    dataset: { formats: datasetFormatNames },
  });
  await writeDataset(sampleTrajectories(4), options);
  const rows = ['{"instruction":"Say a greeting"}', 'a greeting, which is not JSON'];
  writeFileSync(join(folder, 'foreign_rows.jsonl'), `${rows.join('\n')}\n`);
}

const step = (subject: string, relation: string, value: string): Synthesis['chain'][number] => ({
  ...{ op: 'depth', subject, relation, value, type: 'entity', quote: `${value} is its ${relation}` },
  ...{ span: [0, 9], document: 'passage:1', document_sha256: 'a'.repeat(64) },
});

const synthesis: Synthesis = {
  ...{ version: 1, seed: 7, corpus_sha256: 'a'.repeat(64), facts: 40, hops: 2 },
  form: {
    triples: [
      ['the old tower', 'town', '?x'],
      ['?x', 'river', '?y'],
    ],
    asked: '?y',
    ask: 'value',
  },
  chain: [step('the old tower', 'town', 'Merle'), step('Merle', 'river', 'Tarn')],
  checks: [
    { name: 'unique', verdict: 'pass' },
    { name: 'closed_book', verdict: 'fail', passed: 1, tries: 4 },
  ],
  effort: { tool_calls: 3, first_seen_at: 2, one_search: false, tools_pass_rate: 0.5 },
  spent: { calls: 9, prompt_tokens: 900, completion_tokens: 90, cost_usd: 0.02 },
};

/** A job of reinforcement learning with every figure that is drawn, and what it played. */
function writeRlJob(run: string): void {
  writeJob(run, 'played', 'rl');
  const plan = samplePlan({ trainer: 'trl-rl' });
  const job = sampleRecord({ job: 'rl', plan });
  writeFileSync(
    join(run, 'train/rl/job.json'),
    sealedFile({ ...job, follow: { ...job.follow, metrics_file: 'metrics.jsonl' } }),
  );
  const names = ['loss', 'learning_rate', 'reward', 'entropy', 'kl', 'completions/mean_length'];
  const own = ['part_correctness', 'calls', 'failed', 'unscored', 'mixed_groups'].map(
    (name) => `coa/${name}`,
  );
  const lines = [1, 2, 3].map((at) => {
    const data = Object.fromEntries([...names, ...own].map((name, nth) => [name, at / (nth + 2)]));
    return `${JSON.stringify({ step: at, total_steps: 3, data })}\n`;
  });
  writeFileSync(join(run, 'train/rl/metrics.jsonl'), lines.join(''));
}

/** Every page, a sign that it is there, and keys that are pressed then, each with its sign. */
const pages: readonly [
  path: string,
  sign: string,
  keys?: readonly (readonly [key: string, sign: string])[],
][] = [
  ['/', 'table'],
  ['/runs/quickstart', '.funnel'],
  ['/runs/quickstart/rows', 'tbody a'],
  ['/runs/quickstart/rows?review=%28none%29', 'tbody a'],
  ['/runs/quickstart/rows?state=dropped', 'tbody a', [['Enter', '.segment']]],
  [
    '/runs/quickstart/rows?state=kept&sort=tokens',
    'tbody a',
    [
      ['Enter', '.segment'],
      ['t', '.token'],
    ],
  ],
  ['/runs/quickstart/rows?state=failed', 'tbody a', [['Enter', '.summary']]],
  ['/runs/quickstart', '.funnel', [['?', 'dialog[open]']]],
  ['/runs/quickstart/rows?q=no+such+words', '.empty'],
  ['/runs/quickstart/dataset', 'table'],
  ['/runs/quickstart/review', '.segment'],
  ['/compare?a=quickstart&b=stricter', '#a-segment-0'],
  ['/runs/four', '.funnel'],
  ['/runs/four/rows', 'tbody a'],
  ['/runs/four/records/a%233', '.segment'],
  ['/runs/four/training/sft', '.chart polyline'],
  ['/runs/four/training/rl', '.chart polyline'],
  ['/runs/four/training/rl?with=four%2Fsft', '.legend'],
  ['/runs/made', '.funnel'],
  ['/runs/made/records/made', '.summary'],
  ['/evaluations/one', '.samples a'],
  ['/compare-evaluations?a=one&b=two', 'main table'],
  ['/compare-evaluations?a=one&b=two&b=three', 'main table'],
  ['/files/foreign_rows.jsonl/rows', 'tbody a'],
  ['/files/foreign_rows.jsonl/records/foreign_rows.jsonl:1', '.record'],
  ['/files/foreign_rows.jsonl/records/foreign_rows.jsonl:2', '.record'],
  ['/nowhere', '.error'],
];

const looks = 'at 390 px and at 1,280 px, light and dark, axe finds nothing, and nothing is cut off';

test.each(pages)(`%s and each of its tabs: ${looks}`, async (path, sign, keys = []) => {
  const page = await viewer.page();
  await page.goto(path);
  await page.locator(sign).first().waitFor();
  for (const [key, brings] of keys) {
    await page.keyboard.press(key);
    await page.locator(brings).first().waitFor();
  }
  expect(await findingsOfAll(page)).toEqual([]);
  // Hundreds of tokens are looked at once.
  const tabs = (await page.locator('.token').count()) > 0 ? [] : await page.getByRole('tab').all();
  for (const tab of tabs.slice(1)) {
    await tab.click();
    expect(await findingsOfAll(page, true), await tab.innerText()).toEqual([]);
  }
});

test.each(datasetFormatNames)(`the rows of %s: ${looks}`, async (format) => {
  const page = await viewer.page();
  await page.goto('/runs/formats/dataset');
  const files = page.getByRole('combobox', { name: 'File' });
  await files.waitFor();
  const names = await files.locator('option').allInnerTexts();
  await files.selectOption({ label: names.find((name) => name.startsWith(`${format}/`))! });
  await page.getByText(/^Row 1 of the first \d+$/).waitFor();
  expect(await findingsOfAll(page, true)).toEqual([]);
});

/** What axe finds with all unfolded, also what unfolds within. */
async function findingsOfAll(page: Page, isPart = false): Promise<string[]> {
  for (let level = 0; level < 3; level++)
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  return findingsOf(page, isPart);
}
