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

/** What of a line of a journal names records: of records that went on, or of a ledger. */
const namingSchema = z.object({
  task_id: z.string(),
  input_id: z.string().optional(),
  record_id: z.string().optional(),
  records: z.array(z.object({ id: z.string() })).default([]),
});
const rowPattern = /^(?:(train|validation)[:#])?(\d+)$/;

/**
 * The tasks that an id of any kind belongs to: the id of a task, trace or trajectory, the id that the task file gave,
 * or a row of the dataset (`train:12`, `validation:3`, from 0; `12` where no task has this id). None where the run has
 * none; several where task files give one id to more than one.
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

/** Looks for the id in the bytes of every journal: a run may hold traces of gigabytes, which need not be parsed. */
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

/** A line may hold the same words anywhere else, in a profile's name or an observation. */
function namesRecord(line: z.infer<typeof namingSchema>, id: string): boolean {
  const { task_id, input_id, record_id, records } = line;
  return [task_id, input_id, record_id, ...records.map((record) => record.id)].includes(id);
}

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

interface PlacedStep {
  readonly index: number;
  readonly step: StoryStep;
}

/**
 * Everything that a run did with a task, stage by stage, failures that were tried again included: by the number of the
 * rollout, its second try behind it, whichever ended first.
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
 * Steps of one input stay together, in the order in which they came.
 *
 * @param repaired - The rollout that each second try repairs, by its own number: later stages do not say it.
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

/** Whole lines that hold a task's id; the others are not parsed. */
async function* linesWith(
  { folder, path }: { readonly folder: string; readonly path: string },
  taskId: string,
): AsyncGenerator<RawLine> {
  const quoted = Buffer.from(JSON.stringify(taskId));
  for await (const line of readLines(path, 0, folder))
    if (line.whole && line.bytes.includes(quoted)) yield line;
}
