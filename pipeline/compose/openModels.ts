import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import { modelOf, priceOf } from '../../calls/budget/priceOf.ts';
import { createCachingChatModel, createModelFlights } from '../../calls/cache/createCachingChatModel.ts';
import { createCachingCompletionModel } from '../../calls/cache/createCachingCompletionModel.ts';
import { createEndpointPools, type PoolMember, turnOf } from '../../calls/limits/createEndpointPools.ts';
import { createObservedChatModel, createObservedCompletionModel } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ChatModel, Sampling } from '../../contract/chatModel.ts';
import type { CompletionModel } from '../../contract/completionModel.ts';
import type { Session } from '../../contract/session.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import {
  apiKeyOf,
  endpointOf,
  type MemberEndpoint,
  membersOf,
  type ResolvedEndpoint,
  sharedLimitsOf,
} from '../../schemas/config/resolved/endpoints.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import type { Role } from '../../schemas/trace.ts';
import { createChatModel } from '../../teachers/client/createChatModel.ts';
import { createCompletionModel } from '../../teachers/client/createCompletionModel.ts';
import { createEndpointRegistry } from '../../teachers/client/endpointCapabilities.ts';

/** Opens the model at a place. */
export interface ModelOpener {
  (place: ModelPlace): ChatModel;
  /** The same for a model that goes on with texts. */
  completion(place: ModelPlace): CompletionModel;
  /** Further requests that each endpoint in use could take now, see `createEndpointPools`. */
  freeSlots(): number;
}

interface ModelOptions {
  readonly config: Config;
  /** The configuration of the run, whose endpoints share their limits; another one for a member of a mixture. */
  readonly whole: Config;
  /** The embedded teacher; undefined for backend `openai`. */
  readonly embedded: EmbeddedEndpoint | undefined;
  readonly open: ModelOpener;
}

/** An embedded teacher's server. */
export interface EmbeddedEndpoint {
  readonly baseUrl: string;
  /** What its answers depend on, in place of its address, which is another one each time. */
  readonly plays: JsonObject;
}

export interface ModelPlace {
  readonly model: string;
  readonly endpoint: ResolvedEndpoint;
  readonly members: readonly PoolMember[];
  /** What an embedded teacher plays; undefined for an endpoint of the user's own. */
  readonly plays?: JsonObject | undefined;
}

/** Opens models behind the cache. Those at the same endpoint share its limits and what is known about it. */
export function createModelOpener({ clock, offline, calls }: Session, cache: AnswerCache): ModelOpener {
  const registry = createEndpointRegistry();
  const pools = createEndpointPools(clock, turnOf(calls));
  const flights = createModelFlights();
  const partsOf = ({ model, endpoint, members, plays }: ModelPlace) => {
    const providers = plays ? ['local'] : [...new Set(members.map(providerOf))];
    const [provider = '', ...alsoFrom] = providers;
    const capabilities = registry.capabilitiesFor(endpoint, model);
    return {
      asked: { model, endpoint, pool: pools(members), clock, capabilities, meter: calls },
      observed: { provider, observer: calls, clock },
      cached: {
        cache,
        provider,
        alsoFrom,
        costOf: (usage: Usage) => tokenCostUsd(usage, endpoint.price),
        offline,
        clock,
      },
    };
  };
  const open = (place: ModelPlace) => {
    const { asked, observed, cached } = partsOf(place);
    const { structured_answers, tool_calls } = place.endpoint;
    return createCachingChatModel({
      ...cached,
      model: createObservedChatModel({ ...observed, model: createChatModel(asked) }),
      settings: { structured_answers, tool_calls, ...(place.plays && { plays: place.plays }) },
      flights,
    });
  };
  const completion = (place: ModelPlace) => {
    const { asked, observed, cached } = partsOf(place);
    const model = createObservedCompletionModel({ ...observed, model: createCompletionModel(asked) });
    return createCachingCompletionModel({ ...cached, model });
  };
  return Object.assign(open, { completion, freeSlots: pools.freeSlots });
}

/** Gives each role its model. Roles that ask the same model at the same endpoint share what is known about it. */
export function modelsByRole(options: ModelOptions, session: Session): (role: Role) => ChatModel {
  const { config, open, embedded } = options;
  const plays = embedded?.plays;
  const models = new Map<Role, ChatModel>();
  return (role) => {
    const model =
      models.get(role) ??
      open({ model: modelOf(config, role), ...connectionOf(options, role, session), plays });
    models.set(role, model);
    return model;
  };
}

/** The CoA model that plays alone. */
export function openPlayedModel(options: ModelOptions, session: Session): CompletionModel {
  const { config, open } = options;
  return open.completion({ model: modelOf(config, 'model'), ...connectionOf(options, 'model', session) });
}

/** A role's sampling settings: its own where it has any, otherwise the teacher's. */
export function samplingOf(config: Config, role: Role): Sampling {
  return chosenSampling(config.teacher.roles[role]?.sampling ?? config.teacher.sampling);
}

/** Sampling settings without those that are left to the endpoint. */
export function chosenSampling(sampling: Config['teacher']['sampling']): Sampling {
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
}

function connectionOf(
  { config, whole, embedded }: ModelOptions,
  role: Role,
  { env, offline }: Session,
): { endpoint: ResolvedEndpoint; members: PoolMember[] } {
  const configured = { ...endpointOf(config, role), price: priceOf(config, role) };
  // The embedded teacher is one server, whatever pool is configured.
  const endpoint = embedded ? { ...configured, base_url: embedded.baseUrl, pool: [] } : configured;
  const needsKey = !embedded && !offline;
  const members = membersOf(endpoint).map((member) =>
    poolMember({ ...member, ...sharedLimitsOf(whole, member) }, needsKey ? apiKeyOf(member, env) : undefined),
  );
  return { endpoint, members };
}

function providerOf({ baseUrl }: PoolMember): string {
  return addressWithoutSecrets(baseUrl).replace(/\/+$/, '');
}

/** A member of a pool with its key and limits. */
export function poolMember(member: MemberEndpoint, apiKey: string | undefined): PoolMember {
  return {
    baseUrl: member.base_url,
    apiKey,
    weight: member.weight,
    fallback: member.fallback,
    concurrency: member.concurrency,
    requestsPerMinute: member.requests_per_minute,
    tokensPerMinute: member.tokens_per_minute,
    probes: member.max_retries,
    longestPauseMs: member.max_retry_wait_s * 1000,
  };
}
