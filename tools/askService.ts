import { readUpTo } from '../base/readUpTo.ts';

/** Request to a service configured by the user, at any address including the loopback. */
export interface ServiceRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  /** Maximum bytes of an answer. */
  readonly maxBytes: number;
}

/** Answer of a service with any status. */
export interface ServiceAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reason for a missing answer: none, late, incomplete or oversized. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly kind: 'unreachable' | 'late' | 'too_long';

  constructor(kind: NoAnswer['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * Sends a request once and reads the answer. Redirects are not followed: they would carry the key elsewhere.
 * @throws NoAnswer; the signal's reason
 */
export async function askService(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
  const { url, method, headers, body = null, timeoutMs, maxBytes } = request;
  const late = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const init = { method, headers, body, redirect: 'manual' as const };
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) });
    const { bytes, cut } = await readUpTo(response.body ?? [], maxBytes);
    if (cut) throw new NoAnswer('too_long', `the answer is longer than ${maxBytes} bytes`);
    return {
      ok: response.ok,
      status: response.status,
      headers: response.headers,
      text: bytes.toString('utf8'),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoAnswer) throw error;
    const { name, message, cause } = error as Error;
    if (name === 'TimeoutError') throw new NoAnswer('late', 'did not answer in time', error);
    const detail =
      cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
    throw new NoAnswer('unreachable', detail, error);
  }
}
