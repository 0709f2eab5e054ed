import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../base/ids.ts';
import type { JsonObject } from '../../../base/json.ts';
import { type CachedSearch, keptSearches } from '../../../calls/cache/cacheStats.ts';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const organic = [{ title: 'T', link: 'http://a.example/' }];
const kept: readonly [createdAt: string, raw: JsonObject][] = [
  ['2026-01-02T00:00:00.000Z', { provider: 'brave', query: 'later', num: 10, organic }],
  ['2026-01-01T00:00:00.000Z', { provider: 'tavily', query: 'a\u001b[2Jb', num: 5, organic: [] }],
  ['2026-01-03T00:00:00.000Z', { provider: 'brave', query: 'long', num: 10, refused: 'too long' }],
  // Of an earlier version, which did not note what was asked.
  ['2026-01-04T00:00:00.000Z', { organic }],
];

async function cacheOf(folder: string): Promise<string> {
  const file = join(folder, 'cache.sqlite');
  const cache = await SqliteAnswerCache.open(file, () => {});
  for (const [created_at, raw] of kept) {
    const request = sha256Hex(created_at);
    const answer = { observation: 'o', raw };
    const asked = { kind: 'tool', name: 'web_search', provider: 'https://s.example/' } as const;
    await cache.store({ ...asked, request, sample: 0, task_id: 't', created_at, answer });
  }
  await cache.close();
  return file;
}

test('searches are told in the order in which they were answered', async () => {
  const searches: CachedSearch[] = [];
  for await (const search of keptSearches(await cacheOf(temporaryFolder()))) searches.push(search);
  const service = 'https://s.example/';
  expect(searches).toEqual([
    { answered_at: kept[1]![0], service, provider: 'tavily', query: 'a\u001b[2Jb', num: 5, found: 0 },
    { answered_at: kept[0]![0], service, provider: 'brave', query: 'later', num: 10, found: 1 },
    {
      answered_at: kept[2]![0],
      service,
      provider: 'brave',
      query: 'long',
      num: 10,
      refused: 'too long',
      found: 0,
    },
  ]);
});
