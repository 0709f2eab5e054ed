import { Option } from 'commander';
import { launcherNames } from '../../schemas/training/jobNames.ts';
import { Command } from '../command.ts';
import { wholeNumber } from '../optionParsers.ts';

const url = 'postgres://USER@HOST/DB; default: COA_DISTILL_DATABASE of the environment';

export function workersCommand(): Command {
  return new Command('workers')
    .addCommand(joinCommand())
    .addCommand(startCommand())
    .addCommand(statusCommand())
    .addCommand(tellCommand('drain', 'Let workers end what they are at, and give their other tasks back'))
    .addCommand(tellCommand('stop', 'End workers at once: what they are at is begun again by others'))
    .examples(
      ['coa-distill workers join postgres://coa@db/coa', 'this machine works with'],
      ['coa-distill workers start postgres://coa@db/coa --launcher slurm --count 20', '20 jobs of Slurm'],
      ['coa-distill workers status postgres://coa@db/coa', 'who works on what'],
      ['coa-distill workers drain postgres://coa@db/coa --worker node7', 'those of a machine leave'],
      ['coa-distill workers stop postgres://coa@db/coa --folder workers', 'all, also those that are queued'],
    );
}

function joinCommand(): Command {
  return new Command('join')
    .description('Work on the tasks of runs that other machines coordinate through a PostgreSQL database')
    .argument(
      '[url]',
      'postgres://USER@HOST/DB; the password comes from PGPASSWORD or ~/.pgpass; default: COA_DISTILL_DATABASE of the environment',
    )
    .option(
      '--once',
      'end with the first run, or after ten minutes without one; default: wait for the next until it is told to stop',
    )
    .examples(
      ['coa-distill workers join postgres://coa@db/coa', 'keys of endpoints come from the environment'],
      ['coa-distill workers join postgres://coa@db/coa --once', 'for a job of a scheduler'],
    )
    .runs(async () => (await import('../workersFromCommandLine.ts')).joinFromCommandLine);
}

function startCommand(): Command {
  return new Command('start')
    .description('Start workers with a launcher; they end with their run')
    .argument('[url]', url)
    .addOption(new Option('--launcher <name>', 'what starts them').choices(launcherNames).default('local'))
    .option('--count <n>', 'how many', wholeNumber(1, 10_000), 1)
    .option('--config <file>', "configuration whose training section says the launcher's settings")
    .option('--folder <dir>', 'where their files and what they print go', 'workers')
    .runs(async () => (await import('../workersFromCommandLine.ts')).startFromCommandLine);
}

function statusCommand(): Command {
  return new Command('status')
    .description('The runs of a database and their workers')
    .argument('[url]', url)
    .option('--folder <dir>', 'where workers were started into: says where their jobs are, too')
    .option('--json', 'print it as JSON')
    .runs(async () => (await import('../workersFromCommandLine.ts')).printWorkers);
}

function tellCommand(order: 'drain' | 'stop', description: string): Command {
  const command = new Command(order)
    .description(description)
    .argument('[url]', url)
    .option('--worker <name>', 'HOST:PROCESS as status shows it, or a host; default: all');
  if (order === 'stop')
    command.option('--folder <dir>', 'where workers were started into: ends their jobs, queued ones too');
  return command.runs(async () => {
    const { tellFromCommandLine } = await import('../workersFromCommandLine.ts');
    return (address: string | undefined, options: Parameters<typeof tellFromCommandLine>[2]) =>
      tellFromCommandLine(address, order, options);
  });
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .argument('[config]', 'configuration whose needs are checked; default: ./coa.yaml where there is one')
    .option('--json', 'print it as JSON')
    .examples(['coa-distill doctor coa.yaml', 'exit 1 when something it needs is missing'])
    .runs(async () => (await import('../doctor/runDoctor.ts')).runDoctor);
}
