import { ZodError } from 'zod';
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
import { type SpendMinute, SpendSeries } from './spendSeries.ts';
import type { ViewedJob } from './viewedJob.ts';

/** What is read on from where it was read to before; absent where a run is looked at once. */
interface Followed {
  readonly spend?: SpendSeries;
  readonly ends?: Parameters<typeof readStatus>[2];
}

/** A run without its records: how far it is, what it spent, and what it made. What can't be read is told in `problems`. */
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
    /** Where the run is, in a few words. */
    state: status && stateOf(status),
    /** Rollouts of tasks, where those are more; null where each task has one. */
    rollouts: (status && rolloutsOfTasks(status.funnel, status.target)) ?? null,
    created_at: run.created_at,
    manifest,
    settings: run.config,
    /** The run that this one was decided again from, and what was set. */
    variant_of: run.variant_of ?? null,
    models: modelsOf(run) as readonly string[],
    minutes: await readPart<readonly SpendMinute[]>(problems, () => spend.read(), []),
    jobs: await jobsOf(folder, problems),
    /** What is to be known of the dataset before it is used. */
    notices: noticesOf(manifest),
    /** What could not be read, and why: it was damaged, or written by another version. */
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

/** What the records of a run add up to, as pages show it beside what {@link describeRun} says. */
export function reportAnswer({ settings, funnel, manifest, models, workers, ...data }: ReportData) {
  const rates = manifest?.rollouts;
  /** How often tasks were solved by several rollouts each; empty for a run with one a task. */
  const rollout_notices = rates ? [rolloutNotice(rates), ...memberNotices(rates)] : [];
  return { ...data, rollout_notices };
}

/** What to say of an error in reading what a run's folder holds: of settings that another version wrote, which one. */
export function storedProblem(error: Error): string {
  if (!(error instanceof ZodError)) return error.message;
  const [issue] = error.issues;
  const where = issue?.path.join('.');
  return `the settings of this run are damaged, or of another version (${where ? `${where}: ` : ''}${issue?.message})`;
}

/** Reads a part of what a page shows; where it can't be read, `problems` is told, and the rest is shown without it. */
export async function readPart<T>(problems: string[], read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    problems.push(storedProblem(error as Error));
    return otherwise;
  }
}
