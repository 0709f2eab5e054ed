import { createWriteStream, openSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../base/userError.ts';
import {
  hasTwoHosts,
  LOOPBACK,
  RECEIVE_TIMEOUT_MS,
  receiveLimits,
  startListening,
  stopListening,
} from '../../contract/serverRules.ts';
import { createChatHandler, type Player, type ScriptSource } from './createChatHandler.ts';
import { readBody, sendError, sendJson } from './httpAnswers.ts';
import { type FaultPlan, noFaults } from './parseFaults.ts';

export interface ScriptedServerOptions {
  /** Solutions by question, or a player for every request. */
  readonly script: ScriptSource | Player;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Wait before every answer; default: 0. */
  readonly latencyMs?: number;
  readonly faults?: FaultPlan;
  /** JSONL file with one line per request: method, path, role, model, question hash, status, usage; never a key. */
  readonly requestLog?: string;
  /** Tags that are neutralised in questions and observations; default: those of the built-in profiles. */
  readonly tags?: readonly string[];
  /** Seed of a task's first rollout; default: 0. */
  readonly firstSeed?: number;
}

/** A running server. */
export interface ScriptedServer {
  /** Address such as `http://127.0.0.1:43211/v1`. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Model name in `GET /v1/models`; requests may name any. */
const MODEL_NAME = 'scripted-teacher';

/**
 * Starts the scripted teacher on the loopback: an OpenAI-compatible server that sees only the messages of each
 * request.
 * @throws UserError when the port is taken.
 */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const log = options.requestLog ? openRequestLog(options.requestLog) : undefined;
  const answerChat = createChatHandler(
    options.script,
    options.faults ?? noFaults,
    options.tags,
    options.firstSeed,
  );

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://loopback').pathname;
    const route = `${request.method} ${path}`;
    const body = await readBody(request);
    if (options.latencyMs) await delay(options.latencyMs);
    const facts = await answer(route, body, response);
    log?.write({ method: request.method, path, ...facts });
  }

  async function answer(route: string, body: string | undefined, response: ServerResponse) {
    if (route === 'POST /v1/chat/completions') return answerChat(body, response);
    if (route === 'GET /v1/models') {
      const model = { id: MODEL_NAME, object: 'model', created: 0, owned_by: 'coa-distill' };
      sendJson(response, 200, { object: 'list', data: [model] });
      return { status: 200 };
    }
    const message = `no ${route} here: POST /v1/chat/completions and GET /v1/models are served`;
    refuse(response, 404, message, 'unknown_url');
    return { status: 404 };
  }

  const server = createServer(receiveLimits(RECEIVE_TIMEOUT_MS), (request, response) => {
    const refused = refusalOf(request);
    if (refused) return refuse(response, ...refused);
    // A client that disconnects during its request is not the server's fault.
    serve(request, response).catch(() => response.destroy());
  });
  const { port: wanted = 0 } = options;
  const refusal = (why: string) => `can't serve the scripted teacher on port ${wanted}: ${why}`;
  const { port } = await startListening(server, { port: wanted }, refusal);
  return {
    baseUrl: `http://${LOOPBACK}:${port}/v1`,
    async close() {
      await stopListening(server);
      await log?.close();
    },
  };
}

/** Refuses requests that no endpoint client sends: two hosts, or the `Origin` of a browser page. */
function refusalOf(request: IncomingMessage): [status: number, message: string] | undefined {
  if (hasTwoHosts(request)) return [400, 'expected one Host header'];
  if (request.headers.origin !== undefined) return [403, 'requests from pages in a browser are not served'];
  return undefined;
}

function refuse(response: ServerResponse, status: number, message: string, code: string | null = null): void {
  sendError(response, status, { message, type: 'invalid_request_error', code });
}

/** A log of requests as JSON lines. */
interface RequestLog {
  write(entry: object): void;
  /** @throws the first error of writing. */
  close(): Promise<void>;
}

/**
 * Opens a request log for appending. A later write error does not stop the server, whose answers would look like an
 * endpoint's faults: logging stops, and closing throws.
 * @throws UserError when the file can't be opened.
 */
export function openRequestLog(file: string): RequestLog {
  const stream = createWriteStream(file, { fd: openForAppending(file) });
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    write(entry) {
      if (!failure) stream.write(`${JSON.stringify(entry)}\n`);
    },
    async close() {
      if (!failure) await finished(stream.end()).catch(() => {});
      if (failure) throw failure;
    },
  };
}

function openForAppending(file: string): number {
  try {
    return openSync(file, 'a');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`the request log ${file} can't be opened (${code}); choose another file`, {
      cause: error,
    });
  }
}
