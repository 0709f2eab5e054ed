import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { mostSpent, readSpent, worstCase } from '../../calls/budget/spendingLog.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { workersView } from '../../schemas/run/workersView.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { startSampleTeacher } from '../cli/support/startSampleTeacher.ts';
import { cases } from '../support/cases.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { interrupt } from './support/killedCommand.ts';
import { type EndpointBooks, startBillingProxy } from './support/startBillingProxy.ts';
import { usePostgres } from './support/usePostgres.ts';

/** Runs under a cap; COA_BUDGET_RUNS asks for more. */
const runs = cases(5, 'COA_BUDGET_RUNS');
const seed = Number(process.env.COA_BUDGET_SEED ?? 1);

/** US dollars for a million tokens. */
const usd = fc.integer({ min: 1, max: 5_000 }).map((cents) => cents / 100);
const drawnRuns = fc.record({
  input: usd,
  output: usd,
  cached: fc.option(usd, { nil: undefined }),
  concurrency: fc.integer({ min: 1, max: 12 }),
  maxTokens: fc.integer({ min: 100, max: 900 }),
  kind: fc.constantFrom('cost' as const, 'tokens' as const),
  /** The cap, in calls that cost as much as a call can. */
  worstCalls: fc.integer({ min: 3, max: 60 }),
  /** Charged requests until the next `kill -9`. */
  kills: fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 3 }),
  dice: fc.nat(),
});
const postgres = usePostgres();
type Case = typeof drawnRuns extends fc.Arbitrary<infer T> ? T : never;

/** A project of these tasks whose endpoint charges, and its books. */
async function chargedProject({
  input,
  output,
  cached,
  concurrency,
  maxTokens,
  kind,
  worstCalls,
  dice,
}: Case) {
  const price = {
    input_usd_per_million: input,
    output_usd_per_million: output,
    ...(cached !== undefined && { cached_input_usd_per_million: cached }),
  };
  const { baseUrl } = await startSampleTeacher(0, questions);
  const proxy = await startBillingProxy(baseUrl, { price, random: seededRandom(dice) });
  onTestFinished(() => proxy.close());
  const endpoint = { base_url: proxy.baseUrl, api_key_env: '', timeout_s: 1, max_retries: 3 };
  const sampling = { max_tokens: maxTokens };
  const worst = worstCase({ price, bodyBytes: 5_000, messages: 4, maxTokens });
  const budget =
    kind === 'cost'
      ? { max_cost_usd: worst.costUsd * worstCalls }
      : { max_tokens: Math.ceil(worst.tokens * worstCalls) };
  const cwd = createProject({
    tasks: jsonLines(questions),
    teacher: JSON.stringify({ model: { model: 'm', sampling, endpoint, price }, concurrency }),
    more: `budget: ${JSON.stringify(budget)}\n`,
  });
  return { cwd, books: proxy.books, budget };
}

const questions = riverTasks(16);

/** Works under a cap with a kill at each point, then to the end. Returns true when the budget was spent. */
async function runUnderCap(drawn: Case): Promise<boolean> {
  const { cwd, books, budget } = await chargedProject(drawn);
  const runFolder = join(cwd, 'runs/coa');
  for (const after of drawn.kills) {
    const until = books.requests + after;
    const killed = await interrupt({ cwd, run: runFolder }, 'SIGKILL', () =>
      waitUntil(`request ${until}`, () => books.requests >= until, { everyMs: 1 }),
    );
    expect([null, 0, 3], killed.stderr).toContain(killed.code);
    await expectCovered(books, runFolder);
  }
  const ended = await runCli(['run'], { cwd });
  expect([0, 3], ended.stderr).toContain(ended.code);
  expectWithin(books, budget);
  await expectCovered(books, runFolder);
  return ended.code === 3;
}

/** The endpoint charged no more than the cap. */
function expectWithin(books: EndpointBooks, cap: { max_cost_usd?: number; max_tokens?: number }): void {
  expect(books.costUsd).toBeLessThanOrEqual(cap.max_cost_usd ?? Number.POSITIVE_INFINITY);
  expect(books.tokens).toBeLessThanOrEqual(cap.max_tokens ?? Number.POSITIVE_INFINITY);
}

/** Whatever the endpoint charged stands in the run's spending log, also what was in flight when the process was killed. */
async function expectCovered(books: EndpointBooks, runFolder: string): Promise<void> {
  const spent = await readSpent(runFolder);
  const { tokens, costUsd } = mostSpent(spent);
  expect(spent.attempts).toBeGreaterThanOrEqual(books.requests);
  expect(tokens).toBeGreaterThanOrEqual(books.tokens);
  expect(costUsd).toBeGreaterThanOrEqual(books.costUsd - 1e-9);
}

test(
  `a cap is not passed on the endpoint's own account, whenever the process is killed (${runs} runs, seed ${seed})`,
  async () => {
    let spent = 0;
    for (const drawn of fc.sample(drawnRuns, { numRuns: runs, seed })) {
      if (await runUnderCap(drawn)) spent++;
    }
    // Runs in which nothing is ever spent would show nothing.
    expect(spent).toBeGreaterThanOrEqual(Math.ceil(runs / 4));
  },
  300_000 + runs * 40_000,
);

test(
  "a cap is not passed on the endpoint's own account by workers, of which one is killed",
  async () => {
    const drawn = fc.sample(drawnRuns, { numRuns: Math.ceil(runs / 5), seed: seed + 1 });
    for (const { kills, worstCalls, ...more } of drawn) {
      const most = Math.min(worstCalls, 25);
      const { cwd, books, budget } = await chargedProject({ ...more, kills, worstCalls: most, kind: 'cost' });
      const [killed, other] = [postgres.startWorker(), postgres.startWorker()];
      const running = runCli(['run', '--workers', postgres.url, '--set', 'scale.lease_s=6'], { cwd });
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      const isThere = () => isOver || books.requests >= kills[0]!;
      await waitUntil(`call ${kills[0]}`, isThere, { everyMs: 2 });
      killed.kill('SIGKILL');
      const { code, stderr } = await running;
      other.kill('SIGKILL');
      expect(code, stderr).toBe(3);
      expectWithin(books, budget);
      await expectCovered(books, join(cwd, 'runs/coa'));
      const spent = await readSpent(join(cwd, 'runs/coa'));
      expect(mostSpent(spent).costUsd).toBeLessThanOrEqual(budget.max_cost_usd! + 1e-9);
      const { workers, purse } = workersView((await readWorkersFile(join(cwd, 'runs/coa')))!);
      const sumOf = (key: 'calls' | 'share') => workers.reduce((sum, row) => sum + row[key], 0);
      expect(sumOf('calls')).toBe(spent.attempts);
      expect(sumOf('share')).toBeCloseTo(1);
      expect(purse).toMatchObject([{ counts: 'usd', cap: budget.max_cost_usd }]);
      expect(purse[0]!.spent).toBeLessThanOrEqual(mostSpent(spent).costUsd + 1e-9);
      expect(purse[0]!.blocks).toBeGreaterThan(0);
    }
  },
  300_000 + runs * 60_000,
);
