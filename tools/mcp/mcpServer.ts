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
  /** Its name in the configuration, for messages. */
  readonly name: string;
  /** Makes a connection that is not open yet. */
  readonly link: () => ServerLink;
  /** For one call. */
  readonly timeoutMs: number;
  /** Until a connection is open, and for each page of the list of tools. */
  readonly startTimeoutMs: number;
  /** Calls at once; others wait. */
  readonly concurrency: number;
  /** Connections that may be opened after the first. */
  readonly maxRestarts: number;
  /** Values that the server was given and that go no further, wherever it repeats them. */
  readonly secrets: readonly string[];
}

/** An open connection. */
interface Session {
  readonly client: Client;
  readonly link: ServerLink;
}

type Within = { readonly signal: AbortSignal; readonly timeout: number };

/** Levels of an answer: whatever comes after a tool goes through answers level by level. */
const MAX_LEVELS = 100;
/** Pages of a list of tools that are read. */
const MAX_PAGES_LISTED = 50;
/** Said to servers; what they do must not depend on which version asks. */
const CLIENT = { name: 'coa-distill', version: '1' };

/**
 * A server of the Model Context Protocol, started when it is first needed and shared by all who call it. A call that
 * was under way when the server ended has failed, and is never sent again, since it may have had its effect; the next
 * call starts the server again. The server's own requests (sampling, elicitation, roots) are refused: it is told that
 * this client offers none of them.
 *
 * Its methods throw `RecordFailure` (`tool_unavailable`) for whatever goes wrong with the server, and the signal's
 * reason when that is aborted.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #calls: PQueue;
  readonly #redactor: Redactor;
  #session: Promise<Session> | undefined;
  /** Link of the session, also while it is being opened. */
  #link: ServerLink | undefined;
  #starts = 0;
  #lastProblem = '';
  #isClosed = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#redactor = createRedactor(options.secrets);
    this.#calls = new PQueue({ concurrency: options.concurrency });
  }

  /** Tools that the server offers, or those of the given names; of its list at most 50 pages are read. */
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

  /** Ends the server; nothing can be asked any more. */
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
      // The SDK's own time-out can't be told from an error that the server answers with.
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

  /** The open connection, or a new one. */
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
      // The SDK lets a service take for ever over the note that the greeting was understood.
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

  /** The next call opens another connection. */
  #over(link: ServerLink, problem: string): void {
    // One that was given up may end long after another was opened.
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

/** What an error of the SDK says of a server, as what the server did. */
interface ExplainedError {
  /** For instance `answered with HTTP status 500`. */
  readonly problem: string;
  readonly evidence: JsonObject;
  /** True where the connection can't be used any more. */
  readonly breaks: boolean;
}

/** What a server says of its own errors is shown so far. */
const MAX_MESSAGE_CHARS = 500;

/** Explains why a request was not answered. */
function explainError(error: unknown): ExplainedError {
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? -1);
  if (error instanceof McpError) {
    const { code } = error;
    return { problem: `refused the request: ${wordsOf(error)}`, evidence: { code }, breaks: false };
  }
  if (isShapeError(error)) return { problem: 'answered with what is not MCP', evidence: {}, breaks: false };
  return { problem: `could not be asked: ${wordsOf(error)}`, evidence: {}, breaks: true };
}

/** A session that its server does not know any more is answered with 404, but others are seen too. */
function explainStatus(status: number): ExplainedError {
  if (status < 100) return { problem: 'answered with what is not MCP', evidence: {}, breaks: true };
  return { problem: `answered with HTTP status ${status}`, evidence: { status }, breaks: true };
}

/** Zod's errors, and those of `JSON.parse`. */
function isShapeError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && 'issues' in error);
}

function wordsOf(error: unknown): string {
  const { message, cause } = error as Error;
  const detail = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
  const words = plainLine(detail.replace(/^MCP error -?\d+: /, ''));
  return words.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}
