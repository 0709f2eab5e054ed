import type { StageCounts } from '../../../schemas/run/stageFile.ts';
import type { Clock } from '../../contract/ports.ts';
import type { CorpusOutcome, StageName } from '../../contract/stage.ts';
import type { RunObserver } from '../../run/runStages.ts';
import { formatCount, formatDuration } from '../format.ts';
import { progressLine, type StageState } from './progressLine.ts';

/** How often the live line is drawn. */
const LIVE_MS = 150;
/** How often a plain line is printed where there is no terminal. */
const PLAIN_MS = 5_000;

type Running = { -readonly [key in keyof StageState]: StageState[key] } & { startedMs: number };

/** Shows a run on stderr as it goes: a live line on a terminal, a plain line every few seconds elsewhere. */
export class ProgressView implements RunObserver {
  readonly #clock: Clock;
  readonly #out: NodeJS.WriteStream;
  readonly #timer: NodeJS.Timeout;
  #running: Running | undefined;

  constructor(clock: Clock, out: NodeJS.WriteStream = process.stderr) {
    this.#clock = clock;
    this.#out = out;
    this.#timer = setInterval(() => this.#draw(), out.isTTY ? LIVE_MS : PLAIN_MS);
    this.#timer.unref();
  }

  stageStarted(stage: StageName, total: number | null, done: number, concurrency: number | null): void {
    if (done > 0) this.note(`${stage}: ${formatCount(done)} done earlier, going on`);
    this.#running = {
      stage,
      total,
      done,
      doneNow: 0,
      kept: 0,
      dropped: 0,
      failed: 0,
      tokens: 0,
      costUsd: 0,
      elapsedMs: 0,
      concurrency,
      startedMs: this.#clock.monotonicMs(),
    };
  }

  outcome(_stage: StageName, { outcome }: CorpusOutcome<unknown>): void {
    const state = this.#running;
    if (!state) return;
    state.done++;
    state.doneNow++;
    if (outcome.kind === 'emit') state.kept++;
    else if (outcome.kind === 'drop') state.dropped++;
    else state.failed++;
    const used = outcome.kind === 'emit' ? outcome.records : outcome.kind === 'fail' ? [outcome.partial] : [];
    for (const work of used) addTotals(state, work);
  }

  stageFinished(stage: StageName, counts: StageCounts): void {
    const took = this.#running ? this.#clock.monotonicMs() - this.#running.startedMs : 0;
    this.#running = undefined;
    this.note(
      `${stage.padEnd(8)} ${formatCount(counts.entered)} in · ${formatCount(counts.emitted_inputs)} on · ${formatDuration(took)}`,
    );
  }

  /** Prints a line of its own. */
  note(line: string): void {
    this.#clearLive();
    this.#out.write(`${line}\n`);
  }

  /** Ends the view; calling it again changes nothing. */
  close(): void {
    clearInterval(this.#timer);
    this.#clearLive();
    this.#running = undefined;
  }

  #draw(): void {
    const state = this.#running;
    if (!state) return;
    state.elapsedMs = this.#clock.monotonicMs() - state.startedMs;
    const line = progressLine(state);
    if (this.#out.isTTY) this.#out.write(`\r\u001b[2K${line.slice(0, this.#out.columns - 1)}`);
    else this.#out.write(`${line}\n`);
  }

  #clearLive(): void {
    if (this.#out.isTTY) this.#out.write('\r\u001b[2K');
  }
}

/** Adds what a trace, or what there is of one, says of its use. Other records say nothing. */
function addTotals(state: Running, work: unknown): void {
  const totals = (work as { totals?: Record<string, unknown> } | undefined)?.totals;
  if (!totals) return;
  state.tokens += numberOf(totals.prompt_tokens) + numberOf(totals.completion_tokens);
  state.costUsd += numberOf(totals.cost_usd);
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
