import type { Config } from '../../schemas/config/config.ts';
import type { Role } from '../../schemas/trace.ts';
import { createChatModel } from '../../teachers/client/createChatModel.ts';
import { createEndpointRegistry } from '../../teachers/client/createEndpointRegistry.ts';
import { apiKeyOf, endpointOf, type ResolvedEndpoint } from '../config/endpoints.ts';
import type { ChatModel, Sampling } from '../contract/chatModel.ts';
import type { Clock } from '../contract/ports.ts';

/** What the models of a teacher are made from. */
export interface ModelOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Address of the embedded teacher's server; undefined for backend `openai`. */
  readonly embeddedBaseUrl: string | undefined;
}

/** Gives each role its model. Roles that ask the same model at the same endpoint share what is known about it. */
export function modelsByRole(options: ModelOptions): (role: Role) => ChatModel {
  const { config, clock, env } = options;
  const registry = createEndpointRegistry();
  const models = new Map<Role, ChatModel>();
  const create = (role: Role): ChatModel => {
    const model = config.teacher.roles[role]?.model ?? config.teacher.model;
    const { endpoint, apiKey } = connectionOf(options, role, env);
    const capabilities = registry.capabilitiesFor(endpoint, model);
    return createChatModel({ model, endpoint, apiKey, clock, capabilities });
  };
  return (role) => {
    const model = models.get(role) ?? create(role);
    models.set(role, model);
    return model;
  };
}

/** A role's sampling settings: its own where it has any, otherwise the teacher's. */
export function samplingOf(config: Config, role: Role): Sampling {
  const chosen = config.teacher.roles[role]?.sampling ?? config.teacher.sampling;
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

function connectionOf(
  { config, embeddedBaseUrl }: ModelOptions,
  role: Role,
  env: NodeJS.ProcessEnv,
): { endpoint: ResolvedEndpoint; apiKey: string | undefined } {
  const endpoint = endpointOf(config, role);
  if (embeddedBaseUrl === undefined) return { endpoint, apiKey: apiKeyOf(endpoint, env) };
  return { endpoint: { ...endpoint, base_url: embeddedBaseUrl }, apiKey: undefined };
}
