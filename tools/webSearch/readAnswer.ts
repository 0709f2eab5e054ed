import { ServiceFault } from '../../pipeline/contract/serviceCalls.ts';
import { withoutKey } from '../../schemas/withoutKey.ts';
import type { SearchRequest } from './searchProvider.ts';

/** What {@link readAnswer} works with. */
export interface SentRequest {
  readonly request: SearchRequest;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a service answered, whatever its status; without the key where it repeats that. */
export interface ServiceAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Longest answer that is read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request once and reads the answer. No redirect is followed: it would carry the key elsewhere.
 *
 * @throws ServiceFault when nothing came, not in time, not whole, or too much
 */
export async function readAnswer(sent: SentRequest): Promise<ServiceAnswer> {
  const { request, baseUrl, apiKey, timeoutMs, signal } = sent;
  const { method, path, headers, body } = request;
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))]),
    });
    const text = withoutKey(await readText(response), apiKey);
    return { ok: response.ok, status: response.status, headers: response.headers, text };
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error as Error, timeoutMs);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      const evidence = { max_bytes: MAX_ANSWER_BYTES };
      throw new ServiceFault(`answered with more than ${MAX_ANSWER_BYTES} bytes`, {
        retried: false,
        evidence,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function faultOf(error: Error, timeoutMs: number): ServiceFault {
  if (error instanceof ServiceFault) return error;
  if (error.name === 'TimeoutError') {
    return new ServiceFault('did not answer in time', { evidence: { timeout_ms: timeoutMs }, cause: error });
  }
  const detail = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
  const evidence = { error: detail.code ?? detail.message };
  return new ServiceFault('could not be reached', { evidence, cause: error });
}
