import { Journal } from '../../base/journal/journal.ts';
import { scanJournal } from '../../base/journal/scanJournal.ts';
import { UserError } from '../../base/userError.ts';
import { type StageName, stageNames, stageRow, stagesBefore } from '../../contract/stageTable.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { type FailureCause, isOfPlayer } from '../../schemas/failureCauses.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RetryLine } from '../../schemas/run/journalLines.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { markGrowing, markStaleFrom } from './markStale.ts';
import { readStageFile, stagePaths } from './stageFiles.ts';
import { readLedger } from './stageJournals.ts';

export type RetryOptions = (
  | { readonly kind: 'failed'; readonly cause?: FailureCause }
  /** All rollouts of the task if none is given. */
  | { readonly kind: 'task'; readonly taskId: string; readonly rollout?: number }
) & {
  /** Excludes failures of the student: in an evaluation they count as wrong, and a retry would raise the score. */
  readonly unscoredOnly?: boolean;
};

export interface RetriedInputs {
  readonly stage: StageName;
  readonly inputs: number;
}

/** Fields that tell whether a run's rollouts depend on the judge. */
type RetriedRun = Pick<RunFile, 'config' | 'imported'>;
type Failure = Extract<LedgerEntry, { kind: 'fail' }>;

/**
 * Reopens failed inputs at the first stage that has any. Later stages keep their output for the other inputs if
 * possible, otherwise become stale. The ledger keeps the failures and gets a retry line for each.
 *
 * @param run settings of the run; absent: no rollouts depend on the judge
 * @throws UserError if no failure matches
 */
export async function retryFailed(
  runFolder: string,
  options: RetryOptions,
  run?: RetriedRun,
): Promise<RetriedInputs> {
  for (const stage of stageNames) {
    const failures = await failuresOf(runFolder, stage, options);
    if (failures.length === 0) continue;
    if (stageRow(stage).kind === 'record') await reopenInputs(runFolder, stage, failures, run);
    else await markStaleFrom(runFolder, stage);
    return { stage, inputs: failures.length };
  }
  throw new UserError(await nothingFailed(runFolder, options));
}

/** True if {@link retryFailed} would find an input to reopen. */
export async function hasFailed(runFolder: string, options: RetryOptions): Promise<boolean> {
  for (const stage of stageNames) if ((await failuresOf(runFolder, stage, options)).length > 0) return true;
  return false;
}

async function failuresOf(runFolder: string, stage: StageName, options: RetryOptions): Promise<RetryLine[]> {
  const failures: RetryLine[] = [];
  for await (const entry of readLedger(runFolder, stage)) {
    if (entry.kind === 'fail' && isMeant(entry, options)) failures.push(takenBack(entry));
  }
  return failures;
}

/** Retry line of a failure, without its long evidence. */
function takenBack({ index, record_id, task_id, failure }: Failure): RetryLine {
  return { kind: 'retry', index, record_id, task_id, cause: failure.cause };
}

function isMeant({ task_id, rollout = 0, failure }: Failure, options: RetryOptions): boolean {
  if (options.unscoredOnly && isOfPlayer(failure.cause)) return false;
  if (options.kind === 'task') return task_id === options.taskId && (options.rollout ?? rollout) === rollout;
  return options.cause === undefined || failure.cause === options.cause;
}

/** Stage files are written before the ledger, so that an interruption leaves less marked as done, never more. */
async function reopenInputs(
  runFolder: string,
  stage: StageName,
  failures: readonly RetryLine[],
  run: RetriedRun | undefined,
): Promise<void> {
  await markGrowing(
    runFolder,
    followsJudge(run) && !stagesBefore('rollout').includes(stage) ? 'rollout' : stage,
  );
  const path = stagePaths(runFolder, stage).ledger;
  const ledger = await Journal.open(path, await scanJournal(path, () => {}));
  for (const line of failures) ledger.append(line);
  await ledger.close();
}

/** True if a verdict on another try may require further rollouts. */
function followsJudge(run: RetriedRun | undefined): boolean {
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  return teacher !== undefined && run?.imported === undefined && dependsOnJudge(rolloutPlan(teacher));
}

async function nothingFailed(runFolder: string, options: RetryOptions): Promise<string> {
  const causes = new Set<string>();
  for (const stage of stageNames) {
    for await (const entry of readLedger(runFolder, stage)) {
      if (entry.kind === 'fail') causes.add(entry.failure.cause);
      else if (options.kind === 'task' && entry.task_id === options.taskId)
        return `--retry: ${options.taskId} did not fail: ${stage} dropped it as ${entry.reason}, which another try would find again`;
    }
  }
  const there =
    causes.size === 0 ? 'nothing failed' : `causes of failures are: ${[...causes].sort().join(', ')}`;
  const rest = (await hasPending(runFolder)) ? '; what is pending is resumed without --retry' : '';
  return options.kind === 'task'
    ? `--retry: no failure of a task ${options.taskId} in ${runFolder}; ${there}; a task's id is the task_id of its line in a ledger.jsonl${rest}`
    : `--retry: nothing in ${runFolder} failed${options.cause === undefined ? '' : ` as ${options.cause}; ${there}`}${rest}`;
}

async function hasPending(runFolder: string): Promise<boolean> {
  for (const stage of stageNames) {
    if ((await readStageFile(runFolder, stage))?.complete === false) return true;
  }
  return false;
}
