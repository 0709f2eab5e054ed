import { z } from 'zod';
import { Counts } from '../base/counts.ts';
import type { JsonValue } from '../base/json.ts';
import { stagesBefore } from '../contract/stageTable.ts';
import { stagesOfRun } from '../pipeline/run/runFile.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { readLedger } from '../pipeline/run/stageJournals.ts';
import { finalAnswer } from '../schemas/coa/answers.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { valueAt } from '../schemas/columnPath.ts';
import type { LedgerEntry } from '../schemas/outcome.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { type Task, taskSchema } from '../schemas/task.ts';
import { traceTotalsSchema } from '../schemas/trace.ts';
import { type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';
import { resultOfCause, resultOfJudged } from '../schemas/tryResult.ts';
import { Behaviour, playEventSchema } from './behaviour.ts';
import type { BenchmarkResult } from './records/evaluationFile.ts';
import type { SampleResult, SampleUse, TaskResult } from './records/sampleResult.ts';

interface ReadTaskOptions {
  readonly samples: number;
  /** Column of the task file for groups. */
  readonly groupBy?: string;
  /** Column of the task file for clusters. */
  readonly clusterBy?: string;
  /** True if the player was trained on a question; absent: not checked. */
  readonly isSeen?: (question: string) => boolean;
  /** Profiles for the grammar of trajectories. */
  readonly profileOf: (name: string) => Profile | undefined;
}

interface TaskResults {
  readonly tasks: readonly TaskResult[];
  /** Excluded tasks by drop reason: bad rows, repeated questions. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly behaviour: Pick<BenchmarkResult, 'grammar' | 'incidents' | 'use_by_role'>;
}

/**
 * Results of all samples of a run's tasks. Each has exactly one result; a sample without an outcome was never played
 * and is unscored as `pending`. Memory: a few numbers and the answer per sample.
 */
export async function readTaskResults(
  runFolder: string,
  run: RunFile,
  options: ReadTaskOptions,
): Promise<TaskResults> {
  const taskStages = stagesOfRun(run).filter((stage) => stagesBefore('rollout').includes(stage));
  const leftOut = new Counts();
  for (const stage of taskStages) {
    for await (const entry of readLedger(runFolder, stage)) {
      leftOut.add(entry.kind === 'drop' ? entry.reason : entry.failure.cause);
    }
  }
  const behaviour = new Behaviour(options.profileOf);
  const samples = await readSamples(runFolder, behaviour);
  const tasks: TaskResult[] = [];
  for await (const { record } of stageRecords(runFolder, taskStages.at(-1)!, taskSchema))
    tasks.push(taskResult(record, samples.get(record.id) ?? new Map(), options));
  return { tasks, leftOut: Object.fromEntries(leftOut), behaviour: behaviour.result() };
}

function taskResult(
  task: Task,
  samples: ReadonlyMap<number, SampleResult>,
  { samples: wanted, groupBy, clusterBy, isSeen }: ReadTaskOptions,
): TaskResult {
  const group = groupBy === undefined ? undefined : (columnText(task, groupBy) ?? NO_GROUP);
  const cluster = columnText(task, clusterBy);
  return {
    task_id: task.id,
    question: task.question,
    answers: task.answers,
    ...(group !== undefined && { group }),
    ...(cluster !== undefined && { cluster }),
    ...(isSeen && { seen_in_training: isSeen(task.question) }),
    samples: Array.from(
      { length: wanted },
      (_, sample) => samples.get(sample) ?? noAnswer({ task_id: task.id, sample }, 'unscored', 'pending'),
    ),
  };
}

/** Group of tasks without a value, so that the groups are complete. */
export const NO_GROUP = 'none';

/** Column value as text; undefined for a task without it, which then is its own cluster. */
export function columnText({ extra = {} }: Task, column: string | undefined): string | undefined {
  if (column === undefined) return undefined;
  // Rows of the verl family store columns under `extra_info`.
  const value: JsonValue | undefined = valueAt(extra, column) ?? valueAt(extra, `extra_info.${column}`);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type SampleName = Pick<SampleResult, 'task_id' | 'sample'>;

const nothing = {
  answer: null,
  use: null,
  double_check: null,
  reflections: null,
  repeated_tool_inputs: null,
};

function noAnswer(
  name: SampleName,
  result: 'wrong' | 'unscored',
  reason: SampleResult['reason'],
  use: SampleUse | null = null,
): SampleResult {
  return { ...name, result, reason, score: result === 'wrong' ? 0 : null, ...nothing, use };
}

const traceUseSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  rollout: z.int().optional(),
  totals: traceTotalsSchema,
  events: z.array(playEventSchema),
});

async function readSamples(
  runFolder: string,
  behaviour: Behaviour,
): Promise<Map<string, Map<number, SampleResult>>> {
  const byTask = new Map<string, Map<number, SampleResult>>();
  const add = (sample: SampleResult): void => {
    const ofTask = byTask.get(sample.task_id) ?? new Map<number, SampleResult>();
    byTask.set(sample.task_id, ofTask.set(sample.sample, sample));
  };
  const useOf = (name: SampleName): SampleUse | null =>
    byTask.get(name.task_id)?.get(name.sample)?.use ?? null;
  for await (const { record } of stageRecords(runFolder, 'rollout', traceUseSchema)) {
    behaviour.played(record.events);
    add(noAnswer(nameOf(record), 'unscored', 'pending', sampleUse(record.totals)));
  }
  for (const stage of ['rollout', 'convert', 'judge'] as const) {
    for await (const entry of readLedger(runFolder, stage)) {
      const name = nameOf(entry);
      behaviour.failed(entry);
      add(failedSample(name, entry, useOf(name) ?? partialUse(entry)));
    }
  }
  for await (const { record } of stageRecords(runFolder, 'judge', trajectorySchema)) {
    const name = nameOf(record);
    behaviour.judged(record);
    add(judgedSample(name, record, useOf(name)));
  }
  return byTask;
}

function nameOf({ task_id, rollout = 0 }: { task_id: string; rollout?: number | undefined }): SampleName {
  return { task_id, sample: rollout };
}

function sampleUse(totals: z.infer<typeof traceTotalsSchema>): SampleUse {
  const { completion_tokens, prompt_tokens, model_calls, tool_calls, cost_usd } = totals;
  return { completion_tokens, prompt_tokens, model_calls, tool_calls, cost_usd };
}

/** Usage of a failed sample up to its failure; samples that reach a limit are the most expensive ones. */
function partialUse(entry: LedgerEntry): SampleUse | null {
  const parsed = z
    .object({ totals: traceTotalsSchema })
    .safeParse(entry.kind === 'fail' ? entry.partial : undefined);
  return parsed.success ? sampleUse(parsed.data.totals) : null;
}

function failedSample(name: SampleName, entry: LedgerEntry, use: SampleUse | null): SampleResult {
  if (entry.kind === 'drop') return noAnswer(name, 'unscored', 'dropped', use);
  const { cause } = entry.failure;
  return noAnswer(name, resultOfCause(cause), cause, use);
}

function judgedSample(name: SampleName, trajectory: Trajectory, use: SampleUse | null): SampleResult {
  const { verdicts, first_double_check, reflections, redundant_tool_inputs } = trajectory.quality;
  const verdict = verdicts.findLast(({ subject }) => subject === 'answer');
  if (!verdict) return noAnswer(name, 'unscored', 'unscored', use);
  return {
    ...name,
    result: resultOfJudged(trajectory),
    reason: null,
    score: verdict.score,
    answer: finalAnswer(trajectory) ?? null,
    use,
    double_check: first_double_check,
    reflections,
    repeated_tool_inputs: redundant_tool_inputs,
  };
}
