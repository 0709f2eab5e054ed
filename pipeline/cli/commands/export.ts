import { Command, Option } from 'commander';
import type { ExportFormat } from '../../../output/interchange/renderExport.ts';
import type { ExportableStage } from '../../exportRecords/exportRun.ts';
import { examples } from '../examples.ts';

interface ExportCommandOptions {
  readonly to: ExportFormat;
  readonly stage?: ExportableStage;
  readonly out?: string;
}

/** `coa-distill export RUN --to FORMAT`. */
export function exportCommand(): Command {
  return new Command('export')
    .description("Write a run's traces or trajectories in another system's format")
    .argument('<run>', 'name under runs/, or the run folder')
    .addOption(
      new Option('--to <format>', 'atif: one JSON file a record; adp, openai: JSONL')
        .choices(['atif', 'adp', 'openai'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--stage <stage>', 'whose records; default: rollout, or the first that the run has').choices(
        ['rollout', 'convert', 'judge', 'filter'],
      ),
    )
    .option('--out <path>', "file, or folder for atif; default: export/ in the run's folder")
    .addHelpText(
      'after',
      examples([
        ['coa-distill export quickstart --to atif', 'every trace'],
        ['coa-distill export quickstart --to openai --stage filter', 'the trajectories that were kept'],
      ]),
    )
    .action(async (name: string, { to, stage, out }: ExportCommandOptions) => {
      const { findRun } = await import('../findRun.ts');
      const { exportRun } = await import('../../exportRecords/exportRun.ts');
      const { folder } = await findRun(name);
      const result = await exportRun({
        runFolder: folder,
        format: to,
        ...(stage !== undefined && { stage }),
        ...(out !== undefined && { out }),
      });
      console.log(`${result.records} records of ${result.stage} written to ${result.path}`);
    });
}
