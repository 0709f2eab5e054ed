import { onTestFinished } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { rejects, says, startTinyServer } from '../teachers/support/startTinyServer.ts';

/** What a judge was asked, as it came over the wire. */
export interface JudgeRequest {
  readonly system: string;
  /** The user's message, read as the one JSON text that it must be. */
  readonly data: JsonObject;
  readonly body: string;
}

/** What the server answers: words with status 200, a whole message, or a status without any. */
export type JudgeReply = string | { readonly message: JsonObject } | { readonly status: number };

/** @param place counts the requests from 0 */
type Reply = (request: JudgeRequest, place: number) => JudgeReply;

/** A judge's server. */
export interface JudgeServer {
  readonly baseUrl: string;
  readonly requests: readonly JudgeRequest[];
}

/** A verdict as a good model writes it. */
export function verdict(judgement: 'correct' | 'incorrect', rationale = 'because'): string {
  return JSON.stringify({ rationale, judgement });
}

/**
 * Starts a chat endpoint on the loopback for the length of a test.
 *
 * @param reply what to answer to a request; `place` counts the requests from 0
 */
export async function startJudgeServer(reply: Reply): Promise<JudgeServer> {
  const { close, ...server } = await openJudgeServer(reply);
  onTestFinished(close);
  return server;
}

/** Starts a chat endpoint on the loopback that stays until it is closed. */
export async function openJudgeServer(
  reply: Reply,
): Promise<JudgeServer & { readonly close: () => Promise<void> }> {
  const requests: JudgeRequest[] = [];
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
  const { baseUrl, close } = await startTinyServer(({ path, body }) => {
    if (!path.endsWith('/completions')) return { body: { object: 'list', data: [] } };
    const request = readRequest(JSON.stringify(body));
    requests.push(request);
    const said = reply(request, requests.length - 1);
    if (typeof said !== 'string' && 'status' in said) return rejects(said.status, 'planted');
    return says(null, typeof said === 'string' ? { content: said } : said.message, {}, usage);
  });
  return { baseUrl, requests, close };
}

function readRequest(body: string): JudgeRequest {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
  const [system, user, ...more] = messages;
  if (system?.role !== 'system' || user?.role !== 'user' || more.length > 0) {
    throw new Error('expected one system and one user message');
  }
  const data = JSON.parse(user.content) as JsonValue;
  if (!isJsonObject(data)) throw new Error('expected one JSON object');
  return { system: system.content, data, body };
}
