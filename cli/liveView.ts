import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/systemClock.ts';
import { outputMode } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { wrapWords } from './wrapWords.ts';

/** How often lines on a terminal are drawn. */
const LIVE_MS = 150;
/** How often a line is printed where there is no terminal. */
const PLAIN_MS = 5_000;

/** Where progress is written, usually stderr. */
export type LiveOutput = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Progress of work: on a terminal lines that change in place, elsewhere a line every few seconds. */
export class LiveView {
  readonly isLive: boolean;
  /** Least time between two views. */
  readonly everyMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #out: LiveOutput;
  #shownAtMs: number;
  /** Lines of the live view on the screen. */
  #drawn = 0;

  /** @param isLive false where something else is written to the terminal as well; default: whether `out` is one */
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

  /** True when it is time for the next view. */
  isDue(): boolean {
    return this.#clock.monotonicMs() - this.#shownAtMs >= this.everyMs;
  }

  /** Shows lines at once; on a terminal in place of the last ones, broken between words where it is narrower. */
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

  /** Prints a line that stays. With `--quiet` nothing is shown. */
  note(line: string): void {
    if (outputMode.isQuiet) return;
    const text = runnable(line);
    this.#out.write(`${this.#erased()}${this.isLive ? this.#fitted(text).join('\n') : text}\n`);
  }

  /** The last column stays free: a terminal that fills it goes on in the next line at once. */
  #fitted(line: string): string[] {
    return wrapWords(line, this.#out.columns - 1);
  }

  /** Takes the live lines away; calling it again changes nothing. */
  clear(): void {
    const erased = this.#erased();
    if (erased !== '') this.#out.write(erased);
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  /** Takes the live lines off the screen and leaves the cursor where they began. */
  #erased(): string {
    if (!this.isLive) return '';
    const up = this.#drawn > 1 ? `\u001b[${this.#drawn - 1}A` : '';
    this.#drawn = 0;
    return `\r${up}\u001b[J`;
  }
}
