import { Option } from 'commander';
import { type StageName, stagesWhere } from '../../contract/stageTable.ts';
import { type ExportFormat, exportFormats } from '../../output/interchange/exportRun.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { Command } from '../command.ts';
import { threadsOption } from '../optionParsers.ts';

const interchange = exportFormats.join(', ');

interface ExportCommandOptions {
  readonly to: readonly (ExportFormat | DatasetFormatName)[];
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
        'atif: one JSON file a record; adp, openai: JSONL; the others are formats of the dataset, and are added to it',
      )
        .choices([...exportFormats, ...datasetFormatNames])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--stage <stage>',
        `${interchange}: whose records; default: rollout, or the first that the run has`,
      ).choices(stagesWhere(({ writes }) => writes === 'trace' || writes === 'trajectory')),
    )
    .option(
      '--out <path>',
      `${interchange}: file, or folder for atif; default: interchange/STAGE/ in the run's folder`,
    )
    .addOption(threadsOption())
    .option('--json', 'print what was written as JSON')
    .examples(
      ['coa-distill export quickstart --to atif', 'every trace'],
      ['coa-distill export quickstart --to openai --stage filter', 'the trajectories that were kept'],
      ['coa-distill export quickstart --to axolotl ms_swift', 'two more formats in dataset/'],
    )
    .action(async (name: string, options: ExportCommandOptions) => {
      const { exportFromCommandLine } = await import('../exportFromCommandLine.ts');
      await exportFromCommandLine(name, options);
    });
}
