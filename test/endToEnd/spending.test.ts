import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRun } from '../../pipeline/run/openRun.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { chargedRun, expectOneFigure } from './support/chargedRun.ts';

test.each([
  ['of which every answer came', { refused: 0.08, broken: 0.12 }, false],
  ['of which some answers were lost', { refused: 0.05, cut: 0.1, uncounted: 0.05 }, true],
])('a run %s says one figure of its spending in every place', (_title, endings, isLossy) =>
  expectOneFigure(endings, { isLossy }),
);

test('the manifest of the dataset names no cost: it has the same bytes whatever was lost and paid for on the way', async () => {
  const runs = [
    await chargedRun({}),
    await chargedRun({ refused: 0.05, cut: 0.1, uncounted: 0.05 }),
  ] as const;
  const [plain, lossy] = runs.map(({ cwd }) =>
    readFileSync(join(cwd, 'runs/coa/dataset/manifest.json'), 'utf8'),
  );
  expect(lossy).toBe(plain);
  expect(runs[1].books.costUsd).toBeGreaterThan(runs[0].books.costUsd);
});

test('a session takes what earlier ones took out of run.json as it begins', async () => {
  const { cwd, books } = await chargedRun({});
  const folder = join(cwd, 'runs/coa');
  const { spent, ...wanted } = (await readRunFile(folder))!;
  expect(spent).toMatchObject({ tokens: books.tokens, unbilled: { requests: 0 } });
  const opened = await openRun(folder, wanted);
  expect(await readRunFile(folder)).toEqual(wanted);
  await opened.close();
});

test('cached tokens are metered, priced, shown and forecast', async () => {
  const { books, ran, asked } = await chargedRun({});
  const { spent, roles } = JSON.parse(await asked('run', '--json'));
  const sumOf = (key: string) =>
    roles.reduce((sum: number, role: Record<string, number>) => sum + role[key]!, 0);
  expect(sumOf('cached_tokens')).toBe(books.cachedTokens);
  const share = Math.round((100 * books.cachedTokens) / sumOf('prompt_tokens'));
  expect(ran.stdout).toContain(`(${share}% of the prompts cached by the endpoint)`);
  expect(spent.cost_usd).toBeCloseTo(books.costUsd, 6);
  const { cost_usd } = JSON.parse(await asked('forecast', '--from-run', 'coa', '--json'));
  expect(cost_usd.expected).toBeCloseTo(books.costUsd, 6);
});
