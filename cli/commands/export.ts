import { Option } from 'commander';
import { type StageName, stagesWhere } from '../../contract/stageTable.ts';
import { type ExportFormat, exportFormats } from '../../output/interchange/exportRun.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { Command } from '../command.ts';
import { threadsOption } from '../optionParsers.ts';

const interchange = exportFormats.join(', ');

/** Formats of the dataset by the names under which trainers know their rows. */
const otherNames = { alpaca: 'afm', sharegpt: 'llama_factory' } as const satisfies Record<
  string,
  DatasetFormatName
>;

function isOtherName(name: string): name is keyof typeof otherNames {
  return Object.hasOwn(otherNames, name);
}

interface ExportCommandOptions {
  readonly to: readonly (ExportFormat | DatasetFormatName | keyof typeof otherNames)[];
  readonly stage?: StageName;
  readonly out?: string;
  readonly json?: true;
}

export function exportCommand(): Command {
  return new Command('export')
    .argument('<run>', 'name under runs/, or the run folder')
    .addOption(
      new Option(
        '--to <names...>',
        'atif: one JSON file a record; adp, openai: JSONL; the others are formats of the dataset, and are added to it (alpaca: afm, sharegpt: llama_factory)',
      )
        .choices([...exportFormats, ...datasetFormatNames, ...Object.keys(otherNames)])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--stage <stage>',
        `${interchange}: whose records, for instance rollout for every trace; default: the records that were kept`,
      ).choices(stagesWhere(({ writes }) => writes === 'trace' || writes === 'trajectory')),
    )
    .option(
      '--out <path>',
      `${interchange}: file, or folder for atif; default: interchange/STAGE/ in the run's folder`,
    )
    .addOption(threadsOption())
    .option('--json', 'print what was written as JSON')
    .examples(
      ['coa-distill export quickstart --to openai', 'the trajectories that were kept'],
      ['coa-distill export quickstart --to atif --stage rollout', 'every trace'],
      ['coa-distill export quickstart --to axolotl ms_swift', 'two more formats in dataset/'],
    )
    .action(async (name: string, options: ExportCommandOptions) => {
      const { exportFromCommandLine } = await import('../exportFromCommandLine.ts');
      const to = options.to.map((format) => (isOtherName(format) ? otherNames[format] : format));
      await exportFromCommandLine(name, { ...options, to });
    });
}
