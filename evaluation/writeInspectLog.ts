import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Zip, ZipDeflate } from 'fflate';
import { buildFile } from '../base/files/atomicFile.ts';
import { onDisk } from '../base/files/diskError.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { standardError } from '../base/statistics/estimates.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { trajectorySchema } from '../schemas/trajectory.ts';
import { inspectSample, inspectSummary, SCORE_NAME } from './inspectSample.ts';
import type { BenchmarkResult } from './records/evaluationFile.ts';
import type { SampleResult, TaskResult } from './records/sampleResult.ts';
import { taskShares } from './scoreTasks.ts';

interface PlayedBenchmark {
  readonly result: BenchmarkResult;
  readonly tasks: readonly TaskResult[];
  readonly runFolder: string;
  readonly run: RunFile;
  readonly player: { readonly backend: string; readonly model: string };
}

/** Name of a run's log, as Inspect names its own: time, task, id. */
export function inspectLogName({ created_at, config_hash }: RunFile, benchmark: string): string {
  return `${created_at.replace(/[:.]/g, '-')}_${benchmark}_${config_hash.slice(-12)}.eval`;
}

/**
 * Writes a log that Inspect AI opens (`inspect view`, `read_eval_log`): a zip with a file for each sample, then their
 * summaries and the header. One trajectory is held at a time. Same bytes for the same answers.
 */
export async function writeInspectLog(path: string, played: PlayedBenchmark): Promise<void> {
  await onDisk(dirname(path), () => mkdir(dirname(path), { recursive: true }));
  await buildFile(path, async (temporary) => {
    const log = await ZipFile.create(temporary);
    try {
      const summaries: JsonObject[] = [];
      for await (const sample of inspectSamples(played)) {
        summaries.push(inspectSummary(sample));
        await log.add(`samples/${String(sample.id)}_epoch_${String(sample.epoch)}.json`, sample);
      }
      await log.add('summaries.json', summaries);
      await log.add('header.json', inspectHeader(played));
      await log.end();
    } finally {
      await log.close();
    }
  });
}

async function* inspectSamples({ tasks, runFolder, player }: PlayedBenchmark): AsyncGenerator<JsonObject> {
  const byId = new Map(tasks.map((task) => [task.task_id, task]));
  const written = new Set<SampleResult>();
  for await (const { record } of stageRecords(runFolder, 'judge', trajectorySchema)) {
    const task = byId.get(record.task_id);
    const sample = task?.samples[record.rollout ?? 0];
    if (!task || !sample) continue;
    written.add(sample);
    yield inspectSample(task, sample, record, player.model);
  }
  for (const task of tasks)
    for (const sample of task.samples)
      if (!written.has(sample)) yield inspectSample(task, sample, undefined, player.model);
}

/** Everything but the samples. */
function inspectHeader({ result, tasks, run, player }: PlayedBenchmark): JsonObject {
  const { all, samples_per_task, name } = result;
  const scored = all.samples.right + all.samples.wrong;
  const epochs = samples_per_task;
  const isClustered = tasks.some(({ cluster }) => cluster !== undefined);
  return {
    version: 2,
    status: 'success',
    eval: {
      eval_id: run.config_hash,
      run_id: run.config_hash,
      created: run.created_at,
      task: name,
      task_id: name,
      task_version: 0,
      dataset: {
        name,
        samples: tasks.length,
        sample_ids: tasks.map(({ task_id }) => task_id),
        shuffled: false,
      },
      model: player.model,
      config: { epochs, epochs_reducer: ['mean'] },
      // From these Inspect computes the metrics itself when a person edits scores.
      metrics: [
        { name: 'inspect_ai/accuracy', options: {} },
        { name: 'inspect_ai/stderr', options: isClustered ? { cluster: 'cluster' } : {} },
      ],
      packages: { 'coa-distill': run.coa_distill_version },
      metadata: { backend: player.backend },
    },
    plan: { name: player.backend, steps: [], config: {} },
    results: {
      total_samples: tasks.length * epochs,
      completed_samples: scored,
      scores: [
        {
          name: SCORE_NAME,
          scorer: SCORE_NAME,
          reducer: 'mean',
          scored_samples: all.scored_tasks,
          unscored_samples: all.tasks - all.scored_tasks,
          params: {},
          metrics: metricsOf(result, tasks),
        },
      ],
    },
    stats: { started_at: run.created_at, completed_at: run.created_at, model_usage: {} },
  };
}

function metricsOf({ all }: BenchmarkResult, tasks: readonly TaskResult[]): JsonObject {
  if (!all.score) return {};
  const metric = (name: string, value: number) => ({ [name]: { name, value, params: {} } });
  const error = standardError(taskShares(tasks));
  return {
    ...metric('accuracy', all.score.value),
    ...(Number.isFinite(error) && metric('stderr', error)),
  };
}

/** Inspect takes any date; this one makes the bytes depend on the content alone. */
const MEMBER_DATE = '1980-01-01T00:00:00';

/** A zip file that is written as its members come. */
class ZipFile {
  readonly #handle: Awaited<ReturnType<typeof open>>;
  readonly #zip: Zip;
  #pending: Uint8Array[] = [];

  private constructor(handle: Awaited<ReturnType<typeof open>>) {
    this.#handle = handle;
    this.#zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.#pending.push(chunk);
    });
  }

  static async create(path: string): Promise<ZipFile> {
    return new ZipFile(await open(path, 'w'));
  }

  async add(name: string, content: JsonValue): Promise<void> {
    const member = new ZipDeflate(name, { level: 6 });
    member.mtime = MEMBER_DATE;
    this.#zip.add(member);
    member.push(Buffer.from(JSON.stringify(content)), true);
    await this.#write();
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.#write();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #write(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    await this.#handle.writeFile(Buffer.concat(pending));
  }
}
