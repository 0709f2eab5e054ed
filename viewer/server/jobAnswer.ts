import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileFrom } from '../../base/files/readFileFrom.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { isJsonObject, safeParseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { RUNS_DIR, runNames } from '../../pipeline/run/runNames.ts';
import { playedRolloutSchema } from '../../rl/records/playedRollout.ts';
import type { AttemptEnd } from '../../schemas/training/jobRecord.ts';
import { plainConsole } from '../../training/causes/crashCause.ts';
import { listCheckpoints } from '../../training/checkpoints.ts';
import { jobFolderOf, startedJobs } from '../../training/jobFolder.ts';
import { rolloutsFolder } from '../../training/trainers/rl/rlWork.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import type { RunSource } from './runSource.ts';
import { viewedJob } from './viewedJob.ts';

/** The run of a job: its folder, and the questions of its tasks. */
type PlayedRun = Pick<RunSource, 'runFolder' | 'questionOf'>;

/** The end of the console that is shown. */
const MAX_PRINTED_BYTES = 16 * 1024;
/** Steps of which rollouts can be asked for, and rollouts of each. */
const MAX_STEPS = 20;
const MAX_ROLLOUTS = 8;

/** A run's training job as far as it has come. Throws `UserError` where the run has none of that name. */
export async function jobAnswer({ runFolder }: Pick<PlayedRun, 'runFolder'>, job: string) {
  const folder = await folderOfJob(runFolder, job);
  const viewed = await viewedJob(runFolder, job);
  const { record } = viewed;
  const { console_file, checkpoint_folder } = record.follow;
  const { checkpoints: rules } = trainerTable[record.plan.trainer];
  return {
    ...viewed,
    /** Steps of its checkpoints; those that are not whole were cut off while they were saved. */
    checkpoints: await listCheckpoints(rules, join(folder, checkpoint_folder)),
    /** What the trainer said last, where it failed; empty where it did not. */
    lastWords: wordsOf(record.attempts.at(-1)?.end),
    /** The end of what it printed, without colours and progress bars. */
    printed: await endOfConsole(folder, console_file),
    /** The latest steps of reinforcement learning, the last one first. */
    rollout_steps: await rolloutSteps(join(folder, rolloutsFolder)),
  };
}

async function folderOfJob(runFolder: string, job: string): Promise<string> {
  if (!(await startedJobs(runFolder)).includes(job)) throw new UserError(`no training job "${job}"`);
  return jobFolderOf(runFolder, job);
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
async function endOfConsole(folder: string, file: string): Promise<string> {
  const { bytes, end } = await readFileFrom(join(folder, file), 0, MAX_PRINTED_BYTES, folder);
  const text = bytes.toString('utf8');
  return plainConsole(end > bytes.length ? text.slice(text.indexOf('\n') + 1) : text).join('\n');
}

async function rolloutSteps(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => (/^\d+\.jsonl$/.test(name) ? Number.parseInt(name, 10) : []))
    .sort((a, b) => b - a)
    .slice(0, MAX_STEPS);
}

/**
 * The first rollouts that a step of reinforcement learning played, each with the question of its task, which is empty where
 * the run does not have it; a line of another form as it is. Throws `UserError` as {@link jobAnswer} does.
 */
export async function rolloutsAnswer(run: PlayedRun, job: string, step: number) {
  const folder = await folderOfJob(run.runFolder, job);
  const path = join(folder, rolloutsFolder, `${step}.jsonl`);
  const rollouts = [];
  for await (const { bytes, whole } of readLines(path, 0, folder)) {
    const line = safeParseJson(bytes.toString('utf8'));
    if (!whole || !line.ok || !isJsonObject(line.value)) continue;
    const { data } = playedRolloutSchema.safeParse(line.value);
    rollouts.push(data ? { ...data, question: run.questionOf(data.task_id) ?? '' } : { raw: line.value });
    if (rollouts.length === MAX_ROLLOUTS) break;
  }
  return { rollouts };
}
