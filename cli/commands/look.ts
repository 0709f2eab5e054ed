import type { CommandFacts } from '../command.ts';
import { portNumber } from '../optionParsers.ts';

const whichCache = 'name of a run, its folder, or a cache file (.sqlite)';

export const commands: Readonly<Record<string, CommandFacts>> = {
  status: {
    arguments: {
      '[run]': 'name under runs/, or the run folder; left out: a line for each run, the last one first',
    },
    options: {
      '--watch': 'show it again every two seconds until the run ends',
    },
    json: true,
    examples: {
      'coa-distill status': 'every run under runs/',
      'coa-distill status quickstart': 'also while it runs',
      'coa-distill status quickstart --watch': 'from a second terminal',
    },
    runs: async () => (await import('../statusFromCommandLine.ts')).statusFromCommandLine,
  },
  view: {
    arguments: {
      '[run_or_files...]': 'runs, by name or folder, and files of rows; left out: every run under runs/',
    },
    options: {
      '--port <port>': ['port on 127.0.0.1; 0 takes a free one', { parse: portNumber, default: 0 }],
      '--open': 'open the address in the browser',
      '--review': 'let the pages write reviews into the run, in the name of --author',
      '--author <name>': 'who reviews',
      '--rows <filter>': 'list the rows that a filter finds, as the page copies it, and end',
      '--export [folder]':
        "write a static copy of the records, or of those that --rows finds, and end; without a folder the overview of a run, as report.html in the run's folder",
      '--tokens': 'with --export FOLDER: also a page of the tokens of each record, with ids and labels',
    },
    json: true,
    examples: {
      'coa-distill view': 'all runs, also while they run; prints an address for one browser',
      'coa-distill view quickstart --open': 'one run',
      'coa-distill view runs/quickstart/dataset/trajectories.jsonl': 'rows without a run',
      'coa-distill view quickstart --review --author ada': 'accept or reject records',
      "coa-distill view quickstart --rows 'reason=wrong_answer&sort=-tokens'": 'ids and questions',
      "coa-distill view quickstart --rows 'reason=wrong_answer' --export wrong": 'pages to pass on',
      'coa-distill view quickstart --export': 'writes runs/quickstart/report.html, one file',
    },
    runs: async () => (await import('../viewFromCommandLine.ts')).viewFromCommandLine,
  },
  compare: {
    arguments: {
      '<run_a>': 'name under runs/, or the folder, of a run or an evaluation',
      '<run_b>': 'likewise',
    },
    json: true,
    examples: {
      'coa-distill compare coa coa-2': 'after coa-distill refilter coa --set ...',
      'coa-distill compare student teacher': 'two evaluations, on the tasks that both played',
    },
    runs: async () => (await import('../compareFromCommandLine.ts')).compareFromCommandLine,
  },
  why: {
    usage: '[options] [run] <id>',
    arguments: {
      '<run_or_id>':
        'the run, the evaluation, or one of its benchmarks as NAME/BENCHMARK; left out: every one under runs/',
      '[id]':
        "of a task, a trace, a trajectory, the task file's own, or a row: train:12, validation:3, counted from 0",
    },
    json: true,
    examples: {
      'coa-distill why coa train:12': 'where row 12 comes from',
      'coa-distill why evaluation q17': 'what became of a task of a benchmark',
      'coa-distill why task_5f2c19d0a8e34b7c6d1e2f30': 'in whichever runs and evaluations have it',
    },
    runs: async () => (await import('../whyFromCommandLine.ts')).whyFromCommandLine,
  },
  show: {
    arguments: {
      '<run>': 'name under runs/, or the run folder',
      '[row]': [
        'a row (train:12, validation:3 or 12, counted from 0), or the id of a task or a trajectory',
        { default: '0' },
      ],
    },
    json: true,
    examples: {
      'coa-distill show quickstart': 'the first row of the dataset',
      'coa-distill show quickstart train:12': 'another one',
      'coa-distill show quickstart web-02': 'a task, also one that was dropped',
    },
    runs: async () => (await import('../showFromCommandLine.ts')).showFromCommandLine,
    commands: {
      profile: {
        description: "Print an agent profile's grammar: its tags, who writes them, what may follow what",
        arguments: { '[name]': 'a profile; without one, the names of all' },
        options: {
          '--config <file>': 'configuration whose own profiles are known too; nothing else of it is read',
        },
        json: true,
        examples: {
          'coa-distill show profile web': 'to read',
          'coa-distill show profile mine --config coa.yaml': 'a profile of your own',
        },
        runs: async () => (await import('../showProfile.ts')).showProfile,
      },
    },
  },
  cache: {
    commands: {
      stats: {
        description: 'What a cache holds, by model and tool',
        arguments: { '<run>': whichCache },
        json: true,
        runs: async () => (await import('../cacheActions.ts')).printCacheStats,
      },
      export: {
        description: 'Write every answer as a line of JSON, the oldest first',
        arguments: { '<run>': whichCache },
        runs: async () => (await import('../cacheActions.ts')).exportCache,
      },
      import: {
        description: 'Add exported answers to a cache, which is made where there is none',
        arguments: { '<run>': whichCache, '<file>': 'what coa-distill cache export wrote' },
        json: true,
        runs: async () => (await import('../cacheActions.ts')).importIntoCache,
      },
    },
    examples: {
      'coa-distill cache stats my-run': 'what is in it, by model and tool',
      'coa-distill cache export my-run > answers.jsonl': 'to take along, or to look at',
      'coa-distill cache import shared.sqlite answers.jsonl': 'into another cache',
    },
  },
};
