import { Option } from 'commander';
import { launcherNames } from '../../schemas/training/jobNames.ts';
import { Command } from '../command.ts';
import { wholeNumber } from '../optionParsers.ts';

const url = 'postgres://USER@HOST/DB; default: COA_DISTILL_DATABASE of the environment';

export function workersCommand(): Command {
  return new Command('workers')
    .addCommand(startCommand())
    .addCommand(statusCommand())
    .addCommand(tellCommand('drain', 'Let workers end what they are at, and give their other tasks back'))
    .addCommand(tellCommand('stop', 'End workers at once: what they are at is begun again by others'))
    .examples(
      ['coa-distill workers start postgres://coa@db/coa --launcher slurm --count 20', '20 jobs of Slurm'],
      ['coa-distill workers status postgres://coa@db/coa', 'who works on what'],
      ['coa-distill workers drain postgres://coa@db/coa --worker node7', 'those of a machine leave'],
      ['coa-distill workers stop postgres://coa@db/coa --folder workers', 'all, also those that are queued'],
    );
}

function startCommand(): Command {
  return new Command('start')
    .description('Start workers with a launcher; they end with their run')
    .argument('[url]', url)
    .addOption(new Option('--launcher <name>', 'what starts them').choices(launcherNames).default('local'))
    .option('--count <n>', 'how many', wholeNumber(1, 10_000), 1)
    .option('--config <file>', "configuration whose training section says the launcher's settings")
    .option('--folder <dir>', 'where their files and what they print go', 'workers')
    .action(async (database: string | undefined, options) => {
      const { startFromCommandLine } = await import('../workersFromCommandLine.ts');
      await startFromCommandLine(database, options);
    });
}

function statusCommand(): Command {
  return new Command('status')
    .description('The runs of a database and their workers')
    .argument('[url]', url)
    .option('--folder <dir>', 'where workers were started into: says where their jobs are, too')
    .option('--json', 'print it as JSON')
    .action(async (database: string | undefined, options) => {
      const { printWorkers } = await import('../workersFromCommandLine.ts');
      await printWorkers(database, options);
    });
}

function tellCommand(order: 'drain' | 'stop', description: string): Command {
  const command = new Command(order)
    .description(description)
    .argument('[url]', url)
    .option('--worker <name>', 'HOST:PROCESS as status shows it, or a host; default: all');
  if (order === 'stop')
    command.option('--folder <dir>', 'where workers were started into: ends their jobs, queued ones too');
  return command.action(async (database: string | undefined, options) => {
    const { tellFromCommandLine } = await import('../workersFromCommandLine.ts');
    await tellFromCommandLine(database, order, options);
  });
}
