import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { safeParseJson } from '../../base/json.ts';
import type { RetriedAttempt } from '../../contract/calls.ts';
import { eventLineSchema } from '../../schemas/run/eventLine.ts';

/** Consecutive failures before the user is told. */
const FAILURES_THAT_TELL = 5;
const MS_THAT_TELL = 5_000;
/** Minimum server-requested wait that is reported, since nothing else shows why a run stands still. */
const WAIT_THAT_TELLS_MS = 5_000;
const MAX_WORDS = 200;

export interface FailingServer {
  /** Address and model. */
  readonly server: string;
  readonly message: string;
  readonly failures: number;
  /** Requested wait in milliseconds; 0 without one. */
  readonly asked_wait_ms: number;
}

export class FailingServers {
  readonly #failing = new Map<string, { sinceMs: number; isTold: boolean; last: FailingServer }>();

  answered(provider: string): void {
    this.#failing.delete(provider);
  }

  /** Counts a failed attempt; returns the server when it should be reported, once until it answers. */
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

  /** Reported servers that have not answered since. */
  get told(): FailingServer[] {
    return [...this.#failing.values()].filter(({ isTold }) => isTold).map(({ last }) => last);
  }
}

/** Bytes read from the end of `events.jsonl`, about a thousand calls. */
const TAIL_BYTES = 256 * 1024;

/** Servers that only failed in a run's last calls. Skips damaged lines, since nothing depends on `events.jsonl`. */
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
