import { Option } from 'commander';
import { UserError } from '../../base/userError.ts';
import { stageNames, stagesBefore } from '../../contract/stageTable.ts';
import { Command } from '../command.ts';
import { decimalNumber, gathered, threadsOption, wholeNumber } from '../optionParsers.ts';
import { type RunCommandOptions, workersOption } from '../runArguments.ts';

export function runCommand(done: (exitCode: number) => void): Command {
  return new Command('run')
    .argument('[config]', 'configuration file; .env beside it is loaded', 'coa.yaml')
    .option('--name <name>', "run folder's name; default: the configuration's")
    .option('--set <key=value>', 'a setting over that of the configuration; may be repeated', gathered)
    .option('--tasks <file>', "tasks in place of the only source's: a file, a folder, or a pattern in quotes")
    .option('--limit <n>', 'work on at most n tasks', wholeNumber(1))
    .addOption(new Option('--on-bad-task <what>', 'unusable rows of task files').choices(['fail', 'skip']))
    .addOption(new Option('--from <stage>', 'rerun this stage and later ones').choices(stageNames))
    .addOption(new Option('--until <stage>', 'stop after this stage').choices(stageNames))
    .option(
      '--base-url <url>',
      "the teacher's endpoint, in place of an embedded teacher too; wins over OPENAI_BASE_URL",
    )
    .option('--model <model>', "the teacher's model")
    .option(
      '--offline',
      'answers of models and tools come from the cache alone; a missing one fails its task',
    )
    .option(
      '--retry <which>',
      'work again on what failed: failed, failed:CAUSE, the id of a task, or TASK#ROLLOUT for one of its rollouts',
    )
    .option('--yes', 'continue although a changed configuration makes paid traces stale')
    .option(
      '--max-cost <usd>',
      'US dollars that the run may cost, earlier sessions included',
      decimalNumber({ above: 0 }),
    )
    .option('--max-tokens <n>', 'tokens that the run may take, earlier sessions included', wholeNumber(1))
    .option('--max-hours <h>', 'hours after which nothing new begins', decimalNumber({ above: 0 }))
    .option(
      '--workers <n|url>',
      'leave the tasks to n processes of this machine, or to workers (coa-distill work URL) that share this PostgreSQL database: postgres://USER@HOST/DB',
      workersOption,
    )
    .option(
      '--workers-lease <s>',
      'seconds until others take over from a worker that is silent; default: 20',
      wholeNumber(1),
    )
    .option(
      '--dry-run',
      'print the plan: what is pending and why, what is missing, tasks, calls expected, cost; write nothing',
    )
    .addOption(threadsOption())
    .option('--json', 'print the result as JSON')
    .examples(
      ['coa-distill run examples/quickstart.yaml', 'the embedded example, no key needed'],
      ['coa-distill run --limit 20 --name try', 'twenty tasks into runs/try'],
      ['coa-distill run --set teacher.endpoint.concurrency=32 --name fast', 'a setting for this run alone'],
      ['coa-distill run --from filter', 'filter and export again, no model call'],
      ['coa-distill run --retry failed:endpoint_timeout', 'only the tasks that failed so'],
      ['coa-distill run --max-cost 20', 'never spend more; exit code 3 when it is spent'],
      ['coa-distill run --workers 4', 'by four processes of this machine'],
      ['coa-distill run --workers postgres://coa@db/coa', 'on as many machines as there are workers'],
      ['coa-distill run --base-url http://localhost:8000/v1 --model my-model', 'an endpoint of your own'],
    )
    .action(async (config: string, options: RunCommandOptions) => {
      refuseEmptyRange(options);
      if (options.workers !== undefined && options.offline)
        throw new UserError(
          '--workers: an offline run asks nobody, so there is nothing to share; leave one of them out',
        );
      if (options.dryRun) {
        const { printPlan } = await import('../printPlan.ts');
        await printPlan(config, options);
        return;
      }
      const { runFromCommandLine } = await import('../runFromCommandLine.ts');
      done(await runFromCommandLine(config, options));
    });
}

/** `--from judge --until convert` would discard stages and make none. */
function refuseEmptyRange({ from, until }: RunCommandOptions): void {
  if (from === undefined || until === undefined || !stagesBefore(from).includes(until)) return;
  throw new UserError(
    `--from ${from} --until ${until}: ${until} comes before ${from}, so nothing would be made`,
  );
}
