import { shareEstimate } from '../../../base/statistics/estimates.ts';

/** Yield of the windows so far, of one profile or of all. */
export interface WindowYield {
  /** Tasks worked on. */
  readonly tasks: number;
  /** Tasks in total, including those worked on. */
  readonly available: number;
  /** Rows obtained; the target itself may be in tokens. */
  readonly rows: number;
  readonly held: number;
  readonly wanted: number;
}

/** Rate with its 95% confidence bounds. */
interface Rate {
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

/** Minimum tasks of the first window, unless fewer rows are wanted. */
const FIRST_WINDOW = 20;
/** Minimum tasks of later windows. */
const LEAST_WINDOW = 8;
/** Minimum rows for using the measured yield. */
const ROWS_FOR_YIELD = 10;

/**
 * Size of the first window: a tenth of the wanted rows, at least 20 tasks and never more than the rows. 20 for a target
 * in tokens.
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
 * Size of the next window; 0 if the target is reached or no task is left. Missing rows at the measured yield, at least
 * 8 tasks and a fiftieth of the earlier ones. Below ten rows, uses the upper bound of the yield; without any row,
 * repeats the earlier number.
 */
export function nextWindow(before: WindowYield): number {
  const { tasks, available, rows, held, wanted } = before;
  if (held >= wanted || tasks >= available) return 0;
  if (rows === 0) return Math.min(available - tasks, Math.max(LEAST_WINDOW, tasks));
  const { value, high } = yieldRate(before);
  const needed = missingRows(before) / (rows < ROWS_FOR_YIELD ? high : value);
  return Math.min(available - tasks, Math.max(LEAST_WINDOW, Math.ceil(tasks / 50), Math.ceil(needed)));
}

/** Missing rows, at the average size of existing ones. */
function missingRows({ rows, held, wanted }: WindowYield): number {
  return (Math.max(0, wanted - held) * rows) / held;
}

function yieldRate({ rows, tasks }: WindowYield): Rate {
  if (rows <= tasks) return shareEstimate(rows, tasks)!;
  // Several rows per task are treated as a Poisson process.
  const half = 1.96 * Math.sqrt(rows);
  return { low: Math.max(1, rows - half) / tasks, value: rows / tasks, high: (rows + half) / tasks };
}
