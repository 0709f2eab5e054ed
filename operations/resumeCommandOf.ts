import { isJsonObject } from '../base/json.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { defaultsFile, isSynthesis } from '../pipeline/run/runFile.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/**
 * The command that resumes a run: its configuration, which an import may have none of, or for a
 * variant the settings it has.
 */
export function resumeCommandOf(run: RunFile): string {
  const { name, config_file, set = [], variant_of, shaping } = run;
  const command = isSynthesis(run) ? 'synthesize' : 'run';
  const words = variant_of
    ? ['refilter', variant_of.run]
    : [command, config_file === defaultsFile ? 'coa.yaml' : config_file];
  const settings = (variant_of?.set ?? set).flatMap((setting) => ['--set', setting]);
  const { tasks } = shaping;
  // Without it the run would go on with further tasks.
  const limit =
    !variant_of && isJsonObject(tasks) && typeof tasks.limit === 'number' ? tasks.limit : undefined;
  const limited = limit === undefined ? [] : ['--limit', String(limit)];
  return ['coa-distill', ...words, ...settings, ...limited, '--name', name].map(quoteShellWord).join(' ');
}
