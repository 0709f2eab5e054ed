import { quoteShellWord } from '../base/shellWord.ts';
import { defaultsFile } from '../pipeline/import/loadImport.ts';
import type { RunFile } from '../schemas/run/runFile.ts';

/**
 * The command that goes on with a run that is there: its configuration, which an import may have none of, or for a
 * variant the settings it has.
 */
export function resumeCommandOf({ name, config_file, variant_of }: RunFile): string {
  const words = variant_of
    ? ['filter', variant_of.run, ...variant_of.set.flatMap((setting) => ['--set', setting])]
    : ['run', config_file === defaultsFile ? 'coa.yaml' : config_file];
  return ['coa-distill', ...words, '--name', name].map(quoteShellWord).join(' ');
}
