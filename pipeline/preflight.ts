import { probeEndpoint } from './compose/probeEndpoint.ts';
import { apiKeyOf, endpointsInUse } from './config/endpoints.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { addressWithoutSecrets } from './config/redactedConfig.ts';
import { RunError } from './run/runError.ts';

/**
 * Makes sure that every endpoint of the teacher is there and has its key, before a single task is spent on it. The
 * embedded teachers bring their own.
 *
 * @throws UserError without a key, RunError when an endpoint can't be reached
 */
export async function checkEndpoints({ config }: LoadedConfig, env: NodeJS.ProcessEnv): Promise<void> {
  if (config.teacher.backend !== 'openai') return;
  const endpoints = endpointsInUse(config).map((endpoint) => ({ endpoint, key: apiKeyOf(endpoint, env) }));
  for (const { endpoint, key } of endpoints) {
    const probe = await probeEndpoint(endpoint, key);
    if (probe.reachable) continue;
    throw new RunError(
      `the endpoint ${addressWithoutSecrets(endpoint.base_url)} can't be reached (${probe.why}); start it, or name another with --base-url or OPENAI_BASE_URL`,
    );
  }
}
