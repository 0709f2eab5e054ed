import { once } from 'node:events';
import { resolve } from 'node:path';
import { z } from 'zod';
import { printable } from '../base/printable.ts';
import { systemClock } from '../base/systemClock.ts';
import { UserError } from '../base/userError.ts';
import {
  type CachedSearch,
  type CacheGroup,
  cacheStats,
  keptSearches,
  pruneCache,
} from '../calls/cache/cacheStats.ts';
import { exportAnswers, exportedLine, importAnswers } from '../calls/cache/transferAnswers.ts';
import { cachePath } from '../pipeline/compose/openCache.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { formatBytes, formatCount, formatTable } from './format.ts';

interface Printed {
  readonly json?: true;
}

/** Prints what a cache holds. Throws `UserError` when there is none. */
export async function printCacheStats(runOrFile: string, { json }: Printed): Promise<void> {
  const stats = await cacheStats(await cacheFileOf(runOrFile));
  if (json) return console.log(JSON.stringify(stats));
  const head = [
    'kind',
    'name',
    'provider',
    'answers',
    'size',
    'prompt tokens',
    'completion tokens',
    'newest',
  ];
  console.log(`${stats.file}: ${formatCount(stats.answers)} answers, ${formatBytes(stats.file_bytes)}`);
  if (stats.groups.length > 0) console.log(formatTable([head, ...stats.groups.map(cells)]).join('\n'));
}

function cells(group: CacheGroup): (string | number)[] {
  const { kind, name, provider, answers, bytes, prompt_tokens, completion_tokens, newest } = group;
  return [
    kind,
    printable(name),
    printable(provider),
    answers,
    formatBytes(bytes),
    prompt_tokens,
    completion_tokens,
    newest,
  ];
}

/** Prints the web searches of a cache, a line each. Throws `UserError` when there is no cache. */
export async function printKeptSearches(runOrFile: string, { json }: Printed): Promise<void> {
  for await (const search of keptSearches(await cacheFileOf(runOrFile))) {
    const line = json ? JSON.stringify(search) : describe(search);
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }
}

function describe({ answered_at, provider, service, query, num, found, refused }: CachedSearch): string {
  const result = refused === undefined ? `${found} of ${num}` : 'refused';
  return [answered_at, provider, printable(service), result, printable(query)].join('  ');
}

/** Prints a cache as JSON lines. Throws `UserError` when it can't be had. */
export async function exportCache(runOrFile: string): Promise<void> {
  for await (const answer of exportAnswers(await cacheFileOf(runOrFile))) {
    if (!process.stdout.write(exportedLine(answer))) await once(process.stdout, 'drain');
  }
}

/** Adds exported answers to a cache and says how many were new. Throws `UserError` for a line that is none. */
export async function importIntoCache(runOrFile: string, from: string, { json }: Printed): Promise<void> {
  const file = await cacheFileOf(runOrFile);
  const counts = await importAnswers(file, from, (line) => console.error(line));
  const { added, known } = counts;
  console.log(
    json
      ? JSON.stringify({ file, ...counts })
      : `${formatCount(added)} answers added, ${formatCount(known)} known`,
  );
}

interface PruneCommandOptions extends Printed {
  readonly olderThan?: number;
  readonly maxMb?: number;
  readonly name?: string;
  readonly dryRun?: true;
}

/** Removes the answers that the options name and says how many. Throws `UserError` when they name none in particular. */
export async function pruneFromCommandLine(runOrFile: string, options: PruneCommandOptions): Promise<void> {
  const { olderThan, maxMb, name, dryRun = false, json } = options;
  if (olderThan === undefined && maxMb === undefined && name === undefined) {
    throw new UserError('cache prune: say which answers go, with --older-than, --name or --max-mb');
  }
  const choice = {
    ...(olderThan !== undefined && { before: new Date(systemClock.now() - olderThan).toISOString() }),
    ...(maxMb !== undefined && { maxBytes: maxMb * 1e6 }),
    ...(name !== undefined && { name }),
  };
  const file = await cacheFileOf(runOrFile);
  const result = await pruneCache(file, choice, dryRun);
  if (json) return console.log(JSON.stringify({ file, dry_run: dryRun, ...result }));
  const { removed, removed_bytes, left } = result;
  const verb = dryRun ? 'would go' : 'removed';
  console.log(
    `${formatCount(removed)} answers ${verb} (${formatBytes(removed_bytes)}), ${formatCount(left)} ${dryRun ? 'would stay' : 'left'}`,
  );
}

const cacheSection = z.object({ cache: z.object({ file: z.string().optional() }).default({}) });

/** The cache that an argument means: a file that ends in `.sqlite`, or that of a run. Throws `UserError` without one. */
async function cacheFileOf(runOrFile: string): Promise<string> {
  if (runOrFile.endsWith('.sqlite')) return resolve(runOrFile);
  const { folder, run } = await findRun(runOrFile);
  return cachePath(cacheSection.parse(run.config), folder);
}
