import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { GrowingColumn } from '../../base/growingColumn.ts';
import { reduceSeries, type SeriesPoint } from '../../base/statistics/reduceSeries.ts';
import { systemClock } from '../../base/systemClock.ts';
import type { TrainerLogEntry } from '../../contract/trainer.ts';
import type { JobRecord, RlFigures, TrainingCurve } from '../../schemas/training/jobRecord.ts';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { jobFolderOf, readJob } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';

/** `gone`: ended without a recorded outcome. */
export interface JobStanding {
  readonly kind: 'running' | 'queued' | 'ended' | 'gone' | 'unknown';
  /** Message of the launcher, or reason for an unknown state; may be empty. */
  readonly note: string;
}

export type ViewedJob = Awaited<ReturnType<typeof viewedJob>>;

/** State of a started job. Throws `UserError` if its record is damaged. */
export async function viewedJob(runFolder: string, name: string) {
  const folder = jobFolderOf(runFolder, name);
  const record = (await readJob(folder))!;
  const standing = await standingOf(folder, record);
  return { record, standing, curve: await curveOf(folder, record) };
}

interface ReadLog {
  readonly attempts: number;
  /** State of the log when it was read. */
  readonly stamp: string;
  /** Incremental reader of a running job; dropped at its end to free memory. */
  readonly reads: { readonly log: TrainingLog; readonly lines: GrowingJobCurve } | undefined;
  readonly curve: Promise<JobCurve>;
}

/** Read logs: a million steps take seconds, so each line is read once. */
const readLogs = new Map<string, ReadLog>();

async function curveOf(folder: string, record: JobRecord): Promise<JobCurve> {
  const written = await ifThere(stat(join(folder, record.follow.metrics_file)));
  const stamp = `${written?.size} ${written?.mtimeMs}`;
  const attempts = record.attempts.length;
  const before = readLogs.get(folder);
  // Each attempt may restart its log.
  const last = before?.attempts === attempts ? before : undefined;
  if (last?.stamp === stamp) return last.curve;
  const reads = last?.reads ?? { log: new TrainingLog(folder, record), lines: new GrowingJobCurve() };
  const curve = Promise.resolve(last?.curve).then(async () => {
    await reads.log.readInto(reads.lines);
    return reads.lines.drawn();
  });
  const hasEnded = record.attempts.at(-1)?.end != null;
  readLogs.set(folder, { attempts, stamp, reads: hasEnded ? undefined : reads, curve });
  return curve;
}

/** Minimum interval between two queries of a scheduler. */
const ASK_AGAIN_MS = 15_000;
const asked = new Map<string, { readonly atMs: number; readonly standing: Promise<JobStanding> }>();

/** Recorded end of a job, otherwise its launcher's state. */
async function standingOf(folder: string, record: JobRecord): Promise<JobStanding> {
  const attempt = record.attempts.at(-1);
  if (!attempt) return { kind: 'unknown', note: 'it was never started' };
  if (attempt.end) return { kind: 'ended', note: '' };
  const last = asked.get(folder);
  const now = systemClock.monotonicMs();
  if (last && now - last.atMs < ASK_AGAIN_MS) return last.standing;
  const standing = askLauncher(folder, record);
  if (!launcherTable[record.plan.launcher].runsHere) asked.set(folder, { atMs: now, standing });
  return standing;
}

async function askLauncher(folder: string, { plan, attempts }: JobRecord): Promise<JobStanding> {
  try {
    const state = await launcherTable[plan.launcher].open(systemClock).state(attempts.at(-1)!.handle, folder);
    if (state.kind === 'ended') return { kind: 'gone', note: state.message ?? '' };
    return { kind: state.kind, note: state.kind === 'queued' ? state.reason : '' };
  } catch (error) {
    return { kind: 'unknown', note: (error as Error).message };
  }
}

/** Points sent for a line: more than a chart has pixels. */
const MAX_POINTS = 1_000;

const rlNames = [
  'reward',
  'pass_rate',
  'entropy',
  'kl',
  'length',
  'calls',
  'failed',
  'unscored',
  'mixed_groups',
] as const satisfies readonly (keyof RlFigures)[];
const lineNames = ['loss', 'validation_loss', ...rlNames, 'learning_rate'];

export type JobCurve = ReturnType<GrowingJobCurve['drawn']>;

/** Curves from a trainer's log; figures without values are left out. */
export class GrowingJobCurve {
  readonly #steps = new StepTable();
  readonly #validation = new StepTable();
  #latest: Pick<TrainingCurve, 'latest_step' | 'elapsed_ms' | 'total_steps'> = {
    latest_step: 0,
    elapsed_ms: null,
    total_steps: null,
  };
  /** Time of earlier attempts; each attempt counts from 0. */
  #earlierMs = 0;

  add({ step, loss, learningRate, validationLoss, totalSteps, elapsedMs, rl }: TrainerLogEntry): void {
    if (elapsedMs !== null && elapsedMs < (this.#latest.elapsed_ms ?? 0))
      this.#earlierMs += this.#latest.elapsed_ms!;
    const elapsed = elapsedMs === null ? null : this.#earlierMs + elapsedMs;
    if (loss !== undefined) this.#steps.add(step, { loss, learning_rate: learningRate, elapsed, ...rl });
    if (validationLoss !== null) this.#validation.add(step, { validation_loss: validationLoss });
    const total_steps = totalSteps ?? this.#latest.total_steps;
    this.#latest = { latest_step: step, elapsed_ms: elapsedMs, total_steps };
  }

  drawn() {
    const { lines, lost } = this.#steps.drawn('loss');
    const all = { ...lines, ...this.#validation.drawn('validation_loss').lines };
    const known = lineNames.flatMap((name) => (all[name] ? [[name, all[name]]] : []));
    return {
      ...this.#latest,
      lost_steps: lost,
      /** Milliseconds by step; empty if not logged. */
      elapsed: lines.elapsed ?? [],
      lines: Object.fromEntries(known) as Readonly<Record<string, readonly SeriesPoint[]>>,
    };
  }
}

/**
 * Figures by step; the last log entry of a step wins. Uses columns of numbers, since a million objects keep V8's
 * collector busy for seconds.
 */
class StepTable {
  readonly #steps = new GrowingColumn(Float64Array);
  /** NaN for missing figures; a column ends with its last figure. */
  readonly #figures = new Map<string, GrowingColumn<Float64Array>>();
  #isInOrder = true;

  add(step: number, figures: Readonly<Record<string, number | null>>): void {
    const place = this.#steps.length;
    if (place > 0 && this.#steps.at(place - 1) >= step) this.#isInOrder = false;
    this.#steps.push(step);
    for (const [name, figure] of Object.entries(figures)) {
      if (figure === null) continue;
      const column = this.#figures.get(name) ?? new GrowingColumn(Float64Array);
      this.#figures.set(name, column);
      while (column.length < place) column.push(Number.NaN);
      column.push(figure);
    }
  }

  /** Lines of all figures, and the number of steps without the figure `of`. */
  drawn(of: string): { readonly lines: Record<string, readonly SeriesPoint[]>; readonly lost: number } {
    const places = this.#places();
    const figureAt = (column: GrowingColumn<Float64Array> | undefined, place: number): number | null => {
      const figure = column && place < column.length ? column.at(place) : Number.NaN;
      return Number.isNaN(figure) ? null : figure;
    };
    const lines = [...this.#figures].map(([name, column]) => {
      const pointOf = (place: number): SeriesPoint => [this.#steps.at(place), figureAt(column, place)];
      return [name, reduceSeries(places, MAX_POINTS, pointOf)] as const;
    });
    const looked = this.#figures.get(of);
    const lost = places.reduce((sum, place) => sum + Number(figureAt(looked, place) === null), 0);
    return { lines: Object.fromEntries(lines), lost };
  }

  #places(): Uint32Array {
    const places = new Uint32Array(this.#steps.length).map((_, place) => place);
    if (this.#isInOrder) return places;
    const last = new Map(Array.from(places, (place) => [this.#steps.at(place), place]));
    return Uint32Array.from([...last].sort(([a], [b]) => a - b).map(([, place]) => place));
  }
}
