import { ZodError } from 'zod';
import { type ParsedJson, safeParseJson } from '../../base/json.ts';
import { type CallService, ServiceFault } from '../../contract/serviceCalls.ts';
import { type SearchProviderName, searchProviderFacts } from '../../schemas/config/tools/webSearch.ts';
import { createRedactor, type Redactor } from '../../schemas/redaction/createRedactor.ts';
import { cleanResults, type FoundResult } from './cleanResults.ts';
import { brave } from './providers/brave.ts';
import { searxng } from './providers/searxng.ts';
import { serper } from './providers/serper.ts';
import { tavily } from './providers/tavily.ts';
import {
  QueryRefused,
  type SearchProvider,
  type SearchRequest,
  type SearchService,
} from './searchProvider.ts';

/** Providers that are asked over HTTP. */
const providers: Readonly<Record<Exclude<SearchProviderName, 'local'>, SearchProvider>> = {
  serper,
  searxng,
  brave,
  tavily,
};

/** A search service over HTTP, and how it is called. */
export interface SearchServiceOptions {
  readonly provider: keyof typeof providers;
  readonly baseUrl: string;
  /** Sent as the provider wants it, never shown. */
  readonly apiKey?: string | undefined;
  /** For one attempt. */
  readonly timeoutMs: number;
  readonly call: CallService;
}

/** How an attempt ended that the service answered. */
type SearchEnd = { readonly found: readonly FoundResult[] } | { readonly refusal: string };

/** Longest part of a service's own words that is passed on. */
const MAX_DETAIL_CHARS = 300;

/** A search service over HTTP. Results are cleaned and counted, whatever the provider made of the number asked for. */
export function createSearchService(options: SearchServiceOptions): SearchService {
  const provider = providers[options.provider];
  const { mostResults } = searchProviderFacts[options.provider];
  const redactor = createRedactor([options.apiKey]);
  return {
    async search(text, num, signal) {
      const query = { query: text.toWellFormed(), num: Math.min(num, mostResults) };
      const problem = provider.refuse(query.query);
      if (problem !== undefined) throw new QueryRefused(problem);
      const request = provider.request(query, options.apiKey);
      const attempt = async (attemptSignal: AbortSignal): Promise<SearchEnd> => {
        try {
          const answer = await readAnswer({ ...options, redactor, request, signal: attemptSignal });
          return answer.ok
            ? { found: readFound(provider, answer.body) }
            : { refusal: refusalOf(provider, answer, redactor) };
        } catch (error) {
          throw error instanceof ServiceFault ? attributed(error, options) : error;
        }
      };
      const name = JSON.stringify([provider.name, query]);
      const end = await options.call({ name, attempt }, signal);
      if ('refusal' in end) throw new QueryRefused(end.refusal);
      return cleanResults(end.found, query.num);
    },
  };
}

function readFound(provider: SearchProvider, parsed: ParsedJson): readonly FoundResult[] {
  if (!parsed.ok) throw new ServiceFault('did not answer with JSON', { evidence: { error: parsed.error } });
  try {
    return provider.read(parsed.value);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const { path, message } = error.issues[0]!;
    const evidence = { error: `${path.join('.')}: ${message}` };
    throw new ServiceFault('answered in another shape', { retried: false, evidence, cause: error });
  }
}

/** Why a service does not take the query. Throws `ServiceFault` where it is not the query that it does not take. */
function refusalOf(provider: SearchProvider, answer: ServiceAnswer, redactor: Redactor): string {
  const { status, headers, body } = answer;
  const error = provider.explain({ status, headers, body: body.ok ? body.value : undefined });
  const detail = shownDetail(error.detail ?? '', redactor);
  if (error.isOfQuery) return detail || `${provider.name} does not take the query`;
  throw new ServiceFault(`answered with HTTP status ${status}${detail && ` (${detail})`}`, {
    status,
    retryAfter: headers.get('retry-after') ?? error.retryAfter,
    ...(error.retried !== undefined && { retried: error.retried }),
    ...(detail && { evidence: { detail } }),
  });
}

/** One line of what a service said, without the key, which services are known to repeat. */
function shownDetail(detail: string, redactor: Redactor): string {
  const line = redactor
    .text(detail)
    .slice(0, 2 * MAX_DETAIL_CHARS)
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return line.trim().slice(0, MAX_DETAIL_CHARS).toWellFormed();
}

/** Names the tool and who failed it. */
function attributed({ message, cause, details }: ServiceFault, options: SearchServiceOptions): ServiceFault {
  const evidence = {
    tool: 'web_search',
    provider: options.provider,
    service: new URL(options.baseUrl).origin,
    ...details.evidence,
  };
  return new ServiceFault(`web_search: the search service ${message}`, { ...details, evidence, cause });
}

/** A request to a service, and how its answer is read. */
interface SentRequest {
  readonly request: SearchRequest;
  readonly baseUrl: string;
  /** Takes the key out of answers. */
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a service answered, whatever its status; without the key where the body repeats that. */
interface ServiceAnswer {
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
async function readAnswer(sent: SentRequest): Promise<ServiceAnswer> {
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
