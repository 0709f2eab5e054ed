import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { type RolloutRates, rolloutRates } from '../../schemas/rolloutRates.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { type Fate, SeededDraws } from './support/seededDraws.ts';
import { startSeededStudent } from './support/startSeededStudent.ts';

/** CI tries one seed; a campaign asks for more: COA_RATE_SEEDS=50 COA_RATE_FIRST=51. */
const seeds = Number(process.env.COA_RATE_SEEDS ?? 1);
const firstSeed = Number(process.env.COA_RATE_FIRST ?? 1);

const TASKS = 500;
const ROLLOUTS = 8;
const MAX_RETRIES = 1;
const tasks = riverTasks(TASKS);

test.each(Array.from({ length: seeds }, (_, nth) => firstSeed + nth))(
  'seed %i: 500 tasks x 8 over HTTP: what each stage counts, and pass@k, are of the rollouts that the server drew',
  async (seed) => {
    const drawn = new SeededDraws(seed, { tasks: TASKS, each: ROLLOUTS });
    const { run, asked } = await runOf(drawn);
    const times = (rollout: string) =>
      drawn.fate(rollout) === 'down' ? 1 + MAX_RETRIES : drawn.isIll(rollout) ? 2 : 1;
    expect(asked).toEqual(new Map(drawn.rollouts.map((rollout) => [rollout, times(rollout)])));
    expectRates(run, drawn, expectCounts(run, drawn));
  },
);

/** Runs the project to its end against a server of these draws. */
async function runOf(drawn: SeededDraws) {
  const student = await startSeededStudent(drawn);
  const endpoint = `{ base_url: "${student.baseUrl}", api_key_env: "", concurrency: 16, max_retries: ${MAX_RETRIES} }`;
  const sampling = '{ temperature: 1, max_tokens: 512, seed: 0 }';
  const cwd = createProject({
    tasks: jsonLines(tasks),
    teacher: `{ backend: coa_model, model: { model: m, endpoint: ${endpoint}, sampling: ${sampling} }, concurrency: 16, rollouts: ${ROLLOUTS}, player: { server: transformers } }`,
    more: 'judge: { text: rule }\nfilters: { grounding: { drop: false }, min_interactions: { mhqa: 0 } }\ndataset: { formats: [afm] }\n',
  });
  const { code, stderr } = await runCli(['run'], { cwd, alone: true });
  await student.close();
  expect(code, stderr).toBe(0);
  return { run: join(cwd, 'runs/coa'), asked: student.asked };
}

/** What a stage must have counted, and which rollouts went on from it or ended there. */
interface StageEnd {
  readonly entered: number;
  readonly dropped?: Readonly<Record<string, number>>;
  readonly failed?: Readonly<Record<string, number>>;
  readonly kept: readonly Fate[];
  readonly lost: readonly Fate[];
}

/** Compares what each stage counted, and which rollouts its journals name; gives the tasks' places by their ids. */
function expectCounts(run: string, drawn: SeededDraws): ReadonlyMap<string, number> {
  type Line = { task_id: string; rollout?: number; records?: { task_id: string; rollout?: number }[] };
  const lines = (path: string) => readJsonLines(join(run, path)) as unknown as Line[];
  const places = new Map(
    lines('tasks/records.jsonl').map(({ records }) => {
      const [{ id, given_id }] = records as unknown as [{ id: string; given_id: string }];
      return [id, Number(given_id.slice(1))];
    }),
  );
  const names = (made: readonly Line[]) =>
    made.map(({ task_id, rollout = 0 }) => `${places.get(task_id)} ${rollout}`).sort();
  const judged: StageEnd = { entered: drawn.count('right', 'wrong'), kept: ['right', 'wrong'], lost: [] };
  const failed = { endpoint_error: drawn.count('down'), malformed_answer: drawn.count('broken') };
  const stages: Readonly<Record<string, StageEnd>> = {
    rollout: { ...judged, entered: TASKS * ROLLOUTS, failed, lost: ['broken', 'down'] },
    convert: judged,
    judge: judged,
    filter: { ...judged, dropped: { wrong_answer: drawn.count('wrong') }, kept: ['right'], lost: ['wrong'] },
    export: { ...judged, entered: drawn.count('right'), kept: ['right'] },
  };
  for (const [stage, { entered, kept, lost, ...ends }] of Object.entries(stages)) {
    const file = JSON.parse(readFileSync(join(run, stage, 'stage.json'), 'utf8'));
    expect(file, stage).toMatchObject({ complete: true, entered, emitted_records: drawn.count(...kept) });
    const { dropped = {}, failed = {} } = ends;
    expect([file.dropped, file.failed], stage).toEqual([dropped, failed]);
    const records = lines(`${stage}/records.jsonl`).flatMap(({ records = [] }) => records);
    expect(names(records), stage).toEqual(drawn.of(...kept));
    expect(names(lines(`${stage}/ledger.jsonl`)), stage).toEqual(drawn.of(...lost));
  }
  expect(names(lines('dataset/trajectories.jsonl'))).toEqual(drawn.of('right'));
  return places;
}

/** Compares each task's line and the manifest. */
function expectRates(run: string, drawn: SeededDraws, places: ReadonlyMap<string, number>) {
  const written = readJsonLines(join(run, 'dataset/tasks.pass_rates.jsonl')) as unknown as PassRateLine[];
  expect(new Set(written.map(({ task_id }) => places.get(task_id!)))).toEqual(new Set(places.values()));
  const lines = written.map(({ task_id, question }) => {
    return { task_id, question, ...drawn.line(places.get(task_id!)!) };
  });
  expect(written).toEqual(lines);
  const manifest = JSON.parse(readFileSync(join(run, 'dataset/manifest.json'), 'utf8'));
  const solved = lines.filter(({ passed }) => passed > 0).length;
  expect(manifest).toMatchObject({ rows: drawn.count('right'), tasks: solved });
  const { rollouts } = manifest as { rollouts: RolloutRates };
  const [right, wrong] = [drawn.count('right'), drawn.count('wrong', 'broken')];
  const counts = { tasks: TASKS, right, wrong, unscored: TASKS * ROLLOUTS - right - wrong };
  expect(rollouts).toEqual({ ...rolloutRates(lines as PassRateLine[])!, ...counts });
}
