import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { systemClock } from '../../base/systemClock.ts';
import type { JobRecord } from '../../schemas/training/jobRecord.ts';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { jobFolderOf, readJob } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { GrowingJobCurve, type JobCurve } from './jobCurve.ts';

/** Where a job is. `gone`: it has ended, and nobody has written down how. */
export interface JobStanding {
  readonly kind: 'running' | 'queued' | 'ended' | 'gone' | 'unknown';
  /** What its launcher says of it, or why that is not known; may be empty. */
  readonly note: string;
}

/** A training job that was started, as far as it has come. */
export type ViewedJob = Awaited<ReturnType<typeof viewedJob>>;

/** One job that was started, as far as it has come. Throws `UserError` when its record is damaged. */
export async function viewedJob(runFolder: string, name: string) {
  const folder = jobFolderOf(runFolder, name);
  const record = (await readJob(folder))!;
  const standing = await standingOf(folder, record);
  return { record, standing, curve: await curveOf(folder, record) };
}

interface ReadLog {
  readonly attempts: number;
  /** Of the log as it was when it was read. */
  readonly stamp: string;
  /** Reads on while the job goes on; of one that has ended a million steps would fill the memory for nothing. */
  readonly reads: { readonly log: TrainingLog; readonly lines: GrowingJobCurve } | undefined;
  readonly curve: Promise<JobCurve>;
}

/** A log of a million steps takes seconds to read: each line is read once. */
const readLogs = new Map<string, ReadLog>();

async function curveOf(folder: string, record: JobRecord): Promise<JobCurve> {
  const written = await ifThere(stat(join(folder, record.follow.metrics_file)));
  const stamp = `${written?.size} ${written?.mtimeMs}`;
  const attempts = record.attempts.length;
  const before = readLogs.get(folder);
  // Each attempt may begin its log again.
  const last = before?.attempts === attempts ? before : undefined;
  if (last?.stamp === stamp) return last.curve;
  const reads = last?.reads ?? { log: new TrainingLog(folder, record), lines: new GrowingJobCurve() };
  const curve = Promise.resolve(last?.curve).then(async () => {
    await reads.log.readInto(reads.lines);
    return reads.lines.drawn();
  });
  const hasEnded = record.attempts.at(-1)?.end != null;
  readLogs.set(folder, { attempts, stamp, reads: hasEnded ? undefined : reads, curve });
  return curve;
}

/** Schedulers are asked by commands of their own, which is not done with every look at a page. */
const ASK_AGAIN_MS = 15_000;
const asked = new Map<string, { readonly atMs: number; readonly standing: Promise<JobStanding> }>();

/** Where a job is: as it was written down, or else as its launcher sees it. */
async function standingOf(folder: string, record: JobRecord): Promise<JobStanding> {
  const attempt = record.attempts.at(-1);
  if (!attempt) return { kind: 'unknown', note: 'it was never started' };
  if (attempt.end) return { kind: 'ended', note: '' };
  const last = asked.get(folder);
  const now = systemClock.monotonicMs();
  if (last && now - last.atMs < ASK_AGAIN_MS) return last.standing;
  const standing = askLauncher(folder, record);
  if (!launcherTable[record.plan.launcher].runsHere) asked.set(folder, { atMs: now, standing });
  return standing;
}

async function askLauncher(folder: string, { plan, attempts }: JobRecord): Promise<JobStanding> {
  try {
    const state = await launcherTable[plan.launcher].open(systemClock).state(attempts.at(-1)!.handle, folder);
    if (state.kind === 'ended') return { kind: 'gone', note: state.message ?? '' };
    return { kind: state.kind, note: state.kind === 'queued' ? state.reason : '' };
  } catch (error) {
    return { kind: 'unknown', note: (error as Error).message };
  }
}
