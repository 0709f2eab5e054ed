import type { AnswerCache } from '../contract/answerCache.ts';
import type {
  AttemptToSend,
  CallMeter,
  CallObserver,
  ModelCall,
  RateLimit,
  Recount,
  RetriedAttempt,
  RunCalls,
  SentAttempt,
  ToolCall,
} from '../contract/calls.ts';
import type { RunEvent } from '../schemas/run/eventLine.ts';

/** Ratio to the mean length of complete answers from which a truncated one is unusual. */
const UNUSUAL_TIMES = 10;
/** Minimum answers for a mean. */
const MIN_ANSWERS = 5;

/** Complete answers of a model. */
interface Ended {
  answers: number;
  tokens: number;
  longest: number;
}

/** Detects answers that looped until a limit, which a lower limit would end sooner. */
class LongAnswers {
  readonly #ended = new Map<string, Ended>();
  readonly #told = new Set<string>();

  /** Notice for the user about a call, given once per model; usually undefined. */
  note({ model, outcome, usage }: Pick<ModelCall, 'model' | 'outcome' | 'usage'>): string | undefined {
    const tokens = usage?.completion_tokens ?? 0;
    const of = this.#ended.get(model) ?? { answers: 0, tokens: 0, longest: 0 };
    if (outcome === 'ok') {
      this.#ended.set(model, {
        answers: of.answers + 1,
        tokens: of.tokens + tokens,
        longest: Math.max(of.longest, tokens),
      });
      return undefined;
    }
    const mean = of.tokens / of.answers;
    const isUnusual = of.answers >= MIN_ANSWERS && tokens > UNUSUAL_TIMES * mean;
    if (outcome !== 'answer_truncated' || !isUnusual || this.#told.has(model)) return undefined;
    this.#told.add(model);
    return `${model}: an answer went on for ${tokens} tokens until it was cut, where the others have ${Math.round(mean)} on average and ${of.longest} at most: a sampling.max_tokens of about ${2 * of.longest} ends such loops sooner`;
  }
}

const MAX_SHOWN_NAME = 80;

/** True if one name is the other with a vendor prefix (`openai/gpt-4o`) or a date suffix (`gpt-4o-2024-08-06`). */
function isSameModel(asked: string, answered: string): boolean {
  const [a, b] = [asked, answered].map((name) => name.toLowerCase().slice(name.lastIndexOf('/') + 1));
  return a!.startsWith(b!) || b!.startsWith(a!);
}

/**
 * Calls of a session: wired into models and tools first, connected to the spending log and observers once the run
 * folder is locked.
 */
export class SessionCalls implements RunCalls {
  readonly drain: AbortSignal;
  readonly #log: (line: string) => void;
  readonly #recounted = new Set<string>();
  readonly #misnamed = new Set<string>();
  readonly #longAnswers = new LongAnswers();
  #meter: CallMeter | undefined;
  #observers: readonly Partial<CallObserver>[] = [];

  /** @param log - Told once of each model whose count is not believed, that went on for very long or has another name */
  constructor(drain: AbortSignal, log: (line: string) => void) {
    this.drain = drain;
    this.#log = log;
  }

  connect(meter: CallMeter, observers: readonly Partial<CallObserver>[]): void {
    this.#meter = meter;
    this.#observers = observers;
  }

  admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt> {
    if (!this.#meter) throw new Error('a model was called before the spending log was open');
    return this.#meter.admit(attempt, signal);
  }

  async turn(limit: RateLimit, signal: AbortSignal): Promise<void> {
    await this.#meter?.turn?.(limit, signal);
  }

  recounted({ model, reported, counted }: Recount): void {
    if (this.#recounted.has(model)) return;
    this.#recounted.add(model);
    const what =
      reported === 0
        ? 'reports no usage'
        : `counts implausibly few tokens (${reported} for a call of about ${counted})`;
    this.#log(`${model}: the endpoint ${what}; tokens and cost of such calls are our own estimate`);
  }

  retried(attempt: RetriedAttempt): void {
    for (const observer of this.#observers) observer.retried?.(attempt);
  }

  modelCall(call: ModelCall): void {
    const remark = this.#longAnswers.note(call);
    if (remark !== undefined) this.#log(remark);
    this.#compareNames(call);
    for (const observer of this.#observers) observer.modelCall?.(call);
  }

  #compareNames({ model, answeredBy }: ModelCall): void {
    if (answeredBy === undefined || isSameModel(model, answeredBy) || this.#misnamed.has(model)) return;
    this.#misnamed.add(model);
    const name = JSON.stringify(answeredBy.slice(0, MAX_SHOWN_NAME));
    this.#log(
      `${model}: the endpoint answers as ${name}; correct the name if that is not the model you mean`,
    );
  }

  toolCall(call: ToolCall): void {
    for (const observer of this.#observers) observer.toolCall?.(call);
  }
}

/** Calls of commands other than runs: neither counted nor observed. */
export function uncountedCalls(drain: AbortSignal): RunCalls {
  return { drain, admit: async () => ({ end: () => {} }), modelCall: () => {}, toolCall: () => {} };
}

/** Writes a line of `events.jsonl` per call. */
export function callEvents(events: { write(event: RunEvent): void }): CallObserver {
  return {
    modelCall({ scope, model, provider, outcome, usage, costUsd, finishReason, durationMs }) {
      events.write({
        event: 'model_call',
        ...(scope && { task_id: scope.work.task_id, role: scope.role }),
        ...(scope?.work.stage && { stage: scope.work.stage }),
        model,
        provider,
        outcome,
        duration_ms: Math.round(durationMs),
        ...(usage && { usage, cost_usd: costUsd }),
        ...(finishReason !== null && { finish_reason: finishReason }),
      });
    },
    retried: ({ askedWaitMs, ...attempt }) =>
      events.write({
        event: 'attempt_retried',
        ...attempt,
        ...(askedWaitMs !== undefined && { asked_wait_ms: askedWaitMs }),
      }),
    toolCall({ work, tool, outcome, durationMs }) {
      const task = work && { task_id: work.task_id };
      events.write({ event: 'tool_call', ...task, tool, outcome, duration_ms: Math.round(durationMs) });
    },
  };
}

/** Empty cache for calls outside a run; stores nothing. */
export const noAnswerCache: AnswerCache = {
  lookup: async () => undefined,
  lookupRequest: async () => undefined,
  store: async (answer) => answer,
};
