import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { CallScope } from '../../contract/calls.ts';
import { type ChatAnswer, type ChatModel, type ChatRequest, withChat } from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import type { CompletionAnswer, CompletionModel } from '../../contract/textModels.ts';
import type { Usage } from '../../schemas/chat.ts';
import {
  cachedCompletionSchema,
  cachedFindingSchema,
  cachedModelAnswerSchema,
  cachedWithheldAnswerSchema,
} from '../../schemas/run/cachedAnswer.ts';
import { digestedImages } from '../../schemas/shownImages.ts';
import {
  type NumberedRequest,
  notCached,
  ProviderAnswers,
  RequestNumbers,
  requestHashOf,
} from './providerAnswers.ts';
import { SingleFlight } from './singleFlight.ts';

/** A model with its cache. */
interface CachingModelOptions<Model> {
  /** Called if the cache has no answer. */
  readonly model: Model;
  readonly cache: AnswerCache;
  /** Address of the endpoint without secrets, or its substitute. */
  readonly provider: string;
  /** Other addresses of its pool: their order does not affect the answer. */
  readonly alsoFrom?: readonly string[];
  /** Cost of an answer in US dollars at the time of the request. */
  readonly costOf: (usage: Usage) => number;
  /** Never calls the model: a missing answer fails the record with `not_cached`. */
  readonly offline: boolean;
  readonly clock: Clock;
}

export interface CachingChatModelOptions extends CachingModelOptions<ChatModel> {
  /** Further inputs that affect answers: the endpoint's settings, the identity of a script. */
  readonly settings: JsonObject;
  /** Shared by all models of a run, so that equal requests of different roles are shared too. */
  readonly flights: ModelFlights;
}

/** Requests in progress, and counts of each task's equal requests. */
export interface ModelFlights {
  readonly underWay: SingleFlight<ChatAnswer>;
  readonly numbers: RequestNumbers;
}

/** Creates the state shared by the models of a run. */
export function createModelFlights(): ModelFlights {
  return { underWay: new SingleFlight(), numbers: new RequestNumbers() };
}

/**
 * Adds the cache to a model. An answer is used only once it is stored, malformed and withheld ones included:
 * restarted work replays the same conversation. Other failures are never stored, except that an endpoint supports no
 * tools, since the conversation continues from there.
 */
export function createCachingChatModel(options: CachingChatModelOptions): ChatModel {
  const { model, provider, settings, flights } = options;
  const answers = new ProviderAnswers({ ...options, name: model.model });
  const refusals = toolRefusals(model, settings, answers);
  const parse = (said: JsonObject) => cachedModelAnswerSchema.safeParse(said).data;
  const cached = cachedCalls<ChatAnswer>({
    ...options,
    answers,
    parse,
    onKept: (answer) => model.learnFrom(answer),
  });

  return withChat(model, (request, signal, scope) => {
    const numbered = flights.numbers.next(shapingOf(model.model, settings, request, scope), scope?.work);
    return flights.underWay.run(`${numbered.request} ${provider}`, signal, () =>
      cached(numbered, signal, scope, {
        before: () => refusals.replay(request),
        ask: () => refusals.noticing(request, () => model.chat(request, signal, scope)),
      }),
    );
  });
}

export function createCachingCompletionModel(options: CachingModelOptions<CompletionModel>): CompletionModel {
  const { model, provider } = options;
  const answers = new ProviderAnswers({ ...options, name: model.model });
  const numbers = new RequestNumbers();
  const underWay = new SingleFlight<CompletionAnswer>();
  const parse = (said: JsonObject) => cachedCompletionSchema.safeParse(said).data;
  const cached = cachedCalls<CompletionAnswer>({ ...options, answers, parse });

  return {
    model: model.model,
    complete(request, signal, scope) {
      const rollout = scope?.work.rollout || undefined;
      const numbered = numbers.next(
        { kind: 'completion', model: model.model, ...request, rollout },
        scope?.work,
      );
      return underWay.run(`${numbered.request} ${provider}`, signal, () =>
        cached(numbered, signal, scope, { ask: () => model.complete(request, signal, scope) }),
      );
    },
  };
}

interface CachedCallsOptions<Answer> extends CachingModelOptions<{ readonly model: string }> {
  readonly answers: ProviderAnswers;
  /** Parses a cached answer; undefined if it is not an answer of this model. */
  readonly parse: (said: JsonObject) => Omit<Answer, 'cost_usd'> | undefined;
  /** Called with each cached answer. */
  readonly onKept?: (answer: Answer) => void;
}

/**
 * Answers a call from the cache; otherwise calls the model (after `before` has replayed the endpoint's known state)
 * and stores the answer.
 */
function cachedCalls<Answer extends { readonly usage: Usage; readonly cost_usd: number }>({
  model,
  answers,
  offline,
  costOf,
  parse,
  onKept,
}: CachedCallsOptions<Answer>) {
  /** Throws the failure of a withheld answer. */
  function readAnswer(said: JsonObject | undefined): Answer | undefined {
    const withheld = cachedWithheldAnswerSchema.safeParse(said);
    if (withheld.success) throw keptFailure(withheld.data, costOf);
    const kept = said && (parse(said) as Answer | undefined);
    if (!kept) return undefined;
    const answer = { ...kept, cost_usd: costOf(kept.usage) };
    onKept?.(answer);
    return answer;
  }

  /** Stores an answer. Returns the one of another process if that was first, since restarted work will use it. */
  async function storeFirst(numbered: NumberedRequest, said: JsonObject): Promise<Answer | undefined> {
    const first = await answers.store({ kind: 'model', ...numbered }, said);
    return first === said ? undefined : readAnswer(first);
  }

  return (
    numbered: NumberedRequest,
    signal: AbortSignal,
    scope: CallScope | undefined,
    { before, ask }: { readonly before?: () => Promise<void>; readonly ask: () => Promise<Answer> },
  ): Promise<Answer> =>
    answers.alone(numbered.request, signal, async () => {
      const kept = readAnswer(await answers.find(numbered.request));
      if (kept) return kept;
      await before?.();
      if (offline) throw missingAnswer(numbered, model.model, scope);
      try {
        const answer = await ask();
        const { cost_usd: _priced, ...said } = answer;
        return (await storeFirst(numbered, said as unknown as JsonObject)) ?? answer;
      } catch (error) {
        const isSaid = error instanceof WithheldAnswer;
        const answer = isSaid && (await storeFirst(numbered, withheldWithoutCost(error)));
        if (answer) return answer;
        throw error;
      }
    });
}

function shapingOf(
  model: string,
  settings: JsonObject,
  request: ChatRequest,
  scope: CallScope | undefined,
): object {
  const { tools, response_schema, sampling } = request;
  const messages = digestedImages(request.messages);
  // Tools answer all rollouts alike; a model should try something different.
  const rollout = scope?.work.rollout || undefined;
  return { kind: 'model', model, settings, messages, tools, response_schema, sampling, rollout };
}

/** Stored part of a withheld answer. */
function withheldWithoutCost({ failure, answer }: WithheldAnswer): JsonObject {
  const { cost_usd: _priced, ...evidence } = answer;
  return { withheld: { ...failure, evidence } } as JsonObject;
}

/** Failure of a withheld answer at today's price. */
function keptFailure(
  { withheld: { cause, message, evidence } }: z.infer<typeof cachedWithheldAnswerSchema>,
  costOf: CachingChatModelOptions['costOf'],
): WithheldAnswer {
  const cost = evidence.usage && { cost_usd: costOf(evidence.usage) };
  return new WithheldAnswer(cause, message, { ...evidence, ...cost });
}

/** Stored fact that an endpoint supports no tools: detected once, replayed in its own words. */
function toolRefusals(model: ChatModel, settings: JsonObject, answers: ProviderAnswers) {
  const request = requestHashOf({ kind: 'finding', model: model.model, settings });
  const offersTools = ({ tools }: ChatRequest) =>
    tools !== undefined && tools.length > 0 && model.toolCallStyle === 'native';

  return {
    /** Throws the stored refusal if one exists and the model still offers tools. */
    async replay(asked: ChatRequest): Promise<void> {
      if (!offersTools(asked)) return;
      const known = cachedFindingSchema.safeParse(await answers.find(request));
      if (!known.success) return;
      model.preferStructuredToolCalls();
      // A configured style stays, and the endpoint is asked.
      if (!offersTools(asked)) throw new RecordFailure('endpoint_rejected', known.data.takes_no_tools);
    },

    /** Calls the model, and stores the failure if it changed the model's style. */
    async noticing(asked: ChatRequest, ask: () => Promise<ChatAnswer>): Promise<ChatAnswer> {
      const offered = offersTools(asked);
      try {
        return await ask();
      } catch (error) {
        if (offered && !offersTools(asked) && error instanceof RecordFailure) {
          const finding = { takes_no_tools: error.message };
          await answers.store({ kind: 'finding', request, sample: 0, task_id: '' }, finding);
        }
        throw error;
      }
    },
  };
}

/** Failure of an uncached request if no model may be called. */
function missingAnswer(
  { request, task_id }: NumberedRequest,
  model: string,
  scope: CallScope | undefined,
): RecordFailure {
  if (scope === undefined) return notCached(`a request to ${model}`, request, { model });
  const what = `a request of the ${scope.role} for ${task_id} to ${model}`;
  return notCached(what, request, { model, role: scope.role, task_id });
}
