import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeReport } from '../../cli/finishRun.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import type { ReportData } from '../../schemas/report.ts';
import type { JobAttempt, JobRecord } from '../../schemas/training/jobRecord.ts';
import type { RunAnswer } from '../../viewer/api.ts';
import {
  evaluationPage,
  onePage,
  type PageAssets,
  readPageAssets,
  runPage,
  scriptJson,
} from '../../viewer/exportPage.ts';
import { binsOf, medianOf, totalOf } from '../../viewer/pages/report/valueCounts.ts';
import { reportAnswer } from '../../viewer/server/describeRun.ts';
import { GrowingJobCurve } from '../../viewer/server/viewedJob.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { samplePlan, sampleRecord } from '../training/support/sampleJob.ts';
import { injectionTexts } from './support/injectionTexts.ts';
import { carried, renderedPage } from './support/renderedPage.ts';
import { emptyReport, fullReport, hostileText } from './support/reportSample.ts';
import { writeEvaluation } from './support/writtenResults.ts';
import { writtenRun } from './support/writtenRun.ts';

let assets: PageAssets;

beforeAll(async () => {
  assets = await readPageAssets();
});

/** The page of a run of which this is known. */
function pageOf(data: ReportData, jobs: RunAnswer['jobs'] = []): string {
  const { run: name, funnel, manifest, models, settings, workers } = data;
  const status = {
    ...{ run: name, folder: '/runs', config_hash: data.config_hash, complete: true, running: false },
    spent: data.spent,
    funnel: funnel.map((row) => ({ ...row, complete: true })),
    ...(workers && { workers }),
  };
  const answer: RunAnswer = {
    ...{
      name,
      status,
      state: 'complete',
      manifest,
      models,
      settings,
      jobs,
      created_at: '2026-11-22T00:00:00Z',
      variant_of: null,
      rollouts: null,
    },
    ...{ progress: { isGrowing: false, share: 1, damaged: 0 }, minutes: [], failures: [], notices: [] },
    problems: [],
  };
  const api = `/api/sources/${name}`;
  return onePage(assets, {
    path: `/runs/${name}`,
    answers: { [api]: answer, [`${api}/report`]: reportAnswer(data) },
  });
}

const rendered = (...given: Parameters<typeof pageOf>) => renderedPage(pageOf(...given));

describe('what a page carries', () => {
  test('comes back whole, and no text ends it or begins markup', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('</script>', '<!--<script>', '-->', ']]>', '\u2028', hostileText, ...injectionTexts),
    );
    fc.assert(
      fc.property(fc.dictionary(text, fc.array(text)), (answers) => {
        const page = onePage(assets, { path: '/runs/x', answers });
        expect(carried(page).answers).toEqual(JSON.parse(JSON.stringify(answers)));
        expect(parseHTML(page).document.querySelectorAll('script, img, iframe, base').length).toBe(2);
        expect(scriptJson(answers)).not.toContain('<');
      }),
    );
  });

  test('runs by its hash alone, and its policy lets nothing be loaded', () => {
    const { document } = parseHTML(pageOf(fullReport));
    const policy = document.querySelector('meta[http-equiv]')!.getAttribute('content')!;
    const hash = (selector: string) =>
      createHash('sha256').update(document.querySelector(selector)!.textContent!).digest('base64');
    expect(policy).toContain(
      `default-src 'none'; script-src 'sha256-${hash('script[type=module]')}'; style-src 'sha256-${hash('style')}';`,
    );
    expect(policy).not.toMatch(/unsafe|https?:|self/);
    expect(document.querySelectorAll('[src], link[href]:not([href="data:,"])').length).toBe(0);
  });
});

describe('the report', () => {
  test('shows everything that a run holds, hostile text as text, and leads nowhere', async () => {
    const { document, texts } = await rendered(fullReport);
    expect(document.querySelectorAll('main :is(script, img, iframe, style)').length).toBe(0);
    expect(texts('.segment.environment pre')[0]).toContain('</pre></div><script>alert(1)</script><img src=x');
    expect(texts('details .quoted').some((text) => text.includes('<script>alert(1)</script>'))).toBe(true);
    expect(document.querySelectorAll('a[href]').length).toBe(0);
    expect(texts('main h2')).toEqual([
      ...['Stages', 'Workers', 'Balance', 'Rows', 'Pass rates', 'Yield over time', 'Cost', 'Tools'],
      ...['Drops and failures', 'Trajectories', 'Dataset', 'Settings'],
    ]);
    expect(texts('.funnel .stage-name b')).toEqual(fullReport.funnel.map(({ stage }) => stage));
    expect(texts('.funnel .reasons b')).toEqual(['2', '2', '2', '5', '2', '2', '1']);
    expect(texts('[aria-label="Calls by tool"] tbody tr')).toEqual([
      'crawl_page1200%3840 ms12.4 s',
      'web_search200100%0––',
    ]);
    expect(texts('[aria-label="Cost by role"] tbody tr').at(-1)).toBe(
      'all roles6991,373,00029.6%54,400$1.99100%',
    );
    const facts = texts('.facts').join();
    for (const fact of ['Modelsteacher-1', 'Worked for1 min', '19 endpoint refused, 2 endpoint rate limited'])
      expect(facts).toContain(fact);
    expect(texts('details code').join()).toContain("--rows 'stage=filter&reason=wrong_answer'");
  });

  test('tells trained segments from others, and says which words the mask leaves out, weighs or cut off', async () => {
    const [sample] = fullReport.samples;
    const { segments } = sample!.trajectory;
    const plain = await rendered(fullReport);
    expect(plain.texts('.segment.trained pre')).toEqual(
      segments.filter(({ origin }) => origin === 'model').map(({ text }) => text),
    );
    const weights = [0, 1, 0.5, 1, 0, 0];
    const masked = await rendered({ ...fullReport, samples: [{ ...sample!, weights }] });
    expect(masked.texts('.segment small').slice(2)).toEqual([
      ...['not trained', 'trained', 'trained, weight 0.5', 'trained', 'never trained', 'not trained'],
      'cut off to fit',
    ]);
  });

  test('of an empty run leaves out what can’t be', async () => {
    const { texts } = await rendered(emptyReport);
    expect(texts('main h2')).toEqual(['Stages', 'Settings']);
    expect(texts('main').join()).not.toMatch(/NaN|undefined|Infinity/);
  });
});

test('the report of a synthesis counts tasks, and says how its checker was measured', async () => {
  const stage = (name: string, emitted: number) => ({
    ...{ stage: name, entered: emitted, emitted, dropped: {}, failed: {} },
  });
  const { texts } = await rendered({
    ...emptyReport,
    funnel: [stage('documents', 9), stage('write', 3)],
    checker: 'the checker m found 4 of 4 planted faults',
  });
  expect(texts('.facts div')).toContain('Tasks kept3');
  expect(texts('main h2')).not.toContain('Rows');
  expect(texts('main p')).toContain('The checker m found 4 of 4 planted faults.');
});

const attempt: JobAttempt = {
  handle: { kind: 'slurm', job_id: '7' },
  started_at: '2026-11-21T12:00:00.000Z',
  from_step: 0,
  console_offset: 0,
  set_aside: [],
  stop_requested: false,
  end: { outcome: 'finished', exit_code: 0, cause: null, last_words: '' },
};

async function chartsOf(losses: readonly (number | null)[], changed: Partial<JobRecord> = {}) {
  const record = sampleRecord({ attempts: [attempt], ...changed });
  const logged = new GrowingJobCurve();
  const rest = { validationLoss: null, totalSteps: null, elapsedMs: null };
  for (const [n, loss] of losses.entries())
    logged.add({ step: n + 1, loss, learningRate: 1e-5 * n, ...rest });
  const job = { record, standing: { kind: 'ended', note: '' } as const, curve: logged.drawn() };
  const page = await rendered(emptyReport, [job]);
  const [figure] = [...page.document.querySelectorAll('figure.chart')];
  const lines = [...(figure?.querySelectorAll('polyline') ?? [])].map((line) =>
    line
      .getAttribute('points')!
      .split(' ')
      .map((point: string) => point.split(',').map(Number) as [number, number]),
  );
  return { ...page, lines };
}

describe('a training job', () => {
  test('is drawn to the right by step, lower where the loss is lower', async () => {
    const { lines, document } = await chartsOf([4, 3, 2, 1]);
    for (const [at, [x, y]] of lines[0]!.slice(1).entries()) {
      expect(x).toBeGreaterThan(lines[0]![at]![0]);
      // Down on the screen is up in coordinates.
      expect(y).toBeGreaterThan(lines[0]![at]![1]);
    }
    expect(document.querySelector('figure svg')!.getAttribute('aria-label')).toBe(
      'Loss (nats a token) by step, 1 to 4; last 1',
    );
  });

  test('breaks its line where the loss is NaN, stays small when it is long, and keeps its last step', async () => {
    expect((await chartsOf([4, null, 2, 1])).lines.map((line) => line.length)).toEqual([1, 2]);
    const { lines } = await chartsOf(Array.from({ length: 200_001 }, (_, n) => 1 / (n + 1)));
    expect(lines[0]!.length).toBeLessThan(700);
    expect(lines[0]!.at(-1)![0]).toBe(432);
  });

  test('says by what a result is traced, and shows hostile names as text', async () => {
    const changed = { job: hostileText.toWellFormed(), plan: samplePlan({ model: hostileText }) };
    const { document, texts } = await chartsOf([4, 3], changed);
    const facts = texts('.facts').join();
    for (const part of [
      'a'.repeat(64),
      'config_0',
      'llamafactory 0.9.5',
      '3,000 of 7,000 (42.9%)',
      '2 of 24',
    ])
      expect(facts).toContain(part);
    expect(document.querySelectorAll('main :is(script, img)').length).toBe(0);
    expect(texts('h3').join()).toContain('<script>');
  });
});

test('a page does not say where its run lies, and one that can not be made costs no result', async () => {
  const { folder } = writtenRun(join(temporaryFolder(), 'written'));
  const page = await runPage(folder, (await readRunFile(folder))!, emptyReport);
  expect(page).not.toContain(folder);
  expect(carried(page).answers).toHaveProperty(['/api/sources/written', 'status', 'funnel', 'length'], 7);
  expect(await writeReport(folder, Promise.reject(new Error('no vite')))).toEqual([
    expect.stringContaining('no vite'),
  ]);
});

test('an evaluation is one page with its scores and its first samples', async () => {
  const folder = join(temporaryFolder(), 'evaluation');
  writeEvaluation(folder, hostileText);
  const page = await evaluationPage(folder);
  const { document, texts } = await renderedPage(page);
  expect(document.querySelectorAll('main :is(script, img)').length).toBe(0);
  expect(texts('[aria-label=Scores] tbody tr')[0]).toMatch(/^mine.*50\.0.*10\.0 to 90\.0/);
  expect(texts('.note').join()).toContain('1 of 2 judged trajectories keep the grammar');
  expect(texts('.samples li')).toHaveLength(2);
  expect(
    (await renderedPage(page, { search: '?benchmark=mine&result=unscored' })).texts('.samples li'),
  ).toHaveLength(1);
});

const countsOf = (values: readonly number[]) =>
  [...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length] as const);

test('counted values have the median and the sum of the list, and lie in few bins side by side', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 31 }), { minLength: 1 }), (values) => {
      const counts = countsOf(values);
      const sorted = values.toSorted((a, b) => a - b);
      expect(medianOf(counts)).toBe(sorted[Math.floor((sorted.length - 1) / 2)]);
      expect(totalOf(counts)).toBe(values.reduce((sum, value) => sum + value, 0));
      const bins = binsOf(counts);
      expect(bins.counts.length).toBeLessThanOrEqual(16);
      const isOf = (bin: number) => (value: number) => Math.floor((value - bins.from) / bins.width) === bin;
      expect(bins.counts).toEqual(bins.counts.map((_, bin) => values.filter(isOf(bin)).length));
      expect(
        totalOf(
          bins.counts
            .entries()
            .toArray()
            .map(([, times]) => [1, times]),
        ),
      ).toBe(values.length);
    }),
  );
});
