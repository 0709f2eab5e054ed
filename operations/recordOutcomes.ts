import { z } from 'zod';
import type { StageName } from '../contract/stageTable.ts';
import { stagesOfRun } from '../pipeline/run/runFile.ts';
import { isStageDone, readStageFile } from '../pipeline/run/stageFiles.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { readLedger } from '../pipeline/run/stageJournals.ts';
import type { LedgerEntry } from '../schemas/outcome.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/** Fields of a kept record: a dataset sample, or the output of an earlier stage. */
const keptSchema = z.object({
  id: z.string(),
  task_id: z.string().optional(),
  rollout: z.int().optional(),
  repeats: z.int().optional(),
  sampling: z.object({ repeats: z.int() }).optional(),
});

export interface RecordOutcome {
  readonly kind: 'kept' | 'dropped' | 'failed';
  readonly stage: string;
  /** Drop reason or failure cause; null if kept. */
  readonly reason: string | null;
  /** The record's id at that stage. */
  readonly record_id: string;
  /** Rollout number, from 0; absent for the first. */
  readonly rollout?: number;
  /** Number of dataset rows; 0 unless kept. */
  readonly rows: number;
}

export interface OutcomesOfRun {
  /** Outcomes by task; those of one task sorted by id. */
  readonly ends: ReadonlyMap<string, readonly RecordOutcome[]>;
  /** Last finished stage; records it passed on count as kept. */
  readonly upTo: string;
}

/** Outcomes of all records of a run, by task. Memory: a few words per record. */
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

/** Sorts by id, with a kept record before its duplicates. */
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

/** Stages before the first pending or stale one; later ones may be out of date. */
async function finishedStages(folder: string, run: RunFile): Promise<StageName[]> {
  const finished: StageName[] = [];
  for (const stage of stagesOfRun(run)) {
    const file = await readStageFile(folder, stage);
    // Imported files replace the first stages.
    if (run.imported && !file && finished.length === 0) continue;
    if (file?.config_hash !== run.stage_hashes[stage] || !(await isStageDone(folder, stage))) break;
    finished.push(stage);
  }
  return finished;
}
