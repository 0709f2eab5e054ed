import { dirname, join, relative } from 'node:path';
import { isJsonObject } from '../base/json.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { runPath } from '../pipeline/run/findRun.ts';
import { defaultsFile, isSynthesis } from '../pipeline/run/runFile.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/** Command that resumes a run from the working directory, with its configuration, if any, or a variant's settings. */
export function resumeCommandOf(run: RunFile, folder: string): string {
  const { name, config_file, set = [], variant_of, shaping } = run;
  const command = isSynthesis(run) ? 'synthesize' : 'run';
  const words = variant_of
    ? ['refilter', runPath(join(dirname(folder), variant_of.run))]
    : [command, config_file === defaultsFile ? 'coa.yaml' : configWord(config_file, folder)];
  const settings = (variant_of?.set ?? set).flatMap((setting) => ['--set', setting]);
  const { tasks } = shaping;
  // The run would continue with further tasks without the limit.
  const limit =
    !variant_of && isJsonObject(tasks) && typeof tasks.limit === 'number' ? tasks.limit : undefined;
  const limited = limit === undefined ? [] : ['--limit', String(limit)];
  return ['coa-distill', ...words, ...settings, ...limited, '--name', name].map(quoteShellWord).join(' ');
}

/** Path of a run's configuration from the working directory; absolute if not below it. */
export function configWord(configFile: string, folder: string): string {
  const path = join(folder, configFile);
  const below = relative('', path);
  return below.startsWith('..') ? path : below;
}
