import { Command } from '../command.ts';

export function whyCommand(): Command {
  return new Command('why')
    .usage('[options] [run] <id>')
    .argument(
      '<run_or_id>',
      'the run, the evaluation, or one of its benchmarks as NAME/BENCHMARK; left out: every one under runs/',
    )
    .argument(
      '[id]',
      "of a task, a trace, a trajectory, the task file's own, or a row: train:12, validation:3, counted from 0",
    )
    .option('--json', 'print it as JSON, whole records included')
    .examples(
      ['coa-distill why coa train:12', 'where row 12 comes from'],
      ['coa-distill why evaluation q17', 'what became of a task of a benchmark'],
      ['coa-distill why task_5f2c19d0a8e34b7c6d1e2f30', 'in whichever runs and evaluations have it'],
    )
    .action(async (first: string, second: string | undefined, options: { json?: true }) => {
      const { whyFromCommandLine } = await import('../whyFromCommandLine.ts');
      await whyFromCommandLine(first, second, options);
    });
}
