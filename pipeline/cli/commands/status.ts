import { Command } from 'commander';
import { examples } from '../examples.ts';

/** `coa-distill status RUN`. */
export function statusCommand(): Command {
  return new Command('status')
    .description('How far a run is: what became of the records at each stage')
    .argument('<run>', 'name under runs/, or the run folder')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples([['coa-distill status quickstart', 'also while it runs']]))
    .action(async (name: string, options: { json?: true }) => {
      const { findRun } = await import('../findRun.ts');
      const { readFunnel } = await import('../../report/funnel.ts');
      const { funnelLines } = await import('../summary.ts');
      const { folder, run } = await findRun(name);
      const funnel = await readFunnel(folder);
      const complete = funnel.at(-1)?.stage === 'export' && funnel.every((row) => row.complete);
      if (options.json) {
        console.log(
          JSON.stringify({ run: run.name, folder, config_hash: run.config_hash, complete, funnel }),
        );
        return;
      }
      const under = funnel.find((row) => !row.complete)?.stage;
      const state = complete
        ? 'complete'
        : under
          ? `in ${under}`
          : `done up to ${funnel.at(-1)?.stage ?? 'nothing'}`;
      console.log([`${run.name}: ${state}`, ...funnelLines(funnel)].join('\n'));
    });
}
