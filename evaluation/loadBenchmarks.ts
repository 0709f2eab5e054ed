import { z } from 'zod';
import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { type ConfigDocument, place } from '../pipeline/config/configDocument.ts';
import { valueAt } from '../pipeline/config/explainIssues.ts';
import {
  type ConfigOverrides,
  type LoadedConfig,
  loadConfig,
  readSettings,
} from '../pipeline/config/loadConfig.ts';
import { parseDocument } from '../pipeline/config/parseConfig.ts';
import { chosenTasks } from '../pipeline/planRun.ts';
import { taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { type PlannedBenchmark, plannedBenchmarks } from './benchmarkDocument.ts';
import { evaluationConfigSchema } from './evaluationConfig.ts';
import {
  EVALUATION_FILE,
  INSPECT_LOGS,
  PICKS,
  REPORT_PAGE,
  RESULTS_TABLE,
  SERVED,
  TASK_RESULTS,
} from './evaluationFolder.ts';
import { columnText } from './readTaskResults.ts';
import { type ServedPlayer, withServedPlayer } from './servePlayer.ts';

/** A benchmark whose configuration has been checked. */
export interface LoadedBenchmark extends PlannedBenchmark {
  readonly loaded: LoadedConfig;
}

export interface BenchmarkSettings {
  readonly configFile: string;
  readonly overrides: ConfigOverrides;
  readonly env: NodeJS.ProcessEnv;
  readonly serve?: ServedPlayer;
}

const evaluatedSchema = z.looseObject({
  evaluation: evaluationConfigSchema.prefault({}),
  judge: z.looseObject({ model: z.unknown() }).optional(),
  tasks: z.looseObject({ sources: z.array(taskSourceConfigSchema).optional() }).prefault({}),
});

/**
 * Reads a configuration once for each benchmark. The evaluation is called as the configuration; where that has tasks of
 * its own, `run` uses this name, and the evaluation's ends in `-evaluation`.
 *
 * @throws UserError that names everything that is wrong
 */
export async function loadBenchmarks(
  { configFile, overrides: given, env, serve }: BenchmarkSettings,
  port: number | undefined,
): Promise<{ readonly name: string; readonly benchmarks: readonly LoadedBenchmark[] }> {
  const settings = await readSettings(configFile, given);
  const overrides = port === undefined ? given : { ...given, baseUrl: `http://127.0.0.1:${port}/v1` };
  const planned = benchmarksOf(serve ? withServedPlayer(settings, serve) : settings);
  const benchmarks: LoadedBenchmark[] = [];
  for (const benchmark of planned) {
    const derive = () => benchmark.document;
    const loaded = await loadConfig(configFile, overrides, { env, derive });
    benchmarks.push({ ...benchmark, loaded });
  }
  const { name } = benchmarks[0]!.loaded;
  return {
    name: valueAt(settings.value, ['tasks', 'sources']) !== undefined ? `${name}-evaluation` : name,
    benchmarks,
  };
}

/** What stands in an evaluation's folder beside the folders of its runs; with `run.json` it would be taken for a run. */
const ownFiles: ReadonlySet<string> = new Set([
  EVALUATION_FILE,
  RESULTS_TABLE,
  REPORT_PAGE,
  TASK_RESULTS,
  INSPECT_LOGS,
  PICKS,
  SERVED,
  'run.json',
]);

function benchmarksOf(document: ConfigDocument): PlannedBenchmark[] {
  const { evaluation, tasks, judge } = parseDocument(document, evaluatedSchema);
  if (evaluation.best_of_n && !judge?.model)
    throw new UserError(
      `${place(document, ['evaluation', 'best_of_n'])}: expected judge.model, which picks the best`,
    );
  if (valueAt(document.value, ['evaluation']) === undefined || (!evaluation.benchmarks && !tasks.sources))
    throw new UserError(
      `${place(document, ['evaluation'])}: expected evaluation.benchmarks, such as evaluation: { benchmarks: [{ name: gaia, file: gaia.parquet }] }${tasks.sources ? '; to play each of tasks.sources, say evaluation: {}' : ''}`,
    );
  const planned = plannedBenchmarks(document, evaluation, tasks.sources ?? []);
  const taken = planned.find(({ name }) => ownFiles.has(name) || name.startsWith('.'));
  if (taken)
    throw new UserError(
      `${place(document, ['evaluation', 'benchmarks'])}: no benchmark can be called "${taken.name}", where the evaluation has a file or folder of its own; name it otherwise in evaluation.benchmarks`,
    );
  const twice = planned.find(({ name }, at) => planned.findIndex((other) => other.name === name) !== at);
  if (twice)
    throw new UserError(
      `${place(document, ['evaluation', 'benchmarks'])}: two benchmarks are called "${twice.name}"; tell them apart by a suffix such as ${twice.name}-2`,
    );
  return planned;
}

/** Scores would be shown without groups, or intervals come out too narrow, and nobody would be told. */
export async function refuseUnknownColumns(
  { name, namedColumns, loaded }: LoadedBenchmark,
  signal: AbortSignal,
): Promise<void> {
  const missing = new Map(Object.entries(namedColumns));
  if (missing.size === 0) return;
  const known = new Set<string>();
  let isEmpty = true;
  for await (const task of chosenTasks(loaded, new Map(), signal)) {
    for (const [key, column] of missing) if (columnText(task, column) !== undefined) missing.delete(key);
    if (missing.size === 0) return;
    for (const column of Object.keys(task.extra ?? {})) known.add(column);
    isEmpty = false;
  }
  const [[key, column] = ['', '']] = missing;
  if (!isEmpty)
    throw new UserError(
      `benchmark ${name}: ${key}: no task has the column "${column}"; ${suggestion(column, [...known])}`,
    );
}
