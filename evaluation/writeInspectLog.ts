import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Zip, ZipDeflate } from 'fflate';
import { buildFile } from '../base/files/atomicFile.ts';
import { onDisk } from '../base/files/diskError.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { standardError } from '../base/statistics/estimates.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { bodyOf } from '../schemas/coa/bodies.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { type Segment, type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';
import type { BenchmarkResult } from './records/evaluationFile.ts';
import type { SampleResult, TaskResult } from './records/sampleResult.ts';
import { taskShares } from './scoreTasks.ts';

/** Score name in Inspect's logs. In filters of `inspect view`, `answer` already means the given answer. */
const SCORE_NAME = 'verdict';

/**
 * Sample in the format of Inspect AI's logs (`EvalSample` of inspect-ai 0.3.285). An unscored one has an error and no
 * score, so that Inspect also counts it as unscored.
 *
 * @param trajectory undefined if the player did not produce one
 */
export function inspectSample(
  task: TaskResult,
  sample: SampleResult,
  trajectory: Trajectory | undefined,
  model: string,
): JsonObject {
  const messages = trajectory ? trajectoryMessages(trajectory) : [userMessage(task.question)];
  const metadata: JsonObject = {
    ...(task.group !== undefined && { group: task.group }),
    ...(task.cluster !== undefined && { cluster: task.cluster }),
    ...(sample.reason !== null && { reason: sample.reason }),
  };
  return {
    id: task.task_id,
    epoch: sample.sample + 1,
    input: task.question,
    target: [...task.answers],
    messages,
    output: {
      model,
      choices: [
        {
          message: { role: 'assistant', content: sample.answer ?? '' },
          stop_reason: sample.reason === null ? 'stop' : 'unknown',
        },
      ],
    },
    metadata,
    model_usage: usageOf(sample, model),
    ...(sample.result === 'unscored' ? errorOf(sample) : { scores: { [SCORE_NAME]: scoreOf(sample) } }),
  };
}

function inspectSummary(sample: JsonObject): JsonObject {
  const { id, epoch, input, target, metadata, scores, model_usage, error, messages } = sample;
  return {
    id: id!,
    epoch: epoch!,
    input: input!,
    target: target!,
    metadata: metadata!,
    ...(scores !== undefined && { scores }),
    model_usage: model_usage!,
    ...(error !== undefined && { error: (error as JsonObject).message! }),
    completed: true,
    message_count: (messages as readonly unknown[]).length,
  };
}

function usageOf({ use }: SampleResult, model: string): JsonObject {
  if (!use) return {};
  const { prompt_tokens, completion_tokens, cost_usd } = use;
  const total_tokens = prompt_tokens + completion_tokens;
  return {
    [model]: {
      input_tokens: prompt_tokens,
      output_tokens: completion_tokens,
      total_tokens,
      total_cost: cost_usd,
    },
  };
}

function errorOf({ reason }: SampleResult): JsonObject {
  const message = `unscored: ${reason ?? 'no verdict'}`;
  return { error: { message, traceback: message, traceback_ansi: message } };
}

function scoreOf({ result, answer, reason }: SampleResult): JsonObject {
  return {
    value: result === 'right' ? 'C' : 'I',
    answer: answer ?? '',
    ...(reason !== null && { explanation: `no answer: ${reason}` }),
  };
}

function userMessage(content: string): JsonObject {
  return { role: 'user', content };
}

/** Trajectory as a conversation; the segment before an observation is its tool call. */
function trajectoryMessages({ system, user, segments }: Trajectory): JsonObject[] {
  const messages: JsonObject[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    userMessage(user),
  ];
  let text = '';
  for (const [at, segment] of segments.entries()) {
    const observation = segments[at + 1];
    // A forced answer is no tool output.
    const isAnswer = at === segments.length - 1;
    if (segment.origin === 'environment' && !isAnswer) continue;
    if (observation?.origin !== 'environment' || at === segments.length - 2) text += segment.text;
    else {
      messages.push(...toolCall(`call_${at}`, text, segment, observation));
      text = '';
    }
  }
  if (text !== '') messages.push({ role: 'assistant', content: text });
  return messages;
}

function toolCall(id: string, before: string, call: Segment, observation: Segment): JsonObject[] {
  const used = { id, type: 'function', function: call.tag, arguments: { input: bodyOf(call) } };
  return [
    { role: 'assistant', content: before, tool_calls: [used] },
    { role: 'tool', tool_call_id: id, function: call.tag, content: bodyOf(observation) },
  ];
}

interface PlayedBenchmark {
  readonly result: BenchmarkResult;
  readonly tasks: readonly TaskResult[];
  readonly runFolder: string;
  readonly run: RunFile;
  readonly player: { readonly backend: string; readonly model: string };
}

/** Log name in Inspect's style: time, task, id. */
export function inspectLogName({ created_at, config_hash }: RunFile, benchmark: string): string {
  return `${created_at.replace(/[:.]/g, '-')}_${benchmark}_${config_hash.slice(-12)}.eval`;
}

/**
 * Writes a log for Inspect AI (`inspect view`, `read_eval_log`): a zip with a file per sample, then summaries and
 * header. Streams trajectories. Equal answers give equal bytes.
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
      // Inspect uses these metrics to recompute scores after edits.
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

/** Fixed date, so that bytes only depend on the content. */
const MEMBER_DATE = '1980-01-01T00:00:00';

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
