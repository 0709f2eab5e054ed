import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, safeParseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { RUNS_DIR, runNames } from '../../operations/runNames.ts';
import { playedRolloutSchema } from '../../schemas/rl/playedRollout.ts';
import type { AttemptEnd } from '../../schemas/training/jobRecord.ts';
import { plainConsole } from '../../training/causes/crashCause.ts';
import { listCheckpoints } from '../../training/checkpoints.ts';
import { readFileFrom } from '../../training/follow/readFileFrom.ts';
import { jobFolderOf, startedJobs } from '../../training/jobFolder.ts';
import { rolloutsFolder } from '../../training/trainers/rl/rlWork.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import type { JobAnswer, ShownRollout } from '../api.ts';
import type { RunSource } from './runSource.ts';
import { viewedJob } from './viewedJob.ts';

/** The run of a job: its folder, and the questions of its tasks. */
type PlayedRun = Pick<RunSource, 'runFolder' | 'questionOf'>;

/** The end of the console that is shown. */
const MAX_PRINTED_BYTES = 16 * 1024;
/** Steps of which rollouts are shown, and rollouts of each. */
const MAX_STEPS = 3;
const MAX_ROLLOUTS = 8;
const MAX_ROLLOUT_BYTES = 4 * 1024 * 1024;

/** A run's training job as far as it has come. Throws `UserError` where the run has none of that name. */
export async function jobAnswer(run: PlayedRun, job: string): Promise<JobAnswer> {
  const { runFolder } = run;
  if (!(await startedJobs(runFolder)).includes(job)) throw new UserError(`no training job "${job}"`);
  const folder = jobFolderOf(runFolder, job);
  const viewed = await viewedJob(runFolder, job);
  const { record } = viewed;
  const { console_file, checkpoint_folder } = record.follow;
  const { checkpoints: rules } = trainerTable[record.plan.trainer];
  return {
    ...viewed,
    checkpoints: await listCheckpoints(rules, join(folder, checkpoint_folder)),
    lastWords: wordsOf(record.attempts.at(-1)?.end),
    printed: await endOfConsole(join(folder, console_file)),
    rollouts: await latestRollouts(join(folder, rolloutsFolder), run),
  };
}

/** The jobs of all runs that were started, as `RUN/JOB`. */
export async function jobsAnswer() {
  const jobs: string[] = [];
  for (const run of runNames())
    jobs.push(...(await startedJobs(join(RUNS_DIR, run))).map((job) => `${run}/${job}`));
  return { jobs };
}

/** A job that finished, or was stopped, had nothing to say about why. */
function wordsOf(end: AttemptEnd | null | undefined): string {
  if (!end || end.outcome === 'finished' || (end.outcome === 'stopped' && end.cause === null)) return '';
  return end.last_words;
}

/** Whole lines from the end of what a job printed. */
async function endOfConsole(path: string): Promise<string> {
  const { bytes, end } = await readFileFrom(path, 0, MAX_PRINTED_BYTES);
  const text = bytes.toString('utf8');
  return plainConsole(end > bytes.length ? text.slice(text.indexOf('\n') + 1) : text).join('\n');
}

async function latestRollouts(folder: string, run: PlayedRun): Promise<JobAnswer['rollouts']> {
  const names = await readdir(folder).catch(() => []);
  const steps = names
    .flatMap((name) => (/^\d+\.jsonl$/.test(name) ? Number.parseInt(name, 10) : []))
    .sort((a, b) => b - a)
    .slice(0, MAX_STEPS);
  return Promise.all(
    steps.map(async (step) => ({ step, rollouts: await firstRollouts(join(folder, `${step}.jsonl`), run) })),
  );
}

async function firstRollouts(path: string, run: PlayedRun): Promise<ShownRollout[]> {
  const { bytes } = await readFileFrom(path, 0, MAX_ROLLOUT_BYTES);
  const parsed = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => safeParseJson(line));
  return parsed
    .flatMap((line) => (line.ok && isJsonObject(line.value) ? [line.value] : []))
    .slice(0, MAX_ROLLOUTS)
    .map((line) => {
      const { data } = playedRolloutSchema.safeParse(line);
      return data ? { ...data, question: run.questionOf(data.task_id) ?? '' } : { raw: line };
    });
}
