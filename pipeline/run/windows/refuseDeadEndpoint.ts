import type { Bitset } from '../../../base/bitset.ts';
import { type StageName, stageRow } from '../../../contract/stageTable.ts';
import { RunError } from '../runError.ts';
import { readLedger, readRecordLines } from '../stageJournals.ts';

/** The tasks of one window at the stage that asks the teacher. */
interface WindowTasks {
  readonly stage: StageName;
  /** Places of those that were there before. */
  readonly earlier: Bitset;
  /** Inputs of the stage that each task may have. */
  readonly inputsATask: number;
}

/**
 * Further windows would fail as one did of which the endpoint answered nothing, down to the last task.
 *
 * @throws RunError where all of a window's tasks failed as unasked
 */
export async function refuseDeadEndpoint(
  runFolder: string,
  { stage, earlier, inputsATask }: WindowTasks,
): Promise<void> {
  const { endpoint } = stageRow(stage);
  const isNew = (index: number) => !earlier.has(Math.floor(index / inputsATask));
  if (!endpoint) return;
  for await (const { index } of readRecordLines(runFolder, stage)) if (isNew(index)) return;
  let failed = 0;
  let first: string | undefined;
  for await (const entry of readLedger(runFolder, stage)) {
    if (!isNew(entry.index)) continue;
    if (entry.kind !== 'fail' || !endpoint.isUnasked(entry.failure)) return;
    failed++;
    first ??= entry.failure.message;
  }
  if (failed === 0) return;
  throw new RunError(
    `all ${failed} new inputs of ${stage} failed at ${endpoint.name}; first error: ${first}; no further window is begun for the target; fix it, then run again with --retry failed`,
  );
}
