import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { scoreBenchmark } from '../../evaluation/playBenchmark.ts';
import type { SampleResult, TaskResult } from '../../evaluation/records/sampleResult.ts';
import { writeInspectLog } from '../../evaluation/writeInspectLog.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { pythonScript, runPython } from './support/runPython.ts';

/** What `read_inspect_logs.py` prints of a log. */
interface ReadLog {
  readonly file: string;
  readonly status: string;
  readonly samples: number;
  readonly summaries: number;
  readonly errors: number;
  readonly roles: readonly string[];
  readonly written: Readonly<Record<string, number>>;
  readonly computed: Readonly<Record<string, number>>;
  readonly tool_calls: number;
}

const LOGS = Number(process.env.COA_INSPECT_LOGS ?? 200);
const folder = sharedFolder();

async function readByInspect(logs: string): Promise<ReadLog[]> {
  const args = [pythonScript('read_inspect_logs.py'), logs];
  const printed = await runPython({ environment: 'inspect', args, folder });
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

const run = {
  created_at: '2026-01-01T00:00:00.000Z',
  config_hash: 'config_0',
  coa_distill_version: '0',
} as RunFile;

/** Tasks with random outcomes, some of them clustered, some samples unscored. */
function randomTasks(random: () => number): TaskResult[] {
  const samples = 1 + Math.floor(random() * 4);
  const isClustered = random() < 0.3;
  return Array.from({ length: 2 + Math.floor(random() * 12) }, (_, at) => ({
    task_id: `task_${at}`,
    question: `Which <one> is "number" ${at}?\u2028`,
    answers: ['a', 'b'],
    ...(isClustered && { cluster: `c${at % 3}` }),
    samples: Array.from({ length: samples }, (__, sample) => randomSample(`task_${at}`, sample, random)),
  }));
}

function randomSample(task_id: string, sample: number, random: () => number): SampleResult {
  const result = random() < 0.1 ? 'unscored' : random() < 0.5 ? 'right' : 'wrong';
  return {
    task_id,
    sample,
    result,
    reason: result === 'unscored' ? 'endpoint_error' : null,
    score: result === 'unscored' ? null : Number(result === 'right'),
    answer: result === 'unscored' ? null : 'an answer',
    use: null,
    double_check: null,
    reflections: null,
    repeated_tool_inputs: null,
  };
}

let written: { readonly score: number | undefined; readonly unscored: number }[];
let read: ReadLog[];

beforeAll(async () => {
  const random = seededRandom(3);
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  written = [];
  for (let at = 0; at < LOGS; at++) {
    const tasks = randomTasks(random);
    const samples_per_task = tasks[0]!.samples.length;
    const facts = {
      name: 'atlas',
      run: 'atlas',
      config_hash: '',
      samples_per_task,
      left_out: {},
      grammar: { kept: 0, broken: 0 },
      incidents: {},
      use_by_role: {},
    };
    const result = scoreBenchmark(facts, tasks, { ks: [1], maxUnscored: 1 });
    const player = { backend: 'coa_model', model: 'student' };
    const name = `${String(at).padStart(4, '0')}.eval`;
    await writeInspectLog(join(logs, name), { result, tasks, runFolder: join(folder, 'none'), run, player });
    written.push({ score: result.all.score?.value, unscored: result.all.samples.unscored });
  }
  read = await readByInspect(logs);
});

test(`Inspect reads ${LOGS} logs whole, and counts as unscored what we count so`, () => {
  expect(read).toHaveLength(LOGS);
  for (const [at, log] of read.entries()) {
    expect(log).toMatchObject({ status: 'success', errors: written[at]!.unscored });
    expect(log.summaries).toBe(log.samples);
  }
});

test('Inspect computes our score and our standard error from the samples', () => {
  for (const [at, { written: ours, computed }] of read.entries()) {
    const { score } = written[at]!;
    if (score === undefined) continue;
    expect(Math.abs(computed.accuracy! - score)).toBeLessThan(1e-9);
    if (ours.stderr !== undefined) expect(Math.abs(computed.stderr! - ours.stderr)).toBeLessThan(1e-9);
  }
});

test('an evaluation opens with its conversations and tool calls', async () => {
  const cwd = createProject();
  const played = await runCli(['evaluate', 'coa.yaml', '--set', 'evaluation={}'], { cwd });
  expect(played.code, played.stderr).toBe(0);
  const [log] = await readByInspect(join(cwd, 'runs/coa-evaluation/inspect'));
  expect(log).toMatchObject({ status: 'success', samples: 12 });
  expect(log!.roles).toEqual(['assistant', 'system', 'tool', 'user']);
  expect(log!.tool_calls).toBeGreaterThan(12);
  expect(log!.computed.accuracy).toBeCloseTo(log!.written.accuracy!, 12);
});
