import { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { createRedactor } from '../../schemas/createRedactor.ts';
import type { FetchedPage } from '../fetch/askForPage.ts';
import { TIMED_OUT } from '../fetch/createGuardedDispatcher.ts';

/** Jina's reader: `GET BASE/URL` returns the page as Markdown (github.com/jina-ai/reader). */
export interface JinaSettings {
  readonly baseUrl: string;
  /** Bearer key, never shown; without it the reader allows fewer requests per minute. */
  readonly apiKey?: string | undefined;
  /** Further headers, such as `X-Engine`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Fetches a page by any method. Rejects with the signal's reason. */
type Fetch = (url: string, signal: AbortSignal) => Promise<FetchedPage>;

interface JinaPlace {
  /** Asks the reader; redirects are not followed, since they would carry the key elsewhere. */
  readonly ask: (url: string, headers: JinaSettings['headers'], signal: AbortSignal) => Promise<FetchedPage>;
  /** Reason why a page may not be requested: the reader could reach forbidden addresses. */
  readonly refusalOf: (url: URL) => Promise<FetchedPage | undefined>;
}

/**
 * Fetches pages through Jina's reader. A page that the reader cannot read in time is inaccessible.
 * @returns a function that throws `RecordFailure` (`tool_unavailable`) where the reader itself fails: it can't be
 * reached, refuses the key, has no balance or too many requests, or answers in another shape
 */
export function createJinaReader(
  { baseUrl, apiKey, headers }: JinaSettings,
  { ask, refusalOf }: JinaPlace,
): Fetch {
  const redactor = createRedactor([apiKey]);
  const sent = {
    ...headers,
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const failure = (reason: string) => {
    const service = new URL(baseUrl).origin;
    const message = `crawl_page: the reader at ${service} failed: ${reason}`;
    return new RecordFailure('tool_unavailable', message, { tool: 'crawl_page', service, reason });
  };

  const read = (text: string, url: URL): FetchedPage => {
    const parsed = safeParseJson(text);
    const answer = parsed.ok ? answerSchema.safeParse(redactor.json(parsed.value)) : undefined;
    if (!answer?.success) throw failure('it answered in another shape');
    const { data } = answer.data;
    const status = targetError.exec(data.warning ?? '')?.[1];
    if (status !== undefined) return inaccessible(url, `HTTP status ${status}`);
    const shown = [data.title && `# ${data.title}`, data.content ?? data.text];
    return {
      kind: 'page',
      url: URL.parse(data.url ?? '') ?? url,
      contentType: 'text/markdown; charset=utf-8',
      bytes: Buffer.from(shown.filter(Boolean).join('\n\n')),
      cut: false,
    };
  };

  return async (address, signal) => {
    const url = new URL(address);
    const refusal = await refusalOf(url);
    if (refusal) return refusal;
    const page = await ask(`${baseUrl.replace(/\/+$/, '')}/${url.href}`, sent, signal);
    if (page.kind === 'page') {
      if (page.cut) return inaccessible(url, "the reader's answer is too large");
      return read(Buffer.from(page.bytes).toString('utf8'), url);
    }
    const { status, reason } = page;
    if (status === undefined ? reason.startsWith(TIMED_OUT) : isOfPage(status))
      return inaccessible(url, status === undefined ? reason : `the reader can't read it (${reason})`);
    throw failure(reason);
  };
}

/** Parsed part of an answer: `content` is Markdown, `text` replaces it with `X-Return-Format: text`. */
const answerSchema = z.object({
  data: z.object({
    title: z.string().nullish(),
    url: z.string().nullish(),
    content: z.string().nullish(),
    text: z.string().nullish(),
    warning: z.string().nullish(),
  }),
});

/** Reader's wording for an error page of the site. */
const targetError = /Target URL returned error (\d{3})/;

/** Statuses about the key, the account or too many requests. */
const ofAccount: ReadonlySet<number> = new Set([401, 402, 403, 407, 429]);

/**
 * True if an error status is about the page: the reader answers 400, 422 and 451 for pages that it cannot or will not
 * load.
 */
function isOfPage(status: number): boolean {
  return status >= 400 && status < 500 && !ofAccount.has(status);
}

function inaccessible(url: URL, reason: string): FetchedPage {
  return { kind: 'inaccessible', reason, url, service: false };
}
