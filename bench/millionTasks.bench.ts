import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/systemClock.ts';
import { emitRecord, type RecordStage } from '../contract/stage.ts';
import type { StageName } from '../contract/stageTable.ts';
import { EventLog } from '../pipeline/run/eventLog.ts';
import { runStages } from '../pipeline/run/runStages.ts';
import type { OpenedStage } from '../pipeline/run/stageState.ts';
import { builtinRegistry } from '../schemas/coa/profileRegistry.ts';
import { taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { type Task, taskSchema } from '../schemas/task.ts';
import { createQuestionDedupStage } from '../stages/dedup/createQuestionDedupStage.ts';
import { createTaskSource } from '../stages/tasks/createTaskSource.ts';

// Many tasks through `tasks`, `dedup` and a rollout that does nothing: what the runner itself costs.
// node bench/millionTasks.bench.ts [--tasks 1000000]

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '1000000' } } });
const tasks = Number(values.tasks);
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));

/** Emits the task as it came. */
const rollout: RecordStage<Task, Task> = {
  name: 'rollout',
  version: 1,
  input: taskSchema,
  output: taskSchema,
  concurrency: 64,
  run: async (task) => emitRecord(task),
};

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
    { kind: 'record', stage: rollout },
  ] as OpenedStage[];
  const began = performance.now();
  const firsts = new Map<StageName, number>();
  const ends = new Map<StageName, number>();
  const { signal } = new AbortController();
  const events = await EventLog.open(folder, systemClock);
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
      outcome: (stage) => void (firsts.has(stage) || firsts.set(stage, performance.now() - began)),
      stageFinished: (stage) => void ends.set(stage, performance.now() - began),
    },
    log: () => {},
  });
  await events.close();
  const seconds = (ms: number | undefined) => Number(((ms ?? 0) / 1000).toFixed(2));
  console.log(
    JSON.stringify({
      tasks,
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
