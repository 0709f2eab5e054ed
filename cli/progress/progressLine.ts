import { dollars, formatInterval } from '../../base/figures.ts';
import type { Yield } from '../../operations/report/yieldOfFunnel.ts';
import type { LiveEstimate } from '../../pipeline/estimate/liveEstimate.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { useText } from '../estimateLines.ts';
import { formatCount, formatDuration, formatRate } from '../format.ts';
import type { OpenRollout } from './rolloutCalls.ts';

export interface LiveStage {
  readonly stage: string;
  /** Inputs of the stage; null if unknown. */
  readonly total: number | null;
  /** Finished inputs over all sessions. */
  readonly done: number;
  /** Part of `done` from this session, for the rate. */
  readonly doneNow: number;
  readonly kept: number;
  readonly dropped: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  /** Remaining time; absent if unknown. */
  readonly leftMs?: number;
  /** Maximum concurrent records. */
  readonly concurrency: number | null;
  /** Model requests; absent before the first. */
  readonly requests?: {
    readonly answered: number;
    readonly inFlight: number;
    readonly retries: number;
    readonly lastRetry?: FailureCause;
  };
  /** Longest-running rollout; absent before its first answer. */
  readonly oldest?: Pick<OpenRollout, 'calls' | 'toolCalls'> & { readonly ageMs: number };
  /** Absent before a record has passed this stage and its chain. */
  readonly yield?: Yield;
  /** Forecast for the whole stage; absent if too little is known. */
  readonly forecast?: LiveEstimate;
}

const BAR_CELLS = 24;

/** One-line progress of a stage: progress, rate, time left, outcomes, cost. */
export function progressLine(state: LiveStage): string {
  const more = [
    ...(state.oldest ? [oldestText(state.oldest)] : []),
    ...(state.yield ? [yieldText(state.yield)] : []),
  ];
  return `${state.stage.padEnd(8)} ${[...paceParts(state), ...workParts(state), ...more].join(' · ')}`;
}

export function liveLines(state: LiveStage): string[] {
  const bar = state.total === null ? '' : `${barOf(state.total === 0 ? 1 : state.done / state.total)} `;
  return [
    `${state.stage.padEnd(8)} ${bar}${paceParts(state).join(' · ')}`,
    `         ${workParts(state).join(' · ')}`,
    ...(state.oldest ? [`         ${oldestText(state.oldest)}`] : []),
    ...(state.yield ? [`         ${yieldText(state.yield)}`] : []),
    ...(state.forecast ? [`         at the end ${useText(state.forecast)}`] : []),
  ];
}

function barOf(share: number): string {
  const full = Math.min(BAR_CELLS, Math.floor(share * BAR_CELLS));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}]`;
}

function paceParts({ total, done, doneNow, elapsedMs, leftMs, concurrency }: LiveStage): string[] {
  const perSecond = elapsedMs > 0 ? (doneNow * 1000) / elapsedMs : 0;
  const left = total === null ? undefined : total - done;
  return [
    total === null ? `${formatCount(done)}` : `${formatCount(done)}/${formatCount(total)}`,
    ...(perSecond > 0 ? [formatRate(perSecond)] : []),
    ...(left && leftMs !== undefined ? [`${formatDuration(leftMs)} left`] : []),
    ...(concurrency !== null && left ? [`${Math.min(left, concurrency)} in flight`] : []),
  ];
}

function workParts({ stage, kept, dropped, failed, tokens, costUsd, requests }: LiveStage): string[] {
  return [
    // A solved rollout is not a kept row yet.
    `${stage === 'rollout' ? 'solved' : 'kept'} ${formatCount(kept)}`,
    `dropped ${formatCount(dropped)}`,
    `failed ${formatCount(failed)}`,
    ...(requests ? [requestsText(requests)] : []),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(costUsd > 0 ? [dollars(costUsd)] : []),
  ];
}

function requestsText({
  answered,
  inFlight,
  retries,
  lastRetry,
}: NonNullable<LiveStage['requests']>): string {
  const counted = `${formatCount(retries)} ${retries === 1 ? 'retry' : 'retries'}`;
  return `requests: ${formatCount(answered)} answered, ${formatCount(inFlight)} in flight, ${counted}${lastRetry ? ` (last: ${lastRetry})` : ''}`;
}

function oldestText({ calls, toolCalls, ageMs }: NonNullable<LiveStage['oldest']>): string {
  const counted = (count: number, what: string) => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
  return `oldest task: ${formatDuration(ageMs)}, ${counted(calls, 'call')}, ${counted(toolCalls, 'tool call')}`;
}

/** Kept records, main loss, cost per kept record, and forecast. */
export function yieldText({ finished, kept, cost_usd_a_kept_row, expected_kept, most_lost }: Yield): string {
  return [
    `${formatCount(kept)} of ${formatCount(finished)} finished are kept (${Math.round((100 * kept) / finished)}%)`,
    ...(most_lost ? [`most lost: ${most_lost.reason} (${formatCount(most_lost.records)})`] : []),
    ...(cost_usd_a_kept_row === null ? [] : [`${dollars(cost_usd_a_kept_row)} a kept row`]),
    ...(expected_kept === null ? [] : [`${formatInterval(expected_kept)} at the end`]),
  ].join(' · ');
}
