import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { RunSpending } from '../../../schemas/run/runFile.ts';
import { runFileSchema } from '../../../schemas/run/runFile.ts';
import { billedText, spendingText } from '../../../schemas/run/spending.ts';
import { describeRun } from '../../../viewer/server/describeRun.ts';
import { createProject, jsonLines, riverTasks } from '../../cli/support/project.ts';
import { runWell } from '../../cli/support/runCli.ts';
import { startSampleTeacher } from '../../cli/support/startSampleTeacher.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { renderedPage } from '../../viewer/support/renderedPage.ts';
import { type Endings, startBillingProxy } from './startBillingProxy.ts';

const questions = riverTasks(12);
const chargedPrice = {
  ...{ input_usd_per_million: 100, cached_input_usd_per_million: 10 },
  output_usd_per_million: 400,
};

/** A run to its end at an endpoint that charges, cached tokens at their own price, and ends requests so. */
export async function chargedRun(endings: Endings, args: readonly string[] = []) {
  const { baseUrl } = await startSampleTeacher(0, questions);
  const proxy = await startBillingProxy(baseUrl, {
    ...{ price: chargedPrice, endings, random: seededRandom(5), leastShare: 0.5 },
  });
  onTestFinished(() => proxy.close());
  const endpoint = { base_url: proxy.baseUrl, api_key_env: '', max_retries: 8 };
  const sampling = { max_tokens: 900 };
  const cwd = createProject({
    tasks: jsonLines(questions),
    teacher: JSON.stringify({ model: { model: 'm', sampling, endpoint, price: chargedPrice } }),
  });
  const ran = await runWell(['run', ...args], { cwd });
  const asked = async (...args: string[]) => {
    const { stdout } = await runWell(args, { cwd });
    return stdout;
  };
  return { cwd, books: proxy.books, ran, asked };
}

/** What a run says of its spending in every place that names it. */
async function figuresOf({ cwd, ran, asked }: Awaited<ReturnType<typeof chargedRun>>) {
  const folder = join(cwd, 'runs/coa');
  const run = runFileSchema.parse(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')));
  const described = await describeRun('coa', folder, run);
  const json = async (...args: string[]) => JSON.parse(await asked(...args, '--json'));
  const report = await renderedPage(readFileSync(join(folder, 'report.html'), 'utf8'));
  const figures: Record<string, RunSpending> = {
    'run --json': (await json('run')).spent,
    'status --json': (await json('status', 'coa')).spent,
    'runs --json': (await json('status'))[0].spent,
    'the card of the viewer': described.status!.spent,
    'the manifest of the run': run.spent!,
  };
  const texts = {
    'the summary': ran.stdout,
    'the summary of a second run': await asked('run'),
    status: await asked('status', 'coa'),
    runs: await asked('status'),
    'the card of the report': report.texts('.facts').join(),
    'the chart of the report': report.texts('main section').find((text) => text.includes('over time')) ?? '',
  };
  return { figures, texts, described, report };
}

/** Holds that a run says one figure in every place, and that the endpoint's books agree as far as they can. */
export async function expectOneFigure(
  endings: Endings,
  { isLossy, args = [] }: { readonly isLossy: boolean; readonly args?: readonly string[] },
): Promise<void> {
  const charged = await chargedRun(endings, args);
  const { figures, texts, described, report } = await figuresOf(charged);
  const spent = figures['status --json']!;
  for (const [place, figure] of Object.entries(figures)) expect(figure, place).toEqual(spent);
  for (const [place, text] of Object.entries(texts)) expect(text, place).toContain(billedText(spent));
  expect(texts.status).toContain(`spent: ${spendingText(spent)}`);

  const sumOf = (rows: readonly { readonly tokens: number; readonly cost_usd: number }[]) => ({
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: expect.closeTo(
      rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
      6,
    ),
  });
  // The chart's bars are the figure too, and so is the table by role.
  expect(spent).toMatchObject(sumOf(described.minutes));
  expect(report.texts('[aria-label="Cost by role"] tbody tr').at(-1)).toContain(
    `$${spent.cost_usd.toFixed(2)}100%`,
  );
  const { books } = charged;
  expect(spent.requests).toBeGreaterThan(books.requests);
  expect(spent.unbilled.requests > 0).toBe(isLossy);
  expect(spent.tokens).toBeLessThanOrEqual(books.tokens);
  expect(spent.tokens + spent.unbilled.tokens).toBeGreaterThanOrEqual(books.tokens);
  if (!isLossy) expect(spent).toMatchObject(sumOf([{ tokens: books.tokens, cost_usd: books.costUsd }]));
}
