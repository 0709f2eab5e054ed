import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileFrom } from '../../base/files/readFileFrom.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { isJsonObject, safeParseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { RUNS_DIR, runNames } from '../../pipeline/run/runNames.ts';
import { playedRolloutSchema } from '../../rl/records/playedRollout.ts';
import { rolloutsFolder } from '../../rl/trainers/rlWork.ts';
import type { AttemptEnd } from '../../schemas/training/jobRecord.ts';
import { plainConsole } from '../../training/causes/crashCause.ts';
import { listCheckpoints } from '../../training/checkpoints.ts';
import { jobFolderOf, startedJobs } from '../../training/jobFolder.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import type { RunSource } from './runSource.ts';
import { viewedJob } from './viewedJob.ts';

type PlayedRun = Pick<RunSource, 'runFolder' | 'questionOf'>;

/** Bytes shown of the console's end. */
const MAX_PRINTED_BYTES = 16 * 1024;
/** Maximum steps offered, and rollouts of each. */
const MAX_STEPS = 20;
const MAX_ROLLOUTS = 8;

/** State of a training job. Throws `UserError` for an unknown name. */
export async function jobAnswer({ runFolder }: Pick<PlayedRun, 'runFolder'>, job: string) {
  const folder = await folderOfJob(runFolder, job);
  const viewed = await viewedJob(runFolder, job);
  const { record } = viewed;
  const { console_file, checkpoint_folder } = record.follow;
  const { checkpoints: rules } = trainerTable[record.plan.trainer];
  return {
    ...viewed,
    /** Steps of checkpoints; incomplete ones were cut off while saving. */
    checkpoints: await listCheckpoints(rules, join(folder, checkpoint_folder)),
    /** Last output of a failed trainer; otherwise empty. */
    lastWords: wordsOf(record.attempts.at(-1)?.end),
    /** End of the console, without colours and progress bars. */
    printed: await endOfConsole(folder, console_file),
    /** Latest RL steps, descending. */
    rollout_steps: await rolloutSteps(join(folder, rolloutsFolder)),
  };
}

async function folderOfJob(runFolder: string, job: string): Promise<string> {
  if (!(await startedJobs(runFolder)).includes(job)) throw new UserError(`no training job "${job}"`);
  return jobFolderOf(runFolder, job);
}

/** Started jobs of all runs, as `RUN/JOB`. */
export async function jobsAnswer() {
  const jobs: string[] = [];
  for (const run of runNames())
    jobs.push(...(await startedJobs(join(RUNS_DIR, run))).map((job) => `${run}/${job}`));
  return { jobs };
}

/** Last output, unless the job finished or was stopped. */
function wordsOf(end: AttemptEnd | null | undefined): string {
  if (!end || end.outcome === 'finished' || (end.outcome === 'stopped' && end.cause === null)) return '';
  return end.last_words;
}

/** Whole lines from the console's end. */
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
 * First rollouts of a reinforcement learning step with the question of their task, empty if the run lacks it; lines of
 * another form unchanged. Throws `UserError` as {@link jobAnswer} does.
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
