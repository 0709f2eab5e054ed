import { existsSync, statSync } from 'node:fs';
import { Option } from 'commander';
import { UserError } from '../../base/userError.ts';
import { stagesWhere } from '../../contract/stageTable.ts';
import { Command } from '../command.ts';
import type { FilterRunOptions } from '../filterRunFromCommandLine.ts';
import { type ProfiledRowOptions, withProfile, withRowOptions } from '../standalone/rowOptions.ts';

type FilterCommandOptions = ProfiledRowOptions & Pick<FilterRunOptions, 'name' | 'until'>;

/** `coa-distill filter RUN --set KEY=VALUE` and `coa-distill filter FILE... --out FILE`. */
export function filterCommandLine(done: (exitCode: number) => void): Command {
  const command = new Command('filter')
    .argument(
      '<what...>',
      'a run; or with --out files of rows, folders or patterns: alpaca, sharegpt or trajectories, - for JSONL from a pipe',
    )
    .option('--name <run>', 'with a run: name of the run that is made; default: RUN-2, RUN-3, ...')
    .addOption(
      new Option('--until <stage>', 'with a run: stop after this stage, before a dataset is written').choices(
        stagesWhere(({ decides, writes }) => decides && writes === 'trajectory'),
      ),
    );
  return withRowOptions(withProfile(command))
    .examples(
      [
        'coa-distill filter web --set filters.min_interactions.web=7',
        'what would stay, without a model call',
      ],
      [
        "coa-distill filter web --set 'dataset.formats=[tokenized]' --set dataset.mask.thinking=false",
        'the same records as another dataset, in a run of its own',
      ],
      ['coa-distill filter sft.json --out kept.json', 'rows of each profile by its own rules'],
      ['zcat sft.jsonl.gz | coa-distill filter - --out - --ledger why.jsonl', 'from pipe to pipe'],
    )
    .action(async (what: string[], options: FilterCommandOptions) => {
      if (options.out !== undefined) {
        const { filterFiles } = await import('../standalone/filterFiles.ts');
        return filterFiles(what, options);
      }
      const { filterRunFromCommandLine } = await import('../filterRunFromCommandLine.ts');
      done(await filterRunFromCommandLine(onlyRun(what, options), options));
    });
}

/** The run that is named; a file needs `--out`, and options of files mean nothing for a run. */
function onlyRun([name = '', ...others]: readonly string[], options: FilterCommandOptions): string {
  const foreign = (['ledger', 'config', 'profile'] as const).find((option) => options[option] !== undefined);
  if (foreign)
    throw new UserError(`--${foreign}: with a run there is no such option; with files expected --out FILE`);
  const isFile = name === '-' || (existsSync(name) && statSync(name).isFile());
  if (others.length === 0 && !isFile) return name;
  throw new UserError(`filter ${[name, ...others].join(' ')}: expected --out FILE with files, or one run`);
}
