import { contentId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CallScope } from '../../contract/calls.ts';
import {
  type ChatAnswer,
  type ChatModel,
  type Sampling,
  samplingOfRollout,
  type TextRequest,
  type ToolCallStyle,
} from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import { askAgain } from '../../contract/prompting.ts';
import { nothingUsed, type Usage, usageOfAll } from '../../schemas/chat.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import type { Role } from '../../schemas/trace.ts';
import type { Solving } from '../solving/solveTask.ts';
import type { AgentCallDraft } from '../solving/traceRecorder.ts';
import { stableBeginning } from './conversation.ts';

/** Context of a question: the team's models, and the task's budget and trace. */
export interface AskContext extends Solving {
  readonly modelFor: (role: Role) => ChatModel;
  readonly samplingFor: (role: Role) => Sampling;
  readonly layout?: TeacherConfig['layout'];
  /** Maximum requests for one usable answer. */
  readonly maxAsks: number;
}

/** A usable answer of a model. */
export interface TakenAnswer<T> {
  readonly ok: true;
  readonly value: T;
  readonly action: string;
  /** Author of the answer. Default: the asked role. */
  readonly role?: Role;
  /** Structured answer; null for a native tool call. */
  readonly answer: JsonObject | null;
}

/** Result of reading a model's answer. */
export type ReadAnswer<T> =
  | TakenAnswer<T>
  | {
      readonly ok: false;
      readonly error: string;
      /** Answer that is accepted if the model repeats it at the last request. */
      readonly insisted?: TakenAnswer<T>;
      /** Fallback after the last request. Default: the task fails. */
      readonly otherwise?: { readonly value: T };
    };

/** A question to a role. */
export interface Ask<T> {
  readonly role: Role;
  /** Requested action; null if the answer decides. */
  readonly action: string | null;
  prepare(style: ToolCallStyle): Omit<TextRequest, 'sampling'>;
  read(answer: ChatAnswer, style: ToolCallStyle): ReadAnswer<T>;
}

/** Requests for one answer so far. */
class AskLog {
  readonly malformed: { content: string; error: string }[] = [];
  usage = nothingUsed;
  costUsd = 0;

  add(usage: Usage, costUsd: number): void {
    this.usage = usageOfAll([this.usage, usage]);
    this.costUsd += costUsd;
  }

  get tokens(): number {
    return this.usage.prompt_tokens + this.usage.completion_tokens;
  }
}

/** Result of one request. */
interface AskOutcome<T> {
  /** Null without a recordable answer: withheld, or tools were refused. */
  readonly answer: ChatAnswer | null;
  /** Text of an unusable answer as shown to the model. */
  readonly content: string;
  readonly read: ReadAnswer<T>;
  /** Failure of the task after the last request; undefined: `malformed_answer`. */
  readonly failure?: RecordFailure;
}

/**
 * Asks a role until its answer is usable, and records the call. The model sees what was wrong with a malformed,
 * truncated or filtered answer; if an endpoint turns out not to support tools, the question is repeated in the other
 * style.
 * @throws RecordFailure the last ask's failure (`malformed_answer`, `answer_truncated`, `model_refused`), `budget_*`, or
 *   what the model client threw.
 */
export async function askRole<T>(ask: Ask<T>, context: AskContext): Promise<T> {
  const { recorder, budget, maxAsks } = context;
  const model = context.modelFor(ask.role);
  const sampling = samplingOfRollout(context.samplingFor(ask.role), context.work);
  const start = recorder.start();
  const log = new AskLog();
  // Servers put offered tools before a conversation, which would change its shared prefix.
  const style = { now: context.layout === 'per_role' ? model.toolCallStyle : 'structured' };
  const scope: CallScope = { work: context.work, role: ask.role, retried: start.retried };
  let request: TextRequest = { ...ask.prepare(style.now), sampling };
  let last: ChatAnswer | null = null;

  const record = (answer: ChatAnswer | null, read: ReadAnswer<T> | null, failure: RecordFailure | null) =>
    recorder.agentCall(draftOf(ask, model.model, request, log, answer, read, failure), start);

  try {
    for (let asks = 1; ; ) {
      budget.checkTokens(recorder.usedTokens + log.tokens);
      const { answer, read, content, failure } = await attempt(
        ask,
        model,
        { request, style: style.now },
        log,
        budget.signal,
        scope,
      );
      if (read.ok) {
        record(answer, read, null);
        return read.value;
      }
      const takesOtherStyle = model.toolCallStyle !== style.now && request.tools !== undefined;
      if (!takesOtherStyle && asks === maxAsks) {
        if (read.insisted) {
          record(answer, read.insisted, null);
          return read.insisted.value;
        }
        last = answer;
        const ending = failure ?? malformedFailure(ask, log, read.error);
        if (!read.otherwise) throw ending;
        record(answer, null, ending);
        return read.otherwise.value;
      }
      log.malformed.push({ content, error: read.error });
      if (takesOtherStyle) {
        style.now = model.toolCallStyle;
        request = { ...ask.prepare(style.now), sampling };
      } else {
        asks += 1;
        request = {
          ...request,
          messages: askAgain(request.messages, shown({ content, error: read.error }), 'correctly this time'),
        };
      }
    }
  } catch (error) {
    const failure = budget.timeFailure() ?? (error instanceof RecordFailure ? error : undefined);
    if (!failure) throw error;
    record(last, null, failure);
    throw failure;
  }
}

/** Sends one request; a rejection that changed the model's tool call style counts as an answer without one. */
async function attempt<T>(
  ask: Ask<T>,
  model: ChatModel,
  { request, style }: { readonly request: TextRequest; readonly style: ToolCallStyle },
  log: AskLog,
  signal: AbortSignal,
  scope: CallScope,
): Promise<AskOutcome<T>> {
  try {
    const answer = await model.chat({ ...request, stable: stableBeginning(request.messages) }, signal, scope);
    log.add(answer.usage, answer.cost_usd);
    const read = ask.read(answer, style);
    if (!read.ok && request.tools && answer.tool_calls.length === 0) model.preferStructuredToolCalls();
    return { answer, read, content: whatWasWritten(answer) };
  } catch (error) {
    if (error instanceof WithheldAnswer) {
      const { askAgain: reason, content, answer } = error;
      if (answer.usage) log.add(answer.usage, answer.cost_usd ?? 0);
      if (reason) return { answer: null, read: { ok: false, error: reason }, content, failure: error };
    }
    const tookNoTools = request.tools && model.toolCallStyle !== style;
    if (!tookNoTools || !(error instanceof RecordFailure)) throw error;
    return { answer: null, read: { ok: false, error: error.message }, content: '' };
  }
}

/** Maximum length of a repeated piece of text. */
const MAX_LOOP_CHARS = 400;

/** Text of an unusable answer as shown to the model; a looping one is omitted, since the model would continue it. */
function shown(slip: { readonly content: string; readonly error: string }) {
  if (!endsInLoop(slip.content)) return slip;
  return { content: '', error: `${slip.error}; it repeated the same words over and over` };
}

/** True for a text that ends with the same piece of at least 8 characters four times. */
export function endsInLoop(text: string): boolean {
  const longest = Math.min(MAX_LOOP_CHARS, Math.floor(text.length / 4));
  for (let length = 8; length <= longest; length++) {
    if (text.endsWith(text.slice(-length).repeat(4))) return true;
  }
  return false;
}

function whatWasWritten({ content, tool_calls }: ChatAnswer): string {
  const calls = tool_calls.map((call) => `${call.function.name}(${call.function.arguments})`);
  return [content ?? '', ...calls].filter((text) => text !== '').join('\n');
}

function malformedFailure(ask: Ask<unknown>, log: AskLog, error: string): RecordFailure {
  const errors = [...log.malformed.map((slip) => slip.error), error];
  const message = `the ${ask.role}'s answer could not be used after ${errors.length} asks: ${error}`;
  return new RecordFailure('malformed_answer', message.replace(/\s+/g, ' '), { role: ask.role, errors });
}

function draftOf(
  ask: Ask<unknown>,
  modelName: string,
  request: TextRequest,
  log: AskLog,
  answer: ChatAnswer | null,
  read: ReadAnswer<unknown> | null,
  failure: RecordFailure | null,
): AgentCallDraft {
  return {
    role: (read?.ok ? read.role : undefined) ?? ask.role,
    action: read?.ok ? read.action : ask.action,
    model: answer?.model ?? modelName,
    request_hash: answer?.request_hash ?? contentId('request', { ...request, model: modelName }),
    messages: request.messages,
    answer: read?.ok ? read.answer : null,
    content: answer?.content ?? null,
    reasoning: answer?.reasoning ?? null,
    tool_calls: [...(answer?.tool_calls ?? [])],
    finish_reason: answer?.finish_reason ?? null,
    response_format: answer?.response_format ?? null,
    usage: log.usage,
    cost_usd: log.costUsd,
    malformed: log.malformed,
    failure: failure?.failure ?? null,
  };
}
