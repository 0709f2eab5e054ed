import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { safeParseJson } from '../../base/json.ts';
import type { RetriedAttempt } from '../../contract/calls.ts';
import { eventLineSchema } from '../../schemas/run/eventLine.ts';

/** Failures in a row, or time with nothing but failures, after which a person is told. */
const FAILURES_THAT_TELL = 5;
const MS_THAT_TELL = 5_000;
/** A wait that a server asked for is told from this length on: nothing else shows why a run stands still. */
const WAIT_THAT_TELLS_MS = 5_000;
const MAX_WORDS = 200;

/** A server that has only failed since its last answer. */
export interface FailingServer {
  /** Address, with the model behind it. */
  readonly server: string;
  /** Its own words. */
  readonly message: string;
  readonly failures: number;
  /** Wait that it asked for, in milliseconds; 0 without one. */
  readonly asked_wait_ms: number;
}

/** Follows calls and notices servers that only fail. */
export class FailingServers {
  readonly #failing = new Map<string, { sinceMs: number; isTold: boolean; last: FailingServer }>();

  answered(provider: string): void {
    this.#failing.delete(provider);
  }

  /** Notes a failed attempt; returns the server when it is time to tell, once until it answers. */
  failed(
    { provider, model, message, askedWaitMs = 0 }: RetriedAttempt,
    nowMs: number,
  ): FailingServer | undefined {
    const before = this.#failing.get(provider) ?? { sinceMs: nowMs, isTold: false, last: undefined };
    const last = {
      server: model === undefined ? provider : `${provider} (${model})`,
      message: message.slice(0, MAX_WORDS),
      failures: (before.last?.failures ?? 0) + 1,
      asked_wait_ms: askedWaitMs,
    };
    const isLong = last.failures >= FAILURES_THAT_TELL || nowMs - before.sinceMs >= MS_THAT_TELL;
    const isTime = !before.isTold && (isLong || askedWaitMs >= WAIT_THAT_TELLS_MS);
    this.#failing.set(provider, { ...before, last, isTold: before.isTold || isTime });
    return isTime ? last : undefined;
  }

  /** Servers that were told of and have not answered since. */
  get told(): FailingServer[] {
    return [...this.#failing.values()].filter(({ isTold }) => isTold).map(({ last }) => last);
  }
}

/** End of `events.jsonl` that is read: it holds the last thousand calls. */
const TAIL_BYTES = 256 * 1024;

/** Servers that only failed in a run's last calls. Nothing depends on `events.jsonl`: damaged lines are passed over. */
export async function readFailingServers(runFolder: string): Promise<FailingServer[]> {
  const servers = new FailingServers();
  for (const line of (await endOf(join(runFolder, 'events.jsonl'))).split('\n')) {
    const parsed = safeParseJson(line);
    const event = eventLineSchema.safeParse(parsed.ok ? parsed.value : undefined).data;
    if (event?.event === 'model_call' && event.outcome === 'ok') servers.answered(event.provider);
    if (event?.event !== 'attempt_retried') continue;
    const { provider, model, cause, message, asked_wait_ms: askedWaitMs } = event;
    const attempt = { provider, cause, message, ...(model !== undefined && { model }) };
    servers.failed({ ...attempt, ...(askedWaitMs !== undefined && { askedWaitMs }) }, Date.parse(event.at));
  }
  return servers.told;
}

async function endOf(path: string): Promise<string> {
  // Opening a pipe would wait for a writer.
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return '';
  const file = await open(path);
  try {
    const { size } = found;
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
