import { sum } from '../../../base/sum.ts';
import { UserError } from '../../../base/userError.ts';
import { withoutAbsent } from '../../../base/withoutAbsent.ts';
import { type Role, roleSchema } from '../../trace.ts';
import type { Config } from '../config.ts';
import { concurrencyOf, type EndpointConfig } from '../endpoint.ts';
import type { ModelConfig, PricedEndpoint } from '../models.ts';
import { prefersByJudge } from '../select.ts';
import type { JinaConfig } from '../tools/crawlPage.ts';
import { searchProviderFacts, type WebSearchConfig } from '../tools/webSearch.ts';
import { memberConfigs } from './mixture.ts';

/** Model endpoint with resolved address and price. */
export type ResolvedEndpoint = PricedEndpoint & { readonly base_url: string };

/** A member of an endpoint's pool. */
export type MemberEndpoint = ResolvedEndpoint & {
  readonly fallback: boolean;
  /** Server slots that tasks hold; undefined if unknown. */
  readonly slots?: number;
};

/** Default address: OpenAI's API. */
const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** Endpoint of a model at its own address, otherwise at the teacher's. */
export function resolvedEndpoint(
  { endpoint, price }: Pick<ModelConfig, 'endpoint' | 'price'>,
  { teacher }: Pick<Config, 'teacher'>,
): ResolvedEndpoint {
  const base_url = endpoint.base_url ?? teacher.model.endpoint.base_url ?? OPENAI_BASE_URL;
  return { ...endpoint, base_url, price };
}

export function endpointOf(config: Pick<Config, 'teacher'>, role: Role): ResolvedEndpoint {
  const { model, roles } = config.teacher;
  return resolvedEndpoint(roles[role] ?? model, config);
}

/** True if the configuration makes the judge call its model. */
export function asksJudgeModel({ judge }: Pick<Config, 'judge'>): boolean {
  return judge.model !== undefined && (judge.text !== 'rule' || judge.instructions !== undefined);
}

/** True if a run asks the judge's model for verdicts or for the best of several trajectories. */
export function runAsksJudgeModel(config: Pick<Config, 'judge' | 'select'>): boolean {
  return asksJudgeModel(config) || prefersByJudge(config.select);
}

/** Endpoint and its pool members; members inherit omitted values. */
export function membersOf(endpoint: ResolvedEndpoint): MemberEndpoint[] {
  const { pool, ...own } = endpoint;
  const others = pool.map((member) => ({ ...own, ...withoutAbsent(member), pool: [] }));
  return [{ ...endpoint, fallback: false }, ...others];
}

/** Key of the user's search service, as with {@link keyIn}; the bundled site needs none. */
export function searchKeyOf(search: WebSearchConfig, env: NodeJS.ProcessEnv): string | undefined {
  if (searchAddressOf(search) === undefined) return undefined;
  const { provider, api_key_env = searchProviderFacts[provider].apiKeyEnv } = search;
  return keyIn(env, api_key_env, 'tools.web_search');
}

/** Address of searches: the configured one or the provider's; undefined for local search. */
export function searchAddressOf({ provider, base_url }: WebSearchConfig): string | undefined {
  return base_url ?? searchProviderFacts[provider].baseUrl;
}

/** Key of Jina's reader, as with {@link keyIn}; defaults to JINA_API_KEY if no variable is named. */
export function jinaKeyOf({ api_key_env }: JinaConfig, env: NodeJS.ProcessEnv): string | undefined {
  const variable = api_key_env ?? (env[JINA_KEY_VARIABLE]?.trim() ? JINA_KEY_VARIABLE : '');
  return keyIn(env, variable, 'tools.crawl_page.jina');
}

const JINA_KEY_VARIABLE = 'JINA_API_KEY';

/**
 * The key in an environment variable; undefined when the variable's name is empty.
 *
 * @param section - Part of the configuration that names the variable, for the message
 * @throws UserError when the variable is empty, or holds what no header can carry
 */
export function keyIn(env: NodeJS.ProcessEnv, variable: string, section: string): string | undefined {
  if (variable === '') return undefined;
  const key = env[variable]?.trim();
  if (key !== undefined && !/^[\x20-\x7e\x80-\xff]*$/.test(key))
    throw new UserError(
      `the API key in ${variable} holds a line break or another character that no HTTP header can carry; set it to the key alone`,
    );
  if (key) return key;
  throw new UserError(
    `no API key: the environment variable ${variable} is not set; set it (or put it into .env beside the configuration), or set ${section}.api_key_env to "" when the service asks for no key`,
  );
}

/** Distinct endpoints of a teacher that uses any, with their pools. */
export function teacherEndpoints(config: Pick<Config, 'teacher'>): ResolvedEndpoint[] {
  return roleEndpoints(config).filter(
    (endpoint, place, all) => all.findIndex((other) => isSamePlace(other, endpoint)) === place,
  );
}

/** Endpoints of every role of every mixture member. */
function roleEndpoints(config: Pick<Config, 'teacher'>): ResolvedEndpoint[] {
  return memberConfigs(config).flatMap((member) =>
    roleSchema.options.map((role) => endpointOf(member, role)),
  );
}

/** Distinct address and key pairs of a teacher, pool members included. */
export function endpointsInUse(config: Pick<Config, 'teacher'>): ResolvedEndpoint[] {
  return teacherEndpoints(config)
    .flatMap(membersOf)
    .filter((member, place, all) => all.findIndex((other) => isSameMember(other, member)) === place);
}

/** Shared limits of an address and key: the minimum of the configured rates and the maximum of the concurrencies. */
export function sharedLimitsOf(
  config: Pick<Config, 'teacher'>,
  member: ResolvedEndpoint,
): Pick<EndpointConfig, 'concurrency' | 'requests_per_minute' | 'tokens_per_minute'> {
  const same = [...roleEndpoints(config).flatMap(membersOf), member].filter((other) =>
    isSameMember(other, member),
  );
  const named = (key: 'concurrency' | 'requests_per_minute' | 'tokens_per_minute') =>
    same.flatMap((other) => other[key] ?? []).sort((a, b) => a - b);
  return {
    concurrency: named('concurrency').at(-1),
    requests_per_minute: named('requests_per_minute')[0],
    tokens_per_minute: named('tokens_per_minute')[0],
  };
}

/** True for the same address, key and pool. */
export function isSamePlace(one: ResolvedEndpoint, other: ResolvedEndpoint): boolean {
  return isSameMember(one, other) && JSON.stringify(one.pool) === JSON.stringify(other.pool);
}

/** True for the same address and key. */
export function isSameMember(one: ResolvedEndpoint, other: ResolvedEndpoint): boolean {
  return withoutSlash(one) === withoutSlash(other) && one.api_key_env === other.api_key_env;
}

function withoutSlash({ base_url }: ResolvedEndpoint): string {
  return base_url.replace(/\/+$/, '');
}

/** Tasks per concurrent call: tasks that write, use a tool or wait for a retry leave their slot free. */
const TASKS_A_CALL = 1.25;
/** The same if tools take most of a task's time. */
const MOST_TASKS_A_CALL = 4;

/**
 * Concurrent tasks: the minimum, and the maximum while endpoints have free slots. Default: 1.25 times the endpoints'
 * concurrent requests, and up to four times, but at most one per request a minute, since tasks that share few
 * requests would all time out.
 */
export function tasksAtOnce(config: Config): { readonly least: number; readonly most: number } {
  const { concurrency } = config.teacher;
  if (concurrency !== undefined) return { least: concurrency, most: concurrency };
  const endpoints = endpointsInUse(config).map((endpoint) => sharedLimitsOf(config, endpoint));
  const inFlight = sum(endpoints.map(concurrencyOf));
  const perMinute = sum(endpoints.map((one) => one.requests_per_minute ?? Number.POSITIVE_INFINITY));
  const tasks = (aCall: number) => Math.max(1, Math.floor(Math.min(inFlight * aCall, perMinute)));
  return { least: tasks(TASKS_A_CALL), most: tasks(MOST_TASKS_A_CALL) };
}
