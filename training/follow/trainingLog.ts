import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { readLineBlocks } from '../../base/journal/readLineBlocks.ts';
import { safeParseJson } from '../../base/json.ts';
import type { Trainer, TrainerLogEntry } from '../../contract/trainer.ts';
import type { JobRecord, TrainingCurve } from '../../schemas/training/jobRecord.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

/** Fields of a job's record about its log. */
interface LoggedJob {
  readonly follow: Pick<JobRecord['follow'], 'metrics_file' | 'earlier_metrics_file'>;
  readonly plan: Pick<JobRecord['plan'], 'trainer'>;
}

/**
 * Log of a job's trainer over all attempts: earlier logs (verl empties its log at each start, so `run.sh` keeps the old
 * one in another file), then the current one. Each read only takes new lines. An incomplete last line is left for the
 * next read; foreign lines are skipped.
 */
export class TrainingLog {
  readonly #files: readonly { readonly path: string; readAt: number }[];
  readonly #jobFolder: string;
  readonly #trainer: Trainer;
  readonly #curve = new GrowingCurve();

  constructor(jobFolder: string, { follow, plan }: LoggedJob) {
    const { metrics_file, earlier_metrics_file } = follow;
    this.#jobFolder = jobFolder;
    this.#trainer = trainerTable[plan.trainer];
    this.#files = [earlier_metrics_file, metrics_file]
      .filter((file) => file !== null)
      .map((file) => ({ path: join(jobFolder, file), readAt: 0 }));
  }

  /** Reads new lines and returns the training curve, which the next read modifies. */
  async read(): Promise<TrainingCurve> {
    await this.readInto(this.#curve);
    return this.#curve;
  }

  /** Reads new lines and adds each entry to the caller's curve. */
  async readInto(curve: Pick<GrowingCurve, 'add'>): Promise<void> {
    for (const file of this.#files) {
      const size = (await ifThere(stat(file.path)))?.size ?? 0;
      // A shorter file was started again.
      if (size < file.readAt) file.readAt = 0;
      for await (const { bytes, offset } of readLineBlocks(file.path, file.readAt, size, this.#jobFolder)) {
        file.readAt = offset + bytes.length;
        for (const line of bytes.toString('utf8').split('\n')) {
          const entry = parseLogLine(this.#trainer, line);
          if (entry) curve.add(entry);
        }
      }
    }
  }
}

/**
 * Parses a line of a trainer's log; undefined for foreign lines. Python's `json` writes NaN and infinities as bare
 * words, which become null, as in other trainers.
 */
export function parseLogLine({ logEntryOf }: Trainer, line: string): TrainerLogEntry | undefined {
  const parsed = safeParseJson(line);
  if (parsed.ok) return logEntryOf(parsed.value);
  // Only at the position of a value, so that strings with these words are unchanged.
  const plain = safeParseJson(line.replace(/([:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g, '$1null'));
  return plain.ok ? logEntryOf(plain.value) : undefined;
}

/**
 * Training curve from log entries in write order. A resumed job logs the steps after its checkpoint again; the last
 * entry of a step wins, also for validations.
 */
export class GrowingCurve implements TrainingCurve {
  readonly steps: TrainingCurve['steps'][number][] = [];
  readonly validation: TrainingCurve['validation'][number][] = [];
  latest_step = 0;
  elapsed_ms: number | null = null;
  total_steps: number | null = null;

  add({ step, loss, learningRate, validationLoss, totalSteps, elapsedMs, rl }: TrainerLogEntry): void {
    if (loss !== undefined)
      putByStep(this.steps, { step, loss, learning_rate: learningRate, ...(rl && { rl }) });
    if (validationLoss !== null) putByStep(this.validation, { step, loss: validationLoss });
    this.latest_step = step;
    this.elapsed_ms = elapsedMs;
    this.total_steps = totalSteps ?? this.total_steps;
  }
}

function putByStep<T extends { readonly step: number }>(entries: T[], entry: T): void {
  let [low, high] = [0, entries.length];
  if (high > 0 && entries[high - 1]!.step < entry.step) low = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.step < entry.step) low = middle + 1;
    else high = middle;
  }
  entries.splice(low, entries[low]?.step === entry.step ? 1 : 0, entry);
}

/** First step with a NaN loss; undefined if none. */
export function firstNanStep(curve: TrainingCurve): number | undefined {
  return curve.steps.find(({ loss }) => loss === null)?.step;
}
