import type { Clock } from '../base/clock.ts';
import type { CallObserver, CallOutcome, CallScope, ModelCall, RunCalls } from '../contract/calls.ts';
import { type ChatAnswer, type ChatModel, withChat } from '../contract/chatModel.ts';
import { failureOf, RecordFailure, RunHalted, WithheldAnswer } from '../contract/errors.ts';
import type { CompletionModel } from '../contract/textModels.ts';
import type { Tool } from '../contract/tool.ts';

/** A model with its observer. */
interface ObservedModelOptions<Model> {
  readonly model: Model;
  /** Address of the endpoint without secrets. */
  readonly provider: string;
  readonly observer: CallObserver;
  readonly clock: Clock;
}

/** Reports every model call and its outcome to an observer. */
export function createObservedChatModel(options: ObservedModelOptions<ChatModel>): ChatModel {
  const { model } = options;
  return withChat(model, (request, signal, scope) =>
    observed(options, scope, () => model.chat(request, signal, scope)),
  );
}

/** Variant of {@link createObservedChatModel} for a completion model. */
export function createObservedCompletionModel(
  options: ObservedModelOptions<CompletionModel>,
): CompletionModel {
  const { model } = options;
  return {
    model: model.model,
    complete: (request, signal, scope) =>
      observed(options, scope, () => model.complete(request, signal, scope)),
  };
}

async function observed<Answer extends Pick<ChatAnswer, 'model' | 'usage' | 'cost_usd' | 'finish_reason'>>(
  { model, provider, observer, clock }: ObservedModelOptions<{ readonly model: string }>,
  scope: CallScope | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const startedAt = clock.now();
  const began = clock.monotonicMs();
  const tell = (end: Pick<ModelCall, 'outcome' | 'usage' | 'costUsd' | 'finishReason' | 'answeredBy'>) =>
    observer.modelCall({
      scope,
      model: model.model,
      provider,
      startedAt,
      durationMs: clock.monotonicMs() - began,
      ...end,
    });
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    const outcome = error instanceof RecordFailure ? error.failure.cause : 'given_up';
    const { usage, cost_usd = 0 } = error instanceof WithheldAnswer ? error.answer : {};
    tell({ outcome, usage, costUsd: cost_usd, finishReason: null });
    throw error;
  }
  const { usage, cost_usd: costUsd, finish_reason: finishReason } = answer;
  tell({ outcome: 'ok', usage, costUsd, finishReason, answeredBy: answer.model });
  return answer;
}

/** Reports every tool call and its outcome; refuses calls with `RunHalted` once no new one may start. */
export function createObservedTool(tool: Tool, calls: RunCalls, clock: Clock): Tool {
  return {
    ...tool,
    parseInput: (input) => tool.parseInput(input),
    async call(input, signal, work, goal) {
      calls.drain.throwIfAborted();
      const startedAt = clock.now();
      const began = clock.monotonicMs();
      let outcome: CallOutcome = 'ok';
      try {
        return await tool.call(input, signal, work, goal);
      } catch (error) {
        outcome = wasGivenUp(error, signal) ? 'given_up' : failureOf(error).cause;
        throw error;
      } finally {
        const durationMs = clock.monotonicMs() - began;
        calls.toolCall({ work, tool: tool.name, outcome, startedAt, durationMs });
      }
    },
  };
}

/** True for a stop, which is not a fault; other errors are the tool's failure or a bug in it. */
function wasGivenUp(error: unknown, signal: AbortSignal): boolean {
  return error instanceof RunHalted || (signal.aborted && error === signal.reason);
}
