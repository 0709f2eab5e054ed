import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ZodError, z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson } from '../../base/json.ts';
import { modelsOf } from '../../operations/report/listedRuns.ts';
import { readStatus, stateOf } from '../../operations/report/readStatus.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { preferenceNotice } from '../../schemas/preferenceCounts.ts';
import { type ReportData, rolloutsOfTasks } from '../../schemas/report.ts';
import { memberNotices, rolloutNotice } from '../../schemas/rolloutRates.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { fewTestsNotice } from '../../schemas/tasksByTests.ts';
import { startedJobs } from '../../training/jobFolder.ts';
import type { ViewedJob } from './viewedJob.ts';

/** State of earlier reads; absent for a single look. */
interface Followed {
  readonly spend?: SpendSeries;
  readonly ends?: Parameters<typeof readStatus>[2];
}

/** Describes a run without its records: progress, spending, results. Unreadable parts are listed in `problems`. */
export async function describeRun(
  name: string,
  folder: string,
  run: RunFile,
  { spend = new SpendSeries(folder), ends }: Followed = {},
) {
  const problems: string[] = [];
  const manifest = await readPart(problems, () => readManifest(folder), null);
  const status = await readPart(problems, () => readStatus(folder, run, ends), null);
  return {
    name,
    status,
    state: status && stateOf(status),
    /** Rollouts, if there are more than tasks; otherwise null. */
    rollouts: (status && rolloutsOfTasks(status.funnel, status.target)) ?? null,
    created_at: run.created_at,
    manifest,
    settings: run.config,
    /** Run that this one was refiltered from, with its settings. */
    variant_of: run.variant_of ?? null,
    models: modelsOf(run) as readonly string[],
    minutes: await readPart<readonly SpendMinute[]>(problems, () => spend.read(), []),
    jobs: await jobsOf(folder, problems),
    /** Warnings about the dataset. */
    notices: noticesOf(manifest),
    /** Unreadable parts, with the reason. */
    problems,
  };
}

function noticesOf(manifest: Manifest | null): string[] {
  const { tasks_by_tests = {}, preference } = manifest ?? {};
  const fewTests = fewTestsNotice(tasks_by_tests);
  return [
    ...(fewTests === undefined ? [] : [`Few tests: ${fewTests}`]),
    ...(preference ? [preferenceNotice(preference)] : []),
  ];
}

async function jobsOf(folder: string, problems: string[]): Promise<ViewedJob[]> {
  const jobs: ViewedJob[] = [];
  for (const name of await startedJobs(folder)) {
    const { viewedJob } = await import('./viewedJob.ts');
    const job = await readPart(problems, () => viewedJob(folder, name), undefined);
    if (job) jobs.push(job);
  }
  return jobs;
}

/** Report of a run, without the content of {@link describeRun}. */
export function reportAnswer({ settings, funnel, manifest, models, workers, ...data }: ReportData) {
  const rates = manifest?.rollouts;
  /** Pass rates as text; empty for one rollout per task. */
  const rollout_notices = rates ? [rolloutNotice(rates), ...memberNotices(rates)] : [];
  return { ...data, rollout_notices };
}

/** Message for an error in reading a run folder; names settings of another version. */
export function storedProblem(error: Error): string {
  if (!(error instanceof ZodError)) return error.message;
  const [issue] = error.issues;
  const where = issue?.path.join('.');
  return `the settings of this run are damaged, or of another version (${where ? `${where}: ` : ''}${issue?.message})`;
}

/** Reads a part of a page; on failure adds to `problems` and returns `otherwise`. */
export async function readPart<T>(problems: string[], read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    problems.push(storedProblem(error as Error));
    return otherwise;
  }
}

const MINUTE_MS = 60_000;
/** Lines between two yields to the event loop. */
const LINES_A_TURN = 2_000;

const lineSchema = z.union([
  z.object({ at: z.string(), event: z.enum(['model_call', 'attempt_retried']) }),
  z.object({ at: z.string(), kind: z.enum(['billed', 'workers']), cost_usd: z.number(), tokens: z.number() }),
]);

export interface SpendMinute {
  readonly at_ms: number;
  calls: number;
  retries: number;
  cost_usd: number;
  tokens: number;
}

/** Requests and bills by minute, read incrementally from the logs. */
export class SpendSeries {
  readonly #runFolder: string;
  readonly #files: { readonly path: string; offset: number }[];
  readonly #minutes = new Map<number, SpendMinute>();
  #reading: Promise<SpendMinute[]> = Promise.resolve([]);

  constructor(runFolder: string) {
    this.#runFolder = runFolder;
    this.#files = ['events.jsonl', 'spending.jsonl'].map((name) => ({
      path: join(runFolder, name),
      offset: 0,
    }));
  }

  /**
   * Minutes with requests or bills, in order. Concurrent reads would count lines twice, so each continues after the
   * previous one.
   */
  read(): Promise<SpendMinute[]> {
    this.#reading = this.#reading.catch(() => []).then(() => this.#readOn());
    return this.#reading;
  }

  async #readOn(): Promise<SpendMinute[]> {
    let lines = 0;
    for (const file of this.#files) {
      for await (const { bytes, offset, whole } of readLines(file.path, file.offset, this.#runFolder)) {
        if (!whole) break;
        file.offset = offset + bytes.length + 1;
        const json = safeParseJson(bytes.toString('utf8'));
        const line = lineSchema.safeParse(json.ok ? json.value : undefined);
        if (line.success) this.#add(line.data);
        if (++lines % LINES_A_TURN === 0) await nextTurn();
      }
    }
    return [...this.#minutes.values()].sort((a, b) => a.at_ms - b.at_ms);
  }

  #add(line: z.infer<typeof lineSchema>): void {
    const atMs = Math.floor(Date.parse(line.at) / MINUTE_MS) * MINUTE_MS;
    if (Number.isNaN(atMs)) return;
    const minute = this.#minutes.get(atMs) ?? { at_ms: atMs, calls: 0, retries: 0, cost_usd: 0, tokens: 0 };
    this.#minutes.set(atMs, minute);
    if ('kind' in line) {
      minute.cost_usd += line.cost_usd;
      minute.tokens += line.tokens;
    } else if (line.event === 'attempt_retried') minute.retries++;
    else minute.calls++;
  }
}
