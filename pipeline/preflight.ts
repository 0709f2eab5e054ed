import { probeEndpoint } from './compose/probeEndpoint.ts';
import { toolsOf } from './compose.ts';
import { apiKeyOf, endpointsInUse, searchKeyOf } from './config/endpoints.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { addressWithoutSecrets } from './config/redactedConfig.ts';
import { RunError } from './run/runError.ts';

/**
 * Makes sure that every service that the rollout asks has its key, and that every endpoint of the teacher is there,
 * before a single task is spent on it. The embedded teachers bring their own.
 *
 * @throws UserError without a key, RunError when an endpoint can't be reached
 */
export async function checkServices(loaded: LoadedConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const { config } = loaded;
  const { web_search } = config.tools;
  if (web_search && toolsOf(loaded).has('web_search')) searchKeyOf(web_search, env);
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
