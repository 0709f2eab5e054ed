import type { RlScoreAnswer } from '../../schemas/rl/score.ts';
import type { RlNextAnswer } from '../records/next.ts';
import type { RlStatus } from '../records/status.ts';

/** Durations that are kept. */
const MOST_KEPT = 10_000;

/** The latest durations of a kind of answer. */
class Latencies {
  readonly #durationsMs: number[] = [];
  #count = 0;

  add(durationMs: number): void {
    this.#durationsMs[this.#count++ % MOST_KEPT] = durationMs;
  }

  get summary(): RlStatus['next'] {
    const sorted = this.#durationsMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { answers: sorted.length, p50_ms: at(0.5), p99_ms: at(0.99) };
  }
}

/** Counts what an environment server did, for its status. */
export class ServerCounts {
  readonly #startedAt: string;
  readonly #named = { observations: {}, cached: {}, failures: {}, ends: {}, unscored: {}, refused: {} };
  readonly #next = new Latencies();
  readonly #score = new Latencies();
  #continued = 0;
  #scored = 0;
  #inFlight = 0;

  constructor(startedAt: string) {
    this.#startedAt = startedAt;
  }

  /** A request is worked on; call what is returned when it no longer is. */
  begin(): () => void {
    this.#inFlight++;
    return () => {
      this.#inFlight--;
    };
  }

  next(answer: RlNextAnswer, durationMs: number): void {
    this.#next.add(durationMs);
    if (answer.kind === 'continue') this.#continued++;
    else if (answer.kind === 'end') this.add('ends', answer.reason);
    else {
      this.add('observations', answer.tool);
      if (answer.cached) this.add('cached', answer.tool);
    }
  }

  score({ unscored }: RlScoreAnswer, durationMs: number): void {
    this.#score.add(durationMs);
    if (unscored) this.add('unscored', unscored.cause);
    else this.#scored++;
  }

  /** One more of a tool, an end or a cause. */
  add(what: 'observations' | 'cached' | 'failures' | 'ends' | 'unscored' | 'refused', name: string): void {
    const counts: Record<string, number> = this.#named[what];
    counts[name] = (counts[name] ?? 0) + 1;
  }

  get status(): RlStatus {
    return {
      started_at: this.#startedAt,
      in_flight: this.#inFlight,
      ...structuredClone(this.#named),
      continued: this.#continued,
      scored: this.#scored,
      next: this.#next.summary,
      score: this.#score.summary,
    };
  }
}
