import { z } from 'zod';
import { type RawLine, readLines } from '../base/journal/readLines.ts';
import { type JsonObject, jsonValueOf, storedLevels } from '../base/json.ts';
import type { StageName } from '../contract/stageTable.ts';
import { stagesOfRun } from '../pipeline/run/runFile.ts';
import { stagePaths } from '../pipeline/run/stageFiles.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { parseLedgerLine, parseRecordLine } from '../pipeline/run/stageJournals.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../schemas/outcome.ts';
import type { RecordLine, RetryLine } from '../schemas/run/journalLines.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { sampleSchema } from '../schemas/sample.ts';
import { taskSchema } from '../schemas/task.ts';

/** Fields of a journal line that name records: passed records, or a ledger entry. */
const namingSchema = z.object({
  task_id: z.string(),
  input_id: z.string().optional(),
  record_id: z.string().optional(),
  records: z.array(z.object({ id: z.string() })).default([]),
});
const rowPattern = /^(?:(train|validation)[:#])?(\d+)$/;

/**
 * Finds the tasks of an id of any kind: of a task, trace or trajectory, from the task file, or a dataset row
 * (`train:12`, `validation:3`, from 0; `12` if no task has this id). Empty if unknown; several if task files share the
 * id.
 */
export async function findTasks(folder: string, run: RunFile, id: string): Promise<string[]> {
  const given = await tasksOfGivenId(folder, id);
  if (given.length > 0) return given;
  const row = rowPattern.exec(id);
  const ofRow = row && (await taskOfRow(folder, row[1] ?? 'train', Number(row[2])));
  const found = ofRow ?? (await taskOfLine(folder, run, id));
  return found === undefined ? [] : [found];
}

async function taskOfRow(folder: string, split: string, row: number): Promise<string | undefined> {
  for await (const { record } of stageRecords(folder, 'export', sampleSchema)) {
    const { repeats = 1 } = record;
    if (record.split === split && row >= record.row && row < record.row + repeats) return record.task_id;
  }
  return undefined;
}

async function tasksOfGivenId(folder: string, id: string): Promise<string[]> {
  const found = new Set<string>();
  for await (const { record } of stageRecords(folder, 'tasks', taskSchema)) {
    if (record.id === id || record.given_id === id) found.add(record.id);
  }
  return [...found];
}

/** Searches the bytes of every journal without parsing, since a run may hold gigabytes of traces. */
async function taskOfLine(folder: string, run: RunFile, id: string): Promise<string | undefined> {
  const quoted = Buffer.from(JSON.stringify(id));
  for (const stage of stagesOfRun(run)) {
    const { records, ledger } = stagePaths(folder, stage);
    for (const path of [records, ledger]) {
      for await (const { bytes, whole } of readLines(path, 0, folder)) {
        if (!whole || !bytes.includes(quoted)) continue;
        const line = namingSchema.safeParse(jsonValueOf(bytes.toString('utf8'), storedLevels));
        if (line.success && namesRecord(line.data, id)) return line.data.task_id;
      }
    }
  }
  return undefined;
}

/** Confirms a match, since the same text may occur elsewhere in a line. */
function namesRecord(line: z.infer<typeof namingSchema>, id: string): boolean {
  const { task_id, input_id, record_id, records } = line;
  return [task_id, input_id, record_id, ...records.map((record) => record.id)].includes(id);
}

/** Outcome of one input of a task at one stage. */
export type StoryStep =
  | {
      readonly stage: StageName;
      readonly kind: 'emitted';
      readonly input_id: string;
      readonly records: readonly JsonObject[];
    }
  | { readonly stage: StageName; readonly kind: 'retry'; readonly input_id: string; readonly cause: string }
  | { readonly stage: StageName; readonly kind: 'dropped' | 'failed'; readonly entry: LedgerEntry };

interface PlacedStep {
  readonly index: number;
  readonly step: StoryStep;
}

/**
 * History of a task, stage by stage and including retried failures: sorted by rollout number, with its second try after
 * it, regardless of time.
 */
export async function taskStory(folder: string, run: RunFile, taskId: string): Promise<StoryStep[]> {
  const steps: StoryStep[] = [];
  const repaired = new Map<number, number>();
  for (const stage of stagesOfRun(run)) {
    const { records, ledger } = stagePaths(folder, stage);
    const placed: PlacedStep[] = [];
    for await (const raw of linesWith({ folder, path: ledger }, taskId)) {
      const line = parseLedgerLine(folder, stage, raw);
      if (line.task_id === taskId) placed.push({ index: line.index, step: ledgerStep(stage, line) });
    }
    for await (const raw of linesWith({ folder, path: records }, taskId)) {
      const line = parseRecordLine(folder, stage, raw);
      if (line.task_id === taskId) placed.push({ index: line.index, step: recordStep(stage, line) });
    }
    steps.push(...byRollout(placed, repaired));
  }
  return steps;
}

const rolledSchema = z.object({ rollout: z.int().default(0), repairs: z.int().optional() });

/**
 * Groups the steps of one input in order.
 *
 * @param repaired - Rollout that each second try repairs, by its own number, since later stages do not name it.
 */
function byRollout(placed: readonly PlacedStep[], repaired: Map<number, number>): StoryStep[] {
  const rollouts = new Map<number, number>();
  for (const { index, step } of placed) {
    const rolled = step.kind === 'emitted' ? step.records[0] : step.kind === 'retry' ? undefined : step.entry;
    if (rolled === undefined) continue;
    const { rollout, repairs } = rolledSchema.parse(rolled);
    rollouts.set(index, rollout);
    if (repairs !== undefined) repaired.set(rollout, repairs);
  }
  const orderOf = ({ index }: PlacedStep) => {
    const rollout = rollouts.get(index) ?? 0;
    return { first: repaired.get(rollout) ?? rollout, rollout, index };
  };
  const compare = (a: ReturnType<typeof orderOf>, b: typeof a) =>
    a.first - b.first || a.rollout - b.rollout || a.index - b.index;
  return placed.toSorted((a, b) => compare(orderOf(a), orderOf(b))).map(({ step }) => step);
}

export function recordStep(stage: StageName, { input_id, records }: RecordLine): StoryStep {
  return { stage, kind: 'emitted', input_id, records: records as JsonObject[] };
}

export function ledgerStep(stage: StageName, line: LedgerEntry | RetryLine): StoryStep {
  if (line.kind === 'retry') return { stage, kind: 'retry', input_id: line.record_id, cause: line.cause };
  const entry = ledgerEntrySchema.parse(line);
  return { stage, kind: entry.kind === 'drop' ? 'dropped' : 'failed', entry };
}

/** Streams lines that contain a task's id; other lines are not parsed. */
async function* linesWith(
  { folder, path }: { readonly folder: string; readonly path: string },
  taskId: string,
): AsyncGenerator<RawLine> {
  const quoted = Buffer.from(JSON.stringify(taskId));
  for await (const line of readLines(path, 0, folder))
    if (line.whole && line.bytes.includes(quoted)) yield line;
}
