import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/systemClock.ts';
import { formatCount, formatDuration, formatRate } from '../format.ts';
import { type LiveOutput, LiveView } from '../liveView.ts';

/** How far an index is. */
interface IndexPlace {
  readonly passages: number;
  /** From 0 to 1. */
  readonly share: number;
}

/** Shows how far the building of an index is. */
export class IndexView {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #view: LiveView;
  readonly #startedMs: number;
  /** Where this session began. */
  #began: IndexPlace | undefined;
  #hasShown = false;

  constructor(clock: Pick<Clock, 'monotonicMs'> = systemClock, out: LiveOutput = process.stderr) {
    this.#clock = clock;
    this.#view = new LiveView(clock, out);
    this.#startedMs = clock.monotonicMs();
  }

  /** Called often; shows something every so often. The first call says where this session began. */
  show(work: string, place: IndexPlace): void {
    this.#began ??= place;
    if (!this.#view.isDue()) return;
    this.#hasShown = true;
    this.#view.show([indexLine(work, place, this.#began, this.#clock.monotonicMs() - this.#startedMs)]);
  }

  /** Says what goes on now, of which no share is known: where {@link IndexView.show} has shown something. */
  step(line: string): void {
    if (this.#hasShown) this.#view.show([line]);
  }

  /** Prints a line that stays. */
  note(line: string): void {
    this.#view.note(line);
  }
}

/** How far, how fast, how long still. */
function indexLine(
  work: string,
  { passages, share }: IndexPlace,
  began: IndexPlace,
  elapsedMs: number,
): string {
  const shareNow = share - began.share;
  const perSecond = elapsedMs > 0 ? ((passages - began.passages) * 1000) / elapsedMs : 0;
  const leftMs = shareNow > 0 ? (elapsedMs * (1 - share)) / shareNow : undefined;
  return [
    `${work.padEnd(10)} ${Math.floor(share * 100)} %`,
    `${formatCount(passages)} passages`,
    ...(perSecond > 0 ? [formatRate(perSecond)] : []),
    ...(leftMs !== undefined && share < 1 ? [`${formatDuration(leftMs)} left`] : []),
  ].join(' · ');
}
