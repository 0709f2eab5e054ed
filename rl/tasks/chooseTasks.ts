import { shareEstimate } from '../../base/statistics/estimates.ts';
import { UserError } from '../../base/userError.ts';
import type { RlTaskChoice } from '../../contract/datasetWriter.ts';
import { stageRow } from '../../contract/stageTable.ts';
import { readRunFile, stagesOfRun } from '../../pipeline/run/runFile.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readTaskRates } from '../../pipeline/run/taskRates.ts';
import { type ChoosableRun, registerTaskChooser } from '../../pipeline/stages/taskChooser.ts';
import { decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import { taskSchema } from '../../schemas/task.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import type { MeasuredRate, RlTaskReason } from '../../schemas/training/taskLine.ts';
import { openBenchmarks } from '../../stages/dedup/createDecontaminateStage.ts';
import { PassRates, readPassRates } from '../../stages/filter/passRates.ts';
import { type RlTasksConfig, rlTaskPresets, rlTasksConfigSchema } from '../rlConfig.ts';

/**
 * Yields the tasks of a run's rollouts in order, each with its pass rate and the reason for excluding it. Benchmark
 * tasks are already removed.
 *
 * @param hasRow - Whether the dataset has a row of a task for supervised training.
 * @throws UserError for unreadable files, and for an imported run, which has no tasks
 */
async function* chooseTasks(
  { runFolder, config: { rl, training } }: ChoosableRun,
  hasRow: (taskId: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<RlTaskChoice> {
  const config = rl?.tasks ?? rlTasksConfigSchema.parse({});
  const run = await readRunFile(runFolder);
  if (run?.imported)
    throw new UserError(
      `dataset.formats: verl_rl and verifiers hold tasks, and ${runFolder} was imported and has none`,
    );
  const stage = stagesOfRun(run).findLast((name) => stageRow(name).writes === 'task') ?? 'tasks';
  const rates = await ratesOf(runFolder, config);
  const { rollouts } = rlFigures(training);
  const benchmarks = config.leave_out.map((path) => ({ path }));
  const leftOut =
    benchmarks.length > 0
      ? await openBenchmarks(decontaminateConfigSchema.parse({ benchmarks }), signal)
      : undefined;
  try {
    for await (const { record: task } of stageRecords(runFolder, stage, taskSchema)) {
      signal.throwIfAborted();
      const counts = rates.countsOf({ task_id: task.id, question: task.question });
      const rate = counts ? measuredRate(counts, rollouts) : null;
      const found = leftOut?.find(task.question);
      const reason = found
        ? 'left_out'
        : config.sft_tasks === 'drop' && hasRow(task.id)
          ? 'in_sft'
          : rateProblem(rate, config);
      yield { task, rate, reason, ...(found && { detail: `${found.benchmark} row ${found.benchmark_row}` }) };
    }
  } finally {
    leftOut?.close();
  }
}

async function ratesOf(runFolder: string, { pass_rate: { from } }: RlTasksConfig): Promise<PassRates> {
  if (from !== undefined) return readPassRates(from, 'rl.tasks.pass_rate.from');
  const own = new PassRates();
  for (const line of await readTaskRates(runFolder)) own.add(line);
  return own;
}

registerTaskChooser(chooseTasks);

/** Probability that a group has right and wrong answers at pass rate p: 1 - p^n - (1 - p)^n. */
export function mixedProbability(rate: number, groupSize: number): number {
  return 1 - rate ** groupSize - (1 - rate) ** groupSize;
}

/** Pass rate of a task from its tries; null without a judged try. */
export function measuredRate(
  { passed, samples }: { readonly passed: number; readonly samples: number },
  groupSize: number,
): MeasuredRate | null {
  const share = shareEstimate(passed, samples);
  if (!share) return null;
  const { value, low, high } = share;
  return { passed, samples, low, high, mixed: Math.max(0, mixedProbability(value, groupSize)) };
}

/** Reason for excluding a task with this rate; null if included. */
export function rateProblem(
  rate: MeasuredRate | null,
  { preset, pass_rate }: Pick<RlTasksConfig, 'preset' | 'pass_rate'>,
): RlTaskReason | null {
  const rules = rlTaskPresets[preset];
  const { min = 0, max = rules.max } = pass_rate;
  const asksRate = preset !== 'any' || pass_rate.min !== undefined || pass_rate.max !== undefined;
  if (rate === null) return asksRate ? 'no_rate' : null;
  const value = rate.passed / rate.samples;
  if (rate.samples < rules.min_samples) return 'few_samples';
  if (value > max || (rules.below_max && value === max)) return 'too_easy';
  return value < min || (rules.above_min && value === min) ? 'too_hard' : null;
}
