import type { Clock } from '../../base/clock.ts';
import { totalOf } from '../../base/sum.ts';
import type { Amount } from '../../calls/budget/spendingLog.ts';
import type { ModelCall, RetriedAttempt, ToolCall } from '../../contract/calls.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { type FailingServer, FailingServers } from '../../operations/report/failingServers.ts';
import { type Yield, yieldOfFunnel } from '../../operations/report/yieldOfFunnel.ts';
import type { SessionMeter, SessionObserver } from '../../pipeline/createSession.ts';
import { BillEstimate, type LiveEstimate } from '../../pipeline/estimate/liveEstimate.ts';
import type { PendingRollouts } from '../../pipeline/run/stageWork.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';
import { useText } from '../estimateLines.ts';
import { formatCount, formatDuration } from '../format.ts';
import { type LiveOutput, LiveView } from '../liveView.ts';
import { targetText } from '../targetText.ts';
import { type LiveStage, liveLines, progressLine } from './progressLine.ts';
import { RolloutCalls } from './rolloutCalls.ts';

/** Line about a server that only fails. */
export function failingServerText({ server, message, failures, asked_wait_ms }: FailingServer): string {
  const count = failures === 1 ? '1 failure' : `${failures} failures`;
  const wait =
    asked_wait_ms > 0
      ? `it asks to wait ${formatDuration(asked_wait_ms)}; asked again later`
      : 'asked again, with growing pauses';
  return `${server}: ${message}; ${count} and no answer since; ${wait}`;
}

type Running = {
  -readonly [key in keyof Omit<
    LiveStage,
    'concurrency' | 'dropped' | 'failed' | 'tokens' | 'costUsd'
  >]: LiveStage[key];
} & {
  concurrency: (() => number) | null;
  /** Dropped and failed inputs by reason. */
  readonly lost: { readonly dropped: Record<string, number>; readonly failed: Record<string, number> };
  startedMs: number;
  isFinished: boolean;
};

/** Shows a run's progress on stderr: live on a terminal, otherwise a line every few seconds. */
export class ProgressView implements SessionObserver {
  readonly #clock: Clock;
  readonly #view: LiveView;
  readonly #timer: NodeJS.Timeout;
  /** True once a stage of this session has begun. */
  hasBegun = false;
  /** Running stages and their finished chain members, in order. */
  readonly #stages = new Map<StageName, Running>();
  #meter: SessionMeter | undefined;
  #calls = 0;
  #rolloutCalls = new RolloutCalls();
  #lastRetry: FailureCause | undefined;
  readonly #silence = new FailingServers();
  /** Amount billed before the session. */
  #start: Amount = { costUsd: 0, tokens: 0 };
  #forecast = new BillEstimate(this.#start);
  /** Sample size of the last forecast. */
  #forecastFrom = 0;

  constructor(clock: Clock, out: LiveOutput = process.stderr) {
    this.#clock = clock;
    this.#view = new LiveView(clock, out);
    this.#timer = setInterval(() => this.#draw(), this.#view.everyMs);
    this.#timer.unref();
  }

  began(meter: SessionMeter): void {
    this.#meter = meter;
    this.#start = meter.billed;
  }

  modelCall(call: ModelCall): void {
    this.#calls++;
    if (call.outcome === 'ok') this.#silence.answered(call.provider);
    this.#rolloutCalls.modelCall(call, this.#clock.monotonicMs());
  }

  toolCall(call: ToolCall): void {
    this.#rolloutCalls.toolCall(call, this.#clock.monotonicMs());
  }

  retried(attempt: RetriedAttempt): void {
    // Tool services have no model.
    if (attempt.model !== undefined) this.#lastRetry = attempt.cause;
    const server = this.#silence.failed(attempt, this.#clock.monotonicMs());
    if (server) this.note(failingServerText(server));
  }

  stageStarted(
    stage: StageName,
    total: number | null,
    done: number,
    concurrency: (() => number) | null,
    pending?: () => Promise<PendingRollouts>,
  ): void {
    this.hasBegun = true;
    if (stage === 'rollout') this.#rolloutStarted(pending);
    if (done > 0) this.note(`${stage}: ${formatCount(done)} done earlier, going on`);
    if (!this.#current()) this.#stages.clear();
    this.#stages.set(stage, {
      stage,
      total,
      done,
      doneNow: 0,
      kept: 0,
      elapsedMs: 0,
      concurrency,
      lost: { dropped: {}, failed: {} },
      startedMs: this.#clock.monotonicMs(),
      isFinished: false,
    });
  }

  outcome(stage: StageName, ended: CorpusOutcome<unknown>): void {
    const { outcome } = ended;
    const state = this.#stages.get(stage);
    if (!state) return;
    state.done++;
    state.doneNow++;
    if (outcome.kind === 'emit') state.kept++;
    else if (outcome.kind === 'drop') count(state.lost.dropped, outcome.reason);
    else count(state.lost.failed, outcome.failure.cause);
    if (stage !== 'rollout') return;
    const rolled = this.#rolloutCalls.ended(ended);
    void this.#forecast.ended(ended.index, rolled).then(() => this.#sayForecast(state));
  }

  stageFinished(stage: StageName, counts: StageCounts): void {
    const state = this.#stages.get(stage);
    const took = state ? this.#clock.monotonicMs() - state.startedMs : 0;
    if (state) state.isFinished = true;
    this.note(
      `${stage.padEnd(8)} ${formatCount(counts.entered)} in · ${formatCount(counts.emitted_inputs)} kept · ${formatDuration(took)}`,
    );
  }

  windowEnded(target: TargetFile, more: number | undefined): void {
    const next = more === undefined ? '' : `; the next window takes ${formatCount(more)} more`;
    this.note(`target   ${targetText(target)}${next}`);
  }

  note(line: string): void {
    this.#view.note(line);
  }

  /** Removes the live lines until the next update. */
  clear(): void {
    this.#view.clear();
  }

  /** Ends the view. Idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#view.clear();
    this.#stages.clear();
  }

  #rolloutStarted(pending: (() => Promise<PendingRollouts>) | undefined): void {
    this.#rolloutCalls = new RolloutCalls();
    this.#forecastFrom = 0;
    this.#forecast = new BillEstimate(this.#billed, pending);
  }

  /** Amount billed over all sessions. */
  get #billed(): Amount {
    return this.#meter?.billed ?? { costUsd: 0, tokens: 0 };
  }

  /** Prints each forecast with a larger sample as a permanent line. */
  #sayForecast(state: Running): void {
    const forecast = this.#forecastOf(state);
    if (!forecast || forecast.seen <= this.#forecastFrom) return;
    this.#forecastFrom = forecast.seen;
    this.note(`rollout  forecast from ${formatCount(forecast.seen)} rollouts: ${useText(forecast)}`);
  }

  #forecastOf(state: Running): LiveEstimate | undefined {
    return this.#forecast.at({ ...state, billed: this.#billed, used: this.#rolloutCalls.used });
  }

  #draw(): void {
    const current = this.#current();
    if (!current) return;
    const state = this.#now(current);
    this.#view.show(this.#view.isLive ? liveLines(state) : [progressLine(state)]);
  }

  /** First running stage, which the others wait for. */
  #current(): Running | undefined {
    return [...this.#stages.values()].find(({ isFinished }) => !isFinished);
  }

  /** Yield of this session, over the chained stages. */
  #yield(): Yield | undefined {
    const stages = [...this.#stages.values()];
    const rows = stages.map(({ stage, total, kept, lost }) => ({
      ...{ stage, entered: total, emitted: kept },
      ...lost,
    }));
    return yieldOfFunnel(rows, this.#billed.costUsd - this.#start.costUsd);
  }

  #now(state: Running): LiveStage {
    const nowMs = this.#clock.monotonicMs();
    state.elapsedMs = nowMs - state.startedMs;
    const oldest = this.#rolloutCalls.oldest;
    const isRollout = state.stage === 'rollout';
    const forecast = isRollout ? this.#forecastOf(state) : undefined;
    const leftMs = this.#leftMs(state, forecast);
    const requests = isRollout ? this.#requests() : undefined;
    const soFar = this.#yield();
    return {
      ...state,
      ...this.#billed,
      dropped: totalOf(state.lost.dropped),
      failed: totalOf(state.lost.failed),
      concurrency: state.concurrency?.() ?? null,
      ...(leftMs !== undefined && { leftMs }),
      ...(isRollout && oldest && { oldest: { ...oldest, ageMs: nowMs - oldest.sinceMs } }),
      ...(requests && { requests }),
      ...(soFar && { yield: soFar }),
      ...(forecast && { forecast }),
    };
  }

  /** Elapsed time scaled by remaining over finished work: tokens if rollouts have a forecast, otherwise records. */
  #leftMs({ total, done, doneNow, elapsedMs }: Running, estimate: LiveEstimate | undefined) {
    if (total === null || doneNow === 0) return undefined;
    const took = this.#billed.tokens - this.#start.tokens;
    if (!estimate || took === 0) return ((total - done) * elapsedMs) / doneNow;
    return (Math.max(0, estimate.tokens.expected - this.#billed.tokens) * elapsedMs) / took;
  }

  #requests(): LiveStage['requests'] {
    if (!this.#meter || this.#meter.attempts === 0) return undefined;
    const { attempts, inFlight } = this.#meter;
    const retries = Math.max(0, attempts - this.#calls - inFlight);
    return {
      answered: this.#calls,
      inFlight,
      retries,
      ...(retries > 0 && this.#lastRetry && { lastRetry: this.#lastRetry }),
    };
  }
}

function count(counts: Record<string, number>, reason: string): void {
  counts[reason] = (counts[reason] ?? 0) + 1;
}
