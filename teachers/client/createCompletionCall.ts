import OpenAI, { type ClientOptions } from 'openai';
import { type Agent, fetch as undiciFetch } from 'undici';
import type { JsonObject } from '../../schemas/json.ts';
import { type Completion, readCompletion } from './readCompletion.ts';
import { withoutKey } from './withoutKey.ts';

/** Where and how requests go. */
export interface CompletionCallOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly dispatcher: Agent;
}

/** Set when the attempt's own time limit ended it. */
export interface AttemptLimit {
  expired: boolean;
}

/** Makes one attempt at a chat completion; throws whatever went wrong, unattributed. */
export type CompletionCall = (
  body: JsonObject,
  timeoutMs: number,
  limit: AttemptLimit,
  signal: AbortSignal,
) => Promise<Completion>;

/** The `openai` client without its silent retries, its environment variables and its log. */
export function createCompletionCall({ baseUrl, apiKey, dispatcher }: CompletionCallOptions): CompletionCall {
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    defaultHeaders: apiKey === undefined ? { Authorization: null } : {},
    fetch: undiciFetch as unknown as typeof fetch,
    fetchOptions: { dispatcher } as unknown as NonNullable<ClientOptions['fetchOptions']>,
  });

  return async function call(body, timeoutMs, limit, signal) {
    const attempt = new AbortController();
    const timer = setTimeout(() => {
      limit.expired = true;
      attempt.abort(new Error('time limit of the attempt'));
    }, timeoutMs);
    const both = AbortSignal.any([signal, attempt.signal]);
    try {
      const response = await client.chat.completions
        .create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming, {
          signal: both,
          timeout: timeoutMs,
        })
        .asResponse();
      return readCompletion(withoutKey(await readText(response, both), apiKey));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The body's text; a body that stalls is given up with the signal. */
async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([response.text(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
