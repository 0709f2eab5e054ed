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

/** A model, and the cache in front of it. */
interface CachingModelOptions<Model> {
  /** Asked when the cache has no answer. */
  readonly model: Model;
  readonly cache: AnswerCache;
  /** The endpoint's address without anything secret, or what stands for it. */
  readonly provider: string;
  /** The other addresses of its pool: which of them is named first shapes no answer. */
  readonly alsoFrom?: readonly string[];
  /** US dollars that an answer cost when it was asked for. */
  readonly costOf: (usage: Usage) => number;
  /** Never asks the model: an answer that is missing fails the record with `not_cached`. */
  readonly offline: boolean;
  readonly clock: Clock;
}

/** A model that chats, and the cache in front of it. */
export interface CachingChatModelOptions extends CachingModelOptions<ChatModel> {
  /** What shapes answers besides the request: the endpoint's settings, the identity of a script. */
  readonly settings: JsonObject;
  /** Shared by all models of a run, so that equal requests of different roles are shared too. */
  readonly flights: ModelFlights;
}

/** Requests under way, and how often each task asked what. */
export interface ModelFlights {
  readonly underWay: SingleFlight<ChatAnswer>;
  readonly numbers: RequestNumbers;
}

/** Creates the part that the models of a run share. */
export function createModelFlights(): ModelFlights {
  return { underWay: new SingleFlight(), numbers: new RequestNumbers() };
}

/**
 * Puts the cache before a model. An answer is used only once it is stored, and malformed and withheld ones are answers
 * too: work that begins again plays the same conversation. Other failures are never stored, except that an endpoint
 * takes no tools, since the conversation goes on from there.
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

/** Puts the cache before a model that goes on with texts, as {@link createCachingChatModel} does before one that chats. */
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

/** Calls of a model, and how its answers are kept. */
interface CachedCallsOptions<Answer> extends CachingModelOptions<{ readonly model: string }> {
  readonly answers: ProviderAnswers;
  /** Reads what was kept; undefined for what is not an answer of this model. */
  readonly parse: (said: JsonObject) => Omit<Answer, 'cost_usd'> | undefined;
  /** Called with each answer that comes from the cache. */
  readonly onKept?: (answer: Answer) => void;
}

/** Answers a call from the cache, else asks (`before` it, what is known of the endpoint is replayed) and keeps the answer. */
function cachedCalls<Answer extends { readonly usage: Usage; readonly cost_usd: number }>({
  model,
  answers,
  offline,
  costOf,
  parse,
  onKept,
}: CachedCallsOptions<Answer>) {
  /** Throws the failure of an answer that was withheld. */
  function readAnswer(said: JsonObject | undefined): Answer | undefined {
    const withheld = cachedWithheldAnswerSchema.safeParse(said);
    if (withheld.success) throw keptFailure(withheld.data, costOf);
    const kept = said && (parse(said) as Answer | undefined);
    if (!kept) return undefined;
    const answer = { ...kept, cost_usd: costOf(kept.usage) };
    onKept?.(answer);
    return answer;
  }

  /** Stores what was said. Another process may have stored an answer before, which work that begins again will meet. */
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
  // Tools answer all rollouts alike; a model is asked to try something else.
  const rollout = scope?.work.rollout || undefined;
  return { kind: 'model', model, settings, messages, tools, response_schema, sampling, rollout };
}

/** What is kept of an answer that was withheld. */
function withheldWithoutCost({ failure, answer }: WithheldAnswer): JsonObject {
  const { cost_usd: _priced, ...evidence } = answer;
  return { withheld: { ...failure, evidence } } as JsonObject;
}

/** The failure of an answer that was withheld, at today's price. */
function keptFailure(
  { withheld: { cause, message, evidence } }: z.infer<typeof cachedWithheldAnswerSchema>,
  costOf: CachingChatModelOptions['costOf'],
): WithheldAnswer {
  const cost = evidence.usage && { cost_usd: costOf(evidence.usage) };
  return new WithheldAnswer(cause, message, { ...evidence, ...cost });
}

/** That an endpoint takes no offer of tools: noticed once, and said again in its own words when work begins again. */
function toolRefusals(model: ChatModel, settings: JsonObject, answers: ProviderAnswers) {
  const request = requestHashOf({ kind: 'finding', model: model.model, settings });
  const offersTools = ({ tools }: ChatRequest) =>
    tools !== undefined && tools.length > 0 && model.toolCallStyle === 'native';

  return {
    /** Throws the refusal where one is known and the model still offers tools. */
    async replay(asked: ChatRequest): Promise<void> {
      if (!offersTools(asked)) return;
      const known = cachedFindingSchema.safeParse(await answers.find(request));
      if (!known.success) return;
      model.preferStructuredToolCalls();
      // Where the style is configured it stays, and the endpoint is asked.
      if (!offersTools(asked)) throw new RecordFailure('endpoint_rejected', known.data.takes_no_tools);
    },

    /** Asks, and stores the failure when it changed the model's style. */
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

/** The failure of a request that the cache has no answer to, where no model may be asked. */
function missingAnswer(
  { request, task_id }: NumberedRequest,
  model: string,
  scope: CallScope | undefined,
): RecordFailure {
  if (scope === undefined) return notCached(`a request to ${model}`, request, { model });
  const what = `a request of the ${scope.role} for ${task_id} to ${model}`;
  return notCached(what, request, { model, role: scope.role, task_id });
}
