import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ListToolsResultSchema,
  McpError,
  type Tool as OfferedTool,
} from '@modelcontextprotocol/sdk/types.js';
import PQueue from 'p-queue';
import type { JsonObject } from '../../base/json.ts';
import { isDeeper } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';
import { createRedactor, type Redactor } from '../../schemas/createRedactor.ts';
import type { ServerLink } from './childLink.ts';
import { plainLine } from './tameDefinition.ts';

export interface McpServerOptions {
  readonly name: string;
  /** Creates an unopened connection. */
  readonly link: () => ServerLink;
  /** Timeout of one call. */
  readonly timeoutMs: number;
  /** Timeout of connecting, and of each page of the list of tools. */
  readonly startTimeoutMs: number;
  /** Maximum concurrent calls; others wait. */
  readonly concurrency: number;
  /** Maximum connections after the first. */
  readonly maxRestarts: number;
  /** Secret values given to the server, redacted wherever it repeats them. */
  readonly secrets: readonly string[];
}

/** An open connection. */
interface Session {
  readonly client: Client;
  readonly link: ServerLink;
}

type Within = { readonly signal: AbortSignal; readonly timeout: number };

/** Maximum nesting of an answer: later processing recurses level by level. */
const MAX_LEVELS = 100;
/** Maximum pages read from a list of tools. */
const MAX_PAGES_LISTED = 50;
/** Client name sent to servers; constant, so that they behave the same for every version. */
const CLIENT = { name: 'coa-distill', version: '1' };

/**
 * A server of the Model Context Protocol, started on first use and shared by all callers. A call in progress when the
 * server ends has failed and is never repeated, since it may have had its effect; the next call restarts the server.
 * The server's own requests (sampling, elicitation, roots) are refused: this client declares none of them.
 *
 * Methods throw `RecordFailure` (`tool_unavailable`) for any server error, and the signal's reason when that is
 * aborted.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #calls: PQueue;
  readonly #redactor: Redactor;
  #session: Promise<Session> | undefined;
  /** Link of the session, set while opening. */
  #link: ServerLink | undefined;
  #starts = 0;
  #lastProblem = '';
  #isClosed = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#redactor = createRedactor(options.secrets);
    this.#calls = new PQueue({ concurrency: options.concurrency });
  }

  /** Offered tools, optionally restricted to names; reads at most 50 pages of the list. */
  async list(signal: AbortSignal, names?: ReadonlySet<string>): Promise<readonly OfferedTool[]> {
    const offered: OfferedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES_LISTED; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const list = await this.#ask(signal, this.#options.startTimeoutMs, (client, within) =>
        client.request({ method: 'tools/list', params }, ListToolsResultSchema, within),
      );
      offered.push(...list.tools.filter(({ name }) => names?.has(name) ?? true));
      cursor = list.nextCursor;
      if (cursor === undefined || (names && offered.length >= names.size)) break;
    }
    return offered;
  }

  /** Calls a tool, once. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    const params = { name: tool, arguments: input };
    return this.#calls.add(
      () =>
        this.#ask(signal, this.#options.timeoutMs, (client, within) =>
          client.request({ method: 'tools/call', params }, CallToolResultSchema, within),
        ),
      { signal },
    );
  }

  /** Stops the server; no further requests are possible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#link?.close();
  }

  async #ask<Answer>(
    signal: AbortSignal,
    timeoutMs: number,
    request: (client: Client, within: Within) => Promise<Answer>,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const session = await unlessAborted(this.#opened(), signal);
    const late = AbortSignal.timeout(Math.ceil(timeoutMs));
    try {
      // The SDK's own timeout is indistinguishable from an error answer of the server.
      const within = { signal: AbortSignal.any([signal, late]), timeout: 2 * timeoutMs };
      const answer = await request(session.client, within);
      if (isDeeper(answer, MAX_LEVELS)) throw new SyntaxError('nested too deep');
      return this.#redactor.json(answer);
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) throw this.#tooLate(`did not answer within ${timeoutMs / 1000} s`, timeoutMs);
      throw this.#explained(error, session);
    }
  }

  /** Returns the open connection or opens one. */
  #opened(): Promise<Session> {
    if (this.#session) return this.#session;
    const { maxRestarts } = this.#options;
    if (this.#isClosed) throw this.#failure('is closed');
    if (this.#starts > maxRestarts) {
      const problem = `${this.#lastProblem}; it was started again ${maxRestarts} times, and is not once more`;
      throw this.#failure(problem, { starts: this.#starts });
    }
    this.#starts += 1;
    this.#session = this.#connect();
    return this.#session;
  }

  async #connect(): Promise<Session> {
    const { link: createLink, startTimeoutMs } = this.#options;
    const link = createLink();
    this.#link = link;
    const session = { client: new Client(CLIENT, { capabilities: {} }), link };
    const late = AbortSignal.timeout(Math.ceil(startTimeoutMs));
    try {
      const within = { signal: late, timeout: 2 * startTimeoutMs };
      // The SDK would wait forever for a service to acknowledge the initialisation.
      await unlessAborted(session.client.connect(link.transport, within), late);
      session.client.onclose = () => this.#over(link, link.problem() ?? 'closed the connection');
      return session;
    } catch (error) {
      const failure =
        late.aborted && link.problem() === undefined
          ? this.#tooLate(`did not begin to speak MCP within ${startTimeoutMs / 1000} s`, startTimeoutMs)
          : this.#explained(error, session);
      this.#over(link, link.problem() ?? 'could not be asked');
      await link.close();
      throw failure;
    }
  }

  /** Ends the session; the next call opens another connection. */
  #over(link: ServerLink, problem: string): void {
    // An abandoned link may end long after another was opened.
    if (this.#link !== link) return;
    this.#session = undefined;
    this.#link = undefined;
    this.#lastProblem = problem;
  }

  #explained(error: unknown, { link }: Session): RecordFailure {
    const ended = link.problem();
    if (ended !== undefined) return this.#failure(ended, {}, error);
    const { problem, evidence, breaks } = explainError(error);
    if (breaks) {
      this.#over(link, problem);
      void link.close().catch(() => undefined);
    }
    return this.#failure(problem, evidence, error);
  }

  #tooLate(problem: string, timeout_ms: number): RecordFailure {
    return this.#failure(problem, { timeout_ms });
  }

  #failure(problem: string, evidence: JsonObject = {}, cause?: unknown): RecordFailure {
    const { name } = this.#options;
    const told = `the MCP server ${name} ${this.#redactor.text(problem)}`;
    return new RecordFailure('tool_unavailable', told, { server: name, ...evidence }, { cause });
  }
}

/** SDK error, phrased as the server's action. */
interface ExplainedError {
  /** Phrase such as `answered with HTTP status 500`. */
  readonly problem: string;
  readonly evidence: JsonObject;
  /** True if the connection is unusable afterwards. */
  readonly breaks: boolean;
}

/** Maximum shown length of a server's error message. */
const MAX_MESSAGE_CHARS = 500;

function explainError(error: unknown): ExplainedError {
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? -1);
  if (error instanceof McpError) {
    const { code } = error;
    return { problem: `refused the request: ${wordsOf(error)}`, evidence: { code }, breaks: false };
  }
  if (isShapeError(error)) return { problem: 'answered with what is not MCP', evidence: {}, breaks: false };
  return { problem: `could not be asked: ${wordsOf(error)}`, evidence: {}, breaks: true };
}

/** Explains a status. An unknown session is normally answered with 404, but other statuses occur. */
function explainStatus(status: number): ExplainedError {
  if (status < 100) return { problem: 'answered with what is not MCP', evidence: {}, breaks: true };
  return { problem: `answered with HTTP status ${status}`, evidence: { status }, breaks: true };
}

/** True for errors of zod and `JSON.parse`. */
function isShapeError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && 'issues' in error);
}

function wordsOf(error: unknown): string {
  const { message, cause } = error as Error;
  const detail = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
  const words = plainLine(detail.replace(/^MCP error -?\d+: /, ''));
  return words.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}
