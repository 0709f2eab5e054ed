import { ZodError } from 'zod';
import { type ParsedJson, safeParseJson } from '../../base/json.ts';
import { type CallService, ServiceFault } from '../../contract/serviceCalls.ts';
import { searchProviderFacts } from '../../schemas/config/tools/webSearch.ts';
import { createRedactor, type Redactor } from '../../schemas/createRedactor.ts';
import { askService, NoAnswer } from '../askService.ts';
import { cleanResults, type FoundResult } from './cleanResults.ts';
import {
  QueryRefused,
  type SearchProvider,
  type SearchRequest,
  type SearchService,
} from './searchProvider.ts';
import { lengthProblem, searchProviders } from './searchProviders.ts';

/** A search service over HTTP with its limits. */
export interface SearchServiceOptions {
  readonly provider: keyof typeof searchProviders;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Timeout of one attempt. */
  readonly timeoutMs: number;
  readonly call: CallService;
}

/** Result of an answered attempt. */
type SearchEnd = { readonly found: readonly FoundResult[] } | { readonly refusal: string };

/** Maximum length of a service's own message that is passed on. */
const MAX_DETAIL_CHARS = 300;

/** Search service over HTTP. Results are cleaned and limited in number, whatever the provider returned. */
export function createSearchService(options: SearchServiceOptions): SearchService {
  const provider = searchProviders[options.provider];
  const { mostResults } = searchProviderFacts[options.provider];
  const redactor = createRedactor([options.apiKey]);
  return {
    async search(text, num, signal) {
      const query = { query: text.toWellFormed(), num: Math.min(num, mostResults) };
      const problem = lengthProblem(provider, query.query);
      if (problem !== undefined) throw new QueryRefused(problem);
      const request = provider.request(query, options.apiKey);
      const attempt = async (attemptSignal: AbortSignal): Promise<SearchEnd> => {
        try {
          const answer = await readAnswer(options, request, redactor, attemptSignal);
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

/** Reason why a service refuses the query. Throws `ServiceFault` for refusals unrelated to the query. */
function refusalOf(provider: SearchProvider, answer: ParsedAnswer, redactor: Redactor): string {
  const { status, headers, body } = answer;
  const error = provider.explain({ status, headers, body: body.ok ? body.value : undefined });
  const detail = shownDetail(error.detail ?? '', redactor);
  if (error.isOfQuery) return detail || `${provider.name} does not take the query`;
  throw new ServiceFault(`answered with HTTP status ${status}${detail && ` (${detail})`}`, {
    status,
    retryAfter: headers.get('retry-after') ?? error.retryAfter,
    retried: error.retried,
    ...(detail && { evidence: { detail } }),
  });
}

/** One line of a service's message, with the key redacted. */
function shownDetail(detail: string, redactor: Redactor): string {
  const line = redactor
    .text(detail)
    .slice(0, 2 * MAX_DETAIL_CHARS)
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return line.trim().slice(0, MAX_DETAIL_CHARS).toWellFormed();
}

/** Adds the tool and its service to a fault. */
function attributed({ message, cause, details }: ServiceFault, options: SearchServiceOptions): ServiceFault {
  const evidence = {
    tool: 'web_search',
    provider: options.provider,
    service: new URL(options.baseUrl).origin,
    ...details.evidence,
  };
  return new ServiceFault(`web_search: the search service ${message}`, { ...details, evidence, cause });
}

/** Answer of a service with any status; the key is redacted. */
interface ParsedAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: ParsedJson;
}

/** Maximum answer size. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Sends one request. Throws `ServiceFault` for a missing, late, incomplete or oversized answer. */
async function readAnswer(
  { baseUrl, timeoutMs }: SearchServiceOptions,
  { path, ...request }: SearchRequest,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ParsedAnswer> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  try {
    const sent = { ...request, url, timeoutMs, maxBytes: MAX_ANSWER_BYTES };
    const { text, ...answer } = await askService(sent, signal);
    return { ...answer, body: parsedWithoutKey(text, redactor) };
  } catch (error) {
    throw error instanceof NoAnswer ? faultOf(error, timeoutMs) : error;
  }
}

function parsedWithoutKey(text: string, redactor: Redactor): ParsedJson {
  const parsed = safeParseJson(text);
  if (parsed.ok) return { ok: true, value: redactor.json(parsed.value) };
  // The parser quotes invalid text.
  return { ok: false, error: redactor.text(parsed.error) };
}

function faultOf(cause: NoAnswer, timeoutMs: number): ServiceFault {
  if (cause.kind === 'late')
    return new ServiceFault('did not answer in time', { evidence: { timeout_ms: timeoutMs }, cause });
  if (cause.kind === 'unreachable')
    return new ServiceFault('could not be reached', { evidence: { error: cause.message }, cause });
  return new ServiceFault(`answered with more than ${MAX_ANSWER_BYTES} bytes`, {
    retried: false,
    evidence: { max_bytes: MAX_ANSWER_BYTES },
  });
}
