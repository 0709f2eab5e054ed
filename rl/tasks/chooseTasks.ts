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
import { openBenchmarks } from '../../stages/dedup/createDecontaminateStage.ts';
import { PassRates, readPassRates } from '../../stages/filter/passRates.ts';
import { type RlTasksConfig, rlTasksConfigSchema } from '../rlConfig.ts';
import { measuredRate, rateProblem } from './taskRate.ts';

/**
 * The tasks that a run's rollouts were given, in their order, each with what is known of its pass rate and why it is not
 * learned from. Benchmarks that the run was cleared of are gone before.
 *
 * @param hasRow - Whether the dataset has a row of a task for supervised training.
 * @throws UserError for files that can't be read, and for an imported run, which has no tasks
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
