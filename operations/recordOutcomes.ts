import { z } from 'zod';
import type { StageName } from '../contract/stageTable.ts';
import { stagesOfRun } from '../pipeline/run/runFile.ts';
import { isStageDone, readStageFile } from '../pipeline/run/stageFiles.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { readLedger } from '../pipeline/run/stageJournals.ts';
import type { LedgerEntry } from '../schemas/outcome.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/** What is read of a record that a run keeps: of a dataset's sample, or of what an earlier stage hands on. */
const keptSchema = z.object({
  id: z.string(),
  task_id: z.string().optional(),
  rollout: z.int().optional(),
  repeats: z.int().optional(),
  sampling: z.object({ repeats: z.int() }).optional(),
});

/** How one record of a task ended. */
export interface RecordOutcome {
  readonly kind: 'kept' | 'dropped' | 'failed';
  /** The stage that let it end. */
  readonly stage: string;
  /** Drop reason or failure cause; null when kept. */
  readonly reason: string | null;
  /** The record's id at that stage. */
  readonly record_id: string;
  /** Which of the task's rollouts it is of, from 0; absent for the first. */
  readonly rollout?: number;
  /** Rows of the dataset that it is or would be; 0 unless kept. */
  readonly rows: number;
}

/** The records of a run, as far as its stages are finished. */
export interface OutcomesOfRun {
  /** By task; those of one task in the order of their ids. */
  readonly ends: ReadonlyMap<string, readonly RecordOutcome[]>;
  /** The stage up to which all are finished; what it handed on counts as kept. */
  readonly upTo: string;
}

/** How the records of every task of a run ended. Holds a few words a record. */
export async function recordOutcomes(folder: string, run: RunFile): Promise<OutcomesOfRun> {
  const ends = new Map<string, RecordOutcome[]>();
  const add = (taskId: string, end: RecordOutcome): void => {
    const ofTask = ends.get(taskId);
    if (ofTask) ofTask.push(end);
    else ends.set(taskId, [end]);
  };
  const finished = await finishedStages(folder, run);
  for (const stage of finished) {
    for await (const entry of readLedger(folder, stage)) add(entry.task_id, endOf(stage, entry));
  }
  const last = finished.at(-1) ?? 'tasks';
  for await (const { record } of stageRecords(folder, last, keptSchema)) {
    const { id, task_id = id, rollout, repeats, sampling } = record;
    const rows = repeats ?? sampling?.repeats ?? 1;
    add(task_id, {
      kind: 'kept',
      stage: last,
      reason: null,
      record_id: id,
      ...(rollout && { rollout }),
      rows,
    });
  }
  for (const ofTask of ends.values()) ofTask.sort(compareOutcomes);
  return { ends, upTo: last };
}

/** By id; of one id what is kept stands before its duplicates. */
function compareOutcomes(a: RecordOutcome, b: RecordOutcome): number {
  if (a.record_id !== b.record_id) return a.record_id < b.record_id ? -1 : 1;
  return Number(b.kind === 'kept') - Number(a.kind === 'kept');
}

function endOf(stage: string, entry: LedgerEntry): RecordOutcome {
  const { record_id, rollout } = entry;
  const of = { stage, record_id, ...(rollout !== undefined && { rollout }), rows: 0 };
  return entry.kind === 'drop'
    ? { kind: 'dropped', reason: entry.reason, ...of }
    : { kind: 'failed', reason: entry.failure.cause, ...of };
}

/** The stages before the first that is pending or stale: later ones may hold what is out of date. */
async function finishedStages(folder: string, run: RunFile): Promise<StageName[]> {
  const finished: StageName[] = [];
  for (const stage of stagesOfRun(run)) {
    const file = await readStageFile(folder, stage);
    // The files of an imported run are in the place of its first stages.
    if (run.imported && !file && finished.length === 0) continue;
    if (file?.config_hash !== run.stage_hashes[stage] || !(await isStageDone(folder, stage))) break;
    finished.push(stage);
  }
  return finished;
}
