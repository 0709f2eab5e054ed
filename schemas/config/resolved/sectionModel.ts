import { isDeepStrictEqual } from 'node:util';
import { type Role, roleSchema } from '../../trace.ts';
import type { Config } from '../config.ts';
import type { EndpointConfig } from '../endpoint.ts';
import type { ModelConfig } from '../models.ts';
import type { SamplingConfig } from '../sampling.ts';
import { asksEndpoint } from '../teacherBackends.ts';
import type { ToolModelPart } from '../tools/toolSections.ts';
import { isSamePlace, keyIn, type ResolvedEndpoint, resolvedEndpoint } from './endpoints.ts';
import { memberConfigs } from './mixture.ts';

/** US dollars per million tokens. */
type ListedPrice = NonNullable<ModelConfig['price']>;

/**
 * Prices of OpenAI's standard tier on 2026-11-21, from three public price lists that cite
 * developers.openai.com/api/docs/pricing and agree; not verified against a bill. Models whose price depends on time
 * or prompt length are omitted: a single price would not keep a cap. A model's `price` wins, and is needed for other
 * providers, other tiers and newer prices.
 */
const openAi: Readonly<Record<string, ListedPrice>> = {
  'gpt-4o': price(2.5, 1.25, 10),
  'gpt-4o-mini': price(0.15, 0.075, 0.6),
  'gpt-4.1': price(2, 0.5, 8),
  'gpt-4.1-mini': price(0.4, 0.1, 1.6),
  'gpt-4.1-nano': price(0.1, 0.025, 0.4),
  'gpt-5': price(1.25, 0.125, 10),
  'gpt-5-mini': price(0.25, 0.025, 2),
  'gpt-5-nano': price(0.05, 0.005, 0.4),
  'gpt-5.1': price(1.25, 0.125, 10),
  'gpt-5.2': price(1.75, 0.175, 14),
  o3: price(2, 0.5, 8),
  'o3-mini': price(1.1, 0.55, 4.4),
  'o4-mini': price(1.1, 0.275, 4.4),
};

/** Date suffix of an OpenAI snapshot; its price is the model's. */
const snapshotDay = /-20\d\d-\d\d-\d\d$/;

/**
 * Listed price of a model at its provider's own address; undefined if unlisted. Prices behind another address are
 * unknown.
 */
export function listedPrice(baseUrl: string, model: string): ListedPrice | undefined {
  const name = model.replace(snapshotDay, '');
  const isListed = new URL(baseUrl).hostname === 'api.openai.com' && Object.hasOwn(openAi, name);
  return isListed ? openAi[name] : undefined;
}

function price(input: number, cachedInput: number, output: number): ListedPrice {
  return {
    input_usd_per_million: input,
    cached_input_usd_per_million: cachedInput,
    output_usd_per_million: output,
  };
}

/** Key paths, besides the teacher's, that may hold a model. */
export type ModelSection =
  | 'judge.model'
  | 'probe.model'
  | 'dedup.trajectories.semantic.model'
  | `tools.${ToolModelPart}`;

export interface SectionModel {
  /** Path of its keys: `models.main`, or the path of a model written in its section. */
  readonly place: string;
  readonly model: string;
  /** At the teacher's address by default; with the configured price, otherwise the listed one. */
  readonly endpoint: ResolvedEndpoint;
  /** Unused for embeddings. */
  readonly sampling: SamplingConfig;
}

export function sectionModel(
  config: Pick<Config, 'teacher'> & Partial<Config>,
  section: ModelSection,
): SectionModel | undefined {
  const named = section
    .split('.')
    .reduce<unknown>((part, key) => (part as { readonly [key: string]: unknown } | undefined)?.[key], config);
  return named === undefined ? undefined : askedModel(named as ModelConfig, section, config);
}

/** Model of a teacher role, as with {@link sectionModel}. */
export function roleModel(config: Pick<Config, 'teacher'>, role: Role): SectionModel {
  const { model, roles } = config.teacher;
  const own = roles[role];
  return askedModel(own ?? model, own ? `teacher.roles.${role}` : 'teacher.model', config);
}

/** Models of all roles of all mixture members, one per endpoint. */
export function teacherModels(config: Pick<Config, 'teacher'>): SectionModel[] {
  return memberConfigs(config)
    .flatMap((member) => roleSchema.options.map((role) => roleModel(member, role)))
    .filter((one, at, all) => all.findIndex((other) => isSamePlace(other.endpoint, one.endpoint)) === at);
}

/** A model as used by a section; `path` names it in messages if it has no name. */
export function askedModel(asked: ModelConfig, path: string, config: Pick<Config, 'teacher'>): SectionModel {
  const { name, model, sampling } = asked;
  const endpoint = resolvedEndpoint(asked, config);
  const price = endpoint.price ?? listedPrice(endpoint.base_url, model);
  return {
    place: name === undefined ? path : `models.${name}`,
    model,
    endpoint: { ...endpoint, price },
    sampling,
  };
}

/**
 * The key of a model's endpoint; undefined when it needs none.
 *
 * @throws UserError when its variable is empty
 */
export function apiKeyOf(
  place: SectionModel['place'],
  { api_key_env }: EndpointConfig,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return keyIn(env, api_key_env, `${place}.endpoint`);
}

/** True for roles whose actions are selected and executed in one answer of the orchestrator's model. */
export function isMerged(config: Pick<Config, 'teacher'>, role: Role): boolean {
  if (config.teacher.turns === 'apart') return false;
  const { place: _, ...own } = roleModel(config, role);
  const { place: __, ...orchestrators } = roleModel(config, 'orchestrator');
  return isDeepStrictEqual(own, orchestrators);
}

/** Hosts of providers that place the answer schema before the prompt, and so at the start of the cached prefix. */
const schemaFirstHosts: readonly string[] = ['api.openai.com'];

/** True if all merged turns send one schema with every action of the profile. */
export function sendsOneSchema(config: Pick<Config, 'teacher'>): boolean {
  const { schema_in_prompt, base_url } = roleModel(config, 'orchestrator').endpoint;
  const isFirst = asksEndpoint(config.teacher) && schemaFirstHosts.includes(new URL(base_url).hostname);
  return schema_in_prompt ?? isFirst;
}
