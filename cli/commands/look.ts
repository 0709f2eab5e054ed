import { InvalidArgumentError } from 'commander';
import { Command } from '../command.ts';
import { decimalNumber, portNumber } from '../optionParsers.ts';

export function statusCommand(): Command {
  return new Command('status')
    .argument(
      '[run]',
      'name under runs/, or the run folder; left out: a line for each run, the last one first',
    )
    .option('--watch', 'show it again every two seconds until the run ends')
    .option('--json', 'print it as JSON; with --watch one line each time')
    .examples(
      ['coa-distill status', 'every run under runs/'],
      ['coa-distill status quickstart', 'also while it runs'],
      ['coa-distill status quickstart --watch', 'from a second terminal'],
    )
    .runs(async () => (await import('../statusFromCommandLine.ts')).statusFromCommandLine);
}

export function viewCommand(): Command {
  return new Command('view')
    .argument(
      '[run_or_files...]',
      'runs, by name or folder, and files of rows; left out: every run under runs/',
    )
    .option('--port <port>', 'port on 127.0.0.1; 0 takes a free one', portNumber, 0)
    .option('--open', 'open the address in the browser')
    .option('--review', 'let the pages write reviews into the run, in the name of --author')
    .option('--author <name>', 'who reviews')
    .option('--rows <filter>', 'list the rows that a filter finds, as the page copies it, and end')
    .option(
      '--export [folder]',
      "write a static copy of the records, or of those that --rows finds, and end; without a folder the overview of a run, as report.html in the run's folder",
    )
    .option('--tokens', 'with --export FOLDER: also a page of the tokens of each record, with ids and labels')
    .option('--json', 'print the address, the rows one a line, or what the overview shows, as JSON')
    .examples(
      ['coa-distill view', 'all runs, also while they run; prints an address for one browser'],
      ['coa-distill view quickstart --open', 'one run'],
      ['coa-distill view runs/quickstart/dataset/trajectories.jsonl', 'rows without a run'],
      ['coa-distill view quickstart --review --author ada', 'accept, reject, mark segments'],
      ["coa-distill view quickstart --rows 'reason=wrong_answer&sort=-tokens'", 'ids and questions'],
      ["coa-distill view quickstart --rows 'reason=wrong_answer' --export wrong", 'pages to pass on'],
      ['coa-distill view quickstart --export', 'writes runs/quickstart/report.html, one file'],
    )
    .runs(async () => (await import('../viewFromCommandLine.ts')).viewFromCommandLine);
}

export function compareCommand(): Command {
  return new Command('compare')
    .argument('<run_a>', 'name under runs/, or the run folder')
    .argument('<run_b>', 'likewise')
    .option('--json', 'print it as JSON, with every record that ended otherwise')
    .examples(['coa-distill compare coa coa-2', 'after coa-distill filter coa --set ...'])
    .runs(async () => (await import('../compareFromCommandLine.ts')).compareFromCommandLine);
}

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
    .runs(async () => (await import('../whyFromCommandLine.ts')).whyFromCommandLine);
}

const whichCache = 'name of a run, its folder, or a cache file (.sqlite)';

export function cacheCommand(): Command {
  return new Command('cache')
    .addCommand(statsCommand())
    .addCommand(searchesCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(pruneCommand())
    .examples(
      ['coa-distill cache stats my-run', 'what is in it, by model and tool'],
      ['coa-distill cache searches my-run', 'what was searched for, by whom and when'],
      ['coa-distill cache export my-run --out answers.jsonl', 'to take along, or to look at'],
      ['coa-distill cache import shared.sqlite answers.jsonl', 'into another cache'],
      ['coa-distill cache prune shared.sqlite --older-than 90d --dry-run', 'what would go'],
    );
}

function statsCommand(): Command {
  return new Command('stats')
    .description('What a cache holds, by model and tool')
    .argument('<run>', whichCache)
    .option('--json', 'print it as JSON')
    .runs(async () => (await import('../cacheActions.ts')).printCacheStats);
}

function searchesCommand(): Command {
  return new Command('searches')
    .description('List the web searches of a cache, oldest first: time, provider, results, query')
    .argument('<run>', whichCache)
    .option('--json', 'print each as a line of JSON')
    .runs(async () => (await import('../cacheActions.ts')).printKeptSearches);
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write every answer as a line of JSON, the oldest first')
    .argument('<run>', whichCache)
    .option('--out <file>', 'a file instead of the standard output')
    .option('--json', 'print the count as JSON; with --out')
    .runs(async () => (await import('../cacheActions.ts')).exportCache);
}

function importCommand(): Command {
  return new Command('import')
    .description('Add exported answers to a cache, which is made where there is none')
    .argument('<run>', whichCache)
    .argument('<file>', 'what coa-distill cache export wrote')
    .option('--json', 'print the counts as JSON')
    .runs(async () => (await import('../cacheActions.ts')).importIntoCache);
}

function pruneCommand(): Command {
  return new Command('prune')
    .description('Remove answers; a run that needs one of them requests and pays for it again')
    .argument('<run>', whichCache)
    .option('--older-than <age>', 'only answers older than this, for instance 30d or 12h', ageMs)
    .option('--name <name>', 'only answers of this model or tool')
    .option('--max-mb <n>', 'only the oldest, until the rest has at most n MB', decimalNumber({ above: 0 }))
    .option('--dry-run', 'count, and remove nothing')
    .option('--json', 'print the counts as JSON')
    .runs(async () => (await import('../cacheActions.ts')).pruneFromCommandLine);
}

function ageMs(text: string): number {
  const [, count, unit] = /^(\d{1,6})(h|d)$/.exec(text) ?? [];
  if (count === undefined) {
    throw new InvalidArgumentError('Expected hours or days such as 12h or 30d.');
  }
  return Number(count) * (unit === 'd' ? 86_400_000 : 3_600_000);
}
