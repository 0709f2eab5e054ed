import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportAnswers } from '../../calls/cache/transferAnswers.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { type CachedAnswer, keptSearchSchema } from '../../schemas/run/cachedAnswer.ts';
import type { SpendingLine } from '../../schemas/run/journalLines.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { examplesFolder } from '../examples/support/examplesFolder.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { bundledProject, runLines } from './support/bundledProject.ts';
import { startSearch } from './support/startSearch.ts';

const KEY = 'sk-a-key-that-nobody-else-has-7';
const taskIds = ['web-01', 'web-02'];
const datasetOf = (cwd: string) => folderHashes(join(cwd, 'runs/coa/dataset'));
const env = { SEARCH_KEY: KEY };

/** A project that searches with a service. */
async function projectWith(faultOf?: (before: number) => number | undefined, more: object = {}) {
  const server = await startSearch(join(examplesFolder, 'atlas/site'), KEY, faultOf);
  const web_search = { base_url: server.baseUrl, api_key_env: 'SEARCH_KEY', ...more };
  const cwd = bundledProject({ taskIds, profile: 'web', tools: { web_search } });
  return { server, cwd };
}

test('a service serves a run, which is replayed without it and its key, and says what was searched for', async () => {
  const { server, cwd } = await projectWith();
  await runWell(['run'], { cwd, env });
  expect(runLines(cwd, 'rollout/records.jsonl')).toHaveLength(taskIds.length);
  await server.close();
  const before = datasetOf(cwd);
  await runWell(['run', '--from', 'rollout', '--offline'], { cwd });
  expect(datasetOf(cwd)).toEqual(before);

  const searches = await searchesIn(cwd);
  expect(searches).toHaveLength(server.asked());
  for (const { provider, answer } of searches) {
    expect(provider).toBe(`${server.baseUrl}/`);
    const asked = { provider: 'serper', query: expect.stringMatching(/\w/), num: 10 };
    expect(keptSearchSchema.parse(answer.raw)).toMatchObject(asked);
  }
});

test('a spent quota fails the tasks with its cause, is asked once a search, and stays out of the cache', async () => {
  const { server, cwd } = await projectWith(() => 402);
  const run = await runCli(['run'], { cwd, env });
  expect(run.code, run.stdout).toBe(2);
  expect(run.stderr).toContain(
    'nothing was kept: the commonest cause is tool_unavailable (2 of 2 failed at rollout)\nwhat to do: check the tool',
  );
  const failures = runLines<LedgerEntry>(cwd, 'rollout/ledger.jsonl');
  expect(failures).toHaveLength(taskIds.length);
  for (const entry of failures) {
    expect(entry).toMatchObject({
      kind: 'fail',
      failure: {
        cause: 'tool_unavailable',
        retryable: true,
        evidence: { tool: 'web_search', provider: 'serper', status: 402, attempts: 1 },
      },
    });
  }
  expect(server.asked()).toBe(taskIds.length);
  expect(await searchesIn(cwd)).toEqual([]);
});

test('what searches cost stands in the spending log, and a cap stops the run', async () => {
  const { server, cwd } = await projectWith(undefined, { price_usd_per_query: 0.005 });
  const cut = await runCli(['run', '--max-cost', '0.007'], { cwd, env });
  expect(cut.code, cut.stderr).toBe(3);
  expect(server.asked()).toBe(1);
  await runWell(['run', '--max-cost', '5'], { cwd, env });
  const lines = runLines<SpendingLine>(cwd, 'spending.jsonl').filter((line) => line.kind === 'billed');
  const spent = lines.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  expect(spent).toBeCloseTo(0.005 * server.asked(), 9);
});

test('the local provider finds what the site finds, without a service', async () => {
  const cwd = bundledProject({ taskIds, profile: 'web', tools: { web_search: { provider: 'local' } } });
  const bySite = bundledProject({ taskIds, profile: 'web' });
  for (const folder of [cwd, bySite]) {
    await runWell(['run'], { cwd: folder });
  }
  expect(datasetOf(cwd)['trajectories.jsonl']).toBe(datasetOf(bySite)['trajectories.jsonl']);
});

async function searchesIn(cwd: string) {
  const answers: CachedAnswer[] = [];
  for await (const answer of exportAnswers(join(cwd, 'runs/coa/cache.sqlite'))) answers.push(answer);
  return answers.filter(({ kind, name }) => kind === 'tool' && name === 'web_search');
}
