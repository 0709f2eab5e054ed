import type { Clock } from '../../base/clock.ts';
import { BudgetSpent } from '../../calls/budget/spendingMeter.ts';
import type { StopSwitch } from '../run/stopSwitch.ts';

/** Drains the run when its hours are over; returns what ends the watch. */
export function stopAfterHours(hours: number | undefined, clock: Clock, stopSwitch: StopSwitch): () => void {
  if (hours === undefined) return () => {};
  const ended = new AbortController();
  const message = `the budget is spent: budget.max_hours is ${hours}`;
  const over = () => stopSwitch.stop(new BudgetSpent(message, { isOfRun: false }));
  clock.sleep(hours * 3_600_000, ended.signal).then(over, () => undefined);
  return () => ended.abort();
}
