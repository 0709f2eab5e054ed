import { shareEstimate } from '../../../base/statistics/estimates.ts';

/** What the windows so far took and gave: of one profile, or of all. */
export interface WindowYield {
  /** Tasks that were worked on. */
  readonly tasks: number;
  /** Tasks that there are, those included. */
  readonly available: number;
  /** Rows that they gave; what is wanted may be tokens of theirs. */
  readonly rows: number;
  readonly held: number;
  readonly wanted: number;
}

/** A rate, and the bounds within which the true one lies in 95 of 100 cases. */
interface Rate {
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

/** Fewest tasks of the first window, unless fewer rows are wanted. */
const FIRST_WINDOW = 20;
/** Fewest tasks of a later one. */
const LEAST_WINDOW = 8;
/** Rows from which on the measured yield is believed. */
const ROWS_FOR_YIELD = 10;

/**
 * The first window: a tenth of the rows that are wanted, at least twenty tasks and never more than rows. Twenty where
 * tokens are wanted.
 */
export function firstWindow(
  { available, wanted }: Pick<WindowYield, 'available' | 'wanted'>,
  unit: 'rows' | 'tokens',
): number {
  const tenth = unit === 'rows' ? Math.ceil(wanted / 10) : 0;
  const size = Math.max(FIRST_WINDOW, tenth);
  return Math.min(available, unit === 'rows' ? Math.min(size, wanted) : size);
}

/**
 * How many tasks the next window takes; 0 where enough is there, or no task is left. As many as are missing at the
 * measured yield, at least eight and a fiftieth of those before; below ten rows, at the highest yield that they allow; as
 * many as before where there was no row at all.
 */
export function nextWindow(before: WindowYield): number {
  const { tasks, available, rows, held, wanted } = before;
  if (held >= wanted || tasks >= available) return 0;
  if (rows === 0) return Math.min(available - tasks, Math.max(LEAST_WINDOW, tasks));
  const { value, high } = yieldRate(before);
  const needed = missingRows(before) / (rows < ROWS_FOR_YIELD ? high : value);
  return Math.min(available - tasks, Math.max(LEAST_WINDOW, Math.ceil(tasks / 50), Math.ceil(needed)));
}

/** What is missing, in rows as large as those that are there. */
function missingRows({ rows, held, wanted }: WindowYield): number {
  return (Math.max(0, wanted - held) * rows) / held;
}

function yieldRate({ rows, tasks }: WindowYield): Rate {
  if (rows <= tasks) return shareEstimate(rows, tasks)!;
  // Several rows a task: as if they came by themselves (Poisson).
  const half = 1.96 * Math.sqrt(rows);
  return { low: Math.max(1, rows - half) / tasks, value: rows / tasks, high: (rows + half) / tasks };
}
