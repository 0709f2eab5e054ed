import { quoteShellWord } from '../../base/shellWord.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import { RunError } from './runError.ts';
import { readLedger } from './stageJournals.ts';

/** Why a stage's work is worthless: its endpoint answered about none of the inputs, so that all of them are pending. */
export async function failedThroughout(
  folder: string,
  stage: StageName,
  { entered, emitted_inputs, dropped }: StageCounts,
  configFile: string,
): Promise<RunError | undefined> {
  const { endpoint } = stageRow(stage);
  const isAnyUnfailed = emitted_inputs > 0 || Object.keys(dropped).length > 0;
  if (!endpoint || entered === 0 || isAnyUnfailed) return undefined;
  let first: string | undefined;
  for await (const entry of readLedger(folder, stage)) {
    if (entry.kind !== 'fail' || !endpoint.isUnasked(entry.failure)) return undefined;
    first ??= entry.failure.message;
  }
  return new RunError(
    `${entered === 1 ? 'the only task' : `all ${entered} tasks`} failed at ${endpoint.name}; first error: ${first}; fix it (coa-distill doctor ${quoteShellWord(configFile)} may help), then run again: ${entered === 1 ? 'it is' : 'the tasks are'} still pending`,
  );
}
