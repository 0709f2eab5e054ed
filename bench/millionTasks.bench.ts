import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../base/systemClock.ts';
import { emitRecord, type RecordStage } from '../contract/stage.ts';
import type { StageName } from '../contract/stageTable.ts';
import { openEventLog } from '../pipeline/run/eventLog.ts';
import { runStages } from '../pipeline/run/runStages.ts';
import type { OpenedStage } from '../pipeline/run/stageState.ts';
import { builtinRegistry } from '../schemas/coa/profileRegistry.ts';
import { taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { createQuestionDedupStage } from '../stages/dedup/createQuestionDedupStage.ts';
import { createTaskSource } from '../stages/tasks/createTaskSource.ts';

// Many tasks through `tasks`, `dedup` and record stages that do nothing: what the runner itself costs. With several
// rollouts a task one in three is right by the judge; with `--until` no more are made than the first right one needs.
// node bench/millionTasks.bench.ts [--tasks 1000000] [--rollouts 1] [--until]

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '1000000' },
    rollouts: { type: 'string', default: '1' },
    until: { type: 'boolean', default: false },
  },
});
const tasks = Number(values.tasks);
const most = Number(values.rollouts);
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));

/** What goes through the record stages: a task's id, and what the judge says. */
const rolledSchema = z.object({
  id: z.string(),
  task_id: z.string().optional(),
  rollout: z.int().optional(),
  quality: z.json().optional(),
});
type Rolled = z.infer<typeof rolledSchema>;

const rollouts = values.until ? { min: 1, max: most, correct: 1 } : { min: most, max: most };

/** Emits the task's id as often as it is rolled out. */
const rollout: RecordStage<Rolled, Rolled> = {
  name: 'rollout',
  version: 1,
  input: rolledSchema,
  output: rolledSchema,
  concurrency: 64,
  rollouts,
  run: async ({ id }, { rollout: nth = 0 }) =>
    emitRecord({ id, task_id: id, ...(nth > 0 && { rollout: nth }) }),
};

/** Emits the record as it came; the judge finds one in three right. */
function passing(name: 'convert' | 'judge' | 'filter'): RecordStage<Rolled, Rolled> {
  const said = (judgement: string) => ({
    verdicts: [{ subject: 'answer', judge: 'none', judgement, score: 1, evidence: {} }],
  });
  const isRight = ({ id, rollout: nth = 0 }: Rolled) => (Number.parseInt(id.slice(-6), 16) + nth) % 3 === 0;
  return {
    ...{ name, version: 1, input: rolledSchema, output: rolledSchema, concurrency: 64 },
    run: async (record) =>
      emitRecord(
        name === 'judge' ? { ...record, quality: said(isRight(record) ? 'correct' : 'incorrect') } : record,
      ),
  };
}

async function writeTasks(path: string): Promise<void> {
  const file = createWriteStream(path);
  for (let row = 0; row < tasks; row++) {
    const question = `Which river flows past town number ${row}?`;
    const line = `${JSON.stringify({ id: `q${row}`, question, answer: `river ${row}` })}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

async function main(): Promise<void> {
  const path = join(folder, 'tasks.jsonl');
  await writeTasks(path);
  const source = { ...taskSourceConfigSchema.parse({ file: path, profile: 'mhqa' }), path };
  const stages: OpenedStage[] = [
    {
      kind: 'source',
      stage: createTaskSource({ sources: [source], onBadTask: 'fail', profiles: builtinRegistry }),
    },
    { kind: 'corpus', stage: createQuestionDedupStage('drop') },
    ...[rollout, passing('convert'), passing('judge'), passing('filter')].map((stage) => ({
      kind: 'record',
      stage,
    })),
  ] as OpenedStage[];
  let rolled = 0;
  const began = performance.now();
  const firsts = new Map<StageName, number>();
  const ends = new Map<StageName, number>();
  const { signal } = new AbortController();
  const events = await openEventLog(folder, systemClock);
  await runStages({
    runFolder: folder,
    stages: stages.map((opened) => {
      const { name, version } = opened.stage;
      return { stage: name, version, configHash: '', settings: {}, opened };
    }),
    stop: { drain: signal, signal },
    events,
    observer: {
      stageStarted() {},
      outcome(stage) {
        if (stage === 'rollout') rolled++;
        if (!firsts.has(stage)) firsts.set(stage, performance.now() - began);
      },
      stageFinished: (stage) => void ends.set(stage, performance.now() - began),
    },
    log: () => {},
  });
  await events.close();
  const seconds = (ms: number | undefined) => Number(((ms ?? 0) / 1000).toFixed(2));
  console.log(
    JSON.stringify({
      tasks,
      rollouts: rolled,
      first_s: Object.fromEntries([...firsts].map(([stage, ms]) => [stage, seconds(ms)])),
      end_s: Object.fromEntries([...ends].map(([stage, ms]) => [stage, seconds(ms)])),
      cpu_us_a_task: Math.round((process.cpuUsage().user + process.cpuUsage().system) / tasks),
      peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    }),
  );
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}
