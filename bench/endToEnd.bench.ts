/**
 * Whole runs of the examples against their answer-key teacher in a process of its own, 64 calls at once and 200 ms
 * each: CPU ms of the run's own process a model call while it rolls out, CPU seconds of all its processes a kept row,
 * and the share of the endpoint's slots that were in use. The last rollouts leave slots empty whatever is done, so
 * that share is also given up to when the last rollout began. Tasks of a file with fewer are rolled out several times.
 *
 * Goal: slots busy for 95% of that time. Each program of a task takes 20 to 30 ms of a core: at 200 ms an example with one
 * for five calls asks for more than two cores have. ENDTOEND_LATENCY=1000 answers as slowly as models do.
 *
 * Run with `make bench`; ENDTOEND_DATA names the folder with `math500.parquet`, `aime24.parquet`,
 * `livecodebench_v4.parquet` and `nq_500.jsonl`, without which nothing is measured; ENDTOEND_BENCH=nq,math500 chooses
 * examples, ENDTOEND_TASKS=100 how many rollouts of each.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openRowFile } from '../base/rows/openRowFile.ts';
import { exampleFlaws } from '../test/support/answerKey/plantedFlaws.ts';
import { startTeacherServer } from './support/startTeacherServer.ts';
import { watchProcess } from './support/watchProcess.ts';

const CONCURRENCY = 64;
const LATENCY_MS = Number(process.env.ENDTOEND_LATENCY ?? 200);
const ROLLOUTS = Number(process.env.ENDTOEND_TASKS ?? 500);
const MIN_BUSY = 0.95;

const root = fileURLToPath(new URL('..', import.meta.url));
const files = {
  nq: 'nq_500.jsonl',
  math500: 'math500.parquet',
  aime24: 'aime24.parquet',
  livecodebench: 'livecodebench_v4.parquet',
};
const data = process.env.ENDTOEND_DATA;
const chosen = process.env.ENDTOEND_BENCH?.split(',');

if (data === undefined)
  console.log('not measured: ENDTOEND_DATA names no folder with the task files of the examples');
for (const [example, name] of data === undefined ? [] : Object.entries(files)) {
  const file = join(data!, name);
  if (chosen?.includes(example) === false) continue;
  if (existsSync(file)) await measure(example, file);
  else console.log(`${example}: not measured, there is no ${file}`);
}

async function measure(example: string, tasksFile: string): Promise<void> {
  const configFile = join(root, 'examples', `${example}.yaml`);
  const teacher = await startTeacherServer({
    ...{ configFile, tasksFile, latencyMs: LATENCY_MS },
    planted: exampleFlaws,
  });
  const cwd = mkdtempSync(join(tmpdir(), 'endtoend-bench-'));
  const tasks = await countTasks(tasksFile);
  const command = [
    ...['run', configFile, '--tasks', tasksFile, '--limit', String(ROLLOUTS), '--json'],
    ...['--set', `teacher.model.endpoint.concurrency=${CONCURRENCY}`, '--base-url', teacher.baseUrl],
    ...['--set', `teacher.rollouts=${Math.ceil(ROLLOUTS / tasks)}`],
  ];
  try {
    const treeBefore = childrenCpuSeconds();
    const rollout = await coaDistill([...command, '--until', 'rollout'], cwd);
    const seen = await teacher.figures();
    const whole = await coaDistill(command, cwd);
    const treeSeconds = childrenCpuSeconds() - treeBefore;
    const { funnel } = JSON.parse(whole.stdout) as Result;
    const kept = funnel.find(({ stage }) => stage === 'filter')!.emitted;
    const tookMs = seen.lastOutMs - seen.firstInMs;
    const { atMs, busyMs } = seen.lastBegun!;
    const share = (ms: number, of: number) => ms / of / CONCURRENCY;
    const untilLast = share(busyMs, atMs - seen.firstInMs);
    const percent = (part: number) => `${(100 * part).toFixed(1)}%`;
    console.log(
      `${example}, ${tasks} tasks, ${LATENCY_MS} ms: ${seen.requests} calls in ${(tookMs / 1000).toFixed(1)} s, at most ${seen.mostAtOnce} at once; ` +
        `slots busy ${percent(untilLast)} until the last rollout began, ${percent(share(seen.busyMs, tookMs))} of all; ` +
        `${((1000 * rollout.cpuSeconds) / seen.requests).toFixed(2)} CPU ms a call in the run's own process; ` +
        `${(treeSeconds / kept).toFixed(3)} CPU s a kept row (${kept} rows), ${(rollout.wallS + whole.wallS).toFixed(1)} s in all; ` +
        `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`,
    );
    console.log(`    goal ${percent(MIN_BUSY)} busy: ${untilLast >= MIN_BUSY ? 'met' : 'MISSED'}`);
  } finally {
    teacher.close();
    rmSync(cwd, { recursive: true });
  }
}

/** Tasks that a run takes of a file. */
async function countTasks(file: string): Promise<number> {
  let count = 0;
  for await (const _ of (await openRowFile(file)).rows()) {
    count += 1;
    if (count === ROLLOUTS) break;
  }
  return count;
}

/** What is read of `run --json`. */
interface Result {
  readonly funnel: readonly { readonly stage: string; readonly emitted: number }[];
}

async function coaDistill(args: readonly string[], cwd: string) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin/coa-distill.js'), ...args], {
    cwd,
    env: { ...process.env, OPENAI_API_KEY: 'sk-bench-0123456789abcdefghij' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, { cpuSeconds }, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    watchProcess(child.pid!, () => child.exitCode === null),
    once(child, 'exit'),
  ]);
  if (status !== 0) throw new Error(`exit ${status} of ${args.join(' ')}\n${stderr}`);
  return { stdout, cpuSeconds, wallS: (performance.now() - startedAt) / 1000 };
}

/** CPU time of all ended children of this process, and theirs. */
function childrenCpuSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
