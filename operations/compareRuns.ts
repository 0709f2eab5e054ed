import { settingNames } from '../pipeline/config/fingerprintConfig.ts';
import { differingKeys } from '../pipeline/config/stageHashes.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { type OutcomesOfRun, type RecordOutcome, recordOutcomes } from './recordOutcomes.ts';

interface RunAndFolder {
  readonly folder: string;
  readonly run: RunFile;
}

/** Record with another outcome in the second run; null if a run lacks the record. */
export interface RecordChange {
  readonly task_id: string;
  /** Rollout number, from 0; absent for the first. */
  readonly rollout?: number;
  readonly was: RecordOutcome | null;
  readonly now: RecordOutcome | null;
}

export interface RunComparison {
  readonly a: string;
  readonly b: string;
  /** Last stage that both runs have finished, per run; records it passed on count as kept. */
  readonly up_to: readonly [string, string];
  /** Dotted paths of differing settings that shape records. */
  readonly settings: readonly string[];
  /** Records that are rows of both datasets. */
  readonly kept_in_both: number;
  /** Counts by task, kept if any of its records is; absent without tasks with several rollouts. */
  readonly tasks?: { readonly kept_in_both: number; readonly entered: number; readonly left: number };
  readonly entered: readonly RecordChange[];
  readonly left: readonly RecordChange[];
  /** Kept in both, with a different number of rows. */
  readonly other_repeats: readonly RecordChange[];
  /** Kept in neither, with a different reason or stage. */
  readonly other_reason: readonly RecordChange[];
}

/**
 * Compares the outcomes of records in two runs. Matches records by task; several of one task by equal ids first, then
 * by rollout.
 */
export async function compareRuns(a: RunAndFolder, b: RunAndFolder): Promise<RunComparison> {
  const [ofA, ofB] = [await recordOutcomes(a.folder, a.run), await recordOutcomes(b.folder, b.run)];
  const changes = { entered: [], left: [], other_repeats: [], other_reason: [] } as Record<
    'entered' | 'left' | 'other_repeats' | 'other_reason',
    RecordChange[]
  >;
  let keptInBoth = 0;
  for (const task_id of new Set([...ofA.ends.keys(), ...ofB.ends.keys()])) {
    for (const [was, now] of matchOutcomes(ofA.ends.get(task_id) ?? [], ofB.ends.get(task_id) ?? [])) {
      if (was?.kind === 'kept' && now?.kind === 'kept') keptInBoth++;
      const kind = kindOfChange(was, now);
      const rollout = (was ?? now)?.rollout;
      if (kind) changes[kind].push({ task_id, ...(rollout !== undefined && { rollout }), was, now });
    }
  }
  const hasSiblings = [ofA, ofB].some(({ ends }) =>
    [...ends.values()].some((of) => of.some(({ rollout }) => rollout !== undefined)),
  );
  return {
    a: a.run.name,
    b: b.run.name,
    up_to: [ofA.upTo, ofB.upTo],
    settings: settingNames(differingSettings(a.run, b.run)),
    kept_in_both: keptInBoth,
    ...(hasSiblings && { tasks: comparedTasks(ofA.ends, ofB.ends) }),
    ...changes,
  };
}

/** Differing settings; the name of a stage that only one of the runs has. */
function differingSettings(a: RunFile, b: RunFile): string[] {
  const stages = new Set([...Object.keys(a.shaping), ...Object.keys(b.shaping)]);
  return [...stages]
    .toSorted()
    .flatMap((stage) => differingKeys(a.shaping[stage], b.shaping[stage]).map((path) => path || stage));
}

function comparedTasks(
  a: OutcomesOfRun['ends'],
  b: OutcomesOfRun['ends'],
): NonNullable<RunComparison['tasks']> {
  const isKept = (ends: OutcomesOfRun['ends'], task: string) =>
    ends.get(task)?.some(({ kind }) => kind === 'kept') === true;
  const counts = { kept_in_both: 0, entered: 0, left: 0 };
  for (const task of new Set([...a.keys(), ...b.keys()])) {
    const [was, now] = [isKept(a, task), isKept(b, task)];
    if (was && now) counts.kept_in_both++;
    else if (now) counts.entered++;
    else if (was) counts.left++;
  }
  return counts;
}

function kindOfChange(
  was: RecordOutcome | null,
  now: RecordOutcome | null,
): 'entered' | 'left' | 'other_repeats' | 'other_reason' | undefined {
  if (was?.kind === 'kept' && now?.kind === 'kept')
    return was.rows === now.rows ? undefined : 'other_repeats';
  if (now?.kind === 'kept') return 'entered';
  if (was?.kind === 'kept') return 'left';
  return was?.reason === now?.reason && was?.stage === now?.stage ? undefined : 'other_reason';
}

/**
 * Pairs one task's records of two runs, each record once: by equal ids first, then by rollout in order; null if the
 * other run has fewer.
 *
 * @param was in the order of their ids
 * @param now likewise
 */
export function matchOutcomes(
  was: readonly RecordOutcome[],
  now: readonly RecordOutcome[],
): [RecordOutcome | null, RecordOutcome | null][] {
  const equal: [RecordOutcome, RecordOutcome][] = [];
  const left: RecordOutcome[] = [];
  const entered = [...now];
  for (const record of was) {
    const at = entered.findIndex(({ record_id }) => record_id === record.record_id);
    if (at === -1) left.push(record);
    else equal.push([record, ...entered.splice(at, 1)] as [RecordOutcome, RecordOutcome]);
  }
  const numberOf = ({ rollout = 0 }: RecordOutcome) => rollout;
  const [leftOf, enteredOf] = [Map.groupBy(left, numberOf), Map.groupBy(entered, numberOf)];
  const numbers = [...new Set([...leftOf.keys(), ...enteredOf.keys()])].sort((x, y) => x - y);
  const inOrder = (number: number): [RecordOutcome | null, RecordOutcome | null][] => {
    const [a, b] = [leftOf.get(number) ?? [], enteredOf.get(number) ?? []];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at] ?? null, b[at] ?? null]);
  };
  return [...equal, ...numbers.flatMap(inOrder)];
}
