import { dirname, join, relative } from 'node:path';
import { isJsonObject } from '../base/json.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { runPath } from '../pipeline/run/findRun.ts';
import { defaultsFile, isSynthesis } from '../pipeline/run/runFile.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/**
 * The command that resumes a run from the working directory: its configuration, which an import may have none of, or for
 * a variant the settings it has.
 */
export function resumeCommandOf(run: RunFile, folder: string): string {
  const { name, config_file, set = [], variant_of, shaping } = run;
  const command = isSynthesis(run) ? 'synthesize' : 'run';
  const words = variant_of
    ? ['refilter', runPath(join(dirname(folder), variant_of.run))]
    : [command, config_file === defaultsFile ? 'coa.yaml' : configWord(config_file, folder)];
  const settings = (variant_of?.set ?? set).flatMap((setting) => ['--set', setting]);
  const { tasks } = shaping;
  // Without it the run would go on with further tasks.
  const limit =
    !variant_of && isJsonObject(tasks) && typeof tasks.limit === 'number' ? tasks.limit : undefined;
  const limited = limit === undefined ? [] : ['--limit', String(limit)];
  return ['coa-distill', ...words, ...settings, ...limited, '--name', name].map(quoteShellWord).join(' ');
}

/** A run's configuration as a path from the working directory; whole where it is not below that. */
export function configWord(configFile: string, folder: string): string {
  const path = join(folder, configFile);
  const below = relative('', path);
  return below.startsWith('..') ? path : below;
}
