import type { Config } from '../../schemas/config/config.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import type { CustomToolConfig, ToolsConfig } from '../../schemas/config/tools.ts';
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
  return keyIn(env, endpoint.api_key_env, 'teacher.endpoint');
}

/** The key of a search service of the user's own, as with {@link apiKeyOf}; the bundled site's needs none. */
export function searchKeyOf(
  { base_url, api_key_env }: NonNullable<ToolsConfig['web_search']>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return base_url === undefined ? undefined : keyIn(env, api_key_env, 'tools.web_search');
}

/** The key of a tool of the user's own, as with {@link apiKeyOf}; undefined when it names no variable. */
export function customToolKeyOf(
  tag: string,
  { api_key_env = '' }: CustomToolConfig,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return keyIn(env, api_key_env, `tools.custom.${tag}`);
}

function keyIn(env: NodeJS.ProcessEnv, variable: string, section: string): string | undefined {
  if (variable === '') return undefined;
  const key = env[variable]?.trim();
  if (key) return key;
  throw new UserError(
    `no API key: the environment variable ${variable} is not set; set it (or put it into .env beside the configuration), or set ${section}.api_key_env to "" when the service asks for no key`,
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
