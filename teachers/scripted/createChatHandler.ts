import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import { type JsonObject, safeParseJson } from '../../base/json.ts';
import type { ScriptEntry } from '../../schemas/teacherScript.ts';
import {
  chatRequestSchema,
  completionBody,
  completionChunks,
  completionOf,
  type WireChatRequest,
} from './completion.ts';
import { sendError, sendEvents, sendJson } from './httpAnswers.ts';
import { type FaultPlan, faultOf } from './parseFaults.ts';
import { playStep, type Reply } from './playStep.ts';
import { viewRequest } from './requestView.ts';

/** Source of the scripted teacher's solutions. */
export interface ScriptSource {
  /**
   * Solution of a question, by exact text.
   * @param rollout which rollout of the task asks, from 0
   */
  find(question: string, rollout: number): ScriptEntry | undefined;
}

/** Response of a scripted model to a request, with log data. */
export type Player = (request: WireChatRequest) => Played | Promise<Played>;
interface Played {
  readonly reply: Reply;
  readonly facts: JsonObject;
}

/** Answers a chat completion request and returns its log data. */
export type ChatHandler = (body: string | undefined, response: ServerResponse) => Promise<JsonObject>;

/**
 * Creates the handler; it counts repeated requests, which determine faults.
 * @param tags as in {@link viewRequest}
 * @param firstSeed the seed of a task's first rollout
 */
export function createChatHandler(
  script: ScriptSource | Player,
  faults: FaultPlan,
  tags?: readonly string[],
  firstSeed = 0,
): ChatHandler {
  const play = typeof script === 'function' ? script : scriptPlayer(script, tags, firstSeed);
  const timesSeen = new Map<string, number>();

  function nextFault(body: string) {
    const hash = sha256Hex(body).slice(0, 24);
    const seen = timesSeen.get(hash) ?? 0;
    timesSeen.set(hash, seen + 1);
    return faultOf(faults, hash, seen);
  }

  return async function answerChat(body, response) {
    const request = parseRequest(body);
    if (typeof request === 'string') return fail(response, 400, 'invalid_request', request, {});
    const { reply, facts: told } = await play(request);
    const facts = { model: request.model, ...told };
    const fault = nextFault(body ?? '');
    if (fault?.kind === 'status') return playFault(response, fault.status, faults, facts);
    if (reply.kind === 'off_script') return fail(response, 404, 'off_script', reply.message, facts);
    const completion = completionOf(request, reply, Math.floor(Date.now() / 1000));
    const cut = fault !== undefined;
    if (request.stream) {
      const includeUsage = request.stream_options?.include_usage === true;
      sendEvents(response, completionChunks(completion, includeUsage), cut);
    } else sendJson(response, 200, completionBody(completion), { cut });
    return { ...facts, status: 200, usage: { ...completion.usage }, ...(cut ? { fault: 'cut' } : {}) };
  };
}

/** Plays the solutions of a script. */
function scriptPlayer(script: ScriptSource, tags: readonly string[] | undefined, firstSeed: number): Player {
  return (request) => {
    const view = viewRequest(request.messages, tags);
    if (!view) return { reply: unreadable, facts: { role: null, question: null } };
    return {
      reply: replyTo(script, request, view, firstSeed),
      facts: { role: view.role, question: sha256Hex(view.question).slice(0, 16) },
    };
  };
}

const unreadable: Reply = {
  kind: 'off_script',
  message:
    'expected a first user message that begins "Question:" and a last one with a line "=== your turn: ROLE ==="',
};

function replyTo(
  script: ScriptSource,
  request: WireChatRequest,
  view: NonNullable<ReturnType<typeof viewRequest>>,
  firstSeed: number,
): Reply {
  // Rollouts differ only by their seed.
  const rollout = Math.max(0, (request.seed ?? firstSeed) - firstSeed);
  const entry = script.find(view.question, rollout);
  if (entry) return playStep(entry, view, (request.tools?.length ?? 0) > 0);
  const start = JSON.stringify(view.question.slice(0, 80));
  return { kind: 'off_script', message: `the script has no solution for the question that begins ${start}` };
}

/** Parsed request, or its problem. */
function parseRequest(body: string | undefined): WireChatRequest | string {
  if (body === undefined) return 'the request is too large';
  const json = safeParseJson(body);
  if (!json.ok) return `the request is not JSON: ${json.error}`;
  const parsed = chatRequestSchema.safeParse(json.value);
  return parsed.success ? parsed.data : z.prettifyError(parsed.error).replace(/\s+/g, ' ');
}

function fail(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  facts: JsonObject,
): JsonObject {
  sendError(response, status, { message, type: 'invalid_request_error', code });
  return { ...facts, status };
}

function playFault(
  response: ServerResponse,
  status: number,
  { retryAfterS }: FaultPlan,
  facts: JsonObject,
): JsonObject {
  const waits = status === 429 && retryAfterS !== undefined;
  const headers: Record<string, string> = waits ? { 'retry-after': String(retryAfterS) } : {};
  const error = { message: `planted fault ${status}`, type: 'server_error', code: null };
  sendError(response, status, error, headers);
  return { ...facts, status, fault: String(status) };
}
