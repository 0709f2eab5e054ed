import { z } from 'zod';
import { safeParseJson } from '../base/json.ts';
import { systemClock } from '../base/systemClock.ts';
import { createEndpointPools } from '../calls/limits/createEndpointPools.ts';
import { RecordFailure } from '../contract/errors.ts';
import type { MemberEndpoint, ResolvedEndpoint } from '../schemas/config/resolved/endpoints.ts';
import type { SectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { createChatModel } from '../teachers/client/createChatModel.ts';
import { createCompletionModel } from '../teachers/client/createCompletionModel.ts';
import { createEmbeddingModel } from '../teachers/client/createEmbeddingModel.ts';
import { createEndpointRegistry } from '../teachers/client/endpointCapabilities.ts';
import { chosenSampling, poolMember } from './compose/openModels.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** Result of a probe: any response at all proves that the endpoint exists. */
type ProbeResult =
  | {
      readonly reachable: true;
      readonly status: number;
      /** Model names; undefined if the endpoint lists none. */
      readonly models: readonly string[] | undefined;
    }
  | { readonly reachable: false; readonly why: string };

/** Requests the model list of an endpoint, which is free. Only a broken connection is an error. */
export async function probeEndpoint(
  endpoint: Pick<ResolvedEndpoint, 'base_url'>,
  apiKey: string | undefined,
): Promise<ProbeResult> {
  const url = `${endpoint.base_url.replace(/\/+$/, '')}/models`;
  try {
    const response = await fetch(url, {
      // A redirect would carry the key elsewhere, and it proves that the endpoint exists.
      redirect: 'manual',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    return { reachable: true, status: response.status, models: modelsIn(await shortText(response)) };
  } catch (error) {
    return { reachable: false, why: connectionProblem(error) };
  }
}

/** Maximum size of a model list; a longer one is ignored. */
const MAX_LIST_BYTES = 1_000_000;

async function shortText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_LIST_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

function modelsIn(text: string): readonly string[] | undefined {
  const json = safeParseJson(text);
  const { data } = listSchema.safeParse(json.ok ? json.value : undefined);
  return data?.data.map(({ id }) => id);
}

/** Timeout of the test request; a large model is loaded first. */
const TRY_TIMEOUT_S = 60;
/** Enough for a reasoning model, which is then cut off; that counts as an answer. */
const TRY_TOKENS = 64;

const oneWord = {
  messages: [{ role: 'user' as const, content: 'Say yes. Answer as JSON: {"word": "yes"}' }],
  response_schema: {
    name: 'word',
    schema: {
      type: 'object',
      properties: { word: { type: 'string' } },
      required: ['word'],
      additionalProperties: false,
    },
  },
};

interface TriedModel extends Pick<SectionModel, 'model' | 'endpoint' | 'sampling'> {
  readonly use: 'chat' | 'completions' | 'embeddings';
}

/**
 * Sends one small request with the configured sampling: a chat with a JSON schema, a text to continue, or a text to
 * embed.
 *
 * @returns description of the response
 * @throws RecordFailure with the server's message
 */
export async function tryModel(
  { model, use, sampling: configured, ...asked }: TriedModel,
  member: MemberEndpoint,
  apiKey: string | undefined,
): Promise<string> {
  const pool = createEndpointPools(systemClock)([poolMember({ ...member, max_retries: 0 }, apiKey)]);
  const capabilities = createEndpointRegistry().capabilitiesFor(asked.endpoint, model);
  const endpoint = { ...asked.endpoint, max_retries: 0, timeout_s: TRY_TIMEOUT_S };
  const options = { model, endpoint, pool, clock: systemClock, capabilities };
  const sampling = { ...chosenSampling(configured), max_tokens: TRY_TOKENS };
  const { signal } = new AbortController();
  try {
    if (use === 'embeddings') {
      const { dispatcher } = capabilities;
      const [vector] = await createEmbeddingModel({ ...options, dispatcher }).embed(['yes'], signal);
      return `embeds texts as ${vector!.length} numbers`;
    }
    if (use === 'completions') {
      const request = { from: { prompt: 'Yes' }, stop: [], sampling, fields: {} };
      await createCompletionModel(options).complete(request, signal);
      return 'continues texts';
    }
    const answer = await createChatModel(options).chat({ ...oneWord, sampling }, signal);
    return formatWords[answer.response_format ?? 'text'];
  } catch (error) {
    if (error instanceof RecordFailure && answeredCauses.has(error.failure.cause)) return 'answers';
    throw error;
  }
}

/** Failures in which the model answered in a wrong form; a run retries these. */
const answeredCauses: ReadonlySet<string> = new Set([
  'answer_truncated',
  'malformed_answer',
  'model_refused',
]);

const formatWords = {
  openai_schema: 'answers, held to a JSON schema',
  llama_cpp_schema: "answers, held to a JSON schema (llama.cpp's form)",
  json_object: 'answers in JSON, not held to a schema',
  text: 'answers in plain text, not held to a schema',
};

function connectionProblem(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in 10 s';
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return connectionProblem({ cause: cause.errors[0] });
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
