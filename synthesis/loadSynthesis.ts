import { existsSync } from 'node:fs';
import { UserError } from '../base/userError.ts';
import {
  type ConfigOverrides,
  type LoadedConfig,
  loadConfig,
  tasksUnread,
} from '../pipeline/config/loadConfig.ts';

/**
 * Loads the configuration of a run that makes tasks, ignoring tasks and teacher.
 *
 * @throws UserError for an invalid configuration, and without a section `synthesize`
 */
export async function loadSynthesis(file: string, overrides: ConfigOverrides): Promise<LoadedConfig> {
  if (!existsSync(file))
    throw new UserError(
      `${file}: no such configuration file; name one with a section synthesize, or make one with \`coa-distill init --example web && coa-distill synthesize --set 'synthesize={backend: embedded, corpus: {site: site}}'\``,
    );
  const loaded = await loadConfig(file, overrides, tasksUnread());
  if (loaded.config.synthesize) return { ...loaded, synthesis: true };
  throw new UserError(
    `${file}: expected a section synthesize, which says what tasks are made from; see docs/synthesis.md`,
  );
}
