import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readSpent, worstCase } from '../../calls/budget/spendingLog.ts';
import { plantedRatesSchema } from '../../schemas/config/teacher.ts';
import type { Task } from '../../schemas/task.ts';
import { answerKeyScript } from '../../teachers/scripted/answerKeyScript.ts';
import { startScriptedServer } from '../../teachers/scripted/startScriptedServer.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { cases } from '../support/cases.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { interrupt } from './support/killedCommand.ts';
import { type EndpointBooks, startBillingProxy } from './support/startBillingProxy.ts';

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
type Case = typeof drawnRuns extends fc.Arbitrary<infer T> ? T : never;

const questions = riverTasks(16);
const tasks = questions.map(({ id, question, answer }): Task => {
  return { id, question, answers: [answer], domain: 'qa', profile: 'mhqa', source: { file: 'x', row: 1 } };
});

/** Works under a cap with a kill at each point, then to the end. Returns true when the budget was spent. */
async function runUnderCap(drawn: Case): Promise<boolean> {
  const { input, output, cached, concurrency, maxTokens, kind, worstCalls, kills, dice } = drawn;
  const price = {
    input_usd_per_million: input,
    output_usd_per_million: output,
    ...(cached !== undefined && { cached_input_usd_per_million: cached }),
  };
  const script = answerKeyScript(tasks, plantedRatesSchema.parse({}), 7);
  const teacher = await startScriptedServer({ script });
  const proxy = await startBillingProxy(teacher.baseUrl, price, seededRandom(dice));
  onTestFinished(() => Promise.all([proxy.close(), teacher.close()]).then(() => undefined));
  const { books } = proxy;
  const endpoint = { base_url: proxy.baseUrl, api_key_env: '', timeout_s: 1, max_retries: 3, price };
  const sampling = { max_tokens: maxTokens };
  const worst = worstCase({ price, bodyBytes: 5_000, messages: 4, maxTokens });
  const budget =
    kind === 'cost'
      ? { max_cost_usd: worst.costUsd * worstCalls }
      : { max_tokens: Math.ceil(worst.tokens * worstCalls) };
  const folder = temporaryFolder();
  const cwd = createProject({
    folder,
    tasks: jsonLines(questions),
    teacher: JSON.stringify({ model: 'm', concurrency, sampling, endpoint }),
    more: `budget: ${JSON.stringify(budget)}\n`,
  });
  const runFolder = join(cwd, 'runs/coa');
  for (const after of kills) {
    const until = books.requests + after;
    const killed = await interrupt({ cwd, run: runFolder }, 'SIGKILL', () =>
      waitUntil(`request ${until}`, () => books.requests >= until, { everyMs: 1 }),
    );
    expect([null, 0, 3], killed.stderr).toContain(killed.code);
    await expectCovered(books, runFolder);
  }
  const ended = await runCli(['run'], { cwd });
  expect([0, 3], ended.stderr).toContain(ended.code);
  expect(books.costUsd).toBeLessThanOrEqual(budget.max_cost_usd ?? Number.POSITIVE_INFINITY);
  expect(books.tokens).toBeLessThanOrEqual(budget.max_tokens ?? Number.POSITIVE_INFINITY);
  await expectCovered(books, runFolder);
  return ended.code === 3;
}

/** Whatever the endpoint charged stands in the run's spending log, also what was in flight when the process was killed. */
async function expectCovered(books: EndpointBooks, runFolder: string): Promise<void> {
  const { attempts, tokens, costUsd } = await readSpent(runFolder);
  expect(attempts).toBeGreaterThanOrEqual(books.requests);
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
