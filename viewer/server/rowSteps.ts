import { type StageName, stageNames, stagesWhere } from '../../contract/stageTable.ts';
import { ledgerStep, recordStep, type StoryStep } from '../../operations/taskStory.ts';
import { stagePaths } from '../../pipeline/run/stageFiles.ts';
import { parseLedgerLine, parseRecordLine } from '../../pipeline/run/stageJournals.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';
import { candidateSchema } from '../../synthesis/records/candidate.ts';
import type { LinePlace } from '../index/fields.ts';
import type { RecordIndex } from '../index/recordIndex.ts';
import { readAt } from '../index/runJournals.ts';

/**
 * Steps of a row in all stages, including those of its task before the rollout.
 *
 * @param problems receives unreadable lines
 */
export async function rowSteps(
  runFolder: string,
  index: RecordIndex,
  row: number,
  problems: string[],
): Promise<StoryStep[]> {
  const first = index.columns.task.values[row]!;
  const own = index.placesOf(row);
  const ofTask = first === row ? [] : index.placesOf(first).filter(({ stage }) => taskStages.has(stage));
  const places = [...ofTask, ...own].sort(inOrderOfStages);
  const rollout = Number(/#(\d+)$/.exec(index.rowsAt([row])[0]!.key)?.[1] ?? 0);
  const steps: StoryStep[] = [];
  for (const place of places) {
    try {
      steps.push(onlyRollout(await stepAt(runFolder, place), rollout));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return steps;
}

/** Reads the step of one journal line. Throws if the line is damaged or has changed. */
export async function stepAt(
  runFolder: string,
  { stage, isLedger, offset, length }: LinePlace,
): Promise<StoryStep> {
  const { records, ledger } = stagePaths(runFolder, stage);
  const name = stage as StageName;
  const line = { bytes: await readAt(isLedger ? ledger : records, offset, length, runFolder), number: 0 };
  return isLedger
    ? ledgerStep(name, parseLedgerLine(runFolder, stage, line))
    : recordStep(name, parseRecordLine(runFolder, stage, line));
}

const taskStages: ReadonlySet<string> = new Set(stagesWhere(({ writes }) => writes === 'task'));

function inOrderOfStages(a: LinePlace, b: LinePlace): number {
  const stage = (place: LinePlace) => stageNames.indexOf(place.stage as StageName);
  return stage(a) - stage(b) || Number(b.isLedger) - Number(a.isLedger) || a.offset - b.offset;
}

/** A step restricted to one rollout; undefined if it concerns another. */
export function rolloutOf(step: StoryStep, rollout: number): StoryStep | undefined {
  return 'entry' in step && (step.entry.rollout ?? 0) !== rollout ? undefined : onlyRollout(step, rollout);
}

/** Drops records of other rollouts from a line. */
function onlyRollout(step: StoryStep, rollout: number): StoryStep {
  if (step.kind !== 'emitted' || taskStages.has(step.stage)) return step;
  return { ...step, records: step.records.filter((record) => (record.rollout ?? 0) === rollout) };
}

export type Records = ReturnType<typeof recordsOf>;

/** Latest record of each kind; null if no stage emitted one. */
export function recordsOf(steps: readonly StoryStep[]) {
  const emitted = steps.flatMap((step) => (step.kind === 'emitted' ? step.records : [])).toReversed();
  const last = <T>(schema: { safeParse(value: unknown): { data?: T | undefined } }): T | null => {
    for (const record of emitted) {
      const { data } = schema.safeParse(record);
      if (data !== undefined) return data;
    }
    return null;
  };
  const partial = steps.flatMap((step) =>
    step.kind === 'failed' && step.entry.kind === 'fail' ? [step.entry.partial] : [],
  )[0];
  const trace = last(traceSchema);
  const task = last(taskSchema) ?? trace?.task ?? null;
  return {
    task,
    /** Synthesis of the task or candidate; null for other records. */
    synthesis: task?.synthesis ?? last(candidateSchema),
    /** Partial for a failed rollout. */
    trace: trace ?? (partial as Partial<Trace> | undefined) ?? null,
    trajectory: last(trajectorySchema),
    sample: last(sampleSchema),
  };
}
