import { once } from 'node:events';
import { printable } from '../../base/printable.ts';
import { type CachedSearch, keptSearches } from '../../calls/cache/cacheStats.ts';
import { cacheFileOf } from './cacheFileOf.ts';

/** Prints the web searches of a cache, a line each. Throws `UserError` when there is no cache. */
export async function printKeptSearches(runOrFile: string, json: boolean): Promise<void> {
  for await (const search of keptSearches(await cacheFileOf(runOrFile))) {
    const line = json ? JSON.stringify(search) : describe(search);
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }
}

function describe({ answered_at, provider, service, query, num, found, refused }: CachedSearch): string {
  const result = refused === undefined ? `${found} of ${num}` : 'refused';
  return [answered_at, provider, printable(service), result, printable(query)].join('  ');
}
