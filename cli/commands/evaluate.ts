import { Option } from 'commander';
import { Command } from '../command.ts';
import type { EvaluateCommandOptions } from '../evaluateFromCommandLine.ts';
import { decimalNumber, gathered, wholeNumber } from '../optionParsers.ts';

/** `coa-distill evaluate CONFIG`, and the comparison of two evaluations. */
export function evaluateCommand(done: (exitCode: number) => void): Command {
  const command = new Command('evaluate')
    .argument(
      '[config]',
      'configuration file with a section evaluation; .env beside it is loaded',
      'coa.yaml',
    )
    // Options behind the command below belong to it.
    .enablePositionalOptions()
    .option(
      '--name <name>',
      "evaluation's folder under runs/; default: the configuration's name, with -evaluation behind it where the configuration has tasks of its own",
    )
    .option('--set <key=value>', 'a setting over that of the configuration; may be repeated', gathered)
    .option('--limit <n>', 'play at most n tasks of each benchmark', wholeNumber(1))
    .addOption(new Option('--on-bad-task <what>', 'unusable rows of task files').choices(['fail', 'skip']))
    .option('--base-url <url>', "the player's endpoint; wins over OPENAI_BASE_URL")
    .option('--model <model>', "the player's model")
    .option(
      '--serve <checkpoint>',
      'let a checkpoint play: RUN/JOB or a folder; transformers serve runs on this machine for as long as it is asked',
    )
    .option('--offline', 'answers of models and tools come from the cache alone; a missing one is unscored')
    .option(
      '--retry <which>',
      'play again what is unscored: failed, failed:CAUSE, the id of a task, or TASK#SAMPLE for one of its samples',
    )
    .option('--yes', 'continue although a changed configuration makes paid answers stale')
    .option('--max-cost <usd>', 'US dollars that the evaluation may cost', decimalNumber({ above: 0 }))
    .option('--max-tokens <n>', 'tokens that the evaluation may take', wholeNumber(1))
    .option('--max-hours <h>', 'hours after which nothing new begins', decimalNumber({ above: 0 }))
    .option(
      '--dry-run',
      'read every file and look for every key, then print what is pending, calls expected and cost; write nothing, ask nobody',
    )
    .option('--json', 'print the result as JSON')
    .examples(
      ['coa-distill evaluate eval.yaml', 'every benchmark of the section evaluation'],
      ['coa-distill evaluate eval.yaml --dry-run', 'whether everything is there, and what it would cost'],
      ['coa-distill evaluate eval.yaml --limit 20 --name try', 'twenty tasks of each'],
      [
        'coa-distill evaluate eval.yaml --model student-2 --name student-2',
        'another model on the same tasks',
      ],
      ['coa-distill evaluate eval.yaml --serve coa/sft', 'the newest checkpoint of a training job'],
      ['coa-distill evaluate compare student-2 student-1', 'who is ahead, and whether it can be chance'],
    )
    .action(async (config: string, options: EvaluateCommandOptions) => {
      if (options.dryRun) {
        const { printEvaluationPlan } = await import('../printEvaluationPlan.ts');
        await printEvaluationPlan(config, options);
        return;
      }
      const { evaluateFromCommandLine } = await import('../evaluateFromCommandLine.ts');
      done(await evaluateFromCommandLine(config, options));
    });
  return command.addCommand(compareEvaluationsCommand());
}

function compareEvaluationsCommand(): Command {
  return new Command('compare')
    .description('Compare two evaluations task by task: difference, interval, wins and losses')
    .argument('<evaluation_a>', 'name under runs/, or the folder')
    .argument('<evaluation_b>', 'likewise')
    .option('--json', 'print it as JSON')
    .examples(['coa-distill evaluate compare student teacher', 'on the tasks that both played'])
    .action(async (a: string, b: string, options: { json?: true }) => {
      const { compareEvaluationsFromCommandLine } = await import('../evaluateFromCommandLine.ts');
      await compareEvaluationsFromCommandLine(a, b, options);
    });
}
