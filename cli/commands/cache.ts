import { InvalidArgumentError, Option } from 'commander';
import type { PruneCommandOptions } from '../cacheActions.ts';
import { Command } from '../command.ts';
import { decimalNumber } from '../optionParsers.ts';

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
    .action(async (run: string, options: { json?: true }) => {
      const { printCacheStats } = await import('../cacheActions.ts');
      await printCacheStats(run, options.json === true);
    });
}

function searchesCommand(): Command {
  return new Command('searches')
    .description('The web searches of a cache, the oldest first: when, by whom, how many of how many, what')
    .argument('<run>', whichCache)
    .option('--json', 'print each as a line of JSON')
    .action(async (run: string, options: { json?: true }) => {
      const { printKeptSearches } = await import('../cacheActions.ts');
      await printKeptSearches(run, options.json === true);
    });
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write every answer as a line of JSON, the oldest first')
    .argument('<run>', whichCache)
    .option('--out <file>', 'a file instead of the standard output')
    .addOption(new Option('--output <file>', 'deprecated: say --out').hideHelp())
    .option('--json', 'print the count as JSON; with --out')
    .action(async (run: string, options: { out?: string; output?: string; json?: true }) => {
      const { exportCache } = await import('../cacheActions.ts');
      if (options.output !== undefined) console.error('--output is deprecated; say --out');
      await exportCache(run, options.out ?? options.output, options.json === true);
    });
}

function importCommand(): Command {
  return new Command('import')
    .description('Add exported answers to a cache, which is made where there is none')
    .argument('<run>', whichCache)
    .argument('<file>', 'what coa-distill cache export wrote')
    .option('--json', 'print the counts as JSON')
    .action(async (run: string, file: string, options: { json?: true }) => {
      const { importIntoCache } = await import('../cacheActions.ts');
      await importIntoCache(run, file, options.json === true);
    });
}

function pruneCommand(): Command {
  return new Command('prune')
    .description('Remove answers; whoever needs one of them asks, and pays, again')
    .argument('<run>', whichCache)
    .option('--older-than <age>', 'only answers older than this, for instance 30d or 12h', ageMs)
    .option('--name <name>', 'only answers of this model or tool')
    .option('--max-mb <n>', 'only the oldest, until the rest has at most n MB', decimalNumber({ above: 0 }))
    .option('--dry-run', 'count, and remove nothing')
    .option('--json', 'print the counts as JSON')
    .action(async (run: string, options: PruneCommandOptions) => {
      const { pruneFromCommandLine } = await import('../cacheActions.ts');
      await pruneFromCommandLine(run, options);
    });
}

function ageMs(text: string): number {
  const [, count, unit] = /^(\d{1,6})(h|d)$/.exec(text) ?? [];
  if (count === undefined) {
    throw new InvalidArgumentError('Expected hours or days such as 12h or 30d.');
  }
  return Number(count) * (unit === 'd' ? 86_400_000 : 3_600_000);
}
