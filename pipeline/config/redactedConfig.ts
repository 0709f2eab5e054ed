import type { Config } from '../../schemas/config/config.ts';
import type { JsonObject, JsonValue } from '../../schemas/json.ts';

/** The configuration as it is written into run folders: every address without what may hold a key. */
export function redactedConfig(config: Config): JsonObject {
  return JSON.parse(JSON.stringify(config), (key, value: JsonValue) =>
    key === 'base_url' && typeof value === 'string' ? addressWithoutSecrets(value) : value,
  ) as JsonObject;
}

/** An address without user, password, query and fragment. */
export function addressWithoutSecrets(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}
