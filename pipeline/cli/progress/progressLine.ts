import { formatCount, formatDuration, formatUsd } from '../format.ts';

/** Where a stage is. */
export interface StageState {
  readonly stage: string;
  /** Inputs of the stage; null while it is not known. */
  readonly total: number | null;
  /** Inputs that have ended, of earlier sessions too. */
  readonly done: number;
  /** Of `done`, those of this session: what the rate is measured on. */
  readonly doneNow: number;
  readonly kept: number;
  readonly dropped: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  /** Records worked on at once, at most. */
  readonly concurrency: number | null;
}

/** One line about a stage under way: how far, how fast, how long still, what became of the records, what it cost. */
export function progressLine(state: StageState): string {
  const { total, done, doneNow, elapsedMs } = state;
  const perSecond = elapsedMs > 0 ? (doneNow * 1000) / elapsedMs : 0;
  const left = total === null ? undefined : total - done;
  const parts = [
    total === null ? `${formatCount(done)}` : `${formatCount(done)}/${formatCount(total)}`,
    `${perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1)}/s`,
    ...(left && perSecond > 0 ? [`${formatDuration((left / perSecond) * 1000)} left`] : []),
    ...(state.concurrency !== null && left ? [`${Math.min(left, state.concurrency)} in flight`] : []),
    `kept ${formatCount(state.kept)}`,
    `dropped ${formatCount(state.dropped)}`,
    `failed ${formatCount(state.failed)}`,
    ...(state.tokens > 0 ? [`${formatCount(state.tokens)} tokens`] : []),
    ...(state.costUsd > 0 ? [formatUsd(state.costUsd)] : []),
  ];
  return `${state.stage.padEnd(8)} ${parts.join(' · ')}`;
}
