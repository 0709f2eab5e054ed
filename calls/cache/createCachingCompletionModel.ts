import type { JsonObject } from '../../base/json.ts';
import type { CallScope } from '../../contract/calls.ts';
import type { CompletionAnswer, CompletionModel, CompletionRequest } from '../../contract/completionModel.ts';
import { WithheldAnswer } from '../../contract/errors.ts';
import { cachedCompletionSchema, cachedWithheldAnswerSchema } from '../../schemas/run/cachedAnswer.ts';
import {
  type CachingModelOptions,
  keptFailure,
  missingAnswer,
  withheldWithoutCost,
} from './createCachingChatModel.ts';
import { ProviderAnswers, RequestNumbers } from './providerAnswers.ts';
import { SingleFlight } from './singleFlight.ts';

/** Puts the cache before a model that goes on with texts, as `createCachingChatModel` does before one that chats. */
export function createCachingCompletionModel(options: CachingModelOptions<CompletionModel>): CompletionModel {
  const { model, provider, offline, costOf } = options;
  const answers = new ProviderAnswers({ ...options, name: model.model });
  const numbers = new RequestNumbers();
  const underWay = new SingleFlight<CompletionAnswer>();

  /** Throws the failure of an answer that was withheld. */
  function readAnswer(said: JsonObject | undefined): CompletionAnswer | undefined {
    const none = cachedWithheldAnswerSchema.safeParse(said);
    if (none.success) throw keptFailure(none.data, costOf);
    const { success, data } = cachedCompletionSchema.safeParse(said);
    if (!success) return undefined;
    const { stop, ...kept } = data;
    return { ...kept, ...(stop !== undefined && { stop }), cost_usd: costOf(kept.usage) };
  }

  return {
    model: model.model,
    complete(request, signal, scope) {
      const numbered = numbers.next(shapingOf(model.model, request, scope), scope?.work);
      return underWay.run(`${numbered.request} ${provider}`, signal, () =>
        answers.alone(numbered.request, signal, async () => {
          const kept = readAnswer(await answers.find(numbered.request));
          if (kept) return kept;
          if (offline) throw missingAnswer(numbered, model.model, scope);
          const storeFirst = async (said: JsonObject) => {
            const first = await answers.store({ kind: 'model', ...numbered }, said);
            return first === said ? undefined : readAnswer(first);
          };
          try {
            const answer = await model.complete(request, signal, scope);
            const { cost_usd: _priced, ...said } = answer;
            return (await storeFirst(said as unknown as JsonObject)) ?? answer;
          } catch (error) {
            if (!(error instanceof WithheldAnswer)) throw error;
            const answer = await storeFirst(withheldWithoutCost(error));
            if (answer) return answer;
            throw error;
          }
        }),
      );
    },
  };
}

function shapingOf(model: string, request: CompletionRequest, scope: CallScope | undefined): object {
  return { kind: 'completion', model, ...request, rollout: scope?.work.rollout || undefined };
}
