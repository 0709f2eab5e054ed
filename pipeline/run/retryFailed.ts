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

/** Which failures `--retry` means. */
export type RetryOptions = (
  | { readonly kind: 'failed'; readonly cause?: FailureCause }
  /** All rollouts of the task where none is named. */
  | { readonly kind: 'task'; readonly taskId: string; readonly rollout?: number }
) & {
  /** Spares failures of the player: in an evaluation they are wrong, and another try would raise the score. */
  readonly unscoredOnly?: boolean;
};

/** Inputs that are pending again. */
export interface RetriedInputs {
  readonly stage: StageName;
  readonly inputs: number;
}

/** What of a run says whether its rollouts follow on what the judge finds. */
type RetriedRun = Pick<RunFile, 'config' | 'imported'>;
type Failure = Extract<LedgerEntry, { kind: 'fail' }>;

/**
 * Makes failed inputs pending again, at the first stage that has such ones; later stages keep what they made of the
 * others where they can, and become stale where not. The ledger
 * keeps the failures and gets a line that takes each back.
 *
 * @param run what the run was made with; absent: no rollouts follow on what the judge finds
 * @throws UserError when nothing failed so
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

/** Whether something of a run failed so that {@link retryFailed} would make it pending. */
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

/** A failure as it is taken back: what had been done by then, and the evidence, are long. */
function takenBack({ index, record_id, task_id, failure }: Failure): RetryLine {
  return { kind: 'retry', index, record_id, task_id, cause: failure.cause };
}

function isMeant({ task_id, rollout = 0, failure }: Failure, options: RetryOptions): boolean {
  if (options.unscoredOnly && isOfPlayer(failure.cause)) return false;
  if (options.kind === 'task') return task_id === options.taskId && (options.rollout ?? rollout) === rollout;
  return options.cause === undefined || failure.cause === options.cause;
}

/** Notes on the stages come first: cut off in between, the run has less done than it could, never more. */
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

/** Whether what the judge finds in another try may ask for further rollouts. */
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
