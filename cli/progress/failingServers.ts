import type { RetriedAttempt } from '../../contract/calls.ts';
import { formatDuration } from '../format.ts';

/** Failures in a row, or time with nothing but failures, after which a person is told. */
const FAILURES_THAT_TELL = 5;
const MS_THAT_TELL = 5_000;
/** A wait that a server asked for is told from this length on: nothing else shows why a run stands still. */
const WAIT_THAT_TELLS_MS = 5_000;
const MAX_WORDS = 200;

interface Failing {
  readonly sinceMs: number;
  failures: number;
  isTold: boolean;
}

/** Notices servers that only fail, and says so once until they answer, in the server's own words. */
export class FailingServers {
  readonly #failing = new Map<string, Failing>();

  answered(provider: string): void {
    this.#failing.delete(provider);
  }

  /** Notes a failed attempt; returns the line to print, if it is time for one. */
  failed({ provider, model, message, askedWaitMs = 0 }: RetriedAttempt, nowMs: number): string | undefined {
    const failing = this.#failing.get(provider) ?? { sinceMs: nowMs, failures: 0, isTold: false };
    this.#failing.set(provider, failing);
    failing.failures += 1;
    const isLong = failing.failures >= FAILURES_THAT_TELL || nowMs - failing.sinceMs >= MS_THAT_TELL;
    if (failing.isTold || (!isLong && askedWaitMs < WAIT_THAT_TELLS_MS)) return undefined;
    failing.isTold = true;
    const who = model === undefined ? provider : `${provider} (${model})`;
    const count = failing.failures === 1 ? '1 failure' : `${failing.failures} failures`;
    const wait =
      askedWaitMs > 0
        ? `it asks to wait ${formatDuration(askedWaitMs)}; asked again later`
        : 'asked again, with growing pauses';
    return `${who}: ${message.slice(0, MAX_WORDS)}; ${count} and no answer since; ${wait}`;
  }
}
