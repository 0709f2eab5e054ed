import { type ParsedJson, safeParseJson } from '../../base/json.ts';
import { ServiceFault } from '../../contract/serviceCalls.ts';
import type { Redactor } from '../../schemas/redaction/createRedactor.ts';
import type { SearchRequest } from './searchProvider.ts';

/** A request to a service, and how its answer is read. */
export interface SentRequest {
  readonly request: SearchRequest;
  readonly baseUrl: string;
  /** Takes the key out of answers. */
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a service answered, whatever its status; without the key where the body repeats that. */
export interface ServiceAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: ParsedJson;
}

/** Longest answer that is read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request once and reads the answer. No redirect is followed: it would carry the key elsewhere.
 *
 * @throws ServiceFault when nothing came, not in time, not whole, or too much
 */
export async function readAnswer(sent: SentRequest): Promise<ServiceAnswer> {
  const { request, baseUrl, redactor, timeoutMs, signal } = sent;
  const { method, path, headers, body: sentBody } = request;
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers,
      ...(sentBody !== undefined && { body: sentBody }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))]),
    });
    const body = parsedWithoutKey(await readText(response), redactor);
    return { ok: response.ok, status: response.status, headers: response.headers, body };
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error as Error, timeoutMs);
  }
}

function parsedWithoutKey(text: string, redactor: Redactor): ParsedJson {
  const parsed = safeParseJson(text);
  if (parsed.ok) return { ok: true, value: redactor.json(parsed.value) };
  // The parser quotes what it can't read.
  return { ok: false, error: redactor.text(parsed.error) };
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
