import { type RawLine, readLines } from '../../base/journal/readLines.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { parseLedgerLine } from '../../pipeline/run/readLedger.ts';
import { parseRecordLine } from '../../pipeline/run/recordLines.ts';
import { stagePaths } from '../../pipeline/run/stagePaths.ts';
import { stagesOfRun } from '../../pipeline/run/stagesOfRun.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../../schemas/outcome.ts';
import type { RetryLine } from '../../schemas/run/journalLines.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';

/** What one stage did with one input of a task. */
export type StoryStep =
  | {
      readonly stage: StageName;
      readonly kind: 'emitted';
      readonly input_id: string;
      readonly records: readonly JsonObject[];
    }
  | { readonly stage: StageName; readonly kind: 'retry'; readonly input_id: string; readonly cause: string }
  | { readonly stage: StageName; readonly kind: 'dropped' | 'failed'; readonly entry: LedgerEntry };

/** Everything that a run did with a task, stage by stage, failures that were tried again included. */
export async function taskStory(folder: string, run: RunFile, taskId: string): Promise<StoryStep[]> {
  const steps: StoryStep[] = [];
  for (const stage of stagesOfRun(run)) {
    steps.push(...(await ledgerSteps(folder, stage, taskId)), ...(await recordSteps(folder, stage, taskId)));
  }
  return steps;
}

async function recordSteps(folder: string, stage: StageName, taskId: string): Promise<StoryStep[]> {
  const steps: StoryStep[] = [];
  for await (const raw of linesWith(stagePaths(folder, stage).records, taskId)) {
    const line = parseRecordLine(folder, stage, raw);
    if (line.task_id !== taskId) continue;
    steps.push({ stage, kind: 'emitted', input_id: line.input_id, records: line.records as JsonObject[] });
  }
  return steps;
}

async function ledgerSteps(folder: string, stage: StageName, taskId: string): Promise<StoryStep[]> {
  const steps: StoryStep[] = [];
  for await (const raw of linesWith(stagePaths(folder, stage).ledger, taskId)) {
    const line = parseLedgerLine(folder, stage, raw);
    if (line.task_id === taskId) steps.push(ledgerStep(stage, line));
  }
  return steps;
}

function ledgerStep(stage: StageName, line: LedgerEntry | RetryLine): StoryStep {
  if (line.kind === 'retry') return { stage, kind: 'retry', input_id: line.record_id, cause: line.cause };
  const entry = ledgerEntrySchema.parse(line);
  return { stage, kind: entry.kind === 'drop' ? 'dropped' : 'failed', entry };
}

/** Whole lines that hold a task's id; the others are not parsed. */
async function* linesWith(path: string, taskId: string): AsyncGenerator<RawLine> {
  const quoted = Buffer.from(JSON.stringify(taskId));
  for await (const line of readLines(path)) if (line.whole && line.bytes.includes(quoted)) yield line;
}
