import { isDeepStrictEqual } from 'node:util';
import { withoutAbsent } from '../../../base/withoutAbsent.ts';
import type { Role } from '../../trace.ts';
import type { Config } from '../config.ts';
import type { EndpointConfig } from '../endpoint.ts';
import type { SamplingConfig } from '../sampling.ts';
import type { SynthesisRole } from '../synthesize.ts';
import { asksEndpoint } from '../teacherBackends.ts';
import type { ToolModelPart } from '../tools/toolSections.ts';
import { endpointOf, keyIn, type ResolvedEndpoint, resolvedEndpoint } from './endpoints.ts';
import { listedPrice } from './listedPrices.ts';

/** The sections of `dedup` that may compare by meaning. */
export type ComparedSection = 'questions' | 'trajectories';

/** Paths of the sections beside the teacher's that may name a model. */
export type ModelSection =
  | 'judge.model'
  | 'probe'
  | `dedup.${ComparedSection}.semantic`
  | `tools.${ToolModelPart}`;

/** A model that a section of the configuration asks. */
export interface SectionModel {
  readonly section: ModelSection | 'teacher' | 'synthesize';
  readonly model: string;
  /** At the teacher's address unless it names one; its price is the configured one, otherwise the listed one. */
  readonly endpoint: ResolvedEndpoint;
  /** Undefined for embeddings, which have none. */
  readonly sampling?: SamplingConfig | undefined;
}

/** The model of a section; undefined where it names none. */
export function sectionModel(
  config: Pick<Config, 'teacher'> & Partial<Config>,
  section: ModelSection,
): SectionModel | undefined {
  const named = section
    .split('.')
    .reduce<unknown>((part, key) => (part as { readonly [key: string]: unknown } | undefined)?.[key], config);
  const { model, sampling, endpoint: own } = (named ?? {}) as Partial<NonNullable<Config['probe']>>;
  if (model === undefined) return undefined;
  const endpoint = resolvedEndpoint(own!, config);
  return { section, model, endpoint: { ...endpoint, price: knownPrice(endpoint, model) }, sampling };
}

/** The model that a role of the teacher asks, as with {@link sectionModel}. */
export function roleModel({ teacher }: Pick<Config, 'teacher'>, role: Role): SectionModel {
  const { model = teacher.model, sampling = teacher.sampling } = teacher.roles[role] ?? {};
  const endpoint = endpointOf({ teacher }, role);
  const price = asksEndpoint(teacher) ? knownPrice(endpoint, model) : endpoint.price;
  return { section: 'teacher', model, endpoint: { ...endpoint, price }, sampling };
}

/** The model that a role of `synthesize`, which the configuration must have, asks, as with {@link sectionModel}. */
export function synthesisModel(config: Config, role: SynthesisRole): SectionModel {
  const { roles, ...all } = config.synthesize!;
  const { model, endpoint: own, sampling } = { ...all, ...withoutAbsent(roles[role] ?? {}) };
  const endpoint = resolvedEndpoint(own, config);
  return {
    section: 'synthesize',
    model,
    endpoint: { ...endpoint, price: knownPrice(endpoint, model) },
    sampling,
  };
}

function knownPrice({ price, base_url }: ResolvedEndpoint, model: string): EndpointConfig['price'] {
  return price ?? listedPrice(base_url, model);
}

/**
 * The key of an endpoint of a section's model; undefined when it needs none.
 *
 * @throws UserError when its variable is empty
 */
export function apiKeyOf(
  section: SectionModel['section'],
  { api_key_env }: EndpointConfig,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return keyIn(env, api_key_env, `${section}.endpoint`);
}

/** True for roles whose actions the orchestrator's model picks and takes in one answer. */
export function isMerged(config: Pick<Config, 'teacher'>, role: Role): boolean {
  if (config.teacher.turns === 'apart') return false;
  return isDeepStrictEqual(roleModel(config, role), roleModel(config, 'orchestrator'));
}

/** Providers that put an answer's schema in front of the prompt, and so of what they cache, by their host. */
const schemaFirstHosts: readonly string[] = ['api.openai.com'];

/** True where all merged turns send one schema, with every action of the profile in it. */
export function sendsOneSchema(config: Pick<Config, 'teacher'>): boolean {
  const { schema_in_prompt, base_url } = roleModel(config, 'orchestrator').endpoint;
  const isFirst = asksEndpoint(config.teacher) && schemaFirstHosts.includes(new URL(base_url).hostname);
  return schema_in_prompt ?? isFirst;
}
