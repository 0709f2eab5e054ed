import { basename, extname } from 'node:path';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ConfigDocument } from '../pipeline/config/configDocument.ts';
import { isAlone, withPlayerPreset } from '../schemas/config/playerPresets.ts';
import type { TaskSourceConfig } from '../schemas/config/tasks.ts';
import { defaultTeacherModel } from '../schemas/config/teacherBackends.ts';
import { type BenchmarkRow, benchmarkRow } from './benchmarkTable.ts';
import type { BenchmarkConfig, EvaluationConfig } from './evaluationConfig.ts';

/** A benchmark as it is played, with the settings that its name stands for. */
export interface PlannedBenchmark {
  readonly name: string;
  readonly samples: number;
  readonly groupBy?: string;
  readonly clusterBy?: string;
  /** Columns that the configuration names itself, by the key that does. */
  readonly namedColumns: Readonly<Record<string, string>>;
  /** The configuration of its run. */
  readonly document: ConfigDocument;
}

/**
 * The benchmarks of a configuration, each with the configuration of a run of its own. What the benchmark itself says
 * comes first, then the configuration's own sampling of its `teacher.model`, `teacher.rollouts` and `judge.text`, those of
 * `teacher.player.preset` among them, then what its name stands for.
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

/** The rollouts that the configuration asks for, where that is a number. */
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
  const tokens = limits && { max_tokens: limits.maxTokens };
  return {
    ...playedOnce(teacher),
    // Not as many as it takes: a score of samples that end with a right one would be too high.
    rollouts: samples,
    model: {
      ...defaultTeacherModel,
      ...model,
      sampling: { ...row?.sampling, ...tokens, ...part(model, 'sampling'), ...sampling } as JsonObject,
    },
    ...(limits && { budget: { max_steps: limits.maxSteps, ...part(teacher, 'budget') } }),
  };
}

/** The teacher without a mixture, and without second tries, which are told what no player is. */
function playedOnce({ on_wrong: _, mixture: _mixture, ...teacher }: JsonObject): JsonObject {
  return teacher;
}

function judgeOf(judge: JsonObject, { text }: BenchmarkConfig, row: BenchmarkRow | undefined): JsonObject {
  const who = text ?? judge.text ?? row?.text;
  return who === undefined ? judge : { ...judge, text: who };
}

/**
 * The document with another value; its task source is named as the benchmark that it is of. What leaves tasks out is left
 * out itself: all of a benchmark are played.
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
