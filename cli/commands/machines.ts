import { launcherNames } from '../../schemas/training/jobNames.ts';
import type { CommandFacts, Taken } from '../command.ts';
import { wholeNumber } from '../optionParsers.ts';

const url: Taken = {
  '[url]': 'postgres://USER@HOST/DB; default: COA_DISTILL_DATABASE of the environment',
};

export const commands: Readonly<Record<string, CommandFacts>> = {
  workers: {
    commands: {
      join: {
        description: 'Work on the tasks of runs that other machines coordinate through a PostgreSQL database',
        arguments: {
          '[url]':
            'postgres://USER@HOST/DB; the password comes from PGPASSWORD or ~/.pgpass; default: COA_DISTILL_DATABASE of the environment',
        },
        options: {
          '--once':
            'end with the first run, or after ten minutes without one; default: wait for the next until it is told to stop',
        },
        examples: {
          'coa-distill workers join postgres://coa@db/coa': 'keys of endpoints come from the environment',
          'coa-distill workers join postgres://coa@db/coa --once': 'for a job of a scheduler',
        },
        runs: async () => (await import('../workersFromCommandLine.ts')).joinFromCommandLine,
      },
      start: {
        description: 'Start workers with a launcher; they end with their run',
        arguments: url,
        options: {
          '--launcher <name>': ['what starts them', { choices: launcherNames, default: 'local' }],
          '--count <n>': ['how many', { parse: wholeNumber(1, 10_000), default: 1 }],
          '--config <file>': "configuration whose training section says the launcher's settings",
          '--folder <dir>': ['where their files and what they print go', { default: 'workers' }],
        },
        runs: async () => (await import('../workersFromCommandLine.ts')).startFromCommandLine,
      },
      status: {
        description: 'The runs of a database and their workers',
        arguments: url,
        options: {
          '--folder <dir>': 'where workers were started into: says where their jobs are, too',
        },
        json: true,
        runs: async () => (await import('../workersFromCommandLine.ts')).printWorkers,
      },
      stop: {
        description: 'Let workers finish their calls in flight and give their other tasks back',
        arguments: url,
        options: {
          '--worker <name>': 'HOST:PROCESS as status shows it, or a host; default: all',
          '--now': 'end them at once; others begin their tasks again',
          '--folder <dir>': 'where workers were started into: ends their jobs, queued ones too',
        },
        runs: async () => (await import('../workersFromCommandLine.ts')).stopFromCommandLine,
      },
    },
    examples: {
      'coa-distill workers join postgres://coa@db/coa': 'this machine works with',
      'coa-distill workers start postgres://coa@db/coa --launcher slurm --count 20': '20 jobs of Slurm',
      'coa-distill workers status postgres://coa@db/coa': 'who works on what',
      'coa-distill workers stop postgres://coa@db/coa --worker node7': 'those of a machine leave',
      'coa-distill workers stop postgres://coa@db/coa --now --folder workers':
        'all at once, also those that are queued',
    },
  },
  doctor: {
    arguments: {
      '[config]': 'configuration whose needs are checked; default: ./coa.yaml where there is one',
    },
    options: {
      '--base-url <url>': "the teacher's endpoint, in place of the configuration's",
      '--model <name>': "the teacher's model, in place of the configuration's",
    },
    json: true,
    examples: {
      'coa-distill doctor coa.yaml':
        'exit 1 when something it needs is missing; each model is asked for a word',
      'coa-distill doctor --base-url http://localhost:8000/v1 --model my-model': 'another endpoint',
    },
    runs: async () => (await import('../doctor/runDoctor.ts')).runDoctor,
  },
};
