import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Config, configKeys } from '../../schemas/config/config.ts';
import { leafValues } from '../../schemas/config/keyTree.ts';
import { withValues } from './resolveConfigPaths.ts';

/** The configuration as it is written into run folders: every address without what may hold a key. */
export function redactedConfig(config: Config): JsonObject {
  const secrets = leafValues(configKeys, config).filter(({ meaning }) => meaning.secret);
  const redacted = withValues(config, secrets, ({ value }) => addressWithoutSecrets(String(value)));
  // Leaves out what is undefined, as files do.
  return JSON.parse(JSON.stringify(redacted)) as JsonObject;
}
