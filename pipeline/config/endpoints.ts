import type { Config } from '../../schemas/config/config.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import { type Role, roleSchema } from '../../schemas/trace.ts';
import { UserError } from '../contract/errors.ts';

/** An endpoint with its address known. */
export type ResolvedEndpoint = EndpointConfig & { readonly base_url: string };

/** Where the `openai` package sends requests when nothing else is said. */
const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The endpoint of a role: its own, at the teacher's address unless it names one. */
export function endpointOf(config: Config, role: Role): ResolvedEndpoint {
  const { endpoint, roles } = config.teacher;
  const own = roles[role]?.endpoint ?? endpoint;
  return { ...own, base_url: own.base_url ?? endpoint.base_url ?? OPENAI_BASE_URL };
}

/** The key of an endpoint; undefined when it needs none. Throws `UserError` when its variable is empty. */
export function apiKeyOf(endpoint: EndpointConfig, env: NodeJS.ProcessEnv): string | undefined {
  if (endpoint.api_key_env === '') return undefined;
  const key = env[endpoint.api_key_env]?.trim();
  if (key) return key;
  throw new UserError(
    `no API key: the environment variable ${endpoint.api_key_env} is not set; set it (or put it into .env beside the configuration), or set teacher.endpoint.api_key_env to "" when the endpoint asks for no key`,
  );
}

/** Every endpoint that a teacher of backend `openai` will call, each once. */
export function endpointsInUse(config: Config): ResolvedEndpoint[] {
  const byAddress = new Map<string, ResolvedEndpoint>();
  for (const role of roleSchema.options) {
    const endpoint = endpointOf(config, role);
    byAddress.set(`${endpoint.base_url} ${endpoint.api_key_env}`, endpoint);
  }
  return [...byAddress.values()];
}
