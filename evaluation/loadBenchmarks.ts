import { basename, extname } from 'node:path';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
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
import { completionServerOf, playerConfigSchema } from '../schemas/config/player.ts';
import { isAlone, withPlayerPreset } from '../schemas/config/playerPresets.ts';
import { type TaskSourceConfig, taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { defaultTeacherModel } from '../schemas/config/teacherBackends.ts';
import { type BenchmarkRow, benchmarkRow } from './benchmarkTable.ts';
import { type BenchmarkConfig, type EvaluationConfig, evaluationConfigSchema } from './evaluationConfig.ts';
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
 * Reads a configuration once per benchmark. Default name: the configuration's, with the suffix `-evaluation` if it has
 * its own tasks, since `run` uses the name.
 *
 * @throws UserError that lists all problems
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

/** Reserved names in an evaluation's folder; with `run.json`, it would look like a run. */
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

/** Rejects unknown columns, since otherwise groups would silently be missing, or intervals be too narrow. */
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

/** Benchmark with the settings behind its name. */
interface PlannedBenchmark {
  readonly name: string;
  readonly samples: number;
  readonly groupBy?: string;
  readonly clusterBy?: string;
  /** Columns set in the configuration, by key. */
  readonly namedColumns: Readonly<Record<string, string>>;
  /** Configuration of its run. */
  readonly document: ConfigDocument;
}

/**
 * Benchmarks of a configuration, each with a run configuration. Precedence: the benchmark's own entry, then the
 * configured sampling of `teacher.model`, `teacher.rollouts` and `judge.text` (including those of
 * `teacher.player.preset`), then the settings behind its name.
 */
export function plannedBenchmarks(
  written: ConfigDocument,
  { benchmarks }: Pick<EvaluationConfig, 'benchmarks'>,
  sources: readonly TaskSourceConfig[],
): PlannedBenchmark[] {
  const document = { ...written, value: withPlayerPreset(written.value) };
  if (benchmarks) return benchmarks.map((benchmark, at) => ofBenchmark(document, benchmark, at));
  const samples = rolloutsOf(document) ?? 1;
  return sources.map((source, at) => ({
    name: basename(source.file, extname(source.file)).replace(/[^A-Za-z0-9._-]/g, '-'),
    samples,
    namedColumns: {},
    document: documentOf(document, ['tasks', 'sources', at], (value) => ({
      ...value,
      tasks: { ...part(value, 'tasks'), sources: [sourceAt(value, at)] },
      teacher: { ...playedOnce(part(value, 'teacher')), rollouts: samples },
    })),
  }));
}

/** Number of rollouts in the configuration, if fixed. */
function rolloutsOf({ value }: ConfigDocument): number | undefined {
  const { rollouts } = isJsonObject(value) ? part(value, 'teacher') : {};
  return typeof rollouts === 'number' ? rollouts : undefined;
}

function ofBenchmark(document: ConfigDocument, benchmark: BenchmarkConfig, at: number): PlannedBenchmark {
  const { name, file, preset, columns, tests_from, domain, limit, group_by, cluster_by } = benchmark;
  const row = benchmarkRow(name);
  const samples = benchmark.samples ?? rolloutsOf(document) ?? row?.samples ?? 1;
  const groupBy = group_by ?? row?.groupBy;
  const profile = benchmark.profile ?? row?.profile;
  const source = {
    file,
    ...(profile !== undefined && { profile }),
    preset,
    columns,
    ...(tests_from !== undefined && { tests_from }),
    ...(domain !== undefined && { domain }),
    ...(limit !== undefined && { limit }),
  };
  return {
    name,
    samples,
    ...(groupBy !== undefined && { groupBy }),
    ...(cluster_by !== undefined && { clusterBy: cluster_by }),
    namedColumns: { ...(group_by && { group_by }), ...(cluster_by && { cluster_by }) },
    document: documentOf(document, ['evaluation', 'benchmarks', at], (value) => ({
      ...value,
      tasks: { on_bad_task: 'fail', ...part(value, 'tasks'), sources: [source] },
      teacher: teacherOf(part(value, 'teacher'), benchmark, row, samples),
      judge: judgeOf(part(value, 'judge'), benchmark, row),
    })),
  };
}

function teacherOf(
  teacher: JsonObject,
  { sampling }: BenchmarkConfig,
  row: BenchmarkRow | undefined,
  samples: number,
): JsonObject {
  const limits = isAlone(teacher) ? row?.alone : undefined;
  const model = part(teacher, 'model');
  const tokens = limits && {
    max_tokens: limits.maxTokens,
    ...(limits.topK !== undefined && !lacksTopK(teacher) && { top_k: limits.topK }),
  };
  return {
    ...playedOnce(teacher),
    // Fixed number: stopping at a right sample would inflate the score.
    rollouts: samples,
    model: {
      ...defaultTeacherModel,
      ...model,
      sampling: { ...row?.sampling, ...tokens, ...part(model, 'sampling'), ...sampling } as JsonObject,
    },
    ...(limits && { budget: { max_steps: limits.maxSteps, ...part(teacher, 'budget') } }),
  };
}

/** True if the player's server does not support `top_k`. */
function lacksTopK(teacher: JsonObject): boolean {
  const player = playerConfigSchema.safeParse(part(teacher, 'player'));
  return player.success && completionServerOf(player.data).lacks?.includes('top_k') === true;
}

/** Removes mixtures, and second tries, which receive hints that no player gets. */
function playedOnce({ on_wrong: _, mixture: _mixture, ...teacher }: JsonObject): JsonObject {
  return teacher;
}

function judgeOf(judge: JsonObject, { text }: BenchmarkConfig, row: BenchmarkRow | undefined): JsonObject {
  const who = text ?? judge.text ?? row?.text;
  return who === undefined ? judge : { ...judge, text: who };
}

/**
 * Document with another value; names its task source after the benchmark. Removes settings that drop tasks, since all
 * of a benchmark are played.
 */
function documentOf(
  document: ConfigDocument,
  keys: readonly PropertyKey[],
  change: (value: JsonObject) => JsonObject,
): ConfigDocument {
  const { decontaminate, probe, target, ...value } = isJsonObject(document.value) ? document.value : {};
  const { benchmarks, ...evaluation } = part(value, 'evaluation');
  const { writtenAt = (path) => path } = document;
  const origin = (path: readonly PropertyKey[]) =>
    path[0] === 'tasks' && path[1] === 'sources' ? [...keys, ...path.slice(3)] : path;
  return {
    ...document,
    value: change({ ...value, evaluation }),
    lineOf: (path) => document.lineOf(origin(path)),
    writtenAt: (path) => writtenAt(origin(path)),
  };
}

function part(value: JsonObject, key: string): JsonObject {
  const of = value[key];
  return isJsonObject(of) ? of : {};
}

function sourceAt(value: JsonObject, at: number): JsonObject {
  const { sources } = part(value, 'tasks');
  return Array.isArray(sources) ? (sources[at] as JsonObject) : {};
}
