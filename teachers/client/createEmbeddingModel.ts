import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { contentId } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import type { CallMeter } from '../../contract/calls.ts';
import type { EndpointPool } from '../../contract/endpointPool.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import { reportedTokensSchema, type Usage } from '../../schemas/chat.ts';
import type { PricedEndpoint } from '../../schemas/config/models.ts';
import type { EndpointWire } from './createEndpointCall.ts';
import { createRetryingSend } from './createRetryingSend.ts';
import { UnusableBody } from './endpointFault.ts';
import { plausibleUsage } from './plausibleUsage.ts';

export interface EmbeddingModelOptions {
  readonly model: string;
  readonly endpoint: PricedEndpoint;
  readonly pool: EndpointPool;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** Records the cost of attempts; absent: nothing is recorded. */
  readonly meter?: CallMeter;
}

/** Creates a client of `/embeddings` with the retries and limits of chat models; one request per call. */
export function createEmbeddingModel(options: EmbeddingModelOptions): EmbeddingModel {
  const { model } = options;
  let dimensions: number | undefined;
  const wire: EndpointWire<Embeddings> = {
    path: '/embeddings',
    read(answer, request, recounted) {
      const read = readEmbeddings(answer, (request.body.input as string[]).length, dimensions);
      dimensions = read.vectors[0]!.length;
      return { ...read, usage: plausibleUsage({ request, said: '', usage: read.usage, recounted }) };
    },
  };
  const sendRetrying = createRetryingSend({ ...options, wire });
  return {
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      const body = { model, input: texts.map((text) => text.toWellFormed()), encoding_format: 'float' };
      const { vectors } = await sendRetrying(body, contentId('request', body), signal);
      return vectors;
    },
  };
}

interface Embeddings {
  readonly vectors: Float32Array[];
  readonly usage: Usage;
}

const embeddingsSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative().nullish(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: reportedTokensSchema }).nullish().catch(null),
});

/**
 * Reads an answer with status 200.
 * @param count - How many texts were sent.
 * @param dimensions - Length of the vectors that the model gave before; undefined where none came yet.
 * @throws UnusableBody when vectors are missing, too many, not numbers, zero, or of another length
 */
function readEmbeddings(answer: JsonValue, count: number, dimensions: number | undefined): Embeddings {
  const parsed = embeddingsSchema.safeParse(answer);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new UnusableBody(`the endpoint answered 200 with JSON that holds no embeddings (at "${where}")`);
  }
  const { data, usage } = parsed.data;
  if (data.length !== count)
    throw new UnusableBody(`the endpoint answered ${count} texts with ${data.length} embeddings`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [place, { index, embedding }] of data.entries()) {
    const at = index ?? place;
    if (at >= count || vectors[at]) throw new UnusableBody('the endpoint gave two embeddings for one text');
    vectors[at] = checked(Float32Array.from(embedding), dimensions ?? data[0]!.embedding.length);
  }
  const prompt_tokens = usage?.prompt_tokens ?? 0;
  return {
    vectors: vectors as Float32Array[],
    usage: { prompt_tokens, completion_tokens: 0, cached_tokens: 0 },
  };
}

function checked(vector: Float32Array, dimensions: number): Float32Array {
  if (vector.length !== dimensions) {
    throw new UnusableBody(
      `the endpoint gave an embedding of ${vector.length} numbers, and others of ${dimensions}`,
    );
  }
  let squares = 0;
  for (const number of vector) squares += number * number;
  if (squares > 0 && Number.isFinite(squares)) return vector;
  throw new UnusableBody('the endpoint gave an embedding that is zero or not finite', { retried: false });
}
