import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { readLineBlocks } from '../../base/journal/readLineBlocks.ts';
import { safeParseJson } from '../../base/json.ts';
import type { Trainer, TrainerLogEntry } from '../../contract/trainer.ts';
import type { JobRecord, TrainingCurve } from '../../schemas/training/jobRecord.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

/** What a job's record says of its log. */
interface LoggedJob {
  readonly follow: Pick<JobRecord['follow'], 'metrics_file' | 'earlier_metrics_file'>;
  readonly plan: Pick<JobRecord['plan'], 'trainer'>;
}

/**
 * What a job's trainer has logged so far, over all attempts: what earlier ones left (verl empties its log at each
 * start, so that `run.sh` keeps it in another file), then the current log. Each reading takes only what is new. A line
 * that is still being written is left for the next one; a line that is none of the trainer's is passed over, for the
 * log is only looked at.
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

  /** Reads on, and gives the course of the training as it is then, which the next reading changes. */
  async read(): Promise<TrainingCurve> {
    await this.readInto(this.#curve);
    return this.#curve;
  }

  /** Reads on, and gives each entry to a curve of the caller's own. */
  async readInto(curve: Pick<GrowingCurve, 'add'>): Promise<void> {
    for (const file of this.#files) {
      const size = (await ifThere(stat(file.path)))?.size ?? 0;
      // One that is shorter by now was started again.
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
 * Reads a line of a trainer's log; undefined for one that is not of its form. Python's `json` writes NaN and infinities
 * as bare words: they become null, as other trainers write them.
 */
export function parseLogLine({ logEntryOf }: Trainer, line: string): TrainerLogEntry | undefined {
  const parsed = safeParseJson(line);
  if (parsed.ok) return logEntryOf(parsed.value);
  // Only between a colon or a bracket and what ends a value: strings that hold the words are no values.
  const plain = safeParseJson(line.replace(/([:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g, '$1null'));
  return plain.ok ? logEntryOf(plain.value) : undefined;
}

/**
 * The course of a training, by the entries of its logs in the order in which they were written. A resumed job logs the steps after its checkpoint again: they count as they were logged last. Validations at a step
 * count likewise.
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

/** Puts an entry in its place among others in order, instead of one of the same step. */
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

/** The first step whose loss is not a number; undefined when all are. */
export function firstNanStep(curve: TrainingCurve): number | undefined {
  return curve.steps.find(({ loss }) => loss === null)?.step;
}
