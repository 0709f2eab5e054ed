import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { gatherReport } from '../../operations/report/gatherReport.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { silentObserver } from '../../pipeline/createSession.ts';
import { executeRun } from '../../pipeline/executeRun.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { loadScript } from '../../teachers/scripted/loadScript.ts';
import { type ScriptedServer, startScriptedServer } from '../../teachers/scripted/startScriptedServer.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { bundledProject } from './support/bundledProject.ts';
import { type FaultName, type FaultRates, faultNames, startFaultyProxy } from './support/startFaultyProxy.ts';

/** Waits go by so many times as fast. */
const SPEED = 100;
const SEED = 11;

const hurriedClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now() * SPEED,
  async sleep(ms, signal) {
    await delay(ms / SPEED, undefined, { signal });
  },
};

const taskIds = Array.from({ length: 10 }, (_, n) => `mhqa-${String(n + 1).padStart(2, '0')}`);
let script: ScriptedServer;

beforeAll(async () => {
  const file = fileURLToPath(new URL('../../examples/quickstart.script.jsonl', import.meta.url));
  script = await startScriptedServer({ script: await loadScript(file) });
});

afterAll(() => script.close());

/** Faults that end by the time limit. */
const silences: readonly FaultName[] = ['body that stalls', 'no answer at all'];

/** Runs the project to its end against an endpoint with faults. */
async function runThrough(rates: FaultRates) {
  const folder = bundledProject({ taskIds, profile: 'mhqa' });
  const proxy = await startFaultyProxy(script.baseUrl, rates, SEED);
  try {
    const loaded = await loadConfig(join(folder, 'coa.yaml'), { baseUrl: proxy.baseUrl });
    // Only what never comes is waited for so long: a busy machine must not be taken for a fault.
    const timeout_s = silences.some((name) => rates[name]) ? 1 : 60;
    Object.assign(loaded.config.teacher.model.endpoint, { api_key_env: '', timeout_s, max_retries: 6 });
    // The script plants what a team would not let through.
    loaded.config.teacher.keep_promises = false;
    delete loaded.config.teacher.script;
    loaded.config.runs_dir = join(folder, 'runs');
    const signal = new AbortController().signal;
    const failed: Partial<Record<FailureCause, number>> = {};
    const { folder: runFolder, run } = await executeRun({
      loaded,
      name: 'coa',
      signal,
      clock: hurriedClock,
      env: {},
      observer: silentObserver,
      log: () => {},
    });
    for (const stage of ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'] as const) {
      const file = await readStageFile(runFolder, stage);
      const sum = (counts: object) => Object.values(counts).reduce((a, b) => a + b, 0);
      expect(file!.entered).toBe(file!.emitted_inputs + sum(file!.dropped) + sum(file!.failed));
      Object.assign(failed, file!.failed);
    }
    const dataset = join(runFolder, 'dataset');
    return {
      failed,
      counts: proxy.counts,
      retries: (await gatherReport(runFolder, run)).retries,
      dataset: existsSync(dataset) ? folderHashes(dataset) : undefined,
    };
  } finally {
    await proxy.close();
  }
}

/** Causes that a fault may end in when all attempts met it. */
const causes: Readonly<Record<FaultName, readonly FailureCause[]>> = {
  '429': ['endpoint_rate_limited'],
  '429 with Retry-After in seconds': ['endpoint_rate_limited'],
  '429 with Retry-After as a date': ['endpoint_rate_limited'],
  '500': ['endpoint_error'],
  '503': ['endpoint_error'],
  'connection reset': ['endpoint_error'],
  'body cut in the middle': ['endpoint_error'],
  'body that stalls': ['endpoint_timeout'],
  'no answer at all': ['endpoint_timeout'],
  'empty body': ['endpoint_error'],
  'HTML instead of JSON': ['endpoint_error'],
  'JSON that breaks off': ['endpoint_error'],
  'answer to another request': ['endpoint_error'],
  'usage missing': [],
  'malformed tool-call JSON': ['malformed_answer'],
  'finish_reason length': ['answer_truncated'],
  'finish_reason content_filter': ['model_refused'],
};

test('without faults nothing fails, and nothing is sent again', async () => {
  const clean = await runThrough({});
  expect(clean).toMatchObject({ failed: {}, retries: {} });
  expect(clean.dataset).toBeDefined();
});

test('every request that was sent again is counted, by its cause', async () => {
  const { failed, counts, retries } = await runThrough({ '429': 0.1, '500': 0.1 });
  expect(failed).toEqual({});
  expect(Object.keys(retries)).toEqual(['endpoint_error', 'endpoint_rate_limited']);
  expect(Object.values(retries).reduce((sum, count) => sum + count, 0)).toBe(counts.faults);
});

test('all at once, each in 5 of 100 requests', async () => {
  const rates = Object.fromEntries(faultNames.map((name) => [name, 0.05]));
  const { failed, counts } = await runThrough(rates);
  expect(counts.faults).toBeGreaterThan(counts.requests * 0.5);
  expect(Object.values(causes).flat()).toEqual(expect.arrayContaining(Object.keys(failed)));
});
