import type { z } from 'zod';
import { type Config, configKeys, configSchema, tasklessConfigSchema } from '../../schemas/config/config.ts';
import type { KeyNode } from '../../schemas/config/keyTree.ts';
import { withPresets } from '../../schemas/config/playerPresets.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { ConfigDocument } from './configDocument.ts';
import { ConfigProblems } from './configProblems.ts';
import { explainIssues } from './explainIssues.ts';
import { resolveModels } from './resolveModels.ts';

/**
 * Parses a document with a schema.
 *
 * @param keys those that the value may have
 * @throws UserError that lists every key with a wrong value
 */
export function parseDocument<T>(
  document: ConfigDocument,
  schema: z.ZodType<T>,
  keys: KeyNode = configKeys,
): T {
  const value = document.value ?? {};
  const parsed = schema.safeParse(value);
  const found = explainIssues(parsed.error?.issues ?? [], value, keys);
  new ConfigProblems(document, found).throwIfAny();
  return parsed.data!;
}

/** Parses a configuration and fills in defaults, presets and named models. Throws as {@link parseDocument}. */
export function parseConfig(document: ConfigDocument, schema: z.ZodType<Config> = configSchema): Config {
  const resolved = resolveModels(document);
  return { ...parseDocument({ ...resolved, value: withPresets(resolved.value ?? {}) }, schema), models: {} };
}

/**
 * Configuration of a finished or running run, from its `run.json`; imported runs have no tasks.
 *
 * @throws UserError naming the keys that this version does not know
 */
export function configOfRun({ name, config }: Pick<RunFile, 'name' | 'config'>): Config {
  const document = { file: `run.json of ${name}`, value: config, lineOf: () => undefined };
  return parseConfig(document, tasklessConfigSchema());
}
