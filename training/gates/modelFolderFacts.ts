import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { parseJson, safeParseJson } from '../../base/json.ts';
import type { ModelFolderFacts, TokenizerComparison } from '../../contract/trainingGate.ts';
import { tokenizerDifference } from '../../output/tokenizers/checkModelTokenizer.ts';
import { readTokenizerFile } from '../../output/tokenizers/tokenizerFile.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';

interface DatasetTokenizer {
  readonly name: string;
  readonly sha256: string;
  /** `qwen2.5`, or the path of its `tokenizer.json`; null if unknown. */
  readonly source: string | null;
}

const configSchema = z.looseObject({ max_position_embeddings: z.int().positive().nullish() });
const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Weight files that transformers looks for, each with its shard index. */
const weightFiles = [
  ['model.safetensors', 'model.safetensors.index.json'],
  ['pytorch_model.bin', 'pytorch_model.bin.index.json'],
] as const;

/** Model name on a hub: `gpt2`, `Qwen/Qwen2.5-7B-Instruct`. Anything else is a path. */
const hubName = /^\w[\w.-]*(\/\w[\w.-]*)?$/;

/**
 * Inspects a model's folder.
 *
 * @returns null for a name, and for a folder that only the job's machines may have
 */
export async function modelFolderFacts(
  { model, launcher }: Pick<TrainingPlan, 'model' | 'launcher'>,
  tokenizer: DatasetTokenizer,
): Promise<ModelFolderFacts | null> {
  if (hubName.test(model)) return null;
  if (launcherTable[launcher].hasOwnFiles && isAbsolute(model) && !existsSync(model)) return null;
  const config = await readConfig(model);
  return {
    problem: 'problem' in config ? config.problem : null,
    missingWeights: 'problem' in config ? [] : await missingWeights(model),
    maxPositions: 'problem' in config ? null : config.maxPositions,
    tokenizer: await compareTokenizers(join(model, 'tokenizer.json'), tokenizer),
  };
}

async function readConfig(
  folder: string,
): Promise<{ readonly problem: string } | { readonly maxPositions: number | null }> {
  if (!existsSync(folder))
    return { problem: 'there is no such folder; name a folder, or a model by its name' };
  const path = join(folder, 'config.json');
  if (!existsSync(path)) {
    const names = (await readdir(folder).catch(() => [])).slice(0, 5).join(', ') || 'nothing';
    return { problem: `config.json is missing (the folder holds ${names}); name the folder that has it` };
  }
  try {
    const config = configSchema.parse(parseJson(await readFile(path, 'utf8')));
    return { maxPositions: config.max_position_embeddings ?? null };
  } catch (error) {
    const why = (error as Error).message.split('\n')[0];
    return { problem: `config.json can't be read (${why}); copy the model again` };
  }
}

async function missingWeights(folder: string): Promise<string[]> {
  for (const [single, index] of weightFiles) {
    if (existsSync(join(folder, single))) return [];
    const path = join(folder, index);
    if (!existsSync(path)) continue;
    const { success, data } = indexSchema.safeParse(await readJson(path));
    if (!success) return [index];
    const shards = new Set(Object.values(data.weight_map));
    return [...shards].filter((shard) => !existsSync(join(folder, shard))).sort();
  }
  return [weightFiles[0][0]];
}

/** Undefined for invalid JSON. */
async function readJson(path: string): Promise<unknown> {
  const parsed = safeParseJson(await readFile(path, 'utf8'));
  return parsed.ok ? parsed.value : undefined;
}

/** @param path the model's `tokenizer.json` */
async function compareTokenizers(path: string, dataset: DatasetTokenizer): Promise<TokenizerComparison> {
  if (!existsSync(path)) return { kind: 'missing' };
  const unknown = (reason: string) => ({ kind: 'unknown', reason }) as const;
  try {
    const model = await readTokenizerFile(path);
    if (model.sha256 === dataset.sha256) return { kind: 'same' };
    if (dataset.source === null)
      return unknown(`the dataset's tokenizer.json (${dataset.name}) is not there any more`);
    const own = await readTokenizerFile(dataset.source);
    if (own.sha256 !== dataset.sha256) return unknown(`${dataset.source} changed since the export`);
    const difference = await tokenizerDifference(own, model);
    return difference === undefined ? { kind: 'same' } : { kind: 'differs', difference };
  } catch (error) {
    return unknown((error as Error).message);
  }
}
