import { addressWithoutSecrets } from '../base/addressWithoutSecrets.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import type { Config } from '../schemas/config/config.ts';
import {
  apiKeyOf,
  asksJudgeModel,
  type ComparedSection,
  embeddingEndpointOf,
  embeddingKeyOf,
  judgeEndpointOf,
  judgeKeyOf,
  membersOf,
  type ResolvedEndpoint,
  teacherEndpoints,
} from '../schemas/config/resolved/endpoints.ts';
import { askedToolModels, toolModelKeyOf } from '../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../schemas/config/teacherBackends.ts';
import { wantedRows } from '../tools/toolTable.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { toolsOf } from './config/toolsOf.ts';
import { RunError } from './run/runError.ts';

/**
 * Makes sure that every service that the rollout asks has its key, and that every endpoint of the teacher and of its
 * tools is there, before a single task is spent on it. The embedded teachers bring their own.
 *
 * @throws UserError without a key, RunError when an endpoint can't be reached
 */
export async function checkServices(loaded: LoadedConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const { config } = loaded;
  checkTools(loaded, env);
  await checkToolModels(loaded, env);
  if (!asksEndpoint(config.teacher)) return;
  for (const endpoint of teacherEndpoints(config))
    await checkPool(endpoint, (member) => apiKeyOf(member, env));
}

/** The keys and values of the services that tools ask. */
function checkTools(loaded: LoadedConfig, env: NodeJS.ProcessEnv): void {
  const { tools } = loaded.config;
  for (const { row, tags } of wantedRows(tools, toolsOf(loaded)))
    for (const tag of tags) row.checkEnvironment(tools, tag, env);
}

async function checkToolModels(loaded: LoadedConfig, env: NodeJS.ProcessEnv): Promise<void> {
  for (const { part, endpoint } of askedToolModels(loaded.config, toolsOf(loaded)))
    await checkPool(endpoint, (member) => toolModelKeyOf(part, member, env));
}

/**
 * As {@link checkServices}, for the judge's model.
 *
 * @throws UserError without a key, RunError when its endpoint can't be reached
 */
export async function checkJudgeModel({ config }: LoadedConfig, env: NodeJS.ProcessEnv): Promise<void> {
  if (asksJudgeModel(config)) await checkJudgeEndpoint(config, env);
}

/** As {@link checkJudgeModel}, also where no stage of a run would ask the model. */
export async function checkJudgeEndpoint(config: Config, env: NodeJS.ProcessEnv): Promise<void> {
  const endpoint = judgeEndpointOf(config);
  if (endpoint) await checkPool(endpoint, (member) => judgeKeyOf(member, env));
}

/**
 * The keys of the embeddings that a section of `dedup` compares by.
 *
 * @throws UserError without one
 */
export function checkEmbeddingKeys(section: ComparedSection, config: Config, env: NodeJS.ProcessEnv): void {
  const endpoint = embeddingEndpointOf(config, section);
  for (const member of endpoint ? membersOf(endpoint) : []) embeddingKeyOf(section, member, env);
}

/** Tries the tokenizers of tools. Throws `UserError` for one that can't be used. */
export async function checkToolTokenizers(loaded: LoadedConfig): Promise<void> {
  const { tools } = loaded.config;
  for (const { row } of wantedRows(tools, toolsOf(loaded))) {
    const tokenizer = row.tokenizerOf(tools);
    if (tokenizer !== undefined) (await loadTokenizer(tokenizer)).close();
  }
}

/** Every member needs its key; one that can't be reached is left to the others of its pool. */
async function checkPool(
  endpoint: ResolvedEndpoint,
  keyOf: (member: ResolvedEndpoint) => string | undefined,
): Promise<void> {
  const members = membersOf(endpoint).map((member) => ({ member, key: keyOf(member) }));
  const problems: string[] = [];
  for (const { member, key } of members) {
    const probe = await probeEndpoint(member, key);
    if (probe.reachable) return;
    problems.push(`${addressWithoutSecrets(member.base_url)} can't be reached (${probe.why})`);
  }
  throw new RunError(
    `the endpoint ${problems.join(', ')}; start it, or name another with --base-url or OPENAI_BASE_URL`,
  );
}

/** How long an endpoint may take to answer the probe. */
const PROBE_TIMEOUT_MS = 10_000;

/** What a probe found: any answer at all means that the endpoint is there. */
type ProbeResult =
  | { readonly reachable: true; readonly status: number }
  | { readonly reachable: false; readonly why: string };

/** Asks an endpoint for its models, which costs nothing. Only a broken connection counts against it. */
export async function probeEndpoint(
  endpoint: Pick<ResolvedEndpoint, 'base_url'>,
  apiKey: string | undefined,
): Promise<ProbeResult> {
  const url = `${endpoint.base_url.replace(/\/+$/, '')}/models`;
  try {
    const response = await fetch(url, {
      // A redirect would carry the key elsewhere; it is an answer too.
      redirect: 'manual',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { reachable: true, status: response.status };
  } catch (error) {
    return { reachable: false, why: connectionProblem(error) };
  }
}

function connectionProblem(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in 10 s';
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return connectionProblem({ cause: cause.errors[0] });
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
