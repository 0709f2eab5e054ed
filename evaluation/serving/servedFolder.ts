import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, safeParseJson } from '../../base/json.ts';

/** Files needed for loading a model: weights, settings, tokenizer; not a trainer's state. */
const modelFile =
  /^(?!optimizer|scheduler|training_args|trainer_state|rng_state).*\.(safetensors|bin|json|jinja|model|txt|py)$/;

const GENERATION_CONFIG = 'generation_config.json';

/** Token keys of a generation configuration; its other keys are sampling settings. */
const tokenKeys = ['bos_token_id', 'eos_token_id', 'pad_token_id'];

/**
 * Content-based name of a model folder: `sft-1f0c93ad`. Prevents using cached answers of another checkpoint with the
 * same path.
 */
export async function servedName(label: string, folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of await modelFiles(folder)) {
    hash.update(`${name}\0`);
    for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
  }
  const plain = label.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return `${plain || 'model'}-${hash.digest('hex').slice(0, 8)}`;
}

/**
 * Creates a folder of links to a model's files, with its own generation configuration: `transformers serve` only
 * samples with `do_sample`, and adds the model's top-k, which no benchmark uses.
 */
export async function makeServedFolder(folder: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  for (const name of await modelFiles(folder))
    if (name !== GENERATION_CONFIG) await symlink(resolve(folder, name), join(target, name));
  const settings = { ...(await tokensOf(folder)), do_sample: true, temperature: 1, top_p: 1, top_k: 0 };
  await writeFile(join(target, GENERATION_CONFIG), `${JSON.stringify(settings, null, 2)}\n`);
}

async function modelFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => modelFile.test(name)).sort();
}

async function tokensOf(folder: string): Promise<JsonObject> {
  const files = await Promise.all(
    ['config.json', GENERATION_CONFIG].map((name) => readObject(join(folder, name))),
  );
  const known = Object.entries(Object.assign({}, ...files) as JsonObject);
  return Object.fromEntries(known.filter(([key, value]) => tokenKeys.includes(key) && value !== null));
}

async function readObject(path: string): Promise<JsonObject> {
  const parsed = safeParseJson(await readFile(path, 'utf8').catch(() => ''));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
