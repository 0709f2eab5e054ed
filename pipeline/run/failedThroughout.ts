import type { Bitset } from '../../base/bitset.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import type { StageOutcome } from '../../contract/stage.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import { RunError } from './runError.ts';
import { readLedger, readRecordLines } from './stageJournals.ts';

/** Error for a stage whose endpoint answered none of the inputs, so that all of them are pending. */
export async function failedThroughout(
  folder: string,
  stage: StageName,
  { entered, emitted_inputs, dropped }: StageCounts,
  configFile: string,
): Promise<RunError | undefined> {
  const isAnyUnfailed = emitted_inputs > 0 || Object.keys(dropped).length > 0;
  const unasked = isAnyUnfailed ? undefined : await allUnasked(folder, stage, () => true);
  const { reads } = stageRow(stage);
  const one = reads === 'document' || reads === 'candidate' ? reads : 'task';
  return (
    unasked &&
    new RunError(
      `${entered === 1 ? `the only ${one}` : `all ${entered} ${one}s`} ${unasked.words}; fix it (coa-distill doctor ${quoteShellWord(configFile)} may help), then run again: ${entered === 1 ? 'it is' : `the ${one}s are`} still pending`,
    )
  );
}

/** Inputs that may fail identically at the start of a session before the stage stops. */
const MAX_EQUAL_FAILURES = 20;

/**
 * Stops a stage at a fault that no retry corrects, such as a wrong key, model or tokenizer, since each input would cost
 * another request.
 *
 * @returns called with each outcome; throws `RunError` once the first 20 all failed with one cause and message
 */
export function refuseEqualFailures(stage: StageName): (outcome: StageOutcome<unknown>) => void {
  const { endpoint } = stageRow(stage);
  let equal: { readonly key: string; count: number } | 'over' = endpoint ? { key: '', count: 0 } : 'over';
  return (outcome) => {
    if (equal === 'over') return;
    const failure = outcome.kind === 'fail' ? outcome.failure : undefined;
    // Numbers in a message often belong to the input.
    const key = failure && `${failure.cause} ${failure.message.replace(/\d+/g, '0')}`;
    const isHopeless = failure && !failure.retryable && endpoint!.isUnasked(failure);
    if (!isHopeless || (equal.count > 0 && key !== equal.key)) equal = 'over';
    else equal = { key: key!, count: equal.count + 1 };
    if (equal === 'over' || equal.count < MAX_EQUAL_FAILURES) return;
    throw new RunError(
      `the first ${equal.count} inputs of ${stage} all failed at ${endpoint!.name}, and no retry corrects it: ${failure!.message}; fix it, then run again with --retry failed`,
    );
  };
}

interface WindowTasks {
  readonly stage: StageName;
  readonly earlier: Bitset;
  /** Maximum inputs of the stage per task. */
  readonly inputsATask: number;
}

/**
 * Stops after a window without any answer from the endpoint, since all further windows would fail too.
 *
 * @throws RunError if all tasks of a window failed without an answer
 */
export async function refuseDeadEndpoint(
  runFolder: string,
  { stage, earlier, inputsATask }: WindowTasks,
): Promise<void> {
  const isNew = (index: number) => !earlier.has(Math.floor(index / inputsATask));
  for await (const { index } of readRecordLines(runFolder, stage)) if (isNew(index)) return;
  const unasked = await allUnasked(runFolder, stage, isNew);
  if (unasked)
    throw new RunError(
      `all ${unasked.count} new inputs of ${stage} ${unasked.words}; no further window is begun for the target; fix it, then run again with --retry failed`,
    );
}

/** Number of inputs for which the endpoint gave no answer; undefined unless that applies to all, or without inputs. */
async function allUnasked(folder: string, stage: StageName, isMeant: (index: number) => boolean) {
  const { endpoint } = stageRow(stage);
  if (!endpoint) return undefined;
  let count = 0;
  let first: string | undefined;
  for await (const entry of readLedger(folder, stage)) {
    if (!isMeant(entry.index)) continue;
    if (entry.kind !== 'fail' || !endpoint.isUnasked(entry.failure)) return undefined;
    count++;
    first ??= entry.failure.message;
  }
  return count === 0 ? undefined : { count, words: `failed at ${endpoint.name}; first error: ${first}` };
}
