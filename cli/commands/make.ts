import { Option } from 'commander';
import { stageNames } from '../../contract/stageTable.ts';
import { Command } from '../command.ts';
import { decimalNumber, gathered, threadsOption, wholeNumber } from '../optionParsers.ts';
import { workersOption } from '../runArguments.ts';

export function initCommand(): Command {
  return new Command('init')
    .argument('[dir]', 'folder to write into; made where it is missing', '.')
    .addOption(
      new Option('--profile <name>', 'agent profile; in a terminal what is left out is asked').choices([
        'web',
        'mhqa',
        'code',
        'math',
      ]),
    )
    .option('--base-url <url>', "the teacher's endpoint; default: OpenAI's")
    .option('--model <model>', "the teacher's model")
    .option('--tasks <file>', 'your tasks; default: a sample is written')
    .option('--json', 'print folder and files as JSON')
    .examples(
      ['coa-distill init', 'in a terminal: asks for profile, endpoint and tasks'],
      ['coa-distill init --profile math', 'into this folder'],
      ['coa-distill init my-run --profile web', 'into a folder of its own'],
    )
    .runs(async () => (await import('../init/runInit.ts')).runInit);
}

export function runCommand(): Command {
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
      'leave the tasks to n processes of this machine, or to workers (coa-distill workers join URL) that share this PostgreSQL database: postgres://USER@HOST/DB',
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
      ['coa-distill run --from filter', 'filter and export again, no model call'],
      ['coa-distill run --retry failed:endpoint_timeout', 'only the tasks that failed so'],
      ['coa-distill run --max-cost 20', 'never spend more; exit code 3 when it is spent'],
      ['coa-distill run --workers postgres://coa@db/coa', 'on as many machines as there are workers'],
      ['coa-distill run --base-url http://localhost:8000/v1 --model my-model', 'an endpoint of your own'],
    )
    .runs(async () => (await import('../runFromCommandLine.ts')).runFromCommandLine);
}

export function forecastCommand(): Command {
  return new Command('forecast')
    .argument('[config]', 'configuration of the run to forecast', 'coa.yaml')
    .requiredOption('--from-run <run>', 'the earlier run: name under runs/, or its folder')
    .option('--tasks <file>', "tasks in place of the only source's: a file, a folder, or a pattern in quotes")
    .option('--limit <n>', 'work on at most n tasks', wholeNumber(1))
    .option('--base-url <url>', "the teacher's endpoint")
    .option('--model <model>', "the teacher's model, for its price")
    .option('--json', 'print it as JSON')
    .examples(['coa-distill forecast --from-run try', 'the whole configuration, after a try of twenty tasks'])
    .runs(async () => (await import('../forecastFromCommandLine.ts')).forecastFromCommandLine);
}
