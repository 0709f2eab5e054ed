import { join } from 'node:path';
import { safeParseJson } from '../../base/json.ts';
import type { Trainer, TrainerLogEntry } from '../../contract/trainer.ts';
import type { JobRecord, TrainingCurve, TrainingStep } from '../../schemas/training/jobRecord.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { readFileFrom } from './readFileFrom.ts';

/** What a job's record says of its log. */
interface LoggedJob {
  readonly follow: Pick<JobRecord['follow'], 'metrics_file' | 'earlier_metrics_file'>;
  readonly plan: Pick<JobRecord['plan'], 'trainer'>;
}

const LINE_FEED = 0x0a;

/**
 * What a job's trainer has logged so far, over all attempts: what earlier ones left (verl empties its log at each
 * start, so that `run.sh` keeps it in another file), then the current log. Each reading takes only what is new. A line
 * that is still being written is left for the next one; a line that is none of the trainer's is passed over, for the
 * log is only looked at.
 */
export class TrainingLog {
  readonly #files: readonly { readonly path: string; readAt: number }[];
  readonly #trainer: Trainer;
  readonly #entries: TrainerLogEntry[] = [];

  constructor(jobFolder: string, { follow, plan }: LoggedJob) {
    const { metrics_file, earlier_metrics_file } = follow;
    this.#trainer = trainerTable[plan.trainer];
    this.#files = [earlier_metrics_file, metrics_file]
      .filter((file) => file !== null)
      .map((file) => ({ path: join(jobFolder, file), readAt: 0 }));
  }

  /** Reads on, and gives the course of the training as it is then. */
  async read(): Promise<TrainingCurve> {
    for (const file of this.#files) {
      const { bytes, end } = await readFileFrom(file.path, file.readAt);
      const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
      file.readAt = end - (bytes.length - whole.length);
      for (const line of whole.toString('utf8').split('\n')) {
        const entry = parseLogLine(this.#trainer, line);
        if (entry) this.#entries.push(entry);
      }
    }
    return trainingCurve(this.#entries);
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
 * The course of a training from the entries of its logs, in the order in which they were written. A resumed job logs
 * the steps after its checkpoint again: they count as they were logged last. Validations at a step count likewise.
 */
export function trainingCurve(entries: readonly TrainerLogEntry[]): TrainingCurve {
  const steps = new Map<number, TrainingStep>();
  const validation = new Map<number, number>();
  let totalSteps: number | null = null;
  for (const { step, loss, learningRate, validationLoss, totalSteps: total, rl } of entries) {
    totalSteps = total ?? totalSteps;
    if (loss !== undefined) steps.set(step, { step, loss, learning_rate: learningRate, ...(rl && { rl }) });
    if (validationLoss !== null) validation.set(step, validationLoss);
  }
  return {
    steps: [...steps.values()].sort((a, b) => a.step - b.step),
    validation: [...validation].map(([step, loss]) => ({ step, loss })).sort((a, b) => a.step - b.step),
    latest_step: entries.at(-1)?.step ?? 0,
    elapsed_ms: entries.at(-1)?.elapsedMs ?? null,
    total_steps: totalSteps,
  };
}

/** The first step whose loss is not a number; undefined when all are. */
export function firstNanStep(curve: TrainingCurve): number | undefined {
  return curve.steps.find(({ loss }) => loss === null)?.step;
}
