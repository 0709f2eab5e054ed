import { type Config, tasklessConfigSchema } from '../../schemas/config/config.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { parseConfig } from './parseConfig.ts';

/**
 * The configuration that a run was made with, from its `run.json`; that of an imported run names no tasks.
 *
 * @throws UserError naming the keys that this version does not know
 */
export function configOfRun({ name, config }: Pick<RunFile, 'name' | 'config'>): Config {
  const document = { file: `run.json of ${name}`, value: config, lineOf: () => undefined };
  return parseConfig(document, tasklessConfigSchema);
}
