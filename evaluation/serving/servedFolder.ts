import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, safeParseJson } from '../../base/json.ts';

/** The files that a model is loaded from: weights, settings, tokenizer; not what a trainer resumes from. */
const modelFile =
  /^(?!optimizer|scheduler|training_args|trainer_state|rng_state).*\.(safetensors|bin|json|jinja|model|txt|py)$/;

const GENERATION_CONFIG = 'generation_config.json';

/** The settings that say where a text ends; the rest of a generation configuration is sampling. */
const tokenKeys = ['bos_token_id', 'eos_token_id', 'pad_token_id'];

/**
 * A name for a model's folder that tells its content: `sft-1f0c93ad`. An answer that another checkpoint of the same
 * path gave is not taken for its own.
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
 * Makes a folder of links to a model's files, with a generation configuration of our own: `transformers serve` samples
 * only where it says `do_sample`, and adds its top-k, which no benchmark asks for.
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
