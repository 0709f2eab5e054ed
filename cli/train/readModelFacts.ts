import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson, safeParseJson } from '../../base/json.ts';
import { type ModelFacts, modelFactsOfName } from '../../training/plan/estimateJob.ts';

/** Most bytes of a safetensors header, as the format's own reader allows. */
const MAX_HEADER_BYTES = 100_000_000;

const configFileSchema = z.object({
  num_hidden_layers: z.int().positive(),
  hidden_size: z.int().positive(),
  vocab_size: z.int().positive(),
});

const tensorSchema = z.object({ shape: z.array(z.int().nonnegative()) });

/**
 * What estimates need to know of a model: of a folder its `config.json` and the sizes that stand in front of its
 * weights, otherwise what its name says. Whatever is missing or unreadable is null: the gates complain of it.
 */
export async function readModelFacts(model: string): Promise<ModelFacts> {
  const named = modelFactsOfName(model);
  if (!existsSync(model)) return named;
  const config = configFileSchema.safeParse(await readJson(join(model, 'config.json')));
  return {
    parameters: (await weightsOf(model)) ?? named.parameters,
    layers: config.data?.num_hidden_layers ?? null,
    hiddenSize: config.data?.hidden_size ?? null,
    vocabularySize: config.data?.vocab_size ?? null,
  };
}

async function readJson(path: string): Promise<unknown> {
  const parsed = safeParseJson(await readFile(path, 'utf8').catch(() => ''));
  return parsed.ok ? parsed.value : undefined;
}

/** Weights of all `*.safetensors`; null when there are none, or one can't be read. */
async function weightsOf(folder: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.safetensors'));
  if (files.length === 0) return null;
  const counts = await Promise.all(files.map((name) => weightsOfFile(join(folder, name)).catch(() => null)));
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

/** The header is its own length (64 bits, little-endian) and JSON: https://huggingface.co/docs/safetensors */
async function weightsOfFile(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(8) });
    const length = Number(buffer.readBigUInt64LE());
    if (length > MAX_HEADER_BYTES) throw new RangeError(`${path} has a header of ${length} bytes`);
    const header = await file.read({ buffer: Buffer.alloc(length), position: 8 });
    const { __metadata__, ...tensors } = parseJson(header.buffer.toString('utf8')) as Record<string, unknown>;
    return Object.values(tensors)
      .map((tensor) => tensorSchema.parse(tensor).shape.reduce((product, size) => product * size, 1))
      .reduce((sum, size) => sum + size, 0);
  } finally {
    await file.close();
  }
}
