import { once } from '../../base/once.ts';
import type { CorpusStage, RecordStage, SourceStage } from '../../contract/stage.ts';
import type { TestStore } from '../../contract/testStore.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import type { Task } from '../../schemas/task.ts';
import { createDecontaminateStage } from '../../stages/dedup/createDecontaminateStage.ts';
import { createQuestionDedupStage } from '../../stages/dedup/createQuestionDedupStage.ts';
import { readPassRates } from '../../stages/filter/passRates.ts';
import { createProbeStage } from '../../stages/judge/createProbeStage.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import type { TaskSourceOptions } from '../../stages/tasks/openTaskSources.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { writeProbeRates } from '../run/taskRates.ts';
import { type StageParts, servicesOf } from './stageParts.ts';

const RATES_KEY = 'probe.pass_rate.from';

/** Opens the stage `tasks`, which reads the configured files. */
export function openTasks({ loaded, testStore }: StageParts): SourceStage<Task> {
  const { config, limit } = loaded;
  return taskSource(loaded, { testStore, limit, minTests: config.filters.min_tests });
}

function taskSource(
  { config, profiles }: LoadedConfig,
  options: Pick<TaskSourceOptions, 'testStore' | 'limit' | 'minTests'>,
): SourceStage<Task> {
  const { sources, on_bad_task: onBadTask } = config.tasks;
  return createTaskSource({
    sources: sources.map((task) => ({ ...task, path: task.file })),
    onBadTask,
    profiles,
    ...options,
  });
}

/** Streams all tasks of a configuration; their tests go into `testStore` if given. */
export async function* tasksOfConfig(loaded: LoadedConfig, testStore?: TestStore): AsyncGenerator<Task> {
  const { signal } = new AbortController();
  for await (const { outcome } of taskSource(loaded, { testStore }).run({ signal }))
    if (outcome.kind === 'emit') yield* outcome.records;
}

/** Opens the stage `dedup`, which drops duplicate tasks. */
export function openDedup({ loaded, spillFolder }: StageParts): CorpusStage<Task, Task> {
  return createQuestionDedupStage(loaded.config.filters.duplicate_questions, spillFolder('dedup'));
}

/** Opens the stage `decontaminate`, which drops benchmark questions. */
export function openDecontaminate({ loaded }: StageParts): CorpusStage<Task, Task> {
  return createDecontaminateStage(loaded.config.decontaminate!);
}

/** Opens the stage `probe`: a model without tools tries each task, or a file gives its pass rate. */
export function openProbe(parts: StageParts): RecordStage<Task, Task> {
  const { openProbedModel, openJudgeModel, ownJudge, sandbox } = servicesOf(parts);
  const { judge, probe } = parts.loaded.config;
  const { model, pass_rate, tries } = probe!;
  const openRates = once(async () =>
    pass_rate.from === undefined ? undefined : await readPassRates(pass_rate.from, RATES_KEY),
  );
  return createProbeStage({
    probe: probe!,
    config: judge,
    sandbox,
    testStore: parts.testStore,
    own: ownJudge,
    openModel: openProbedModel,
    openJudgeModel: asksJudgeModel(parts.loaded.config) ? openJudgeModel : undefined,
    async knownOf({ id, question }) {
      const known = (await openRates())?.countsOf({ task_id: id, question });
      return known && known.samples > 0 ? { ...known, unscored: 0 } : undefined;
    },
    // A quarter more tries than the endpoint's concurrency, so that the next task is always ready.
    concurrency: 1 + Math.ceil((concurrencyOf(model?.endpoint ?? {}) * 1.25) / tries),
    finish: () => writeProbeRates(parts.runFolder),
  });
}

/** Checks the file of `probe.pass_rate.from`. Throws `UserError` if it is unreadable. */
export async function checkProbe({ config }: LoadedConfig): Promise<void> {
  const from = config.probe?.pass_rate.from;
  if (from !== undefined) await readPassRates(from, RATES_KEY);
}
