import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';

/** Folder of a trained model: full weights, or only an adapter. */
interface ModelFolder {
  readonly folder: string;
  /** Base model of an adapter (LoRA); null for a complete model. */
  readonly adapterOf: string | null;
}

const adapterSchema = z.looseObject({ base_model_name_or_path: z.string() });

/** Inspects a trained model's folder. Throws `UserError` if transformers could load nothing from it. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  if (existsSync(join(folder, 'config.json'))) return { folder, adapterOf: null };
  const path = join(folder, 'adapter_config.json');
  if (!existsSync(path))
    throw new UserError(
      `${folder}: no model; expected a folder with config.json, or with adapter_config.json`,
    );
  const parsed = safeParseJson(await readFile(path, 'utf8'));
  const adapter = adapterSchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!adapter.success) throw new UserError(`${path}: it does not say which model the adapter is for`);
  return { folder, adapterOf: adapter.data.base_model_name_or_path };
}

type ServingCommand = readonly [purpose: string, command: string];

/** Program that merges an adapter into its model, with the library that loads both. */
const MERGE = fileURLToPath(new URL('merge_adapter.py', import.meta.url));

/** Command that merges an adapter into a complete model. */
export function mergeCommand(adapter: string): string {
  return `python ${shellWord(MERGE)} ${shellWord(adapter)} ${shellWord(`${adapter.replace(/\/+$/, '')}-merged`)}`;
}

/**
 * Commands that serve a trained model. The sampling flags keep vLLM and SGLang from adding top-k and penalties of the
 * model's `generation_config.json`, which no benchmark uses.
 *
 * @param name the model's name for clients
 */
export function servingCommands({ folder, adapterOf }: ModelFolder, name: string): ServingCommand[] {
  const path = shellWord(folder);
  if (adapterOf !== null) {
    const [base, adapter] = [shellWord(adapterOf), shellWord(`${name}=${folder}`)];
    return [
      ['merge the adapter into its model', mergeCommand(folder)],
      [
        'or serve both with vLLM',
        `vllm serve ${base} --enable-lora --lora-modules ${adapter} --generation-config vllm`,
      ],
      [
        'or with SGLang',
        `python -m sglang.launch_server --model-path ${base} --lora-paths ${adapter} --sampling-defaults openai`,
      ],
    ];
  }
  return [
    ['serve it with vLLM', `vllm serve ${path} --served-model-name ${name} --generation-config vllm`],
    [
      'or with SGLang',
      `python -m sglang.launch_server --model-path ${path} --served-model-name ${name} --sampling-defaults openai`,
    ],
    ['or with transformers', `transformers serve ${path}`],
  ];
}
