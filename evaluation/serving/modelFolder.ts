import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';

/** A trained model's folder: all of its weights, or an adapter's alone. */
export interface ModelFolder {
  readonly folder: string;
  /** The model that an adapter (LoRA) is put on; null for a model that is whole. */
  readonly adapterOf: string | null;
}

const adapterSchema = z.looseObject({ base_model_name_or_path: z.string() });

/** Looks at a trained model's folder. Throws `UserError` where transformers could load nothing from it. */
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
