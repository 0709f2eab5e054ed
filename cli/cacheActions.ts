import { once } from 'node:events';
import { resolve } from 'node:path';
import { z } from 'zod';
import { printable } from '../base/printable.ts';
import { type CacheGroup, cacheStats } from '../calls/cache/cacheStats.ts';
import { exportAnswers, exportedLine, importAnswers } from '../calls/cache/transferAnswers.ts';
import { cachePath } from '../pipeline/compose/openCache.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { formatBytes, formatCount, formatTable } from './format.ts';

interface Printed {
  readonly json?: true;
}

/** Prints the content of a cache. Throws `UserError` if it does not exist. */
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

/** Prints a cache as JSON lines. Throws `UserError` if it cannot be opened. */
export async function exportCache(runOrFile: string): Promise<void> {
  for await (const answer of exportAnswers(await cacheFileOf(runOrFile))) {
    if (!process.stdout.write(exportedLine(answer))) await once(process.stdout, 'drain');
  }
}

/** Imports exported answers into a cache and prints the number of new ones. Throws `UserError` for an invalid line. */
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

const cacheSection = z.object({ cache: z.object({ file: z.string().optional() }).default({}) });

/**
 * Cache file of an argument: a path ending in `.sqlite`, or the cache of a run. Throws `UserError` if it does not
 * exist.
 */
async function cacheFileOf(runOrFile: string): Promise<string> {
  if (runOrFile.endsWith('.sqlite')) return resolve(runOrFile);
  const { folder, run } = await findRun(runOrFile);
  return cachePath(cacheSection.parse(run.config), folder);
}
