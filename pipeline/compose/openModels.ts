import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import {
  createCachingChatModel,
  createCachingCompletionModel,
  createModelFlights,
} from '../../calls/cache/createCachingModels.ts';
import {
  createEndpointPools,
  type EndpointPools,
  type PoolMember,
  turnOf,
} from '../../calls/limits/createEndpointPools.ts';
import { createObservedChatModel, createObservedCompletionModel } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ChatModel, Sampling } from '../../contract/chatModel.ts';
import type { Session } from '../../contract/session.ts';
import type { CompletionModel } from '../../contract/textModels.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import {
  type MemberEndpoint,
  membersOf,
  type ResolvedEndpoint,
  sharedLimitsOf,
} from '../../schemas/config/resolved/endpoints.ts';
import { apiKeyOf, roleModel, type SectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import type { Role } from '../../schemas/trace.ts';
import { createChatModel } from '../../teachers/client/createChatModel.ts';
import { createCompletionModel } from '../../teachers/client/createCompletionModel.ts';
import { createEndpointRegistry } from '../../teachers/client/endpointCapabilities.ts';
import type { ServerSlots } from './serverSlots.ts';

interface ModelOpener extends Pick<EndpointPools, 'freeSlots' | 'onEnded'> {
  (place: ModelPlace): ChatModel;
  completion(place: ModelPlace): CompletionModel;
}

interface ModelOptions {
  readonly config: Config;
  /** Configuration of the run, whose endpoints share their limits; differs for a member of a mixture. */
  readonly whole: Config;
  /** The embedded teacher; undefined for backend `openai`. */
  readonly embedded: EmbeddedEndpoint | undefined;
  readonly open: ModelOpener;
  readonly slots: ServerSlots;
}

export interface EmbeddedEndpoint {
  readonly baseUrl: string;
  /** Stands in for the address in cache keys, since the port changes with each start. */
  readonly plays: JsonObject;
}

export interface ModelPlace {
  readonly model: string;
  readonly endpoint: ResolvedEndpoint;
  readonly members: readonly PoolMember[];
  /** Script of an embedded teacher; undefined for a user's endpoint. */
  readonly plays?: JsonObject | undefined;
}

/** Opens models behind the cache. Models at the same endpoint share its limits and its capabilities. */
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
  return Object.assign(open, { completion, freeSlots: pools.freeSlots, onEnded: pools.onEnded });
}

/** Opens one model per role. Roles with the same model and endpoint share its capabilities. */
export function modelsByRole(options: ModelOptions, session: Session): (role: Role) => ChatModel {
  const { open, embedded } = options;
  const plays = embedded?.plays;
  const models = new Map<Role, ChatModel>();
  return (role) => {
    const model = models.get(role) ?? open({ ...rolePlace(options, role, session), plays });
    models.set(role, model);
    return model;
  };
}

/** Opens the CoA model of a student run. */
export function openPlayedModel(options: ModelOptions, session: Session): CompletionModel {
  return options.open.completion(rolePlace(options, 'model', session));
}

/** Sampling settings of a role; default: those of the teacher. */
export function samplingOf(config: Config, role: Role): Sampling {
  return chosenSampling(roleModel(config, role).sampling);
}

/** Sampling settings without those left to the endpoint. */
export function chosenSampling(sampling: SectionModel['sampling']): Sampling {
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
}

function rolePlace(
  { config, whole, embedded, slots }: ModelOptions,
  role: Role,
  session: Session,
): ModelPlace {
  const configured = roleModel(config, role);
  const limited = (member: MemberEndpoint) => slots.keptBy({ ...member, ...sharedLimitsOf(whole, member) });
  if (!embedded) return placeOf(configured, session, limited);
  return placeOf(embeddedModel(configured, embedded), session, limited);
}

/** A section's model at an embedded server: always a single endpoint, without a key. */
export function embeddedModel<Asked extends Pick<SectionModel, 'endpoint'>>(
  asked: Asked,
  { baseUrl }: EmbeddedEndpoint,
): Asked {
  return { ...asked, endpoint: { ...asked.endpoint, base_url: baseUrl, api_key_env: '', pool: [] } };
}

/**
 * Address of a section's model with the keys of its endpoint's members; offline no key is needed.
 *
 * @param limited - Gives a member the limits shared with other users of the same endpoint
 * @throws UserError without a key
 */
export function placeOf(
  { place, model, endpoint }: Omit<SectionModel, 'sampling'>,
  { env, offline }: Session,
  limited = (member: MemberEndpoint) => member,
): ModelPlace {
  const members = membersOf(endpoint).map((member) =>
    poolMember(limited(member), offline ? undefined : apiKeyOf(place, member, env)),
  );
  return { model, endpoint, members };
}

function providerOf({ baseUrl }: PoolMember): string {
  return addressWithoutSecrets(baseUrl).replace(/\/+$/, '');
}

export function poolMember(member: MemberEndpoint, apiKey: string | undefined): PoolMember {
  return {
    baseUrl: member.base_url,
    apiKey,
    weight: member.weight,
    fallback: member.fallback,
    concurrency: concurrencyOf(member),
    slots: member.slots,
    requestsPerMinute: member.requests_per_minute,
    tokensPerMinute: member.tokens_per_minute,
    probes: member.max_retries,
  };
}
