import { Agent, type Dispatcher } from 'undici';
import type { ToolCallStyle } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { EndpointConfig } from '../../schemas/config/endpoint.ts';
import { type AnswerFormat, answerFormats } from './answerFormats.ts';
import { isInvalidRequest } from './endpointFault.ts';

/** What has been found out about a model behind an endpoint, shared by all roles that use it. */
export class EndpointCapabilities {
  /** Sockets, shared by all endpoints. */
  readonly dispatcher: Dispatcher;
  readonly answerFormats: AnswerFormatLadder;
  #style: ToolCallStyle;
  readonly #styleIsFixed: boolean;
  #nativeCallsWorked = false;

  constructor(endpoint: Pick<EndpointConfig, 'structured_answers' | 'tool_calls'>, dispatcher: Dispatcher) {
    this.dispatcher = dispatcher;
    this.answerFormats = new AnswerFormatLadder(endpoint.structured_answers);
    this.#styleIsFixed = endpoint.tool_calls !== 'auto';
    this.#style = endpoint.tool_calls === 'structured' ? 'structured' : 'native';
  }

  get toolCallStyle(): ToolCallStyle {
    return this.#style;
  }

  /** Remembers that the endpoint answered an offer of tools with a tool call: later plain text is the model's slip. */
  noteNativeToolCall(): void {
    this.#nativeCallsWorked = true;
  }

  /** Remembers that the endpoint does not take tools. Without effect once a native call worked, or where configured. */
  preferStructuredToolCalls(): void {
    if (!this.#styleIsFixed && !this.#nativeCallsWorked) this.#style = 'structured';
  }
}

/** Answers that are not JSON, under a format that never gave any, before the next format is tried. */
const MISSES_ALLOWED = 2;
/** Empty answers of that kind: a busy model gives some under any format. */
const EMPTY_ALLOWED = 8;

/** Answer under a format. */
type Answered = 'json' | 'other' | 'empty';

const aboutTheFormat = /response_format|json_schema|json_object|json schema|grammar|structured|guided/i;

/** One question to the endpoint under a format. */
interface FormattedAsk<Answer> {
  ask(format: AnswerFormat): Promise<Answer>;
  kindOf(answer: Answer): Answered;
}

/** An answer and the format that it was asked for in. */
interface FormattedAnswer<Answer> {
  readonly format: AnswerFormat;
  readonly answer: Answer;
}

/**
 * Finds out, once an endpoint and model, the strictest format that it takes: it starts at the top and goes down when
 * a request is rejected as invalid for its format, or when two answers in a format that has not worked yet are no
 * JSON, or eight are empty. The first request looks alone, the others wait for what it finds.
 */
class AnswerFormatLadder {
  readonly #fixed: AnswerFormat | undefined;
  #rung = 0;
  /** True once an answer in the format of this rung was JSON: later slips are the model's, not the endpoint's. */
  #proven = false;
  #misses = 0;
  #empty = 0;
  #firstAsk: Promise<void> | undefined;

  constructor(setting: EndpointConfig['structured_answers']) {
    this.#fixed = setting === 'auto' ? undefined : setting;
  }

  /** The format that the next request will use. */
  get format(): AnswerFormat {
    return this.#fixed ?? answerFormats[this.#rung]!;
  }

  /** Counts an answer that was kept from earlier, under the format that it came in. */
  note(format: AnswerFormat, kind: Answered): void {
    if (!this.#fixed) this.#learn(answerFormats.indexOf(format), kind);
  }

  async run<Answer>(asked: FormattedAsk<Answer>, signal: AbortSignal): Promise<FormattedAnswer<Answer>> {
    if (this.#fixed) return { format: this.#fixed, answer: await asked.ask(this.#fixed) };
    if (this.#firstAsk) {
      await settledOrAborted(this.#firstAsk, signal);
      return this.#walk(asked);
    }
    const walk = this.#walk(asked);
    this.#firstAsk = walk.then(
      () => undefined,
      () => undefined,
    );
    return walk;
  }

  async #walk<Answer>(asked: FormattedAsk<Answer>): Promise<FormattedAnswer<Answer>> {
    for (let rung = this.#rung; ; rung = Math.max(rung + 1, this.#rung)) {
      const format = answerFormats[rung]!;
      const last = rung === answerFormats.length - 1;
      try {
        const answer = await asked.ask(format);
        this.#learn(rung, asked.kindOf(answer));
        return { format, answer };
      } catch (error) {
        if (last || !this.#rejectsFormat(error, rung)) throw error;
      }
    }
  }

  #learn(rung: number, kind: Answered): void {
    if (rung < this.#rung) return;
    if (rung > this.#rung) this.#moveTo(rung);
    if (kind === 'json') this.#proven = true;
    if (kind === 'other') this.#misses += 1;
    if (kind === 'empty') this.#empty += 1;
    const isWorthless = this.#misses >= MISSES_ALLOWED || this.#empty >= EMPTY_ALLOWED;
    if (!this.#proven && isWorthless && rung + 1 < answerFormats.length) this.#moveTo(rung + 1);
  }

  #moveTo(rung: number): void {
    this.#rung = rung;
    this.#proven = false;
    this.#misses = 0;
    this.#empty = 0;
  }

  /** Many servers reject an unknown format without naming it, so before a format has worked any invalid request counts. */
  #rejectsFormat(error: unknown, rung: number): boolean {
    if (!(error instanceof RecordFailure) || !isInvalidRequest(error)) return false;
    const worked = this.#proven && rung === this.#rung;
    return !worked || aboutTheFormat.test(error.failure.message);
  }
}

function settledOrAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}

/** Longest wait for a TCP and TLS connection. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Hands out what roles share: sockets, and findings by address and model. */
interface EndpointRegistry {
  capabilitiesFor(endpoint: EndpointConfig & { base_url: string }, model: string): EndpointCapabilities;
}

/** Creates the registry of a run. */
export function createEndpointRegistry(): EndpointRegistry {
  // undici's own limits are off: a slow model may think for longer than its 300 s.
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const capabilities = new Map<string, EndpointCapabilities>();
  return {
    capabilitiesFor(endpoint, model) {
      const address = endpoint.base_url.replace(/\/+$/, '');
      const key = JSON.stringify([address, model, endpoint.structured_answers, endpoint.tool_calls]);
      const known = capabilities.get(key) ?? new EndpointCapabilities(endpoint, dispatcher);
      capabilities.set(key, known);
      return known;
    },
  };
}
