import { UserError } from '../../base/userError.ts';
import { type ConfigOverrides, type LoadedConfig, loadConfig, tasksUnread } from '../config/loadConfig.ts';

/**
 * The configuration of a run that makes tasks; neither tasks nor a teacher are looked at.
 *
 * @throws UserError for what is wrong with it, and where it has no section `synthesize`
 */
export async function loadSynthesis(file: string, overrides: ConfigOverrides): Promise<LoadedConfig> {
  const loaded = await loadConfig(file, overrides, tasksUnread);
  if (loaded.config.synthesize) return { ...loaded, synthesis: true };
  throw new UserError(
    `${file}: expected a section synthesize, which says what tasks are made from; see docs/synthesis.md`,
  );
}
