import type { StageName } from '../../contract/stageTable.ts';
import type { FailureCause } from '../../schemas/outcome.ts';
import type { StageCounts } from '../../schemas/run/stageFile.ts';
import { RunError } from './runError.ts';
import { readLedger } from './stageJournals.ts';

/** How an endpoint fails a task, whatever the task is. */
const endpointFailures: readonly FailureCause[] = [
  'endpoint_refused',
  'endpoint_rejected',
  'endpoint_error',
  'endpoint_timeout',
  'endpoint_rate_limited',
  'not_cached',
];

/**
 * A rollout in which the endpoint failed every task says nothing about the tasks, nor does a judge whose model could
 * not be asked about any: they are pending.
 */
export async function failedThroughout(
  folder: string,
  stage: StageName,
  { entered, failed }: StageCounts,
): Promise<Error | undefined> {
  const isJudge = stage === 'judge';
  const causes: readonly FailureCause[] = isJudge ? ['unscored', 'not_cached'] : endpointFailures;
  const count = causes.reduce((sum, cause) => sum + (failed[cause] ?? 0), 0);
  if ((stage !== 'rollout' && !isJudge) || entered === 0 || count !== entered) return undefined;
  if (isJudge && !(await wasNeverAsked(folder))) return undefined;
  const at = isJudge ? "at the judge's endpoint" : 'at the endpoint';
  return new RunError(
    `all ${entered} tasks failed ${at}; first error: ${await firstFailure(folder, stage)}; fix it (coa-distill doctor may help), then run again: the tasks are still pending`,
  );
}

async function firstFailure(folder: string, stage: StageName): Promise<string> {
  for await (const entry of readLedger(folder, stage)) {
    if (entry.kind === 'fail') return entry.failure.message;
  }
  return 'no failure is in the ledger';
}

/** True when no judgement failed for what a model or a rule said. */
async function wasNeverAsked(folder: string): Promise<boolean> {
  for await (const entry of readLedger(folder, 'judge')) {
    if (entry.kind !== 'fail') return false;
    const { cause, evidence } = entry.failure;
    if (cause !== 'not_cached' && evidence.cut_short !== true) return false;
  }
  return true;
}
