import { Agent, type Dispatcher } from 'undici';
import type { ToolCallStyle } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { EndpointConfig } from '../../schemas/config/endpoint.ts';
import { type AnswerFormat, answerFormats } from './answerFormats.ts';
import { isInvalidRequest } from './endpointFault.ts';

/** Learned capabilities of a model behind an endpoint, shared by all roles that use it. */
export class EndpointCapabilities {
  /** Connection pool shared by all endpoints. */
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

  /** Records a native tool call: later plain text is the model's mistake. */
  noteNativeToolCall(): void {
    this.#nativeCallsWorked = true;
  }

  /** Records that the endpoint does not support tools. No effect after a successful native call or if configured. */
  preferStructuredToolCalls(): void {
    if (!this.#styleIsFixed && !this.#nativeCallsWorked) this.#style = 'structured';
  }
}

/** Tolerated non-JSON answers under an unproven format before the next one is tried. */
const MISSES_ALLOWED = 2;
/** Tolerated empty answers: a busy model gives some under any format. */
const EMPTY_ALLOWED = 8;

/** Kind of answer under a format. */
type Answered = 'json' | 'other' | 'empty';

const aboutTheFormat = /response_format|json_schema|json_object|json schema|grammar|structured|guided/i;

interface FormattedAsk<Answer> {
  ask(format: AnswerFormat): Promise<Answer>;
  kindOf(answer: Answer): Answered;
}

/** An answer and its requested format. */
interface FormattedAnswer<Answer> {
  readonly format: AnswerFormat;
  readonly answer: Answer;
}

/**
 * Finds the strictest supported format once per endpoint and model: it starts at the top and steps down when a
 * request is rejected as invalid for its format, or after two non-JSON or eight empty answers in an unproven format.
 * The first request probes alone while the others wait.
 */
class AnswerFormatLadder {
  readonly #fixed: AnswerFormat | undefined;
  #rung = 0;
  /** True once an answer in this format was JSON: later mistakes are the model's, not the endpoint's. */
  #proven = false;
  #misses = 0;
  #empty = 0;
  #firstAsk: Promise<void> | undefined;

  constructor(setting: EndpointConfig['structured_answers']) {
    this.#fixed = setting === 'auto' ? undefined : setting;
  }

  /** Format of the next request. */
  get format(): AnswerFormat {
    return this.#fixed ?? answerFormats[this.#rung]!;
  }

  /** Counts a cached answer under its format. */
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

  /**
   * True for a rejection of the format. Many servers do not name it, so any invalid request counts before a format
   * has worked.
   */
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

/** Maximum time for a TCP and TLS connection. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Shared state of roles: connections, and capabilities by address and model. */
interface EndpointRegistry {
  capabilitiesFor(endpoint: EndpointConfig & { base_url: string }, model: string): EndpointCapabilities;
}

/** Creates the registry of a run. */
export function createEndpointRegistry(): EndpointRegistry {
  // undici's own timeouts are off: a slow model may think longer than its 300 s.
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
