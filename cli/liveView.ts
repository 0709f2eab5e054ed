import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/systemClock.ts';
import { outputMode } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { wrapWords } from './wrapWords.ts';

/** Refresh interval on a terminal. */
const LIVE_MS = 150;
/** Print interval without a terminal. */
const PLAIN_MS = 5_000;

/** Output for progress, usually stderr. */
export type LiveOutput = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Progress display: lines updated in place on a terminal, otherwise a line every few seconds. */
export class LiveView {
  readonly isLive: boolean;
  /** Minimum interval between two updates. */
  readonly everyMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #out: LiveOutput;
  #shownAtMs: number;
  #drawn = 0;

  /** @param isLive false if other output goes to the terminal too; default: whether `out` is one */
  constructor(
    clock: Pick<Clock, 'monotonicMs'> = systemClock,
    out: LiveOutput = process.stderr,
    isLive: boolean = out.isTTY,
  ) {
    this.#clock = clock;
    this.#out = out;
    this.isLive = isLive;
    this.everyMs = isLive ? LIVE_MS : PLAIN_MS;
    this.#shownAtMs = clock.monotonicMs();
  }

  /** True when the next update is due. */
  isDue(): boolean {
    return this.#clock.monotonicMs() - this.#shownAtMs >= this.everyMs;
  }

  /** Shows lines at once; on a terminal they replace the last ones, wrapped between words. */
  show(lines: readonly string[]): void {
    if (outputMode.isQuiet) return;
    this.#shownAtMs = this.#clock.monotonicMs();
    if (!this.isLive) {
      for (const line of lines) this.note(line);
      return;
    }
    const shown = lines.flatMap((line) => this.#fitted(line));
    this.#out.write(`${this.#erased()}${shown.join('\n')}`);
    this.#drawn = shown.length;
  }

  note(line: string): void {
    if (outputMode.isQuiet) return;
    const text = runnable(line);
    this.#out.write(`${this.#erased()}${this.isLive ? this.#fitted(text).join('\n') : text}\n`);
  }

  /** Keeps the last column free, since terminals wrap as soon as it is filled. */
  #fitted(line: string): string[] {
    return wrapWords(line, this.#out.columns - 1);
  }

  clear(): void {
    const erased = this.#erased();
    if (erased !== '') this.#out.write(erased);
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  /** Escape sequence that erases the live lines and moves the cursor to their start. */
  #erased(): string {
    if (!this.isLive) return '';
    const up = this.#drawn > 1 ? `\u001b[${this.#drawn - 1}A` : '';
    this.#drawn = 0;
    return `\r${up}\u001b[J`;
  }
}
