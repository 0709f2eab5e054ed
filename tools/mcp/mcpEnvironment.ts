import { UserError } from '../../base/userError.ts';
import type { McpServerConfig } from '../../schemas/config/tools/mcp.ts';

/**
 * What a program needs to find its way on a machine, and nothing that is secret: a server is started with these and
 * with the variables that its configuration names.
 */
const alwaysHandedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
] as const;

/** The values that a server is given, by the names under which it finds them. */
export interface McpEnvironment {
  /** The whole environment of a server with `command`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The headers of requests to a server with `url`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those of the values that the configuration names. */
  readonly secrets: readonly string[];
}

/**
 * Collects what a server of `tools.mcp.servers` is given.
 *
 * @throws UserError for a variable that is not set, or holds what can't be sent as a header
 */
export function mcpEnvironment(
  name: string,
  { env: named, api_key_env = '', headers_env }: McpServerConfig,
  env: NodeJS.ProcessEnv,
): McpEnvironment {
  const valueIn = (variable: string, key: string): string => {
    const value = env[variable]?.trim();
    if (value) return value;
    throw new UserError(
      `tools.mcp.servers.${name}.${key}: the environment variable ${variable} is not set; set it (or put it into .env beside the configuration), or take it out of the configuration`,
    );
  };
  const headerIn = (variable: string, key: string): string => {
    const value = valueIn(variable, key);
    if (/^[\x20-\x7e]*$/.test(value)) return value;
    throw new UserError(
      `tools.mcp.servers.${name}.${key}: the environment variable ${variable} holds what no HTTP header can; expected ASCII characters on one line`,
    );
  };
  const own = named.map((variable) => [variable, valueIn(variable, 'env')] as const);
  const headers = Object.entries(headers_env).map(
    ([header, variable]) => [header, headerIn(variable, 'headers_env')] as const,
  );
  const key = api_key_env === '' ? undefined : headerIn(api_key_env, 'api_key_env');
  const plain = alwaysHandedOn.flatMap((variable) => {
    const value = env[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return {
    variables: Object.fromEntries([...plain, ...own]),
    headers: { ...Object.fromEntries(headers), ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    secrets: [...own, ...headers].map(([, value]) => value).concat(key ?? []),
  };
}
